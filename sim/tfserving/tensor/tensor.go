package tensor

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
)

// Tensor is a dense, immutable tensor. The zero Tensor has dtype DT_INVALID and no elements. Copies
// of a Tensor share their elements.
type Tensor struct {
	dtype   framework.DataType
	shape   []int64
	count   int
	raw     []byte   // raw holds the elements, little-endian; nil for a DT_STRING
	strings [][]byte // strings holds the elements of a DT_STRING
}

// Parse converts a TensorProto. Like Tensor::FromProto, it fails for an invalid shape, for
// tensor_content of a wrong size, for a bool in tensor_content that is neither 0 nor 1, and for a
// dtype without numbers, booleans or strings. Unlike the runtime it also refuses DT_RESOURCE and
// DT_VARIANT. The runtime of 2.4 accepted any byte as a bool.
func Parse(proto *framework.TensorProto) (Tensor, error) {
	shape, err := Shape(proto.GetTensorShape())
	if err != nil {
		return Tensor{}, err
	}
	t, err := blank(proto.GetDtype(), shape)
	if err != nil || t.count == 0 {
		return t, err
	}
	if len(proto.GetTensorContent()) > 0 {
		err := t.readContent(proto.GetTensorContent())
		return t, err
	}
	t.readField(proto)
	return t, nil
}

// blank returns a tensor without elements. It fails for an invalid shape or an unsupported dtype.
func blank(dtype framework.DataType, shape []int64) (Tensor, error) {
	info := infoOf(dtype)
	if info.kind == noKind {
		return Tensor{}, fmt.Errorf("dtype %s has no plain values", DTypeName(dtype))
	}
	count, err := countFor(shape, info)
	if err != nil {
		return Tensor{}, err
	}
	return Tensor{dtype: dtype, shape: shape, count: count}, nil
}

func (t *Tensor) readContent(content []byte) (err error) {
	if t.dtype == framework.DataType_DT_STRING {
		t.strings, err = decodeStrings(content, t.count)
		return err
	}
	if want := t.count * Size(t.dtype); len(content) != want {
		return fmt.Errorf("tensor_content has %d bytes, want %d for %s", len(content), want, t)
	}
	if t.dtype == framework.DataType_DT_BOOL && bytes.IndexFunc(content, func(r rune) bool { return r > 1 }) >= 0 {
		return fmt.Errorf("tensor_content has a byte other than 0 and 1 for %s", t)
	}
	t.raw = content
	return nil
}

// DType returns the type of the elements.
func (t Tensor) DType() framework.DataType { return t.dtype }

// Shape returns the sizes of the dimensions, outermost first; empty for a scalar.
func (t Tensor) Shape() []int64 { return slices.Clone(t.shape) }

// Len returns the number of elements.
func (t Tensor) Len() int { return t.count }

// Raw returns the elements in row-major order, little-endian, with Size(DType()) bytes each. It
// returns nil for DT_STRING. The caller must not change the slice.
func (t Tensor) Raw() []byte { return t.raw }

// String returns dtype and shape, such as "float[2 3]".
func (t Tensor) String() string { return fmt.Sprintf("%s%v", DTypeName(t.dtype), t.shape) }

// ContentProto converts the tensor to a message as Tensor::AsProtoTensorContent does.
func (t Tensor) ContentProto() *framework.TensorProto {
	proto := t.header()
	switch {
	case t.count == 0:
	case t.dtype == framework.DataType_DT_STRING:
		proto.TensorContent = encodeStrings(t.strings)
	default:
		proto.TensorContent = slices.Clone(t.raw)
	}
	return proto
}

func (t Tensor) header() *framework.TensorProto {
	return &framework.TensorProto{Dtype: t.dtype, TensorShape: ShapeProto(t.shape)}
}
