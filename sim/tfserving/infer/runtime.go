package infer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// checkFed makes the TensorFlow runtime's checks of the fed and fetched tensors, in the order of
// DirectSession::Run. The texts were recorded from TensorFlow 2.21 (testdata/runtime.json). The
// source of 2.4 has the same texts, except for Unready.
func checkFed(feeds []feed, outputs []*output) *env.RPCError {
	if anyUnnamed(feeds, outputs) {
		return errUnnamed
	}
	if i := slices.IndexFunc(outputs, func(out *output) bool { return out.nothing }); i >= 0 {
		return noOutput(outputs[i].tensor)
	}
	return checkDTypes(feeds)
}

// checkRun makes the checks that the graph's operations would make. It is for models whose graph
// does not run.
func (m *Model) checkRun(s *Signature, feeds []feed) *env.RPCError {
	switch {
	case s.plan != nil:
		return nil // the operations look at shapes and variables themselves
	case m.Unready != nil:
		return m.Unready
	case m.CheckShapes:
		return checkShapes(feeds)
	}
	return nil
}

// errUnnamed is the error for an input or output that consists of several tensors (coo_sparse,
// composite_tensor). Upstream uses TensorInfo.name to feed and fetch, which is empty for these.
var errUnnamed = invalidf("Tensor :0, specified in either feed_devices or fetch_devices was not found in the Graph")

// noOutput returns the error of a fetch from an operation without outputs, such as the NoOp that
// initializes a model (tensorflow core/graph/subgraph.cc, FetchOutputs).
func noOutput(tensor string) *env.RPCError {
	return invalidf("Tried to fetch data for '%s', which produces no output.  To run to a node but not fetch any data, "+
		"pass '%s' as an argument to the 'target_node_names' argument of the Session::Run API.", tensor, tensor)
}

func anyUnnamed(feeds []feed, outputs []*output) bool {
	return slices.ContainsFunc(feeds, func(f feed) bool { return f.in.unnamed }) ||
		slices.ContainsFunc(outputs, func(out *output) bool { return out.unnamed })
}

// firstArg returns the feed with the lowest argument number for which wrong returns true. ok is
// false if there is none.
func firstArg(feeds []feed, wrong func(feed) bool) (first feed, ok bool) {
	for _, f := range feeds {
		if wrong(f) && (!ok || f.in.arg < first.in.arg) {
			first, ok = f, true
		}
	}
	return first, ok
}

// checkDTypes returns the error for the first argument with a wrong dtype
// (FunctionCallFrame::SetArgs); nil if there is none.
func checkDTypes(feeds []feed) *env.RPCError {
	f, wrong := firstArg(feeds, func(f feed) bool {
		return f.in.dtype != framework.DataType_DT_INVALID && f.in.dtype != f.value.DType()
	})
	if !wrong {
		return nil
	}
	return invalidf("Expects arg[%d] to be %s but %s is provided",
		f.in.arg, tensor.DTypeName(f.in.dtype), tensor.DTypeName(f.value.DType()))
}

// checkShapes returns the error for the first argument with a wrong shape. The text is that of
// EnsureShape, as if the graph had an EnsureShape operation for each input.
func checkShapes(feeds []feed) *env.RPCError {
	f, wrong := firstArg(feeds, func(f feed) bool { return !f.in.fits(f.shape) })
	if !wrong {
		return nil
	}
	node := "EnsureShape"
	if f.in.arg > 0 {
		node += "_" + strconv.Itoa(f.in.arg)
	}
	return invalidf("Shape of tensor %s %s is not compatible with expected shape %s.\n\t [[{{node %s}}]]",
		f.in.op, shapeText(f.shape), shapeText(f.in.shape), node)
}

// shapeText formats a shape as upstream's TensorShape::DebugString and
// PartialTensorShape::DebugString do.
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
