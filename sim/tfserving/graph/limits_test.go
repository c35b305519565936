package graph_test

import (
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/sim/tfserving/graph"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// loadNodes makes a model from nodes and functions, without files.
func loadNodes(t *testing.T, nodes []*framework.NodeDef, functions ...*framework.FunctionDef) *graph.Model {
	t.Helper()
	meta, err := proto.Marshal(&tfcore.MetaGraphDef{GraphDef: &framework.GraphDef{
		Node: nodes, Library: &framework.FunctionDefLibrary{Function: functions},
	}})
	if err != nil {
		t.Fatal(err)
	}
	model, err := graph.Load(meta, graph.Options{Lock: noLock{}})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func ints(t *testing.T, shape []int64, values ...int64) tensor.Tensor {
	t.Helper()
	made, err := tensor.FromInts(framework.DataType_DT_INT32, shape, values)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Goal: a graph that asks for huge tensors gets an error, and the server does not allocate them.
func TestLargeTensorsAreRefused(t *testing.T) {
	nodes := []*framework.NodeDef{
		{Name: "n", Op: "Placeholder"}, {Name: "zero", Op: "ZerosLike", Input: []string{"n"}},
		{Name: "one", Op: "OnesLike", Input: []string{"n"}}, {Name: "axis", Op: "ExpandDims", Input: []string{"n", "zero"}},
		{Name: "range", Op: "Range", Input: []string{"zero", "n", "one"}},
		{Name: "fill", Op: "Fill", Input: []string{"axis", "n"}},
		{Name: "row", Op: "ExpandDims", Input: []string{"fill", "zero"}}, {Name: "column", Op: "ExpandDims", Input: []string{"fill", "one"}},
		{Name: "outer", Op: "AddV2", Input: []string{"row", "column"}},
		{Name: "tile", Op: "Tile", Input: []string{"axis", "axis"}},
		{Name: "hot", Op: "OneHot", Input: []string{"fill", "n", "one", "zero"}},
	}
	model := loadNodes(t, nodes)
	for _, row := range []struct {
		output string
		n      int64
	}{{"range", 1 << 30}, {"fill", 1 << 30}, {"tile", 1 << 30}, {"outer", 1 << 16}, {"hot", 1 << 16}} {
		plan, err := model.Plan([]string{"n:0"}, []string{row.output + ":0"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = plan.Run([]tensor.Tensor{ints(t, nil, row.n)})
		var status *env.RPCError
		if !errors.As(err, &status) || status.Code != rpcerrors.ResourceExhausted || !strings.HasPrefix(status.Message, "OOM when allocating tensor with shape[") {
			t.Errorf("%s of %d: got %v, want RESOURCE_EXHAUSTED", row.output, row.n, err)
		}
		if out, err := plan.Run([]tensor.Tensor{ints(t, nil, 3)}); err != nil || out[0].Len() < 3 {
			t.Errorf("%s of 3: got %v, %v", row.output, out, err)
		}
	}
}

// Goal: windows with more elements than a run may visit are refused, though the picture and the output are small.
func TestLargeWindowsAreRefused(t *testing.T) {
	list := func(sizes ...int64) *framework.AttrValue {
		return &framework.AttrValue{Value: &framework.AttrValue_List{List: &framework.AttrValue_ListValue{I: sizes}}}
	}
	for op, size := range map[string]string{"MaxPool": "ksize", "MaxPoolWithArgmax": "ksize", "ExtractImagePatches": "ksizes"} { //lint:ordered each is looked at by itself
		model := loadNodes(t, []*framework.NodeDef{{Name: "x", Op: "Placeholder"}, {Name: "y", Op: op, Input: []string{"x"}, Attr: map[string]*framework.AttrValue{
			size: list(1, 1<<20, 1<<20, 1), "strides": list(1, 1, 1, 1), "rates": list(1, 1, 1, 1),
			"padding": {Value: &framework.AttrValue_S{S: []byte("SAME")}},
		}}})
		plan, err := model.Plan([]string{"x:0"}, []string{"y:0"})
		if err != nil {
			t.Fatal(err)
		}
		picture, err := tensor.FromFloats(framework.DataType_DT_FLOAT, []int64{1, 1, 1, 1}, []float64{1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = plan.Run([]tensor.Tensor{picture})
		var status *env.RPCError
		if !errors.As(err, &status) || status.Code != rpcerrors.ResourceExhausted {
			t.Errorf("%s: got %v, want RESOURCE_EXHAUSTED", op, err)
		}
	}
}

// Goal: a ragged tensor whose row splits say that it has more values than memory holds is refused.
func TestLargeRowsAreRefused(t *testing.T) {
	model, signatures := load(t, "edges_ragged")
	signature := signatures["tot"]
	plan, err := model.Plan([]string{signature.Inputs["l"].GetName(), signature.Inputs["v"].GetName()}, []string{signature.Outputs["y"].GetName()})
	if err != nil {
		t.Fatal(err)
	}
	lengths, err := tensor.FromInts(framework.DataType_DT_INT64, []int64{2}, []int64{1 << 45, 1})
	if err != nil {
		t.Fatal(err)
	}
	values, err := tensor.FromFloats(framework.DataType_DT_FLOAT, []int64{2}, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	_, err = plan.Run([]tensor.Tensor{lengths, values})
	var status *env.RPCError
	if !errors.As(err, &status) || status.Code != rpcerrors.ResourceExhausted {
		t.Errorf("got %v, want RESOURCE_EXHAUSTED", err)
	}
}

// Goal: an empty tensor whose other sizes are huge is refused, wherever it comes from, because a kernel
// may have a loop over them.
func TestEmptyTensorsOfLargeSizesAreRefused(t *testing.T) {
	model := loadNodes(t, []*framework.NodeDef{
		{Name: "n", Op: "Placeholder"}, {Name: "empty", Op: "Placeholder"}, {Name: "same", Op: "Identity", Input: []string{"empty"}},
		{Name: "shape", Op: "Shape", Input: []string{"empty"}}, {Name: "fill", Op: "Fill", Input: []string{"n", "two"}}, {Name: "two", Op: "Rank", Input: []string{"empty"}},
		{Name: "turned", Op: "Reshape", Input: []string{"empty", "n"}},
	})
	for _, large := range []bool{false, true} {
		size := int64(3)
		if large {
			size = 1 << 30
		}
		for output, shape := range map[string][]int64{"same": {size, 0, 2}, "shape": {0, size}, "fill": {0, 1}, "turned": {0, 1}} { //lint:ordered each is looked at by itself
			plan, err := model.Plan([]string{"n:0", "empty:0"}, []string{output + ":0"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = plan.Run([]tensor.Tensor{ints(t, []int64{2}, size, 0), ints(t, shape)})
			var status *env.RPCError
			if refused := errors.As(err, &status) && status.Code == rpcerrors.ResourceExhausted; refused != large || !large && err != nil {
				t.Errorf("%s with a size of %d: got the error %v, want RESOURCE_EXHAUSTED: %v", output, size, err, large)
			}
		}
	}
}

// Goal: a function that calls itself without end is refused, not run.
func TestFunctionsThatCallThemselvesAreNotRun(t *testing.T) {
	arg := []*framework.OpDef_ArgDef{{Name: "x", Type: framework.DataType_DT_INT32}}
	self := &framework.FunctionDef{
		Signature: &framework.OpDef{Name: "self", InputArg: arg, OutputArg: []*framework.OpDef_ArgDef{{Name: "y"}}},
		NodeDef:   []*framework.NodeDef{{Name: "again", Op: "self", Input: []string{"x"}}},
		Ret:       map[string]string{"y": "again:y:0"},
	}
	model := loadNodes(t, []*framework.NodeDef{{Name: "x", Op: "Placeholder"}, {Name: "call", Op: "self", Input: []string{"x"}}}, self)
	for range 2 {
		if _, err := model.Plan([]string{"x:0"}, []string{"call:0"}); err == nil || !strings.Contains(err.Error(), "calls itself") {
			t.Errorf("got %v, want that it calls itself", err)
		}
	}
}

// Goal: a cycle of nodes, as in loops of TensorFlow 1, is refused, not run.
func TestCyclesAreNotRun(t *testing.T) {
	model := loadNodes(t, []*framework.NodeDef{{Name: "a", Op: "Identity", Input: []string{"b"}}, {Name: "b", Op: "Identity", Input: []string{"a"}}})
	if _, err := model.Plan(nil, []string{"a:0"}); err == nil || !strings.Contains(err.Error(), "a cycle at a") {
		t.Errorf("got %v, want a cycle", err)
	}
}

// refused runs a node with one input, and looks for the error of a run that would take too much.
func refused(t *testing.T, op string, attrs map[string]*framework.AttrValue, input tensor.Tensor) {
	t.Helper()
	model := loadNodes(t, []*framework.NodeDef{{Name: "x", Op: "Placeholder"}, {Name: "y", Op: op, Input: []string{"x"}, Attr: attrs}})
	plan, err := model.Plan([]string{"x:0"}, []string{"y:0"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = plan.Run([]tensor.Tensor{input})
	var status *env.RPCError
	if exhausted := errors.As(err, &status) && status.Code == rpcerrors.ResourceExhausted; !exhausted && (err == nil || !strings.Contains(err.Error(), "a text of more than")) {
		t.Errorf("%s: got %v, want that it is refused", op, err)
	}
}

// Goal: decompositions of matrices that take longer than a run may are refused before they begin.
func TestLargeDecompositionsAreRefused(t *testing.T) {
	const n = 2100
	matrix, err := tensor.FromFloats(framework.DataType_DT_FLOAT, []int64{n, n}, make([]float64, n*n))
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []string{"MatrixInverse", "Cholesky", "MatrixDeterminant", "Qr", "SelfAdjointEigV2", "Lu"} {
		refused(t, op, nil, matrix)
	}
}

// Goal: least squares in more dimensions than memory should hold the square of are refused, though the
// matrix is small.
func TestLargeLeastSquaresAreRefused(t *testing.T) {
	model := loadNodes(t, []*framework.NodeDef{
		{Name: "x", Op: "Placeholder"}, {Name: "b", Op: "Placeholder"}, {Name: "l", Op: "Placeholder"},
		{Name: "y", Op: "MatrixSolveLs", Input: []string{"x", "b", "l"}, Attr: map[string]*framework.AttrValue{"fast": {Value: &framework.AttrValue_B{}}}},
	})
	plan, err := model.Plan([]string{"x:0", "b:0", "l:0"}, []string{"y:0"})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{4, 20000} {
		var feeds []tensor.Tensor
		for i, shape := range [][]int64{{1, n}, {1, 1}, {}} {
			dtype, count := framework.DataType_DT_FLOAT, int64(1)
			if i == 0 {
				count = n
			} else if i == 2 {
				dtype = framework.DataType_DT_DOUBLE
			}
			made, err := tensor.FromFloats(dtype, shape, make([]float64, count))
			if err != nil {
				t.Fatal(err)
			}
			feeds = append(feeds, made)
		}
		_, err := plan.Run(feeds)
		var status *env.RPCError
		if refused := errors.As(err, &status) && status.Code == rpcerrors.ResourceExhausted; refused != (n > 4) {
			t.Errorf("%d columns: got %v", n, err)
		}
	}
}

// Goal: a short text that unpacks to more than memory should hold is refused.
func TestTextsThatUnpackToTooMuchAreRefused(t *testing.T) {
	var text strings.Builder
	packer := gzip.NewWriter(&text)
	if _, err := packer.Write(make([]byte, 80<<20)); err != nil {
		t.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	input, err := tensor.FromStrings([]int64{1}, []string{text.String()})
	if err != nil {
		t.Fatal(err)
	}
	refused(t, "DecodeCompressed", map[string]*framework.AttrValue{"compression_type": {Value: &framework.AttrValue_S{S: []byte("GZIP")}}}, input)
}
