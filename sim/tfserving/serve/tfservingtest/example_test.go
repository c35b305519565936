package tfservingtest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/runtimetest/tbtest"
	"github.com/monosim/monosim/sim/tfserving/serve/tfservingtest"
)

// testRollout is the body of a user's test, which would be named TestRollout(t *testing.T). A new
// version replaces an old one.
func testRollout(t testing.TB) {
	s := tfservingtest.Start(t, tfservingtest.Speed(20), tfservingtest.Small("ranker", 1))
	s.Export("ranker", 2, []byte(description))
	s.Await("ranker", 2, env.StateAvailable)
	s.Await("ranker", 1, env.StateEnd)

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	answer, err := apis.NewModelServiceClient(s.Conn()).GetModelStatus(ctx, &apis.GetModelStatusRequest{
		ModelSpec: &apis.ModelSpec{Name: "ranker"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range answer.GetModelVersionStatus() {
		t.Log(v.GetVersion(), v.GetState())
	}
}

// The example runs testRollout by Attempt, in place of go test.
func Example() {
	for _, line := range tbtest.Attempt("TestRollout", testRollout).Said {
		fmt.Println(line)
	}

	// Output:
	// 2 AVAILABLE
	// 1 END
}
