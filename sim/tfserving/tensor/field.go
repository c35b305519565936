package tensor

import (
	"math"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
)

// partOf returns the float dtype of the two parts of a complex dtype. It returns any other dtype
// unchanged.
func partOf(dtype framework.DataType) framework.DataType {
	switch dtype {
	case framework.DataType_DT_COMPLEX64:
		return framework.DataType_DT_FLOAT
	case framework.DataType_DT_COMPLEX128:
		return framework.DataType_DT_DOUBLE
	}
	return dtype
}

// readField reads the elements from the message's list for the dtype. It cuts the list to the
// wanted number, or repeats the last value. If the list is empty, all elements are zero (tensorflow
// core/framework/tensor.cc, FromProtoField).
func (t *Tensor) readField(proto *framework.TensorProto) {
	if t.dtype == framework.DataType_DT_STRING {
		t.strings = stretch(proto.GetStringVal(), t.count)
		return
	}
	size := Size(t.dtype)
	raw := readList(proto, t.dtype, t.count)
	t.raw = make([]byte, t.count*size)
	filled := copy(t.raw, raw[:len(raw)/size*size])
	for ; filled > 0 && filled < len(t.raw); filled += size {
		copy(t.raw[filled:], t.raw[filled-size:filled])
	}
}

// stretch returns count strings. It cuts off the list values after count strings, or else repeats
// the last string of the list.
func stretch(values [][]byte, count int) [][]byte {
	out := make([][]byte, count)
	copy(out, values)
	for i := len(values); i > 0 && i < count; i++ {
		out[i] = values[len(values)-1]
	}
	return out
}

// readList returns at most count elements of the message's list for the dtype, encoded as in
// Tensor.raw.
func readList(p *framework.TensorProto, dtype framework.DataType, count int) []byte {
	switch dtype {
	case framework.DataType_DT_FLOAT:
		return pack(p.FloatVal, 4, count, floatToBits)
	case framework.DataType_DT_DOUBLE:
		return pack(p.DoubleVal, 8, count, math.Float64bits)
	case framework.DataType_DT_COMPLEX64:
		return pack(p.ScomplexVal, 4, 2*count, floatToBits)
	case framework.DataType_DT_COMPLEX128:
		return pack(p.DcomplexVal, 8, 2*count, math.Float64bits)
	case framework.DataType_DT_INT64:
		return pack(p.Int64Val, 8, count, widen)
	case framework.DataType_DT_BOOL:
		return pack(p.BoolVal, 1, count, boolToBits)
	case framework.DataType_DT_HALF, framework.DataType_DT_BFLOAT16:
		return pack(p.HalfVal, 2, count, widen)
	case framework.DataType_DT_UINT32:
		return pack(p.Uint32Val, 4, count, widen)
	case framework.DataType_DT_UINT64:
		return pack(p.Uint64Val, 8, count, widen)
	}
	return pack(p.IntVal, Size(dtype), count, widen)
}

// FieldProto converts the tensor to a message as Tensor::AsProtoField does: all elements are in the
// message's list for the dtype.
func (t Tensor) FieldProto() *framework.TensorProto {
	proto := t.header()
	switch t.dtype {
	case framework.DataType_DT_STRING:
		proto.StringVal = t.strings
	case framework.DataType_DT_FLOAT:
		proto.FloatVal = unpack(t.raw, 4, bitsToFloat)
	case framework.DataType_DT_DOUBLE:
		proto.DoubleVal = unpack(t.raw, 8, math.Float64frombits)
	case framework.DataType_DT_COMPLEX64:
		proto.ScomplexVal = unpack(t.raw, 4, bitsToFloat)
	case framework.DataType_DT_COMPLEX128:
		proto.DcomplexVal = unpack(t.raw, 8, math.Float64frombits)
	case framework.DataType_DT_INT64:
		proto.Int64Val = unpack(t.raw, 8, narrow[int64])
	case framework.DataType_DT_BOOL:
		proto.BoolVal = unpack(t.raw, 1, bitsToBool)
	case framework.DataType_DT_HALF, framework.DataType_DT_BFLOAT16:
		proto.HalfVal = unpack(t.raw, 2, narrow[int32])
	case framework.DataType_DT_UINT32:
		proto.Uint32Val = unpack(t.raw, 4, narrow[uint32])
	case framework.DataType_DT_UINT64:
		proto.Uint64Val = unpack(t.raw, 8, narrow[uint64])
	default:
		proto.IntVal = t.ints()
	}
	return proto
}

// ints returns the elements in the form of the message's field int_val.
func (t Tensor) ints() []int32 {
	values := make([]int32, t.count)
	for i := range values {
		values[i] = int32(t.Int(i))
	}
	return values
}

// pack encodes values as elements of size bytes each. It encodes at most count of them.
func pack[T any](values []T, size, count int, bits func(T) uint64) []byte {
	values = values[:min(len(values), count)]
	raw := make([]byte, 0, len(values)*size)
	for _, value := range values {
		raw = appendBits(raw, bits(value), size)
	}
	return raw
}

func unpack[T any](raw []byte, size int, value func(uint64) T) []T {
	values := make([]T, 0, len(raw)/size)
	for ; len(raw) >= size; raw = raw[size:] {
		var bits uint64
		for i := size - 1; i >= 0; i-- {
			bits = bits<<8 | uint64(raw[i])
		}
		values = append(values, value(bits))
	}
	return values
}

func floatToBits(value float32) uint64 { return uint64(math.Float32bits(value)) }
func bitsToFloat(bits uint64) float32  { return math.Float32frombits(uint32(bits)) }
func bitsToBool(bits uint64) bool      { return bits != 0 }

func boolToBits(value bool) uint64 {
	if value {
		return 1
	}
	return 0
}

func widen[T int32 | int64 | uint32 | uint64](value T) uint64 { return uint64(value) }
func narrow[T int32 | int64 | uint32 | uint64](bits uint64) T { return T(bits) }
