package tensor_test

import (
	"math"
	"testing"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// numbers lists the numeric dtypes of TFS-15.5.
var numbers = []framework.DataType{
	framework.DataType_DT_FLOAT, framework.DataType_DT_DOUBLE, framework.DataType_DT_INT32,
	framework.DataType_DT_UINT8, framework.DataType_DT_INT16, framework.DataType_DT_INT8,
	framework.DataType_DT_COMPLEX64, framework.DataType_DT_INT64, framework.DataType_DT_QINT8,
	framework.DataType_DT_QUINT8, framework.DataType_DT_QINT32, framework.DataType_DT_BFLOAT16,
	framework.DataType_DT_QINT16, framework.DataType_DT_QUINT16, framework.DataType_DT_UINT16,
	framework.DataType_DT_COMPLEX128, framework.DataType_DT_HALF, framework.DataType_DT_UINT32,
	framework.DataType_DT_UINT64,
}

// Goal: 0 and 7 are the same in every dtype of numbers, made by FromFloats or FromInts, with every
// reader of numbers, and in both forms of the message.
func TestNumbersInEveryDType(t *testing.T) {
	for _, dtype := range numbers {
		t.Run(tensor.DTypeName(dtype), func(t *testing.T) {
			for _, made := range makeAll(t, dtype) {
				checkZeroSeven(t, parse(t, made.FieldProto()))
				checkZeroSeven(t, parse(t, made.ContentProto()))
			}
		})
	}
}

func checkZeroSeven(t *testing.T, got tensor.Tensor) {
	t.Helper()
	if got.Float(1) != 7 || got.Int(1) != 7 || got.Uint(1) != 7 || got.Complex(1) != 7 {
		t.Errorf("%s: %v %v %v %v, want 7", got, got.Float(1), got.Int(1), got.Uint(1), got.Complex(1))
	}
	if got.Bool(0) || !got.Bool(1) {
		t.Errorf("%s: %v %v, want false, true", got, got.Bool(0), got.Bool(1))
	}
}

func makeAll(t *testing.T, dtype framework.DataType) []tensor.Tensor {
	t.Helper()
	floats, err := tensor.FromFloats(dtype, []int64{2}, []float64{0, 7})
	ints, err2 := tensor.FromInts(dtype, []int64{2, 1}, []int64{0, 7})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	return []tensor.Tensor{floats, ints}
}

func TestExtremesKeepTheirValue(t *testing.T) {
	ints, err := tensor.FromInts(framework.DataType_DT_INT64, []int64{2}, []int64{math.MinInt64, math.MaxInt64})
	if err != nil || ints.Int(0) != math.MinInt64 || ints.Int(1) != math.MaxInt64 {
		t.Errorf("int64: %d %d %v", ints.Int(0), ints.Int(1), err)
	}
	uints, err := tensor.Parse(&framework.TensorProto{Dtype: framework.DataType_DT_UINT64, Uint64Val: []uint64{math.MaxUint64}})
	if err != nil || uints.Uint(0) != math.MaxUint64 {
		t.Errorf("uint64: %d %v", uints.Uint(0), err)
	}
	small, err := tensor.FromInts(framework.DataType_DT_INT8, nil, []int64{-3})
	if err != nil || small.Int(0) != -3 || small.Float(0) != -3 {
		t.Errorf("int8: %d %v", small.Int(0), err)
	}
	pairs, err := tensor.Parse(&framework.TensorProto{Dtype: framework.DataType_DT_COMPLEX64, ScomplexVal: []float32{1, -2}})
	if err != nil || pairs.Complex(0) != complex(1, -2) || pairs.Float(0) != 1 {
		t.Errorf("complex64: %v %v", pairs.Complex(0), err)
	}
}

func TestMakersRefuse(t *testing.T) {
	_, tooFew := tensor.FromFloats(framework.DataType_DT_FLOAT, []int64{3}, []float64{1})
	_, noNumbers := tensor.FromInts(framework.DataType_DT_STRING, []int64{1}, []int64{1})
	_, noValues := tensor.FromFloats(framework.DataType_DT_RESOURCE, nil, nil)
	_, tooLarge := tensor.Parse(&framework.TensorProto{
		Dtype: framework.DataType_DT_FLOAT, TensorShape: tensor.ShapeProto([]int64{1 << 40}), FloatVal: []float32{1},
	})
	for _, c := range []struct {
		err  error
		want string
	}{
		{tooFew, "1 values, want 3 for float[3]"},
		{noNumbers, "dtype string takes no numbers"},
		{noValues, "dtype resource has no plain values"},
		{tooLarge, "shape [1099511627776] has 1099511627776 elements of 4 bytes, want at most 268435456 bytes"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("error %v, want %s", c.err, c.want)
		}
	}
}

// Goal: dtype names are those of tensorflow::DataTypeString.
func TestDTypeNames(t *testing.T) {
	for _, c := range []struct {
		dtype framework.DataType
		want  string
	}{
		{framework.DataType_DT_INVALID, "INVALID"}, {framework.DataType_DT_HALF, "half"},
		{framework.DataType_DT_UINT64_REF, "uint64_ref"}, {99, "unknown dtype enum (99)"},
	} {
		if got := tensor.DTypeName(c.dtype); got != c.want {
			t.Errorf("dtype %d is %q, want %q", int(c.dtype), got, c.want)
		}
	}
}

// FuzzParse checks that a tensor which Parse accepts stays the same in both forms of the message.
func FuzzParse(f *testing.F) {
	f.Add(int32(1), int64(2), int64(3), []byte("\x00\x00\x80\x3f"))
	f.Add(int32(7), int64(1), int64(2), []byte("\x01\x02abc"))
	f.Fuzz(func(t *testing.T, dtype int32, rows, columns int64, content []byte) {
		got, err := tensor.Parse(&framework.TensorProto{
			Dtype: framework.DataType(dtype), TensorShape: tensor.ShapeProto([]int64{rows % 100, columns % 100}),
			TensorContent: content, IntVal: []int32{int32(rows)}, HalfVal: []int32{1, 2, 3},
		})
		if err != nil {
			return
		}
		for _, p := range []*framework.TensorProto{got.FieldProto(), got.ContentProto()} {
			again := parse(t, p)
			if string(again.Raw()) != string(got.Raw()) || again.Len() != got.Len() {
				t.Errorf("%s changed from %x to %x", got, got.Raw(), again.Raw())
			}
		}
	})
}
