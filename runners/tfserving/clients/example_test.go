package clients_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/runtimetest/tbtest"
	"github.com/monosim/monosim/sim/tfserving/serve/tfservingtest"
)

// askForStates is a Go client that asks for a model's states, as the Python clients of this
// package do.
func askForStates(t testing.TB) {
	s := tfservingtest.Start(t, tfservingtest.Speed(20), tfservingtest.Small("ranker", 3))
	client := apis.NewModelServiceClient(s.Conn())
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, name := range []string{"ranker", "other"} {
		answer, err := client.GetModelStatus(ctx, &apis.GetModelStatusRequest{ModelSpec: &apis.ModelSpec{Name: name}})
		if err != nil {
			t.Log(status.Code(err), status.Convert(err).Message())
		}
		for _, v := range answer.GetModelVersionStatus() {
			t.Log(name, v.GetVersion(), v.GetState())
		}
	}
}

func Example() {
	for _, line := range tbtest.Attempt("TestStates", askForStates).Said {
		fmt.Println(line)
	}

	// Output:
	// ranker 3 AVAILABLE
	// NotFound Could not find any versions of model other
}
