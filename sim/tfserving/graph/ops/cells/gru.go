package cells

import (
	"math"
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// gru is one step of a GRU: how much of the state is reset, how much stays, what is new, and the state.
func gru(c *ops.Call) ([]ops.Value, error) {
	if err := gruError(c); err != nil {
		return nil, err
	}
	x, h := c.In[0], c.In[1]
	rows, inputs, size := x.Shape()[0], x.Shape()[1], h.Shape()[1]
	var out [4][]float64
	for range out {
		if _, err := c.Room(x.DType(), h.Shape()); err != nil {
			return nil, err
		}
	}
	if err := c.Work(3*rows*size*(inputs+size), x.DType(), h.Shape()); err != nil {
		return nil, err
	}
	for row := range rows {
		old := h.F()[row*size:][:size]
		in := slices.Concat(x.F()[row*inputs:][:inputs], old)
		reset := slices.Clone(in)
		var stays []float64
		for k := range size {
			r := sigmoid(c.In[4].F()[k] + dot(in, c.In[2].F(), k, 2*size))
			stays = append(stays, sigmoid(c.In[4].F()[size+k]+dot(in, c.In[2].F(), size+k, 2*size)))
			out[0] = append(out[0], r)
			reset[inputs+k] *= r
		}
		out[1] = append(out[1], stays...)
		for k, u := range stays {
			fresh := math.Tanh(c.In[5].F()[k] + dot(reset, c.In[3].F(), k, size))
			out[2] = append(out[2], fresh)
			out[3] = append(out[3], u*old[k]+(1-u)*fresh)
		}
	}
	var all []ops.Value
	for _, list := range out {
		all = append(all, value.Floats(x.DType(), h.Shape(), list))
	}
	return all, nil
}

func gruError(c *ops.Call) error {
	for i, rank := range []int{2, 2, 2, 2, 1, 1} {
		if c.In[i].Rank() != rank || c.In[i].F() == nil {
			return c.Unsupported("input %d of rank %d", i, c.In[i].Rank())
		}
	}
	shape := func(i int) []int { return c.In[i].Shape() }
	rows, inputs, size := shape(0)[0], shape(0)[1], shape(1)[1]
	for _, one := range []struct {
		text      string
		got, want int
	}{
		{"h_prev.dims(0) != batch_size", shape(1)[0], rows},
		{"w_ru.dim_size(0) != input_size + cell_size", shape(2)[0], inputs + size}, {"w_ru.dim_size(1) != cell_size * 2", shape(2)[1], 2 * size},
		{"w_c.dim_size(0) != input_size + cell_size", shape(3)[0], inputs + size}, {"w_c.dim_size(1) != cell_size", shape(3)[1], size},
		{"b_ru.dim_size(0) != cell_size * 2", shape(4)[0], 2 * size}, {"b_c.dim_size(0) != cell_size", shape(5)[0], size},
	} {
		if one.got != one.want {
			return ops.Invalidf("%s: %d vs. %d", one.text, one.got, one.want)
		}
	}
	return nil
}
