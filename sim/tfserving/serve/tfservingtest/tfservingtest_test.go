package tfservingtest_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/runtimetest/tbtest"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/serve"
	"github.com/monosim/monosim/sim/tfserving/serve/export"
	"github.com/monosim/monosim/sim/tfserving/serve/tfservingtest"
)

// description describes in JSON a model with the signature of Small.
const description = `{"signatures": {"serving_default": {
	"inputs": {"x": {"dtype": 1, "shape": [-1]}}, "outputs": {"y": {"dtype": 1, "shape": [-1]}},
	"method": "tensorflow/serving/predict"}}}`

func predict(t *testing.T, s *tfservingtest.Server, model string) *apis.PredictResponse {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	answer, err := apis.NewPredictionServiceClient(s.Conn()).Predict(ctx, &apis.PredictRequest{
		ModelSpec: &apis.ModelSpec{Name: model},
		Inputs: map[string]*framework.TensorProto{"x": {
			Dtype: framework.DataType_DT_FLOAT, FloatVal: []float32{1, 2},
			TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: 2}}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// Goal: models of all kinds are served over gRPC and REST. A version that is exported later
// replaces the old one.
func TestModelsAreServed(t *testing.T) {
	dir := t.TempDir()
	if err := export.Version(filepath.Join(dir, "own"), 5, []byte(description)); err != nil {
		t.Fatal(err)
	}
	s := tfservingtest.Start(t, tfservingtest.Speed(20), tfservingtest.Profile(tfserving.ProfileHead),
		tfservingtest.Small("small", 1), tfservingtest.Exported("described", []byte(description), 3), tfservingtest.Model("own", filepath.Join(dir, "own")))
	for model, version := range map[string]int64{"small": 1, "described": 3, "own": 5} {
		answer := predict(t, s, model)
		if got := answer.GetModelSpec().GetVersion().GetValue(); got != version || len(answer.GetOutputs()["y"].GetFloatVal()) != 2 {
			t.Errorf("%s: got version %d and %v, want %d and two floats y", model, got, answer, version)
		}
	}
	s.Export("described", 4, []byte(description))
	s.Await("described", 4, env.StateAvailable)
	s.Await("described", 3, env.StateEnd)
	answer, err := http.Get(s.REST() + "/v1/models/described/versions/4")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), `"state": "AVAILABLE"`) {
		t.Errorf("REST: got %s, %s, %v, want version 4 AVAILABLE", answer.Status, body, err)
	}
}

// Goal: if an expected state or server does not come, the test ends and shows what happened
// instead.
func TestFailures(t *testing.T) {
	hurried := []tfservingtest.Option{tfservingtest.Speed(20), tfservingtest.Patience(time.Second)}
	for _, test := range []struct {
		name string
		do   func(tb testing.TB)
		want string
	}{
		{"a model that cannot be loaded", func(tb testing.TB) {
			tfservingtest.Start(tb, append(hurried, tfservingtest.Exported("bad", []byte("no model"), 1),
				tfservingtest.With(func(o *serve.Options) { o.Machine.MaxNumLoadRetries = 0 }))...)
		}, `(?s)model server: ended with 255 before it served: Failed to start server\. .*bad.*`},
		{"a model without versions", func(tb testing.TB) {
			tfservingtest.Start(tb, append(hurried, tfservingtest.Model("none", tb.TempDir()))...)
		}, `(?s)model server: does not serve after 1s\n.*none.*`},
		{"a state that does not come", func(tb testing.TB) {
			tfservingtest.Start(tb, append(hurried, tfservingtest.Small("m", 1))...).Await("m", 2, env.StateAvailable)
		}, `(?s)model server: m:2, want AVAILABLE within 1s, got \[m:1 START m:1 LOADING m:1 AVAILABLE\]\n.*`},
		{"the end of the process", func(tb testing.TB) {
			s := tfservingtest.Start(tb, append(hurried, tfservingtest.Small("m", 1), tfservingtest.With(func(o *serve.Options) {
				o.Machine.MemoryLimitBytes, o.Machine.Cost.BaseRAMBytes, o.Machine.Cost.RAMPerDiskByte = 1500, 100, 1
			}))...)
			s.Export("m", 2, make([]byte, 0))
			s.Export("m", 3, []byte(description+strings.Repeat(" ", 9000)))
			s.Await("m", 3, env.StateAvailable)
		}, `(?s)model server: m:3, want AVAILABLE, got its end with -9: .*`},
		{"a file where a base path is to be", func(tb testing.TB) {
			tfservingtest.Start(tb, append(hurried, tfservingtest.Exported("m\x00", nil, 1))...)
		}, `(?s)model server: export m\x00:1: .*invalid argument`},
	} {
		t.Run(test.name, func(t *testing.T) {
			tb := tbtest.Attempt("TestMine", func(tb testing.TB) {
				test.do(tb)
				tb.Log("it went on")
			})
			if !tb.IsFailed || slices.Contains(tb.Said, "it went on") || len(tb.Said) != 1 {
				t.Fatalf("got %q, failed %v, want one failure and the end", tb.Said, tb.IsFailed)
			}
			if !regexp.MustCompile("^" + test.want + "$").MatchString(tb.Said[0]) {
				t.Errorf("what the test said (-want +got):\n%s", cmp.Diff(test.want, tb.Said[0]))
			}
		})
	}
}
