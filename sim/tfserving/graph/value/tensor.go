package value

import (
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// FromTensor converts a tensor that was decoded from a message.
func FromTensor(t tensor.Tensor) Value {
	shape := lists.Map(t.Shape(), func(size int64) int { return int(size) })
	n, dtype := t.Len(), t.DType()
	v := Value{dtype: dtype, shape: shape}
	switch laneOf(dtype) {
	case floatLane:
		v.data = fill(n, t.Float)
	case intLane:
		v.data = fill(n, t.Int)
	case boolLane:
		v.data = fill(n, t.Bool)
	case stringLane:
		v.data = fill(n, func(i int) string { return string(t.Bytes(i)) })
	case complexLane:
		v.data = fill(n, t.Complex)
	}
	return v
}

func fill[T any](n int, at func(int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = at(i)
	}
	return list
}

// Tensor converts the value to a tensor for a message. It fails for a resource, and if there are
// more elements than a tensor may have.
func (v Value) Tensor() (tensor.Tensor, error) {
	shape := make([]int64, len(v.shape))
	for i, size := range v.shape {
		shape[i] = int64(size)
	}
	switch list := v.data.(type) {
	case []int64:
		return tensor.FromInts(v.dtype, shape, list)
	case []bool:
		return tensor.FromBools(shape, list)
	case []string:
		return tensor.FromStrings(shape, list)
	case []complex128:
		return tensor.FromComplexes(v.dtype, shape, list)
	}
	return tensor.FromFloats(v.dtype, shape, v.F())
}
