package random

import (
	"math"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// draw is one execution of an operation that draws numbers.
type draw struct {
	*ops.Call
	from   philox
	dtype  ops.DType
	shape  []int
	limits []ops.Value // the smallest and the first too large number, of operations that are given them
}

const philoxAlgorithm, threefry, anyAlgorithm = 1, 2, 3

// keyCounter makes a key and a counter from a seed.
func keyCounter(c *ops.Call) ([]ops.Value, error) {
	p, err := seedOf(c, 0)
	if err != nil {
		return nil, err
	}
	pair := func(low, high uint32) int64 { return int64(uint64(low) | uint64(high)<<32) }
	outputs := []ops.Value{
		value.Ints(value.UInt64, []int{1}, []int64{pair(p.key[0], p.key[1])}),
		value.Ints(value.UInt64, []int{2}, []int64{pair(p.counter[0], p.counter[1]), pair(p.counter[2], p.counter[3])}),
	}
	if c.Op == "StatelessRandomGetKeyCounterAlg" {
		outputs = append(outputs, value.Scalar32(philoxAlgorithm))
	}
	return outputs, nil
}

func algorithm(*ops.Call) ([]ops.Value, error) { return ops.One(value.Scalar32(philoxAlgorithm)) }

// seedOf reads a generator from an input with a seed.
func seedOf(c *ops.Call, input int) (philox, error) {
	seed := c.In[input]
	if seed.Rank() != 1 || seed.Len() != 2 {
		return philox{}, ops.Invalidf("seed must have shape [2], not %s", value.ShapeText(seed.Shape()))
	}
	return fromSeed([2]uint64{uint64(seed.I()[0]), uint64(seed.I()[1])}), nil
}

// seeded makes a kernel whose inputs are a shape, a seed and perhaps limits.
func seeded(f func(draw) ([]ops.Value, error)) ops.Kernel {
	return func(c *ops.Call) ([]ops.Value, error) {
		d := draw{Call: c, dtype: c.TypeOf("dtype"), limits: c.In[2:]}
		var err error
		if d.shape, err = shapeOf(c); err != nil {
			return nil, err
		}
		if d.from, err = seedOf(c, 1); err != nil {
			return nil, err
		}
		return d.run(f)
	}
}

// keyed makes a kernel whose inputs are a shape, a key, a counter, an algorithm and perhaps limits.
func keyed(f func(draw) ([]ops.Value, error)) ops.Kernel {
	return func(c *ops.Call) ([]ops.Value, error) {
		d := draw{Call: c, dtype: c.TypeOf("dtype"), limits: c.In[4:]}
		key, counter, alg := c.In[1], c.In[2], c.In[3]
		if alg.Rank() != 0 {
			return nil, ops.Invalidf("input 3 (0-based) must have shape [], not %s", value.ShapeText(alg.Shape()))
		}
		var err error
		if d.shape, err = shapeOf(c); err != nil {
			return nil, err
		}
		if err := d.keyError(key, counter, int(alg.I()[0])); err != nil {
			return nil, err
		}
		k, low, high := uint64(key.I()[0]), uint64(counter.I()[0]), uint64(counter.I()[1])
		d.from = philox{
			counter: [4]uint32{uint32(low), uint32(low >> 32), uint32(high), uint32(high >> 32)},
			key:     [2]uint32{uint32(k), uint32(k >> 32)},
		}
		return d.run(f)
	}
}

// keyError returns the error for a key, a counter and an algorithm that do not fit. TensorFlow takes the
// number of the algorithm for the least length of the counter, and then reads two numbers in any case
// (CheckKeyCounterShape in core/kernels/stateless_random_ops_v2.cc).
func (d draw) keyError(key, counter ops.Value, algorithm int) error {
	if algorithm == anyAlgorithm {
		algorithm = philoxAlgorithm
	}
	switch {
	case key.Rank() != 1 || key.Len() != 1:
		return ops.Invalidf("key must have shape [1], not %s. (Note that batched keys are not supported yet.)", value.ShapeText(key.Shape()))
	case counter.Rank() != 1 || counter.Len() < algorithm:
		return ops.Invalidf("counter must be a vector with length at least %d; got shape: %s. (Note that batched counters are not supported yet.)",
			algorithm, value.ShapeText(counter.Shape()))
	case algorithm == threefry:
		return d.Unsupported("ThreeFry")
	case algorithm != philoxAlgorithm:
		return ops.Invalidf("Unsupported algorithm id: %d", algorithm)
	case counter.Len() < 2:
		return d.Unsupported("a counter of %d numbers, behind which TensorFlow reads on", counter.Len())
	}
	return nil
}

// shapeOf reads the shape of the output.
func shapeOf(c *ops.Call) ([]int, error) {
	if c.In[0].Rank() != 1 {
		return nil, ops.Invalidf("shape must be a vector of {int32,int64}, got shape %s", value.ShapeText(c.In[0].Shape()))
	}
	shape, err := c.Ints(0)
	if err != nil {
		return nil, err
	}
	for _, n := range shape {
		if n < 0 {
			return nil, ops.Invalidf("Dimension %d must be >= 0", n)
		}
	}
	return shape, nil
}

func (d draw) run(f func(draw) ([]ops.Value, error)) ([]ops.Value, error) {
	if d.dtype == 0 {
		d.dtype = value.Float32
	}
	if _, err := d.Room(d.dtype, d.shape); err != nil {
		return nil, err
	}
	return f(d)
}

// uniform draws from [0, 1). A number's bits are the fraction of one in [1, 2).
func uniform(d draw) ([]ops.Value, error) {
	bits := map[ops.DType]uint{value.Float32: 23, value.Half: 10, value.BFloat16: 7}
	if d.dtype == value.Float64 {
		return d.floats(2, func(b [4]uint32) []float64 { return []float64{unit64(b[0], b[1]), unit64(b[2], b[3])} })
	}
	fraction, ok := bits[d.dtype]
	if !ok {
		return nil, d.Unsupported("%s", tensor.DTypeName(d.dtype))
	}
	return d.floats(4, func(b [4]uint32) (list []float64) {
		for _, x := range b {
			list = append(list, unit(x, fraction))
		}
		return list
	})
}

// unit makes a number in [0, 1) of so many bits.
func unit(x uint32, fraction uint) float64 {
	return float64(x&(1<<fraction-1)) / float64(uint32(1)<<fraction)
}

func unit64(high, low uint32) float64 {
	const fraction = 52
	return float64(uint64(high&(1<<(fraction-32)-1))<<32|uint64(low)) / (1 << fraction)
}

// boxMuller makes two normal numbers of two uniform ones.
func boxMuller(u1, u2 float64) (a, b float64) {
	const least = 1e-7 // so that the logarithm is finite
	sin, cos := math.Sincos(2 * math.Pi * u2)
	r := math.Sqrt(-2 * math.Log(max(u1, least)))
	return sin * r, cos * r
}

// singleBits is the number of bits of a float's fraction.
const singleBits = 23

// normal draws from the normal distribution.
func normal(d draw) ([]ops.Value, error) {
	if d.dtype == value.Float64 {
		return d.floats(2, func(b [4]uint32) []float64 {
			x, y := boxMuller(unit64(b[0], b[1]), unit64(b[2], b[3]))
			return []float64{x, y}
		})
	}
	if d.dtype != value.Float32 && d.dtype != value.Half && d.dtype != value.BFloat16 {
		return nil, d.Unsupported("%s", tensor.DTypeName(d.dtype))
	}
	return d.floats(4, func(b [4]uint32) []float64 {
		x, y := boxMuller(unit(b[0], singleBits), unit(b[1], singleBits))
		z, w := boxMuller(unit(b[2], singleBits), unit(b[3], singleBits))
		return []float64{x, y, z, w}
	})
}

// floats fills the output, each blocks' numbers one after another.
func (d draw) floats(each int, numbers func([4]uint32) []float64) ([]ops.Value, error) {
	n, _ := value.Count(d.shape)
	list := make([]float64, 0, n+each)
	for i := 0; len(list) < n; i++ {
		list = append(list, numbers(d.from.after(uint64(i)).block())...)
	}
	return ops.One(value.Floats(d.dtype, d.shape, list[:n]))
}

// truncated draws from the normal distribution, and draws again what is two or more from 0. Each group
// of outputs has blocks of its own to draw from.
func truncated(d draw) ([]ops.Value, error) {
	const most, blocks = 2, 256
	group, pair := 4, func(s *single) (float64, float64) {
		return boxMuller(unit(s.next(), singleBits), unit(s.next(), singleBits))
	}
	switch d.dtype {
	case value.Float64:
		group, pair = 2, func(s *single) (float64, float64) {
			a, b, x, y := s.next(), s.next(), s.next(), s.next()
			return boxMuller(unit64(a, b), unit64(x, y))
		}
	case value.Float32, value.Half, value.BFloat16:
	default:
		return nil, d.Unsupported("%s", tensor.DTypeName(d.dtype))
	}
	n, _ := value.Count(d.shape)
	list := make([]float64, 0, n+group)
	for i := 0; len(list) < n; i++ {
		s, end := single{from: d.from.after(uint64(i * blocks * group / 4))}, len(list)+group
		for len(list) < end {
			x, y := pair(&s)
			for _, number := range []float64{x, y} {
				if math.Abs(number) < most && len(list) < end {
					list = append(list, number)
				}
			}
		}
	}
	return ops.One(value.Floats(d.dtype, d.shape, list[:n]))
}

// between draws whole numbers from the first limit on and below the second.
func between(d draw) ([]ops.Value, error) {
	names := [...]string{"minval", "maxval"}
	for i, limit := range d.limits {
		if limit.Rank() != 0 {
			return nil, ops.Invalidf("%s must be 0-D, got shape %s", names[i], value.ShapeText(limit.Shape()))
		}
	}
	low, high := d.limits[0].I()[0], d.limits[1].I()[0]
	if n, _ := value.Count(d.shape); n > 0 && low >= high {
		return nil, ops.Invalidf("Need minval < maxval, got %d >= %d", low, high)
	}
	return d.ints(func(bits uint64) int64 { return low + int64(bits%uint64(high-low)) })
}

// whole draws from all numbers of a type.
func whole(d draw) ([]ops.Value, error) {
	return d.ints(func(bits uint64) int64 { return int64(bits) })
}

// ints fills the output. A number of 64 bits takes two of a block.
func (d draw) ints(number func(bits uint64) int64) ([]ops.Value, error) {
	n, _ := value.Count(d.shape)
	list := make([]int64, 0, n+4)
	for i := 0; len(list) < n; i++ {
		b := d.from.after(uint64(i)).block()
		if tensor.Size(d.dtype) == 8 {
			list = append(list, number(uint64(b[0])|uint64(b[1])<<32), number(uint64(b[2])|uint64(b[3])<<32))
			continue
		}
		for _, x := range b {
			list = append(list, number(uint64(x)))
		}
	}
	return ops.One(value.Ints(d.dtype, d.shape, list[:n]))
}
