package savedmodel_test

import (
	"errors"
	"fmt"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
)

// A small model is written and read again. Then only the first part of it is read, which is what an
// exporter leaves that was killed while writing.
func Example() {
	data, err := savedmodel.Small{Input: "x", Output: "score", Type: framework.DataType_DT_FLOAT, Row: 3}.Marshal()
	if err != nil {
		fmt.Println(err)
		return
	}
	graph, err := savedmodel.Read(data, []string{"serve"})
	fmt.Println(err)
	x := graph.Signatures["serving_default"].GetInputs()["x"]
	fmt.Println(x.GetDtype(), len(x.GetTensorShape().GetDim()), "dimensions")

	_, err = savedmodel.Read(data[:len(data)/2], []string{"serve"})
	fmt.Println(errors.Is(err, savedmodel.ErrTruncated), err)
	_, err = savedmodel.Read(data, []string{"serve", "gpu"})
	fmt.Println(err)

	// Output:
	// <nil>
	// DT_FLOAT 2 dimensions
	// true data ends within a SavedModel
	// no meta graph of these tags
}
