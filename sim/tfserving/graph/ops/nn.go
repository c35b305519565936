package ops

import (
	"math"

	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// nnOps holds the operations of neural-network layers that are not matrix products.
var nnOps = map[string]Kernel{
	"BiasAdd": biasAdd, "BiasAddV1": biasAdd, "Softmax": softmax, "LogSoftmax": softmax, "ResizeBilinear": Of(ints(1), resize),
	"ResizeNearestNeighbor": Of(ints(1), resize), "ResizeBicubic": Of(ints(1), resize), "ResizeArea": Of(ints(1), resize), "LRN": localNorm, "SpaceToDepth": blocks, "DepthToSpace": blocks,
}

func biasAdd(c *Call) ([]Value, error) {
	v, bias := c.In[0], c.In[1]
	if format := c.Text("data_format"); format != "" && format != "NHWC" {
		return nil, c.Unsupported("data_format %s", format)
	}
	if v.Rank() < 2 {
		return nil, Invalidf("Input tensor must be at least 2D: %s", value.ShapeText(v.Shape()))
	}
	if bias.Rank() != 1 {
		return nil, Invalidf("Biases must be 1D: %s", value.ShapeText(bias.Shape()))
	}
	if last := v.Shape()[v.Rank()-1]; last != bias.Len() {
		return nil, Invalidf("Must provide as many biases as the last dimension of the input tensor: %s vs. %s",
			value.ShapeText(bias.Shape()), value.ShapeText(v.Shape()))
	}
	return binary(&Call{Node: &Node{Name: c.Name, Op: "AddV2"}, In: c.In, Env: c.Env})
}

func softmax(c *Call) ([]Value, error) {
	v := c.In[0]
	if v.Rank() < 1 {
		return nil, Invalidf("logits must have >= 1 dimension, got %s", value.ShapeText(v.Shape()))
	}
	if _, err := c.Room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	out, n := make([]float64, v.Len()), v.Shape()[v.Rank()-1]
	round := func(x float64) float64 { return x }
	if dtype := v.DType(); dtype == value.Half || dtype == value.BFloat16 { // whose kernel rounds each step
		round = func(x float64) float64 { return tensor.Round16(dtype, x) }
	}
	for start := 0; n > 0 && start < len(out); start += n {
		row, highest, sum := v.F()[start:start+n], math.Inf(-1), 0.0
		for _, x := range row {
			highest = max(highest, x)
		}
		for i, x := range row {
			out[start+i] = round(math.Exp(round(x - highest)))
			sum += out[start+i]
		}
		inverse := round(1 / round(sum))
		for i, x := range row {
			if c.Op == "Softmax" {
				out[start+i] *= inverse
			} else {
				out[start+i] = x - highest - math.Log(sum)
			}
		}
	}
	return One(value.Floats(v.DType(), v.Shape(), out))
}

// resize scales images to a new height and width, given in size.
func resize(c *Call, size []int) ([]Value, error) {
	v, ok := c.In[0].Cast(value.Float64)
	if c.In[0].Rank() != 4 {
		return nil, Invalidf("input must be 4-dimensional%s", value.ShapeText(c.In[0].Shape()))
	}
	if c.In[1].Rank() != 1 {
		return nil, Invalidf("shape_t must be 1-dimensional%s", value.ShapeText(c.In[1].Shape()))
	}
	if len(size) != 2 {
		return nil, Invalidf("shape_t must have two elements%s", value.ShapeText(c.In[1].Shape()))
	}
	if size[0] <= 0 || size[1] <= 0 {
		return nil, Invalidf("output dimensions must be positive")
	}
	in := v.Shape()
	switch own := c.In[0].Shape(); {
	case own[3] == 0:
		return nil, Invalidf("image must have at least one channel")
	case own[1] == 0 || own[2] == 0:
		return nil, Invalidf("input image must be of non-zero size")
	case !ok:
		return nil, c.Unsupported("%s", tensor.DTypeName(c.In[0].DType()))
	}
	dtype := value.Float32
	if c.Op == "ResizeNearestNeighbor" {
		dtype = c.In[0].DType()
	}
	shape := []int{in[0], size[0], size[1], in[3]}
	n, err := c.Room(dtype, shape)
	if err != nil {
		return nil, err
	}
	rows, columns := c.samples(in[1], size[0]), c.samples(in[2], size[1])
	if err := c.Work(weighed(rows)*weighed(columns)*in[0]*in[3], dtype, shape); err != nil {
		return nil, err
	}
	out := make([]float64, 0, n)
	for b := range in[0] {
		for _, y := range rows {
			for _, x := range columns {
				for ch := range in[3] {
					sum := 0.0
					for i, row := range y.at {
						for j, column := range x.at {
							sum += v.F()[((b*in[1]+row)*in[2]+column)*in[3]+ch] * y.weights[i] * x.weights[j]
						}
					}
					out = append(out, sum)
				}
			}
		}
	}
	scaled, ok := value.Floats(value.Float64, shape, out).Cast(dtype)
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(dtype))
	}
	return One(scaled)
}

// sample says how to interpolate one position of the output along a dimension: from positions of the
// input, each with a weight.
type sample struct {
	at      []int
	weights []float64
}

// weighed counts the positions of all samples.
func weighed(list []sample) (n int) {
	for _, s := range list {
		n += len(s.at)
	}
	return n
}

