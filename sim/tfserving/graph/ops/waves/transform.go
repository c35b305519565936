package waves

import (
	"math"
	"math/cmplx"
	"slices"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// block is a tensor of complex numbers.
type block struct {
	shape []int
	list  []complex128
}

// cut returns the first elements along a dimension.
func (b block) cut(axis, n int) block {
	size, step := b.shape[axis], value.Strides(b.shape)[axis]
	shape := slices.Clone(b.shape)
	shape[axis] = n
	var list []complex128
	for i, x := range b.list {
		if i/step%size < n {
			list = append(list, x)
		}
	}
	return block{shape, list}
}

// mirrored returns lines of n elements whose second half are the conjugates of the first, so that their
// transform is real. What is no such conjugate of itself is made so.
func (b block) mirrored(c *ops.Call, n int) (block, error) {
	shape := slices.Clone(b.shape)
	half := shape[len(shape)-1]
	shape[len(shape)-1] = n
	total, err := c.Room(framework.DataType_DT_COMPLEX128, shape)
	if err != nil {
		return b, err
	}
	out := block{shape, make([]complex128, total)}
	for i := range out.list {
		row, at := i/n*half, i%n
		switch {
		case at == 0 || 2*at == n:
			out.list[i] = complex(real(b.list[row+at]), 0)
		case at < half:
			out.list[i] = b.list[row+at]
		default:
			out.list[i] = cmplx.Conj(b.list[row+n-at])
		}
	}
	return out, nil
}

// along transforms the lines along a dimension.
func (b *block) along(c *ops.Call, axis int, inverse bool) error {
	n, step := b.shape[axis], value.Strides(b.shape)[axis]
	if _, err := c.Room(framework.DataType_DT_COMPLEX128, b.shape); err != nil {
		return err
	}
	if err := c.Work(len(b.list)*n, framework.DataType_DT_COMPLEX128, b.shape); err != nil {
		return err
	}
	turn, scale := -1.0, 1.0
	if inverse {
		turn, scale = 1, 1/float64(n)
	}
	turns := make([]complex128, n)
	for k := range turns {
		sin, cos := math.Sincos(turn * 2 * math.Pi * float64(k) / float64(n))
		turns[k] = complex(cos, sin)
	}
	out := make([]complex128, len(b.list))
	for i := range out {
		at := i / step % n
		first := i - at*step
		var sum complex128
		for k := range n {
			sum += b.list[first+k*step] * turns[at*k%n]
		}
		out[i] = sum * complex(scale, 0)
	}
	b.list = out
	return nil
}
