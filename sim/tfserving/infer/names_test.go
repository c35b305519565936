package infer_test

import (
	"errors"
	"os"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/graph"
	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

type noLock struct{}

func (noLock) Lock()   {}
func (noLock) Unlock() {}

// TestTensorsOfSignatures has signatures that name tensors which cannot be fed or fetched. The texts
// are those of a session of TensorFlow 2.18.1 that has loaded the same model.
func TestTensorsOfSignatures(t *testing.T) {
	const dir = "../graph/testdata/models/half_plus_two"
	data, err := os.ReadFile(dir + "/saved_model.pb")
	if err != nil {
		t.Fatal(err)
	}
	const (
		port = "OUT_OF_RANGE: Node 'y' (type: 'AddV2', num of outputs: 1) does not have output 7"
		both = "INVALID_ARGUMENT: x:0 is both fed and fetched."
	)
	for _, c := range []struct {
		name    string
		inputs  map[string]string
		outputs map[string]string
		filter  []string
		want    string
	}{
		{name: "good", inputs: map[string]string{"a": "x:0"}, outputs: map[string]string{"y": "y:0"}},
		{name: "port of an output", inputs: map[string]string{"a": "x:0"}, outputs: map[string]string{"y": "y:7"}, want: port},
		{name: "port of an output that is not asked for", inputs: map[string]string{"a": "x:0"}, outputs: map[string]string{"y": "y:0", "z": "y:7"}, filter: []string{"y"}},
		{name: "port of an input", inputs: map[string]string{"a": "x:3"}, outputs: map[string]string{"y": "y:0"},
			want: "OUT_OF_RANGE: Node 'x' (type: 'Identity', num of outputs: 1) does not have output 3"},
		{name: "input that is an output", inputs: map[string]string{"a": "x:0"}, outputs: map[string]string{"y": "y:0", "z": "x:0"}, want: both},
		{name: "port before both", inputs: map[string]string{"a": "x:0"}, outputs: map[string]string{"x": "x:0", "y": "y:7"}, want: port},
		{name: "input twice", inputs: map[string]string{"a": "x:0", "b": "x:0"}, outputs: map[string]string{"y": "y:0"},
			want: `INVALID_ARGUMENT: Endpoint "x:0" fed more than once.`},
		{name: "no outputs", inputs: map[string]string{"a": "x:0"}, outputs: map[string]string{"y": "save/SaveV2"},
			want: "OUT_OF_RANGE: Node 'save/SaveV2' (type: 'SaveV2', num of outputs: 0) does not have output 0"},
		{name: "no node", inputs: map[string]string{"a": "x:0"}, outputs: map[string]string{"y": "q"},
			want: "INVALID_ARGUMENT: Tensor q:0, specified in either feed_devices or fetch_devices was not found in the Graph"},
	} {
		t.Run(c.name, func(t *testing.T) {
			loaded, err := graph.Load(savedmodel.Meta(data, []string{"serve"}), graph.Options{
				Dir: dir, Lock: noLock{}, ReadFile: os.ReadFile,
				Exists:  func(path string) bool { _, err := os.Stat(path); return err == nil },
				Missing: func(name string, _ bool) error { return errors.New(name) },
			})
			if err != nil {
				t.Fatal(err)
			}
			def := &tfcore.SignatureDef{Inputs: map[string]*tfcore.TensorInfo{}, Outputs: map[string]*tfcore.TensorInfo{}}
			request := &apis.PredictRequest{ModelSpec: &apis.ModelSpec{SignatureName: "s"}, Inputs: map[string]*framework.TensorProto{}, OutputFilter: c.filter}
			for alias, name := range c.inputs { //lint:ordered each entry is made from its own
				def.Inputs[alias] = named(name)
				request.Inputs[alias] = &framework.TensorProto{Dtype: framework.DataType_DT_FLOAT, TensorShape: tensor.ShapeProto([]int64{1, 1}), FloatVal: []float32{1}}
			}
			for alias, name := range c.outputs { //lint:ordered each entry is made from its own
				def.Outputs[alias] = named(name)
			}
			model := infer.New(map[string]*tfcore.SignatureDef{"s": def}, infer.Options{Graph: loaded})
			run, failed := model.Begin(request)
			if failed == nil {
				_, failed = run()
			}
			var got *env.RPCError
			if errors.As(failed, &got); c.want == "" && failed != nil || c.want != "" && (got == nil || got.Code.String()+": "+got.Message != c.want) {
				t.Errorf("got %v, want %q", failed, c.want)
			}
		})
	}
}

func named(tensor string) *tfcore.TensorInfo {
	return &tfcore.TensorInfo{Encoding: &tfcore.TensorInfo_Name{Name: tensor}, Dtype: framework.DataType_DT_FLOAT, TensorShape: &framework.TensorShapeProto{UnknownRank: true}}
}
