package value

import (
	"math"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// Cast converts the elements to another dtype, as static_cast does. It returns false if there is no
// conversion, such as from strings. A float that an integer cannot hold becomes the smallest
// integer, as on x86.
func (v Value) Cast(dtype DType) (Value, bool) {
	if dtype == v.dtype {
		return v, true
	}
	switch laneOf(dtype) {
	case floatLane:
		list, ok := v.asFloats()
		return Floats(dtype, v.shape, list), ok
	case intLane:
		list, ok := v.asInts(dtype)
		return Ints(dtype, v.shape, list), ok
	case boolLane:
		list, ok := v.asFloats()
		return Bools(v.shape, lists.Map(list, func(x float64) bool { return x != 0 })), ok
	case complexLane:
		if list := v.C(); list != nil {
			return Complexes(dtype, v.shape, lists.Map(list, func(x complex128) complex128 { return x })), true
		}
		list, ok := v.asFloats()
		return Complexes(dtype, v.shape, lists.Map(list, func(x float64) complex128 { return complex(x, 0) })), ok
	}
	return Value{}, false
}

func (v Value) asFloats() ([]float64, bool) {
	switch list := v.data.(type) {
	case []float64:
		return lists.Map(list, func(x float64) float64 { return x }), true
	case []int64:
		if v.dtype == UInt64 {
			return lists.Map(list, func(x int64) float64 { return float64(uint64(x)) }), true
		}
		return lists.Map(list, func(x int64) float64 { return float64(x) }), true
	case []bool:
		return lists.Map(list, func(x bool) float64 { return float64(bit(x)) }), true
	case []complex128:
		return lists.Map(list, func(x complex128) float64 { return real(x) }), true
	}
	return nil, false
}

func (v Value) asInts(dtype DType) ([]int64, bool) {
	switch list := v.data.(type) {
	case []int64:
		return lists.Map(list, func(x int64) int64 { return x }), true
	case []bool:
		return lists.Map(list, bit), true
	}
	list, ok := v.asFloats()
	return lists.Map(list, func(x float64) int64 { return truncated(dtype, x) }), ok
}

func truncated(dtype DType, x float64) int64 {
	switch {
	case dtype == UInt64 && x >= 1<<63 && x < 1<<64:
		return int64(uint64(x))
	case dtype == framework.DataType_DT_UINT32 && !(x > math.MinInt32-1 && x < math.MaxUint32+1):
		return math.MinInt32
	case tensor.Size(dtype) <= 4 && dtype != framework.DataType_DT_UINT32 && !(x > math.MinInt32-1 && x < math.MaxInt32+1):
		return math.MinInt32 // conversion to a smaller dtype keeps only the low bits of this
	case !(x >= math.MinInt64 && x < 1<<63):
		return math.MinInt64
	}
	return int64(x)
}

func bit(x bool) int64 {
	if x {
		return 1
	}
	return 0
}
