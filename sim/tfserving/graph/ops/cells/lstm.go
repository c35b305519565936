package cells

import (
	"math"
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// lstm is one execution of an LSTM, for rows of inputs.
type lstm struct {
	*ops.Call
	rows, inputs, size int // inputs and size are the widths of the inputs and of the state
	weights, bias      []float64
	peep               [3][]float64 // weights of the state for the gates i, f and o; nil without
	order              [4]int       // where the gates i, ci, f and o are among the columns of the weights
	out                [7][]float64
}

// newLSTM reads the inputs, which begin at first, and looks at them as LSTMBlockCell does.
func newLSTM(c *ops.Call, first int) (*lstm, error) {
	in := c.In[first:]
	for i, rank := range []int{2 + first, 2, 2, 2, 1, 1, 1, 1} {
		if in[i].Rank() != rank {
			return nil, c.Unsupported("input %d of rank %d, which ends the runtime's process", first+i, in[i].Rank())
		}
		if in[i].F() == nil {
			return nil, c.Unsupported("input %d of another dtype", first+i)
		}
	}
	x, state, h, w, b := in[0].Shape(), in[1].Shape(), in[2].Shape(), in[3].Shape(), in[7].Shape()
	l := &lstm{Call: c, rows: x[first], inputs: x[first+1], size: state[1], weights: in[3].F(), bias: in[7].F(), order: [4]int{0, 1, 2, 3}}
	for _, one := range []struct {
		text      string
		got, want int
	}{
		{"cs_prev.dims(0) != batch_size", state[0], l.rows}, {"h_prev.dims(0) != batch_size", h[0], l.rows}, {"h_prev.dims(1) != cell_size", h[1], l.size},
		{"w.dim_size(0) != input_size + cell_size", w[0], l.inputs + l.size}, {"w.dim_size(1) != cell_size * 4", w[1], 4 * l.size}, {"b.dim_size(0) != cell_size * 4", b[0], 4 * l.size},
	} {
		if one.got != one.want {
			return nil, ops.Invalidf("%s: %d vs. %d", one.text, one.got, one.want)
		}
	}
	if c.Flag("use_peephole") {
		for i := range l.peep {
			if l.peep[i] = in[4+i].F(); len(l.peep[i]) != l.size {
				return nil, c.Unsupported("weights of the state of another size")
			}
		}
	}
	if c.Op == "BlockLSTMV2" {
		l.order = [4]int{0, 2, 1, 3}
	}
	return l, nil
}

// take accounts for the outputs and the multiplications of some steps.
func (l *lstm) take(shape []int) error {
	n := 0
	for range l.out {
		var err error
		if n, err = l.Room(l.In[len(l.In)-1].DType(), shape); err != nil {
			return err
		}
	}
	for i := range l.out {
		l.out[i] = make([]float64, 0, n)
	}
	return l.Work(4*n*(l.inputs+l.size), l.In[len(l.In)-1].DType(), shape)
}

func (l *lstm) values(shape []int) (all []ops.Value) {
	n, _ := value.Count(shape)
	for _, list := range l.out {
		list = append(list, make([]float64, n-len(list))...) // zeros behind the last step, for which the runtime makes so only cs and h
		all = append(all, value.Floats(l.In[len(l.In)-1].DType(), shape, list))
	}
	return all
}

func cell(c *ops.Call) ([]ops.Value, error) {
	l, err := newLSTM(c, 0)
	if err != nil {
		return nil, err
	}
	shape := []int{l.rows, l.size}
	if err := l.take(shape); err != nil {
		return nil, err
	}
	l.step(c.In[0].F(), c.In[1].F(), c.In[2].F())
	return l.values(shape), nil
}

// sequence runs the cell for the steps that a first input names; what comes behind is zero.
func sequence(c *ops.Call) ([]ops.Value, error) {
	l, err := newLSTM(c, 1)
	if err != nil {
		return nil, err
	}
	n, err := c.Int(0)
	if err != nil {
		return nil, err
	}
	steps := c.In[1].Shape()[0]
	if n < 0 || n > steps {
		return nil, c.Unsupported("%d steps of %d, which ends the runtime's process", n, steps)
	}
	shape := []int{steps, l.rows, l.size}
	if err := l.take(shape); err != nil {
		return nil, err
	}
	state, h := c.In[2].F(), c.In[3].F()
	for t := range n {
		width := l.rows * l.inputs
		l.step(c.In[1].F()[t*width:][:width], state, h)
		end := len(l.out[1])
		state, h = l.out[1][end-l.rows*l.size:], l.out[6][end-l.rows*l.size:]
	}
	return l.values(shape), nil
}

// step appends what one step gives to the outputs.
func (l *lstm) step(x, state, h []float64) {
	for row := range l.rows {
		in := slices.Concat(x[row*l.inputs:][:l.inputs], h[row*l.size:][:l.size])
		for k := range l.size {
			l.unit(in, k, state[row*l.size+k])
		}
	}
}

func (l *lstm) unit(in []float64, k int, state float64) {
	gate := func(which int) float64 {
		column := l.order[which]*l.size + k
		return l.bias[column] + dot(in, l.weights, column, 4*l.size)
	}
	peep := func(which int, state float64) float64 {
		if l.peep[which] == nil {
			return 0
		}
		return l.peep[which][k] * state
	}
	i := sigmoid(gate(0) + peep(0, state))
	ci := math.Tanh(gate(1))
	f := sigmoid(gate(2) + l.Float("forget_bias") + peep(1, state))
	cs := ci*i + f*state
	if most := l.Float("cell_clip"); most > 0 {
		cs = max(min(cs, most), -most)
	}
	o := sigmoid(gate(3) + peep(2, cs))
	co := math.Tanh(cs)
	for n, y := range []float64{i, cs, f, o, ci, co, o * co} {
		l.out[n] = append(l.out[n], y)
	}
}

// dot multiplies a row with a column of weights that have the given number of columns.
func dot(row, weights []float64, column, columns int) (sum float64) {
	for i, x := range row {
		sum += x * weights[i*columns+column]
	}
	return sum
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
