package value

import (
	"math"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

func roundFloats(dtype DType, list []float64) {
	switch dtype {
	case Float32:
		for i, x := range list {
			list[i] = float64(float32(x))
		}
	case Half, BFloat16:
		for i, x := range list {
			list[i] = tensor.Round16(dtype, x)
		}
	}
}

func roundComplexes(dtype DType, list []complex128) {
	if dtype != framework.DataType_DT_COMPLEX64 {
		return
	}
	for i, x := range list {
		list[i] = complex128(complex64(x))
	}
}

// wrapInts keeps the low bits of each element, as a C++ cast does.
func wrapInts(dtype DType, list []int64) {
	wrap := wrapper(dtype)
	if wrap == nil {
		return
	}
	for i, x := range list {
		list[i] = wrap(x)
	}
}

func wrapper(dtype DType) func(int64) int64 {
	switch dtype {
	case framework.DataType_DT_INT8, framework.DataType_DT_QINT8:
		return func(x int64) int64 { return int64(int8(x)) }
	case framework.DataType_DT_INT16, framework.DataType_DT_QINT16:
		return func(x int64) int64 { return int64(int16(x)) }
	case Int32, framework.DataType_DT_QINT32:
		return func(x int64) int64 { return int64(int32(x)) }
	case UInt8, framework.DataType_DT_QUINT8:
		return func(x int64) int64 { return int64(uint8(x)) }
	case framework.DataType_DT_UINT16, framework.DataType_DT_QUINT16:
		return func(x int64) int64 { return int64(uint16(x)) }
	case framework.DataType_DT_UINT32:
		return func(x int64) int64 { return int64(uint32(x)) }
	}
	return nil
}

// Highest returns the largest finite number of a float dtype.
func Highest(dtype DType) float64 {
	switch dtype {
	case Half:
		return 65504
	case BFloat16:
		return 0x1.fep127
	case Float32:
		return math.MaxFloat32
	}
	return math.MaxFloat64
}

// IntRange returns the smallest and the largest number of an integer dtype. For uint64 it returns 0
// and -1, because -1 has the same bits as the largest uint64.
func IntRange(dtype DType) (low, high int64) {
	size := uint(8 * tensor.Size(dtype))
	switch dtype {
	case UInt64:
		return 0, -1
	case UInt8, framework.DataType_DT_UINT16, framework.DataType_DT_UINT32,
		framework.DataType_DT_QUINT8, framework.DataType_DT_QUINT16:
		return 0, 1<<size - 1
	}
	return -1 << (size - 1), 1<<(size-1) - 1
}
