// Package tensor reads and makes TensorProtos as TensorFlow's runtime does
// (tensorflow core/framework/tensor.cc): the shape is checked, elements come
// from tensor_content or from the list that belongs to the dtype, a list that is
// too short is continued with its last value, and one that is too long is cut.
//
// The two things to use first are Parse, which turns a TensorProto into a
// Tensor, and the makers FromFloats, FromInts, FromUints, FromBools, FromComplexes,
// FromStrings and FromRaw, which build a Tensor from Go values:
//
//	t, err := tensor.Parse(proto)           // dtype, shape and element count checked
//	t.DType(), t.Shape(), t.Len()
//	t.Float(i), t.Int(i), t.Uint(i)         // element i in row-major order, converted
//	t.Bool(i), t.Complex(i), t.Bytes(i)     // Bytes only for DT_STRING
//	t.Raw()                                 // little-endian bytes, nil for DT_STRING
//
//	t, err := tensor.FromFloats(framework.DataType_DT_FLOAT, []int64{2}, []float64{1, 2})
//	t.FieldProto()                          // as Tensor::AsProtoField: float_val, int_val, ...
//	t.ContentProto()                        // as Tensor::AsProtoTensorContent
//
// Predict of TensorFlow Serving answers with FieldProto.
//
// To change which list a dtype uses look in field.go; how an element is stored,
// in element.go; names and sizes of dtypes, in dtype.go; which shapes are valid,
// in shape.go; strings in tensor_content, in strings.go.
package tensor
