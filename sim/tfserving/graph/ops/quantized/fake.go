package quantized

import (
	"math"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// grid is the range of numbers that a quantized layer can hold, and the distance between two of
// them. The arithmetic is that of 32 bits, because a number between two steps goes by its rounding
// (core/kernels/fake_quant_ops_functor.h).
type grid struct{ low, high, step, inverse float32 }

// gridOf moves a range so that zero is on the grid.
func gridOf(c *ops.Call, low, high float64) *grid {
	first, last := float32(0), float32(int64(1)<<c.Number("num_bits")-1)
	if c.Flag("narrow_range") {
		first = 1
	}
	step := (float32(high) - float32(low)) / (last - first)
	zero := first - float32(low)/step
	switch {
	case zero < first:
		zero = first
	case zero > last:
		zero = last
	default:
		zero = float32(math.Round(float64(zero)))
	}
	inverse := (last - first) / (float32(high) - float32(low)) // not 1/step, which has lost digits
	return &grid{(first - zero) * step, (last - zero) * step, step, inverse}
}

// nearest returns the number of the grid that is next to x.
func (g *grid) nearest(x float64) float64 {
	zero := floor(-g.low*g.inverse + 0.5)
	inside := max(min(float32(x), g.high), g.low)
	return float64(floor((inside-g.low)*g.inverse-zero+0.5) * g.step)
}

func floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// fixed has its range in the graph.
func fixed(c *ops.Call) ([]ops.Value, error) {
	return on(c, []*grid{gridOf(c, c.Float("min"), c.Float("max"))})
}

// given has its range in inputs.
func given(c *ops.Call) ([]ops.Value, error) {
	if err := rangeError(c, 0); err != nil {
		return nil, err
	}
	return on(c, grids(c))
}

// perChannel has a range for each element of the last dimension.
func perChannel(c *ops.Call) ([]ops.Value, error) {
	if err := rangeError(c, 1); err != nil {
		return nil, err
	}
	shape := c.In[0].Shape()
	if len(shape) == 0 {
		return nil, c.Unsupported("an input without dimensions")
	}
	for i, name := range []string{"min", "max"} {
		if got, want := c.In[1+i].Len(), shape[len(shape)-1]; got != want {
			return nil, ops.Invalidf("%s has incorrect size, expected %d was %d", name, want, got)
		}
	}
	return on(c, grids(c))
}

// rangeError returns the error for a range whose ends have another number of dimensions.
func rangeError(c *ops.Call, rank int) error {
	for i, name := range []string{"min", "max"} {
		if got := c.In[1+i].Rank(); got != rank {
			return ops.Invalidf("`%s` must be rank %d but is rank %d", name, rank, got)
		}
	}
	return nil
}

// grids returns the grid of each range in the inputs, nil for a range from zero to zero.
func grids(c *ops.Call) []*grid {
	list := make([]*grid, c.In[1].Len())
	for i := range list {
		if low, high := c.In[1].F()[i], c.In[2].F()[i]; low != 0 || high != 0 {
			list[i] = gridOf(c, low, high)
		}
	}
	return list
}

// on puts each element of the input on a grid, which it takes in turn. Where there is no grid, an
// element becomes zero.
func on(c *ops.Call, grids []*grid) ([]ops.Value, error) {
	v := c.In[0]
	if _, err := c.Room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	out := make([]float64, v.Len())
	for i, x := range v.F() {
		if g := grids[i%len(grids)]; g != nil {
			out[i] = g.nearest(x)
		}
	}
	return ops.One(value.Floats(v.DType(), v.Shape(), out))
}
