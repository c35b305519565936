package ops

import (
	"math"

	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// nnOps holds the operations of neural-network layers that are not matrix products.
var nnOps = map[string]Kernel{
	"BiasAdd": biasAdd, "BiasAddV1": biasAdd, "Softmax": softmax, "LogSoftmax": softmax, "ResizeBilinear": Of(ints(1), resize),
	"ResizeNearestNeighbor": Of(ints(1), resize), "SpaceToDepth": blocks, "DepthToSpace": blocks,
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
	for start := 0; n > 0 && start < len(out); start += n {
		row, highest, sum := v.F()[start:start+n], math.Inf(-1), 0.0
		for _, x := range row {
			highest = max(highest, x)
		}
		for i, x := range row {
			out[start+i] = math.Exp(x - highest)
			sum += out[start+i]
		}
		for i, x := range row {
			if c.Op == "Softmax" {
				out[start+i] /= sum
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
	out := make([]float64, 0, n)
	for b := range in[0] {
		for _, y := range rows {
			for _, x := range columns {
				for ch := range in[3] {
					at := func(row, column int) float64 { return v.F()[((b*in[1]+row)*in[2]+column)*in[3]+ch] }
					top := at(y.low, x.low) + (at(y.low, x.high)-at(y.low, x.low))*x.part
					bottom := at(y.high, x.low) + (at(y.high, x.high)-at(y.high, x.low))*x.part
					out = append(out, top+(bottom-top)*y.part)
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

// sample says how to interpolate one position of the output along a dimension. That position lies
// between the input positions low and high, and part is the weight of high.
type sample struct {
	low, high int
	part      float64
}

// samples returns the sample for each output position along one dimension
// (core/kernels/image/resize_bilinear_op.cc, resize_nearest_neighbor_op.cc).
func (c *Call) samples(in, out int) []sample {
	scale := float64(float32(in) / float32(out))
	if c.Flag("align_corners") && out > 1 {
		scale = float64(float32(in-1) / float32(out-1))
	}
	list := make([]sample, out)
	for i := range list {
		at := float64(i) * scale
		half := c.Flag("half_pixel_centers")
		switch {
		case c.Op == "ResizeNearestNeighbor":
			if half {
				at = (float64(i) + 0.5) * scale
			}
			if at = math.Floor(at); c.Flag("align_corners") {
				at = math.Round(float64(i) * scale)
			}
			list[i].low = min(max(int(at), 0), in-1)
			list[i].high = list[i].low
			continue
		case half:
			at = (float64(i)+0.5)*scale - 0.5
		}
		low := math.Floor(at)
		list[i] = sample{max(int(low), 0), min(int(low)+1, in-1), at - low}
	}
	return list
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
