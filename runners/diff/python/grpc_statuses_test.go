package python

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/engine/runtimetest/networktest"
)

// Goal: the recorded statuses, with which both networks are compared, are those of grpc-python.
// Method: record them again, if the installed version of grpcio is a recorded one. That takes the
// 20 s for which gRPC waits for a silent server.
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
