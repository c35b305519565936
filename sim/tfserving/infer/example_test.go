package infer_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
)

// Begin checks a request and reports errors in the words of the real server. Running it gives
// outputs with the type and shape of the signature.
func Example() {
	data, err := savedmodel.Small{Input: "x", Output: "score", Type: framework.DataType_DT_FLOAT}.Marshal()
	if err != nil {
		fmt.Println(err)
		return
	}
	graph, err := savedmodel.Read(data, []string{"serve"})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := infer.New(graph.Signatures, infer.Options{Name: "ranker", Version: 3})
	for _, input := range []string{"x", "y"} {
		run, err := model.Begin(&apis.PredictRequest{Inputs: map[string]*framework.TensorProto{input: {
			Dtype: framework.DataType_DT_FLOAT, FloatVal: []float32{1, 2},
			TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: 2}}},
		}}})
		if err != nil {
			fmt.Println("refused:", err)
			continue
		}
		response, err := run()
		if err != nil {
			fmt.Println(err)
			continue
		}
		score := response.(*apis.PredictResponse).GetOutputs()["score"]
		fmt.Println("answered:", score.GetDtype(), score.GetTensorShape().GetDim()[0].GetSize(), len(score.GetFloatVal()))
	}

	// Output:
	// answered: DT_FLOAT 2 2
	// refused: INVALID_ARGUMENT: input tensor alias not found in signature: y. Inputs expected to be in the set {x}.
}
