package infer

import (
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// checkRun is what the runtime refuses before, or soon after, it runs: in the
// order of DirectSession::Run. The texts were recorded from TensorFlow 2.21
// (testdata/runtime.json); those of 2.4 are the same in its source, except where
// Unready differs.
func (m *Model) checkRun(feeds []feed, outputs []*output) *env.RPCError {
	if anySparse(feeds, outputs) {
		return errSparse
	}
	if err := checkDTypes(feeds); err != nil {
		return err
	}
	if m.Unready != nil {
		return m.Unready
	}
	if m.CheckShapes {
		return checkShapes(feeds)
	}
	return nil
}

// errSparse: upstream feeds and fetches a tensor by TensorInfo.name, which a
// sparse one (coo_sparse) does not have.
var errSparse = invalidf("Tensor :0, specified in either feed_devices or fetch_devices was not found in the Graph")

func anySparse(feeds []feed, outputs []*output) bool {
	for _, f := range feeds {
		if f.in.sparse {
			return true
		}
	}
	for _, out := range outputs {
		if out.sparse {
			return true
		}
	}
	return false
}

// checkDTypes reports the first argument of a wrong type
// (FunctionCallFrame::SetArgs).
func checkDTypes(feeds []feed) *env.RPCError {
	wrong := -1
	for i, f := range feeds {
		mismatch := f.in.dtype != framework.DataType_DT_INVALID && f.in.dtype != f.value.DType()
		if mismatch && (wrong < 0 || f.in.arg < feeds[wrong].in.arg) {
			wrong = i
		}
	}
	if wrong < 0 {
		return nil
	}
	f := feeds[wrong]
	return invalidf("Expects arg[%d] to be %s but %s is provided",
		f.in.arg, tensor.DTypeName(f.in.dtype), tensor.DTypeName(f.value.DType()))
}

// checkShapes reports the first argument of a wrong shape in the words of
// EnsureShape, as if the graph began with one for each input.
func checkShapes(feeds []feed) *env.RPCError {
	wrong := -1
	for i, f := range feeds {
		if !f.in.fits(f.shape) && (wrong < 0 || f.in.arg < feeds[wrong].in.arg) {
			wrong = i
		}
	}
	if wrong < 0 {
		return nil
	}
	f := feeds[wrong]
	node := "EnsureShape"
	if f.in.arg > 0 {
		node += "_" + strconv.Itoa(f.in.arg)
	}
	return invalidf("Shape of tensor %s %s is not compatible with expected shape %s.\n\t [[{{node %s}}]]",
		f.in.op, shapeText(f.shape), shapeText(f.in.shape), node)
}

// shapeText is TensorShape::DebugString and PartialTensorShape::DebugString.
func shapeText(shape []int64) string {
	sizes := make([]string, len(shape))
	for i, size := range shape {
		sizes[i] = strconv.FormatInt(size, 10)
		if size < 0 {
			sizes[i] = "?"
		}
	}
	return "[" + strings.Join(sizes, ",") + "]"
}
