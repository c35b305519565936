package savedmodel_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
)

var (
	listOfFloats = savedmodel.Small{Input: "x", Output: "y", Type: framework.DataType_DT_FLOAT}
	rowsOfThree  = savedmodel.Small{Input: "row", Output: "score", Type: framework.DataType_DT_FLOAT, Row: 3}
)

func marshal(t *testing.T, m savedmodel.Small) []byte {
	t.Helper()
	data, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Goal: a small model that was written reads as it was described. Method: our reader, which other
// tests compare with TensorFlow's.
func TestASmallModelIsReadAsItWasWritten(t *testing.T) {
	for _, c := range []struct {
		model         savedmodel.Small
		input, output []int64
	}{
		{listOfFloats, []int64{-1}, []int64{-1}},
		{rowsOfThree, []int64{-1, 3}, []int64{-1}},
	} {
		graph, err := savedmodel.Read(marshal(t, c.model), []string{"serve"})
		if err != nil {
			t.Fatal(err)
		}
		signature := graph.Signatures["serving_default"]
		input, output := signature.GetInputs()[c.model.Input], signature.GetOutputs()[c.model.Output]
		if diff := cmp.Diff([][]int64{c.input, c.output}, [][]int64{sizes(input.GetTensorShape()), sizes(output.GetTensorShape())}); diff != "" {
			t.Errorf("%+v: shapes (-want +got):\n%s", c.model, diff)
		}
		if input.GetDtype() != c.model.Type || output.GetDtype() != c.model.Type {
			t.Errorf("%+v: got the types %v and %v", c.model, input.GetDtype(), output.GetDtype())
		}
		if graph.Variable.Name != "" || len(graph.Signatures) != 1 {
			t.Errorf("%+v: got %d signatures and the variable %q, want one and none", c.model, len(graph.Signatures), graph.Variable.Name)
		}
	}
}

func sizes(shape *framework.TensorShapeProto) (list []int64) {
	for _, dim := range shape.GetDim() {
		list = append(list, dim.GetSize())
	}
	return list
}

// Goal: a real TensorFlow loads a small model and runs its graph. The test is skipped where no
// TensorFlow is installed.
func TestTensorFlowRunsSmallModels(t *testing.T) {
	python := pythontest.Find(t)
	if !pythontest.Has(t, python, "tensorflow") {
		t.Skipf("%s has no tensorflow: PYTHON names an interpreter that does", python)
	}
	program := pythontest.Start(t, pythontest.Command(t, python, filepath.Join("testdata", "oracle.py")))
	texts := savedmodel.Small{Input: "instances", Output: "y", Type: framework.DataType_DT_STRING}
	for _, c := range []struct {
		model       savedmodel.Small
		given, want any
	}{
		{listOfFloats, []float64{1, 2.5}, []any{1.0, 2.5}},
		{rowsOfThree, [][]float64{{1, 2, 3}, {0.5, 0, -1}}, []any{6.0, -0.5}},
		{texts, []string{}, []any{}},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "saved_model.pb"), marshal(t, c.model), 0o644); err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		program.Order(t, map[string]any{"directory": dir, "inputs": map[string]any{c.model.Input: c.given}}, &got)
		if diff := cmp.Diff(map[string]any{c.model.Output: c.want}, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.model, diff)
		}
	}
}
