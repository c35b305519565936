package infer_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// fed describes an input of a graph, and the dtype and shape of the value that was sent for it.
type fed struct {
	DType     framework.DataType `json:"dtype"`
	Shape     []int64            `json:"shape"`
	SentDType framework.DataType `json:"sent_dtype"`
	SentShape []int64            `json:"sent_shape"`
}

// TestRuntimeAsTensorFlow checks that errors for inputs of a wrong dtype or shape equal those of a
// real TensorFlow session (savedmodel/testdata/record.py).
func TestRuntimeAsTensorFlow(t *testing.T) {
	data, err := os.ReadFile("../savedmodel/testdata/runtime.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Feeds []struct {
			Inputs  map[string]fed
			Code    rpcerrors.Code
			Message string
		}
		Sparse struct {
			Code    rpcerrors.Code
			Message string
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	for i, row := range recorded.Feeds {
		def, request := feedsOf(row.Inputs)
		check(t, i, def, request, row.Code, row.Message)
	}
	def, request := feedsOf(map[string]fed{"s": {}})
	def.Inputs["s"].Encoding = &tfcore.TensorInfo_CooSparse_{CooSparse: &tfcore.TensorInfo_CooSparse{}}
	request.Inputs["s"].Dtype = framework.DataType_DT_FLOAT
	check(t, -1, def, request, recorded.Sparse.Code, recorded.Sparse.Message)
	// A ragged tensor has no tensor name either, so the runtime gives the same error as for a
	// sparse one.
	def.Inputs["s"].Encoding = &tfcore.TensorInfo_CompositeTensor_{CompositeTensor: &tfcore.TensorInfo_CompositeTensor{}}
	check(t, -2, def, request, recorded.Sparse.Code, recorded.Sparse.Message)
}

// TestFetchWithoutOutput checks the error of fetching from the operation that initializes a model.
// That operation has no output, but a signature of every TensorFlow 2 SavedModel names it.
func TestFetchWithoutOutput(t *testing.T) {
	const name = "__saved_model_init_op"
	model := infer.New(map[string]*tfcore.SignatureDef{name: {Outputs: map[string]*tfcore.TensorInfo{
		name: {Encoding: &tfcore.TensorInfo_Name{Name: "NoOp"}, TensorShape: &framework.TensorShapeProto{UnknownRank: true}},
	}}}, infer.Options{})
	model.Outputless(map[string]string{"NoOp": "NoOp"})
	_, err := model.Begin(&apis.PredictRequest{ModelSpec: &apis.ModelSpec{SignatureName: name}})
	// error text of TensorFlow 2.4.4 and 2.18.1
	const want = "Node 'NoOp' (type: 'NoOp', num of outputs: 0) does not have output 0"
	if e, ok := err.(*env.RPCError); !ok || e.Message != want || e.Code != rpcerrors.OutOfRange {
		t.Errorf("got %v, want OUT_OF_RANGE %q", err, want)
	}
}

func feedsOf(inputs map[string]fed) (*tfcore.SignatureDef, *apis.PredictRequest) {
	def := &tfcore.SignatureDef{Inputs: map[string]*tfcore.TensorInfo{}}
	request := &apis.PredictRequest{Inputs: map[string]*framework.TensorProto{}}
	//lint:ordered each entry is made from its own
	for name, f := range inputs {
		def.Inputs[name] = &tfcore.TensorInfo{
			Encoding: &tfcore.TensorInfo_Name{Name: name + ":0"}, Dtype: f.DType, TensorShape: tensor.ShapeProto(f.Shape),
		}
		request.Inputs[name] = &framework.TensorProto{Dtype: f.SentDType, TensorShape: tensor.ShapeProto(f.SentShape)}
	}
	return def, request
}

func check(t *testing.T, row int, def *tfcore.SignatureDef, request *apis.PredictRequest, code rpcerrors.Code, message string) {
	t.Helper()
	for _, head := range []bool{false, true} {
		model := infer.New(map[string]*tfcore.SignatureDef{"serving_default": def}, infer.Options{Head: head, CheckShapes: true})
		_, err := model.Begin(request)
		got := env.RPCError{}
		if err != nil {
			got = *err.(*env.RPCError)
		}
		if got.Code != code || got.Message != message {
			t.Errorf("row %d: got %v %q, want %v %q", row, got.Code, got.Message, code, message)
		}
	}
}
