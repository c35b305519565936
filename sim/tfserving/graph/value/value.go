package value

import (
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
)

// DType is the type of a tensor's elements.
type DType = framework.DataType

// These constants are short names for the dtypes that operations use.
const (
	Float32  = framework.DataType_DT_FLOAT
	Float64  = framework.DataType_DT_DOUBLE
	Half     = framework.DataType_DT_HALF
	BFloat16 = framework.DataType_DT_BFLOAT16
	Int32    = framework.DataType_DT_INT32
	Int64    = framework.DataType_DT_INT64
	UInt8    = framework.DataType_DT_UINT8
	UInt64   = framework.DataType_DT_UINT64
	Bool     = framework.DataType_DT_BOOL
	String   = framework.DataType_DT_STRING
	Resource = framework.DataType_DT_RESOURCE
	Variant  = framework.DataType_DT_VARIANT
)

// Value is a dense, immutable tensor. The zero Value has no dtype and no elements.
type Value struct {
	dtype DType
	shape []int
	data  any // data is a []float64, []int64, []bool, []string, []complex128 or []any
}

// Floats makes a tensor of a floating-point dtype. It rounds the numbers in list to that dtype, in
// place.
func Floats(dtype DType, shape []int, list []float64) Value {
	roundFloats(dtype, list)
	return Value{dtype, shape, full(list)}
}

// Ints makes a tensor of an integer dtype. It wraps the numbers in list to that dtype, in place.
func Ints(dtype DType, shape []int, list []int64) Value {
	wrapInts(dtype, list)
	return Value{dtype, shape, full(list)}
}

// Bools makes a DT_BOOL.
func Bools(shape []int, list []bool) Value { return Value{Bool, shape, full(list)} }

// Strings makes a DT_STRING.
func Strings(shape []int, list []string) Value { return Value{String, shape, full(list)} }

// Complexes makes a tensor of a complex dtype. It rounds the numbers in list to that dtype, in
// place.
func Complexes(dtype DType, shape []int, list []complex128) Value {
	roundComplexes(dtype, list)
	return Value{dtype, shape, full(list)}
}

// Handles makes a DT_RESOURCE or DT_VARIANT tensor whose elements are arbitrary Go values.
func Handles(dtype DType, shape []int, list []any) Value { return Value{dtype, shape, full(list)} }

// full replaces a nil list by an empty one, because nil from F, I and the similar methods means
// that the tensor is of another kind.
func full[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Scalar32 makes a scalar DT_INT32.
func Scalar32(n int) Value { return Ints(Int32, nil, []int64{int64(n)}) }

// Sizes makes a vector of an integer dtype.
func Sizes(dtype DType, list []int) Value {
	wide := lists.Map(list, func(n int) int64 { return int64(n) })
	return Ints(dtype, []int{len(list)}, wide)
}

// Zeros makes a tensor of zeros, false or empty strings. It returns false for a dtype without a
// zero.
func Zeros(dtype DType, shape []int) (Value, bool) {
	n, ok := Count(shape)
	if !ok {
		return Value{}, false
	}
	switch laneOf(dtype) {
	case floatLane:
		return Value{dtype, shape, make([]float64, n)}, true
	case intLane:
		return Value{dtype, shape, make([]int64, n)}, true
	case boolLane:
		return Value{dtype, shape, make([]bool, n)}, true
	case stringLane:
		return Value{dtype, shape, make([]string, n)}, true
	case complexLane:
		return Value{dtype, shape, make([]complex128, n)}, true
	}
	return Value{}, false
}

// DType returns the type of the elements.
func (v Value) DType() DType { return v.dtype }

// Shape returns the sizes of the dimensions. The caller must not change it.
func (v Value) Shape() []int { return v.shape }

// Rank returns the number of dimensions.
func (v Value) Rank() int { return len(v.shape) }

// Len returns the number of elements.
func (v Value) Len() int {
	n, _ := Count(v.shape)
	return n
}

// F returns the elements of a float tensor; nil for other dtypes. F, I, B, S, C and H return the
// tensor's own list, which the caller must not change.
func (v Value) F() []float64 { list, _ := v.data.([]float64); return list }

// I returns the elements of an integer tensor; nil for others.
func (v Value) I() []int64 { list, _ := v.data.([]int64); return list }

// B returns the elements of a DT_BOOL; nil for others.
func (v Value) B() []bool { list, _ := v.data.([]bool); return list }

// S returns the elements of a DT_STRING; nil for others.
func (v Value) S() []string { list, _ := v.data.([]string); return list }

// C returns the elements of a complex tensor; nil for others.
func (v Value) C() []complex128 { list, _ := v.data.([]complex128); return list }

// H returns the elements of a DT_RESOURCE or DT_VARIANT; nil for others.
func (v Value) H() []any { list, _ := v.data.([]any); return list }

// Reshape returns the same elements with another shape, which must have the same number of
// elements.
func (v Value) Reshape(shape []int) Value {
	v.shape = slices.Clone(shape)
	return v
}

// Bytes estimates the memory of the tensor in bytes.
func (v Value) Bytes() int {
	n := v.Len() * elementBytes(v.dtype)
	for _, s := range v.S() {
		n += len(s)
	}
	return n
}

// elementBytes returns the memory of one element in bytes. For a string it does not include the
// text.
func elementBytes(dtype DType) int {
	switch laneOf(dtype) {
	case boolLane:
		return 1
	case stringLane, complexLane, handleLane:
		return 16
	}
	return 8
}

// lane says which type of Go slice holds the elements of a dtype.
type lane uint8

const (
	noLane lane = iota
	floatLane
	intLane
	boolLane
	stringLane
	complexLane
	handleLane
)

func laneOf(dtype DType) lane {
	switch dtype {
	case Float32, Float64, Half, BFloat16:
		return floatLane
	case framework.DataType_DT_INT8, framework.DataType_DT_INT16, Int32, Int64, UInt8, UInt64,
		framework.DataType_DT_UINT16, framework.DataType_DT_UINT32,
		framework.DataType_DT_QINT8, framework.DataType_DT_QUINT8, framework.DataType_DT_QINT16,
		framework.DataType_DT_QUINT16, framework.DataType_DT_QINT32:
		return intLane
	case Bool:
		return boolLane
	case String:
		return stringLane
	case framework.DataType_DT_COMPLEX64, framework.DataType_DT_COMPLEX128:
		return complexLane
	case Resource, Variant:
		return handleLane
	}
	return noLane
}

// IsInt reports whether a dtype is an integer.
func IsInt(dtype DType) bool { return laneOf(dtype) == intLane }
