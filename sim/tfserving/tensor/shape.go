package tensor

import (
	"fmt"
	"math/bits"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
)

// maxRank is the largest number of dimensions (upstream's TensorShape::MaxDimensions).
const maxRank = 254

// MaxBytes limits the size of a tensor in bytes. Upstream has no such limit. But a shape in a
// request may ask for far more elements than the message contains, which would exhaust the memory.
const MaxBytes = 256 << 20

// Shape returns the sizes of the dimensions, outermost first. Like TensorShape::IsValid, it fails
// for a negative size, for more than 254 dimensions, and for more elements than an int64 can count.
// It also ignores unknown_rank, as that function does.
func Shape(shape *framework.TensorShapeProto) ([]int64, error) {
	sizes := lists.Map(shape.GetDim(), (*framework.TensorShapeProto_Dim).GetSize)
	if _, err := Count(sizes); err != nil {
		return nil, err
	}
	return sizes, nil
}

// Count returns the number of elements of a shape; 1 for a scalar.
func Count(shape []int64) (int64, error) {
	if len(shape) > maxRank {
		return 0, fmt.Errorf("shape has %d dimensions, want at most %d", len(shape), maxRank)
	}
	count := uint64(1)
	for i, size := range shape {
		if size < 0 {
			return 0, fmt.Errorf("dimension %d has size %d, want 0 or more", i, size)
		}
		high, low := bits.Mul64(count, uint64(size))
		if high != 0 || int64(low) < 0 {
			return 0, fmt.Errorf("shape %v has more elements than an int64 counts", shape)
		}
		count = low
	}
	return int64(count), nil
}

// ShapeProto converts a list of sizes to a TensorShapeProto.
func ShapeProto(shape []int64) *framework.TensorShapeProto {
	if len(shape) > fewDims {
		proto := &framework.TensorShapeProto{Dim: make([]*framework.TensorShapeProto_Dim, len(shape))}
		for i, size := range shape {
			proto.Dim[i] = &framework.TensorShapeProto_Dim{Size: size}
		}
		return proto
	}
	p := &shapeParts{}
	for i, size := range shape {
		p.dims[i].Size = size
		p.list[i] = &p.dims[i]
	}
	p.shape.Dim = p.list[:len(shape):len(shape)]
	return &p.shape
}

// fewDims is the number of dimensions that fit into shapeParts.
const fewDims = 2

// shapeParts holds a shape of up to fewDims dimensions and its nested messages, so that they need
// only one allocation.
type shapeParts struct {
	shape framework.TensorShapeProto
	dims  [fewDims]framework.TensorShapeProto_Dim
	list  [fewDims]*framework.TensorShapeProto_Dim
}

// countFor returns the number of elements of a shape, and fails if they exceed MaxBytes.
func countFor(shape []int64, info dtypeInfo) (int, error) {
	count, err := Count(shape)
	if err != nil {
		return 0, err
	}
	each := info.bytes
	if info.kind == stringKind {
		each = stringBytes
	}
	if count > int64(MaxBytes/each) {
		return 0, fmt.Errorf("shape %v has %d elements of %d bytes, want at most %d bytes",
			shape, count, each, MaxBytes)
	}
	return int(count), nil
}
