package python

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/engine/runtimetest/networktest"
)

// Goal: what both networks are held to is what grpc-python says. Method: record
// anew, where the version of grpcio is one that was recorded. It takes 20 s, which
// is how long gRPC waits for a server that is silent.
func TestStatusesOfGRPCAreAsRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	out, err := pythontest.Command(t, findInterpreter(t), "grpc_statuses.py").Output()
	if err != nil {
		t.Fatalf("grpc_statuses.py: %v", err)
	}
	var got struct {
		GRPCIO   string `json:"grpcio"`
		Statuses map[string]networktest.Status
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	versions, err := networktest.Versions()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(versions, got.GRPCIO) {
		t.Skipf("grpcio %s was not recorded, only %v", got.GRPCIO, versions)
	}
	want, err := networktest.Recorded(got.GRPCIO)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Statuses); diff != "" {
		t.Errorf("grpcio %s (-recorded +got):\n%s", got.GRPCIO, diff)
	}
}
