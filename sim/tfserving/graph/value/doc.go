// Package value has the tensors that operations of a graph compute with. A Value keeps its
// elements in the widest type of their kind: all floats as float64, all integers as int64 (a
// uint64 by its bits). Each constructor rounds or wraps them to what the dtype can hold, so that
// a result is the one of arithmetic in that dtype.
//
// The two things to use first are FromTensor, which takes a tensor of a request, and the
// constructors, such as Floats, which make one:
//
//	v := value.FromTensor(t)
//	v.Shape(), v.DType(), v.F(), v.I(), v.S()
//	sum, err := value.Floats(framework.DataType_DT_FLOAT, v.Shape(), list).Tensor()
//
// Values are immutable: an operation makes new ones. Whoever makes a Value gives its list away.
//
// To change:
//
//   - what is stored, and the constructors: value.go
//   - rounding: round.go
//   - conversions between dtypes: cast.go
//   - conversions from and to tensors: tensor.go
//   - shapes, their texts and how two broadcast: shape.go
//   - choosing and joining elements, of which reshaping operations are made: pick.go
//
// Unstable: any commit may change it.
package value
