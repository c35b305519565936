package infer_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// batchedModel returns a model with outputs of several types. Each output row depends only on the
// same row of the input.
func batchedModel() *infer.Model {
	return infer.New(map[string]*tfcore.SignatureDef{
		"serving_default": {
			Inputs: map[string]*tfcore.TensorInfo{"x": info(float, -1, 2), "s": info(framework.DataType_DT_STRING, -1)},
			Outputs: map[string]*tfcore.TensorInfo{
				"y": info(float, -1, 3), "label": info(framework.DataType_DT_STRING, -1), "n": info(framework.DataType_DT_INT64, -1, 1),
			},
		},
	}, infer.Options{Name: "m", Version: 1})
}

// TestABatchAnswersAsItsCallsAlone checks that the answer to a call does not depend on other calls
// in the batch, on padding, or on splitting.
func TestABatchAnswersAsItsCallsAlone(t *testing.T) {
	m := batchedModel()
	rapid.Check(t, func(t *rapid.T) {
		var calls []*infer.Call
		var want []proto.Message
		var pieces []infer.Piece
		var owner []int
		for i := range rapid.IntRange(1, 5).Draw(t, "calls") {
			rows := rapid.IntRange(1, 6).Draw(t, "rows")
			values := rapid.SliceOfN(rapid.Float64Range(-9, 9), 2*rows, 2*rows).Draw(t, "x")
			x, err := tensor.FromFloats(float, []int64{int64(rows), 2}, values)
			if err != nil {
				t.Fatal(err)
			}
			s, err := tensor.FromStrings([]int64{int64(rows)}, rapid.SliceOfN(rapid.String(), rows, rows).Draw(t, "s"))
			if err != nil {
				t.Fatal(err)
			}
			call, err := m.Prepare(&apis.PredictRequest{Inputs: map[string]*framework.TensorProto{"x": x.FieldProto(), "s": s.FieldProto()}})
			if err != nil {
				t.Fatal(err)
			}
			alone, err := call.Run()
			if err != nil {
				t.Fatal(err)
			}
			calls, want = append(calls, call), append(want, alone)
			cut := int64(rapid.IntRange(1, rows).Draw(t, "cut"))
			pieces, owner = append(pieces, infer.Piece{Call: call, To: cut, Whole: cut == int64(rows)}), append(owner, i)
			if cut < int64(rows) {
				pieces, owner = append(pieces, infer.Piece{Call: call, From: cut, To: int64(rows)}), append(owner, i)
			}
		}
		o := infer.BatchOptions{PadInputs: rapid.Bool().Draw(t, "pads"), AllowedSizes: []int32{4, 16, 64}}
		rows, failed := o.Compute(pieces)
		if failed != nil {
			t.Fatal(failed)
		}
		for i, call := range calls {
			var own []infer.Rows
			for k := range pieces {
				if owner[k] == i {
					own = append(own, rows[k])
				}
			}
			got, err := call.Answer(own)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[i], got, protocmp.Transform()); diff != "" {
				t.Fatalf("call %d (-alone +in the batch):\n%s", i, diff)
			}
		}
	})
}

// TestPaddedInputsRepeatTheirFirstElement checks the merged input of a batch whose inputs are
// padded.
func TestPaddedInputsRepeatTheirFirstElement(t *testing.T) {
	x, err := tensor.FromInts(framework.DataType_DT_INT32, []int64{2, 1, 2}, []int64{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	padded := x.Padded([]int64{9, 2, 3})
	var got []int64
	for i := range padded.Len() {
		got = append(got, padded.Int(i))
	}
	want := []int64{1, 2, 1, 1, 1, 1, 3, 4, 1, 1, 1, 1}
	if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(padded.Shape()) != "[2 2 3]" {
		t.Errorf("elements of shape %v (-want +got):\n%s", padded.Shape(), diff)
	}
}

// TestTensorsNameWhatCanBeTogether checks that Tensors does not depend on aliases or on the order
// of inputs and outputs.
func TestTensorsNameWhatCanBeTogether(t *testing.T) {
	named := func(name string, dtype framework.DataType) *tfcore.TensorInfo {
		i := info(dtype, -1)
		i.Encoding = &tfcore.TensorInfo_Name{Name: name}
		return i
	}
	m := infer.New(map[string]*tfcore.SignatureDef{
		"one":   {Inputs: map[string]*tfcore.TensorInfo{"a": named("x:0", float)}, Outputs: map[string]*tfcore.TensorInfo{"p": named("y:0", float), "q": named("z:0", float)}},
		"other": {Inputs: map[string]*tfcore.TensorInfo{"b": named("x:0", float)}, Outputs: map[string]*tfcore.TensorInfo{"q": named("y:0", float), "p": named("z:0", float)}},
	}, infer.Options{})
	want := "{input_tensors: <x:0>, output_tensors: <y:0, z:0>}"
	if diff := cmp.Diff([]string{want, want}, m.Declared()); diff != "" {
		t.Errorf("declared (-want +got):\n%s", diff)
	}
}

// TestSizesThatAreCounted checks what a call of unequal inputs counts in the metric of input sizes:
// only the size that monolith's patch finds, also if an input has no dimension
// (support_diff_dim_size_inputs.patch, ComputeInputSize).
func TestSizesThatAreCounted(t *testing.T) {
	m := infer.New(map[string]*tfcore.SignatureDef{"serving_default": {
		Inputs: map[string]*tfcore.TensorInfo{
			"batch_size": {Encoding: &tfcore.TensorInfo_Name{Name: "batch_size:0"}, Dtype: framework.DataType_DT_INT32},
			"x":          {Encoding: &tfcore.TensorInfo_Name{Name: "x:0"}, Dtype: framework.DataType_DT_INT32},
		},
		Outputs: map[string]*tfcore.TensorInfo{"y": info(float, -1)},
	}}, infer.Options{Name: "m", Version: 1})
	sized := func(value int64, shape ...int64) *framework.TensorProto {
		x, err := tensor.FromInts(framework.DataType_DT_INT32, shape, []int64{value})
		if err != nil {
			t.Fatal(err)
		}
		return x.FieldProto()
	}
	for _, c := range []struct {
		x    *framework.TensorProto
		want []int64
	}{
		{x: sized(7, 1), want: []int64{1, 1}},
		{x: sized(7), want: []int64{3}},
	} {
		call, err := m.Prepare(&apis.PredictRequest{Inputs: map[string]*framework.TensorProto{"batch_size": sized(3, 1), "x": c.x}})
		if err != nil {
			t.Fatal(err)
		}
		rows, failed := call.Rows(true)
		if failed != nil {
			t.Fatal(failed)
		}
		if diff := cmp.Diff(c.want, call.FirstDimensions(rows)); diff != "" {
			t.Errorf("sizes that are counted (-want +got):\n%s", diff)
		}
	}
}
