package waves

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// complexes makes the kernel that transforms complex numbers along the innermost dims dimensions.
func complexes(dims int, inverse bool) ops.Kernel {
	return func(c *ops.Call) ([]ops.Value, error) {
		v := c.In[0]
		if err := rankError(v, dims); err != nil {
			return nil, err
		}
		b := block{v.Shape(), v.C()}
		for d := range dims {
			if err := b.along(c, v.Rank()-1-d, inverse); err != nil {
				return nil, err
			}
		}
		return ops.One(value.Complexes(v.DType(), b.shape, b.list))
	}
}

func rankError(v ops.Value, dims int) error {
	if v.Rank() < dims {
		return ops.Invalidf("Input must have rank of at least %d but got: %s", dims, value.ShapeText(v.Shape()))
	}
	return nil
}

// lengths reads how long the transforms along the innermost dimensions are. Of the last one, half has to be
// there if it is turned back into reals.
func lengths(c *ops.Call, dims int, half bool) ([]int, error) {
	v := c.In[0]
	if err := rankError(v, dims); err != nil {
		return nil, err
	}
	if shape := c.In[1].Shape(); len(shape) != 1 || shape[0] != dims {
		return nil, ops.Invalidf("fft_length must have shape [%d]", dims)
	}
	list, err := c.Ints(1)
	if err != nil {
		return nil, err
	}
	for i, n := range list {
		if n < 0 {
			return nil, ops.Invalidf("fft_length[%d] must >= 0, but got: %d", i, n)
		}
		at := v.Rank() - dims + i
		least := n
		if half && i == dims-1 {
			least = n/2 + 1
		}
		if got := v.Shape()[at]; got < least {
			return nil, ops.Invalidf("Input dimension %d must have length of at least %d but got: %d", at, least, got)
		}
		if n == 0 || v.Len() == 0 {
			return nil, c.Unsupported("no elements")
		}
	}
	return list, nil
}

// fromReals makes the kernel that transforms reals, and returns the half of the last dimension that says
// all.
func fromReals(dims int) ops.Kernel {
	return func(c *ops.Call) ([]ops.Value, error) {
		sizes, err := lengths(c, dims, false)
		if err != nil {
			return nil, err
		}
		v, ok := c.In[0].Cast(c.TypeOf("Tcomplex"))
		if !ok {
			return nil, c.Unsupported("these dtypes")
		}
		b := block{v.Shape(), v.C()}
		rank := len(b.shape)
		for d := range dims {
			at := rank - 1 - d
			b = b.cut(at, sizes[dims-1-d])
			if err := b.along(c, at, false); err != nil {
				return nil, err
			}
		}
		b = b.cut(rank-1, sizes[dims-1]/2+1)
		return ops.One(value.Complexes(c.TypeOf("Tcomplex"), b.shape, b.list))
	}
}

// toReals makes the kernel that turns such a transform back.
func toReals(dims int) ops.Kernel {
	return func(c *ops.Call) ([]ops.Value, error) {
		sizes, err := lengths(c, dims, true)
		if err != nil {
			return nil, err
		}
		b := block{c.In[0].Shape(), c.In[0].C()}
		rank, n := len(b.shape), sizes[dims-1]
		b = b.cut(rank-1, n/2+1)
		for d := 1; d < dims; d++ {
			at := rank - 1 - d
			b = b.cut(at, sizes[dims-1-d])
			if err := b.along(c, at, true); err != nil {
				return nil, err
			}
		}
		if b, err = b.mirrored(c, n); err != nil {
			return nil, err
		}
		if err := b.along(c, rank-1, true); err != nil {
			return nil, err
		}
		list := make([]float64, len(b.list))
		for i, x := range b.list {
			list[i] = real(x)
		}
		return ops.One(value.Floats(c.TypeOf("Treal"), slices.Clone(b.shape), list))
	}
}
