package embedder

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/serve/tfservingtest"
)

func TestAVersionTakesOver(t *testing.T) {
	s := tfservingtest.Start(t, tfservingtest.Speed(20), tfservingtest.Small("ranker", 1))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	stub := apis.NewModelServiceClient(s.Conn())
	status := func() (versions []int64) {
		answer, err := stub.GetModelStatus(ctx, &apis.GetModelStatusRequest{ModelSpec: &apis.ModelSpec{Name: "ranker"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range answer.GetModelVersionStatus() {
			if v.GetState() == apis.ModelVersionStatus_AVAILABLE {
				versions = append(versions, v.GetVersion())
			}
		}
		return versions
	}
	if got := status(); len(got) != 1 || got[0] != 1 {
		t.Errorf("versions: got %v, want 1", got)
	}
	s.Export("ranker", 2, []byte(`{"signatures": {}}`))
	s.Await("ranker", 1, env.StateEnd)
	if got := status(); len(got) != 1 || got[0] != 2 {
		t.Errorf("versions: got %v, want 2", got)
	}
}

func TestREST(t *testing.T) {
	s := tfservingtest.Start(t, tfservingtest.Small("ranker", 7))
	answer, err := http.Post(s.REST()+"/v1/models/ranker:predict", "application/json", strings.NewReader(`{"instances": [1.5, 2.5]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), `"predictions"`) {
		t.Errorf("got %s, %s, %v, want predictions", answer.Status, body, err)
	}
}
