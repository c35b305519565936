package ops

import (
	"math"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// convOps holds the operations on images with the dimensions batch, height, width, channel.
var convOps = map[string]Kernel{
	"Conv2D": conv2d, "DepthwiseConv2dNative": conv2d, "MaxPool": pool, "AvgPool": pool, "FusedBatchNormV3": batchNorm,
	"FusedBatchNorm": batchNorm, "FusedBatchNormV2": batchNorm, "Conv2DBackpropInput": Of(ints(0), convTranspose),
}

// span describes a sliding window along one dimension. before is the padding before the first
// element of the input.
type span struct {
	in, out, window, stride, dilation, before int
}

// at returns the input position of element k of the window that belongs to output position out. It
// returns -1 for a position in the padding.
func (s span) at(out, k int) int {
	at := out*s.stride + k*s.dilation - s.before
	if at >= s.in {
		return -1
	}
	return max(at, -1)
}

// spans returns the sliding windows along the height and the width. in is the shape of the input.
func (c *Call) spans(in, window []int) ([2]span, error) {
	var both [2]span
	strides, dilations := c.Numbers("strides"), c.Numbers("dilations")
	padding := c.Text("padding")
	if format := c.Text("data_format"); format != "NHWC" && format != "" || padding == "EXPLICIT" || len(strides) != 4 {
		return both, c.Unsupported("data_format %s, padding %s", format, padding)
	}
	for i := range both {
		s := span{in: in[i+1], window: window[i], stride: strides[i+1], dilation: 1}
		if len(dilations) == 4 {
			s.dilation = dilations[i+1]
		}
		reach := (s.window-1)*s.dilation + 1
		if padding == "SAME" {
			s.out = (s.in + s.stride - 1) / s.stride
			s.before = max((s.out-1)*s.stride+reach-s.in, 0) / 2
		} else if s.out = (s.in - reach + s.stride) / s.stride; s.out < 0 {
			return both, Invalidf("Computed output size would be negative: %d [input_size: %d, effective_filter_size: %d, stride: %d]",
				s.out, s.in, reach, s.stride)
		}
		both[i] = s
	}
	return both, nil
}

func conv2d(c *Call) ([]Value, error) {
	v, filter := c.In[0], c.In[1]
	if v.Rank() != 4 {
		return nil, Invalidf("convolution input must be 4-dimensional: %s", value.ShapeText(v.Shape()))
	}
	if filter.Rank() != 4 {
		return nil, Invalidf("filter must be 4-dimensional: %s", value.ShapeText(filter.Shape()))
	}
	depthwise := c.Op != "Conv2D"
	in, window := v.Shape(), filter.Shape()
	if depthwise && in[3] != window[2] {
		return nil, Invalidf("input and filter must have the same depth: %d vs %d", in[3], window[2])
	}
	if window[2] == 0 {
		return nil, Invalidf("filter depth must be stricly positive, got 0")
	}
	if in[3]%window[2] != 0 {
		return nil, Invalidf("input depth must be evenly divisible by filter depth: %d vs %d", in[3], window[2])
	}
	if !depthwise && in[3] != window[2] { // this is the error of the fused kernel, since nearly every Conv2D is fused
		return nil, Statusf(rpcerrors.Unimplemented, "Fused conv implementation does not support grouped convolutions for now.")
	}
	if v.F() == nil {
		return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
	}
	spans, err := c.spans(in, window)
	if err != nil {
		return nil, err
	}
	channels := window[3]
	if depthwise {
		channels *= window[2]
	}
	shape := []int{in[0], spans[0].out, spans[1].out, channels}
	n, err := c.Room(v.DType(), shape)
	if err != nil {
		return nil, err
	}
	each := window[0] * window[1] * window[2]
	if each > 0 && n > maxWork/each {
		return nil, outOfMemory(v.DType(), shape)
	}
	if err := c.Work(n*each, v.DType(), shape); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	c.windows(spans, shape, func(to, from, k int) {
		pixel, weights := v.F()[from*in[3]:][:in[3]], filter.F()[k*window[2]*window[3]:]
		row := out[to*channels:][:channels]
		for i, x := range pixel {
			if depthwise {
				for j := range window[3] {
					row[i*window[3]+j] += x * weights[i*window[3]+j]
				}
				continue
			}
			for j, w := range weights[i*channels:][:channels] {
				row[j] += x * w
			}
		}
	})
	return One(value.Floats(v.DType(), shape, out))
}

// windows calls visit for each pixel of the result and each element k of its window that lies
// inside the input. The argument to is the index of the pixel in the result. The argument from is
// the index of the input pixel at element k.
func (c *Call) windows(spans [2]span, shape []int, visit func(to, from, k int)) {
	h, w := spans[0], spans[1]
	to := 0
	for b := range shape[0] {
		for y := range shape[1] {
			for x := range shape[2] {
				for i := range h.window {
					for j := range w.window {
						if p, q := h.at(y, i), w.at(x, j); p >= 0 && q >= 0 {
							visit(to, (b*h.in+p)*w.in+q, i*w.window+j)
						}
					}
				}
				to++
			}
		}
	}
}

func pool(c *Call) ([]Value, error) {
	v, size := c.In[0], c.Numbers("ksize")
	if v.Rank() != 4 {
		return nil, Invalidf("tensor_in_shape must have 2 spatial dimensions. %d 0", v.Rank())
	}
	if len(size) != 4 || size[0] != 1 || size[3] != 1 || v.F() == nil {
		return nil, c.Unsupported("ksize %v", size)
	}
	in := v.Shape()
	spans, err := c.spans(in, size[1:3])
	if err != nil {
		return nil, err
	}
	shape := []int{in[0], spans[0].out, spans[1].out, in[3]}
	n, err := c.Room(v.DType(), shape)
	if err != nil {
		return nil, err
	}
	if err := c.Work(min(n, maxWork)*min(size[1]*size[2], 1<<20), v.DType(), shape); err != nil {
		return nil, err
	}
	out, counts := make([]float64, n), make([]float64, shape[0]*shape[1]*shape[2])
	largestWanted := c.Op == "MaxPool"
	for i := range out {
		if largestWanted {
			out[i] = math.Inf(-1)
		}
	}
	c.windows(spans, shape, func(to, from, _ int) {
		counts[to]++
		row := out[to*in[3]:][:in[3]]
		for i, x := range v.F()[from*in[3]:][:in[3]] {
			if largestWanted {
				row[i] = max(row[i], x)
			} else {
				row[i] += x
			}
		}
	})
	for i := range out {
		if !largestWanted {
			out[i] /= counts[i/in[3]]
		}
	}
	return One(value.Floats(v.DType(), shape, out))
}

// batchNorm normalizes by a given mean and variance, as a trained layer does. Training is not
// supported.
func batchNorm(c *Call) ([]Value, error) {
	v, channels := c.In[0], c.In[1].Len()
	if c.Flag("is_training") || c.Text("data_format") == "NCHW" {
		return nil, c.Unsupported("training, or data_format %s", c.Text("data_format"))
	}
	if v.Rank() == 5 {
		return nil, c.Unsupported("5 dimensions")
	}
	if v.Rank() != 4 {
		return nil, Invalidf("input must be 4 or 5-dimensional%s", value.ShapeText(v.Shape()))
	}
	for i, name := range []string{"scale", "offset", "estimated_mean", "estimated_variance"} {
		if own := c.In[1+i]; own.Rank() != 1 {
			return nil, Invalidf("%s must be 1-dimensional%s", name, value.ShapeText(own.Shape()))
		}
	}
	for i, name := range []string{"scale", "offset", "When is_training=false, mean", "When is_training=false, variance"} {
		if own := c.In[1+i].Len(); own != v.Shape()[3] {
			return nil, Invalidf("%s must have the same number of elements as the channels of x, got %d and %d", name, own, v.Shape()[3])
		}
	}
	if _, err := c.Room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	scale, offset, mean, variance := c.In[1].F(), c.In[2].F(), c.In[3].F(), c.In[4].F()
	out, epsilon := make([]float64, v.Len()), c.Float("epsilon")
	for i, x := range v.F() {
		ch := i % channels
		out[i] = (x-mean[ch])/math.Sqrt(variance[ch]+epsilon)*scale[ch] + offset[ch]
	}
	result := []Value{value.Floats(v.DType(), v.Shape(), out), c.In[3], c.In[4], c.In[3], c.In[4]}
	if c.Op == "FusedBatchNormV3" {
		result = append(result, value.Floats(value.Float32, []int{0}, nil))
	}
	return result, nil
}

// convTranspose spreads each pixel over the window that a convolution would read for it. The first
// input is the shape of the result.
func convTranspose(c *Call, shape []int) ([]Value, error) {
	filter, v := c.In[1], c.In[2]
	if len(shape) != 4 || filter.Rank() != 4 || v.Rank() != 4 || v.F() == nil {
		return nil, c.Unsupported("shapes of other ranks, or %s", tensor.DTypeName(v.DType()))
	}
	window := filter.Shape()
	spans, err := c.spans(shape, window)
	if err != nil {
		return nil, err
	}
	deep, flat := window[2], window[3]
	if from := v.Shape(); from[0] != shape[0] || from[1] != spans[0].out || from[2] != spans[1].out || from[3] != flat || shape[3] != deep {
		return nil, c.Unsupported("sizes that no convolution has")
	}
	n, err := c.Room(v.DType(), shape)
	if err != nil {
		return nil, err
	}
	if each := window[0] * window[1] * deep; each > 0 && v.Len() > maxWork/each {
		return nil, outOfMemory(v.DType(), shape)
	} else if err := c.Work(v.Len()*each, v.DType(), shape); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	c.windows(spans, v.Shape(), func(from, to, k int) {
		pixel, weights := v.F()[from*flat:][:flat], filter.F()[k*deep*flat:]
		for i := range deep {
			for j, x := range pixel {
				out[to*deep+i] += x * weights[i*flat+j]
			}
		}
	})
	return One(value.Floats(v.DType(), shape, out))
}