// samples returns the sample for each output position along one dimension
// (core/kernels/image/resize_bilinear_op.cc, resize_nearest_neighbor_op.cc, resize_bicubic_op.cc,
// resize_area_op.cc).
func (c *Call) samples(in, out int) []sample {
	scale := float64(float32(in) / float32(out))
	if c.Flag("align_corners") && out > 1 && (in > 1 || c.Op != "ResizeArea") {
		scale = float64(float32(in-1) / float32(out-1))
	}
	half := c.Flag("half_pixel_centers")
	list := make([]sample, out)
	for i := range list {
		at := float64(i) * scale
		if half {
			at = (float64(i)+0.5)*scale - 0.5
		}
		low := math.Floor(at)
		switch c.Op {
		case "ResizeNearestNeighbor":
			list[i] = nearest(i, scale, in, half, c.Flag("align_corners"))
		case "ResizeArea":
			list[i] = area(i, float32(scale), in)
		case "ResizeBicubic":
			list[i] = cubic(int(low), at-low, in, half)
		default:
			list[i] = sample{[]int{max(int(low), 0), min(int(low)+1, in-1)}, []float64{1 - (at - low), at - low}}
		}
	}
	return list
}

func nearest(i int, scale float64, in int, half, align bool) sample {
	at := float64(i) * scale
	if half {
		at = (float64(i) + 0.5) * scale
	}
	if at = math.Floor(at); align {
		at = math.Round(float64(i) * scale)
	}
	return sample{[]int{min(max(int(at), 0), in-1)}, []float64{1}}
}

// area samples all positions that an output position covers, each by the part that is covered.
func area(i int, scale float32, in int) sample {
	from, to := float32(i)*scale, float32(i+1)*scale
	var s sample
	for at := int(math.Floor(float64(from))); at < int(math.Ceil(float64(to))); at++ {
		covered := min(float32(at+1), to) - max(float32(at), from)
		s.at, s.weights = append(s.at, min(max(at, 0), in-1)), append(s.weights, float64(covered/scale))
	}
	return s
}

// cubic samples the four positions around low. With half-pixel centres, Keys' kernel counts, and
// positions outside of the input do not; else those at the edge count for them.
func cubic(low int, part float64, in int, half bool) sample {
	const steps = 1024 // in which the runtime's table has the weights
	part = math.RoundToEven(part*steps) / steps
	a := -0.75
	if half {
		a = -0.5
	}
	near := func(x float64) float64 { return ((a+2)*x-(a+3))*x*x + 1 }
	far := func(x float64) float64 { return ((a*x-5*a)*x+8*a)*x - 4*a }
	s := sample{make([]int, 4), []float64{far(part + 1), near(part), near(1 - part), far(2 - part)}}
	sum := 0.0
	for k := range s.at {
		at := low - 1 + k
		s.at[k] = min(max(at, 0), in-1)
		if half && s.at[k] != at {
			s.weights[k] = 0
		}
		sum += s.weights[k]
	}
	for k := range s.weights {
		if half && sum != 0 {
			s.weights[k] /= sum
		}
	}
	return s
}

// localNorm divides each element by a power of the squares of its neighbours in the channels
// (core/kernels/lrn_op.cc).
func localNorm(c *Call) ([]Value, error) {
	v := c.In[0]
	if v.Rank() != 4 {
		return nil, Invalidf("in must be 4-dimensional")
	}
	depth, radius := v.Shape()[3], c.Number("depth_radius")
	if _, err := c.Room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	if err := c.Work(v.Len()*min(depth, 2*min(radius, depth)+1), v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	out := make([]float64, v.Len())
	for i, x := range v.F() {
		ch, sum := i%depth, 0.0
		for k := max(ch-radius, 0); k <= min(ch+radius, depth-1); k++ {
			sum += v.F()[i-ch+k] * v.F()[i-ch+k]
		}
		out[i] = x * math.Pow(c.Float("bias")+c.Float("alpha")*sum, -c.Float("beta"))
	}
	return One(value.Floats(v.DType(), v.Shape(), out))
}

// blocks implements SpaceToDepth, which moves each block of pixels into the channels of one pixel,
// and DepthToSpace, which does the reverse.
func blocks(c *Call) ([]Value, error) {
	v, size := c.In[0], c.Number("block_size")
	if v.Rank() != 4 {
		text := "Input rank should be: 4 instead of: %d"
		if c.Op == "SpaceToDepth" {
			text = "Input rank should be 4 instead of %d"
		}
		return nil, Invalidf(text, v.Rank())
	}
	if format := c.Text("data_format"); format != "" && format != "NHWC" || size < 2 {
		return nil, c.Unsupported("data_format %s", format)
	}
	b, h, w, ch := v.Shape()[0], v.Shape()[1], v.Shape()[2], v.Shape()[3]
	if _, err := c.Room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	var parts, shape []int
	order := []int{0, 1, 3, 2, 4, 5}
	if c.Op == "SpaceToDepth" {
		if h%size != 0 || w%size != 0 {
			return nil, Invalidf("Image width %d and height %d should be divisible by block_size: %d", w, h, size)
		}
		parts = []int{b, h / size, size, w / size, size, ch}
		shape = []int{b, h / size, w / size, size * size * ch}
	} else {
		if ch%(size*size) != 0 {
			return nil, Invalidf("Input depth dimension %d should be divisible by: %d", ch, size*size)
		}
		parts = []int{b, h, w, size, size, ch / size / size}
		shape = []int{b, h * size, w * size, ch / size / size}
	}
	strides := value.Strides(parts)
	sizes, steps := make([]int, len(order)), make([]int, len(order))
	for i, d := range order {
		sizes[i], steps[i] = parts[d], strides[d]
	}
	return One(v.Pick(shape, value.Walk(sizes, steps, 0)))
}
