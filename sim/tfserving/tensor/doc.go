// Package tensor reads and makes TensorProtos as TensorFlow's runtime does (tensorflow
// core/framework/tensor.cc). It checks the shape, and takes the elements from tensor_content or
// from the list that belongs to the dtype. A list that is too short continues with its last value;
// one that is too long is cut off.
//
// The two things to use first are Parse, which converts a TensorProto to a Tensor, and the makers
// FromFloats, FromInts, FromBools and FromStrings, which build a Tensor from Go values:
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
// To change:
//
//   - which list a dtype uses: field.go
//   - how an element is stored: element.go, half.go
//   - names and sizes of dtypes: dtype.go
//   - which shapes are valid: shape.go
//   - strings in tensor_content: strings.go
//
// Unstable: any commit may change it.
package tensor
