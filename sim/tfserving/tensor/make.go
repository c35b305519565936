package tensor

import (
	"fmt"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
)

// FromFloats makes a tensor of a numeric dtype. Integers lose the fraction, and complex numbers get
// the value as their real part. The number of values must match the shape.
func FromFloats(dtype framework.DataType, shape []int64, values []float64) (Tensor, error) {
	info := infoOf(dtype)
	switch info.kind {
	case complexKind:
		return build(dtype, shape, values, func(raw []byte, value float64) []byte {
			return appendComplex(raw, complex(value, 0), dtype)
		})
	case boolKind:
		return fromBits(dtype, shape, values, func(value float64) uint64 { return boolToBits(value != 0) })
	case intKind:
		return fromBits(dtype, shape, values, func(value float64) uint64 { return uint64(int64(value)) })
	case uintKind:
		return fromBits(dtype, shape, values, func(value float64) uint64 { return uint64(value) })
	}
	return fromBits(dtype, shape, values, func(value float64) uint64 { return floatBits(value, info) })
}

// FromInts makes a tensor of a numeric dtype. Values out of range keep their low bits, as in a C++
// cast. The number of values must match the shape.
func FromInts(dtype framework.DataType, shape []int64, values []int64) (Tensor, error) {
	if k := infoOf(dtype).kind; k == intKind || k == uintKind {
		return fromBits(dtype, shape, values, widen[int64])
	}
	floats := lists.Map(values, func(value int64) float64 { return float64(value) })
	return FromFloats(dtype, shape, floats)
}

// FromBools makes a DT_BOOL. The number of values must match the shape.
func FromBools(shape []int64, values []bool) (Tensor, error) {
	return fromBits(framework.DataType_DT_BOOL, shape, values, boolToBits)
}

// FromStrings makes a DT_STRING. The number of values must match the shape.
func FromStrings[T string | []byte](shape []int64, values []T) (Tensor, error) {
	t, err := sized(framework.DataType_DT_STRING, shape, len(values))
	if err != nil {
		return Tensor{}, err
	}
	t.strings = lists.Map(values, func(value T) []byte { return []byte(value) })
	return t, nil
}

// sized returns a tensor without elements. It fails if count does not match the shape.
func sized(dtype framework.DataType, shape []int64, count int) (Tensor, error) {
	t, err := blank(dtype, append([]int64(nil), shape...))
	if err != nil {
		return Tensor{}, err
	}
	if count != t.count {
		return Tensor{}, fmt.Errorf("%d values, want %d for %s", count, t.count, t)
	}
	return t, nil
}

// build makes a tensor. add appends the bytes of one value to a slice.
func build[T any](dtype framework.DataType, shape []int64, values []T, add func([]byte, T) []byte) (Tensor, error) {
	t, err := sized(dtype, shape, len(values))
	if err != nil {
		return Tensor{}, err
	}
	if Size(dtype) == 0 {
		return Tensor{}, fmt.Errorf("dtype %s takes no numbers", DTypeName(dtype))
	}
	t.raw = make([]byte, 0, t.count*Size(dtype))
	for _, value := range values {
		t.raw = add(t.raw, value)
	}
	return t, nil
}

func fromBits[T any](dtype framework.DataType, shape []int64, values []T, bits func(T) uint64) (Tensor, error) {
	size := Size(dtype)
	return build(dtype, shape, values, func(raw []byte, value T) []byte {
		return appendBits(raw, bits(value), size)
	})
}

func appendComplex(raw []byte, value complex128, dtype framework.DataType) []byte {
	part := infoOf(partOf(dtype))
	raw = appendBits(raw, floatBits(real(value), part), part.bytes)
	return appendBits(raw, floatBits(imag(value), part), part.bytes)
}

// FromComplexes makes a tensor of a complex dtype. The number of values must match the shape.
func FromComplexes(dtype framework.DataType, shape []int64, values []complex128) (Tensor, error) {
	return build(dtype, shape, values, func(raw []byte, value complex128) []byte {
		return appendComplex(raw, value, dtype)
	})
}
