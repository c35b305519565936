package infer

import (
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// checkFed makes the TensorFlow runtime's checks of the fed and fetched tensors, in the order of
// DirectSession::Run. The texts were recorded from TensorFlow 2.21 (testdata/runtime.json). The
// source of 2.4 has the same texts, except for Unready.
func checkFed(feeds []feed, outputs []*output) *env.RPCError {
	var first *refusal
	for _, f := range feeds {
		first = f.in.wrong.before(first)
	}
	for _, out := range outputs {
		first = out.wrong.before(first)
	}
	if first != nil {
		return first.err
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

// refusal is the runtime's error for a tensor of a signature. If there are several, the one from
// the earliest check counts. The checks are, in this order: the ports of nodes, missing nodes,
// tensors that occur twice (tensorflow core/common_runtime/graph_execution_state.cc,
// core/graph/subgraph.cc).
type refusal struct {
	check int
	err   *env.RPCError
}

// before returns the one of two refusals that comes from the earlier check. If both come from the
// same check, it returns other. Both may be nil.
func (r *refusal) before(other *refusal) *refusal {
	if other == nil || r != nil && r.check < other.check {
		return r
	}
	return other
}

// noSuchPort returns the refusal of an output that a node does not have. An example is an output of
// the NoOp that initializes a model.
func noSuchPort(node, op string, outputs, port int) *refusal {
	return &refusal{0, statusf(rpcerrors.OutOfRange, "Node '%s' (type: '%s', num of outputs: %d) does not have output %d", node, op, outputs, port)}
}

// notFound returns the refusal of a tensor whose node is missing. The name is empty for an input or
// output that consists of several tensors (coo_sparse, composite_tensor), because upstream feeds
// and fetches by TensorInfo.name.
func notFound(tensor string) *refusal {
	node, port := graph.Split(tensor)
	return &refusal{1, invalidf("Tensor %s:%d, specified in either feed_devices or fetch_devices was not found in the Graph", node, port)}
}

// look looks up the signature's tensors in the graph. It records a refusal for each tensor that the
// graph lacks, and for each that occurs twice.
func (s *Signature) look(g *graph.Model) {
	fed := map[string]bool{}
	for _, in := range s.inputs {
		s.lookUp(g, &in.port)
		if in.wrong == nil && fed[in.tensor] {
			in.wrong = &refusal{2, invalidf("Endpoint \"%s\" fed more than once.", in.tensor)}
		}
		fed[in.tensor] = true
	}
	for _, out := range s.outputs {
		s.lookUp(g, &out.port)
		if out.wrong == nil && fed[out.tensor] {
			out.wrong = &refusal{3, invalidf("%s is both fed and fetched.", out.tensor)}
		}
	}
}

func (s *Signature) lookUp(g *graph.Model, p *port) {
	if p.wrong != nil {
		return
	}
	node, port := graph.Split(p.tensor)
	op, outputs, ok := g.Outputs(node)
	switch {
	case !ok:
		p.wrong = notFound(p.tensor)
	case port >= outputs:
		p.wrong = noSuchPort(node, op, outputs, port)
	}
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
