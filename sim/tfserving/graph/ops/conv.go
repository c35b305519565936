package ops

import (
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// convOps holds the operations on images with the dimensions batch, height, width, channel, and on
// volumes, which have a depth before the height.
var convOps = map[string]Kernel{
	"Conv2D": conv, "Conv3D": conv, "DepthwiseConv2dNative": conv, "MaxPool": pool, "AvgPool": pool, "MaxPool3D": pool, "AvgPool3D": pool,
	"MaxPoolWithArgmax": poolWithPlaces, "ExtractImagePatches": patches,
	"FusedBatchNorm": batchNorm, "FusedBatchNormV2": batchNorm, "FusedBatchNormV3": batchNorm,
	"Conv2DBackpropInput": Of(ints(0), convTranspose), "Conv3DBackpropInputV2": Of(ints(0), convTranspose),
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

// spans returns the sliding windows along the dimensions between batch and channel. in is the shape
// of the input.
func (c *Call) spans(in, window []int) ([]span, error) {
	strides, dilations := c.Numbers("strides"), c.Numbers("dilations")
	if c.Op == "ExtractImagePatches" {
		dilations = c.Numbers("rates")
	}
	padding, explicit := c.Text("padding"), c.Numbers("explicit_paddings")
	format := c.Text("data_format")
	if format != "NHWC" && format != "NDHWC" && format != "" || len(strides) != len(in) || padding == "EXPLICIT" && len(explicit) != 2*len(in) {
		return nil, c.Unsupported("data_format %s, padding %s", format, padding)
	}
	all := make([]span, len(in)-2)
	for i := range all {
		s := span{in: in[i+1], window: window[i], stride: strides[i+1], dilation: 1}
		if len(dilations) == len(in) {
			s.dilation = dilations[i+1]
		}
		reach := (s.window-1)*s.dilation + 1
		wide := s.in
		switch padding {
		case "SAME":
			s.out = (s.in + s.stride - 1) / s.stride
			s.before = max((s.out-1)*s.stride+reach-s.in, 0) / 2
			all[i] = s
			continue
		case "EXPLICIT":
			s.before = explicit[2*i+2]
			wide += s.before + explicit[2*i+3]
		}
		if s.out = (wide - reach + s.stride) / s.stride; s.out < 0 {
			return nil, Invalidf("Computed output size would be negative: %d [input_size: %d, effective_filter_size: %d, stride: %d]",
				s.out, s.in, reach, s.stride)
		}
		all[i] = s
	}
	return all, nil
}

// convError returns the error for an input and a filter that do not fit each other.
func (c *Call) convError() error {
	v, filter := c.In[0], c.In[1]
	texts := [...]string{"convolution input must be 4-dimensional: %s", "filter must be 4-dimensional: %s", "input depth must be evenly divisible by filter depth: %d vs %d"}
	rank := 4
	if c.Op == "Conv3D" {
		texts = [...]string{"input must be 5-dimensional", "filter must be 5-dimensional", "Input depth must be evenly divisible by filter depth: %d vs %d"}
		rank = 5
	}
	for i, w := range []Value{v, filter} {
		switch {
		case w.Rank() != rank && rank == 5:
			return Invalidf("%s", texts[i])
		case w.Rank() != rank:
			return Invalidf(texts[i], value.ShapeText(w.Shape()))
		}
	}
	depth, wanted := v.Shape()[rank-1], filter.Shape()[rank-2]
	switch {
	case c.Op == "DepthwiseConv2dNative" && depth != wanted:
		return Invalidf("input and filter must have the same depth: %d vs %d", depth, wanted)
	case wanted == 0:
		return Invalidf("filter depth must be stricly positive, got 0")
	case depth%wanted != 0:
		return Invalidf(texts[2], depth, wanted)
	case c.Op == "Conv2D" && depth != wanted && !c.Alone: // this is the error of the fused kernel, since nearly every Conv2D is fused
		return Statusf(rpcerrors.Unimplemented, "Fused conv implementation does not support grouped convolutions for now.")
	case c.Op != "DepthwiseConv2dNative" && filter.Shape()[rank-1]%(depth/wanted) != 0 || c.Op == "Conv3D" && depth != wanted:
		return c.Unsupported("groups of %d of %d channels", wanted, depth)
	}
	return nil
}

func conv(c *Call) ([]Value, error) {
	if err := c.convError(); err != nil {
		return nil, err
	}
	v, filter := c.In[0], c.In[1]
	if v.F() == nil {
		return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
	}
	in, window := v.Shape(), filter.Shape()
	spans, err := c.spans(in, window)
	if err != nil {
		return nil, err
	}
	depth, part, channels := in[len(in)-1], window[len(window)-2], window[len(window)-1]
	depthwise := c.Op == "DepthwiseConv2dNative"
	groups := depth / max(part, 1)
	if depthwise {
		groups, part, channels = depth, 1, channels*depth
	}
	shape := outputShape(in[0], spans, channels)
	n, err := c.windowRoom(v.DType(), shape, window[:len(window)-1])
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(spans, func(s span) bool { return s.dilation != 1 }) && c.Op == "Conv3D" && n > 0 {
		return nil, Invalidf("CPU implementation of Conv3D currently only supports dilated rates of 1.")
	}
	out := make([]float64, n)
	own := channels / max(groups, 1) // channels of the result that a group has
	windows(spans, in[0], func(to, from, k int) {
		pixel, row := v.F()[from*depth:][:depth], out[to*channels:][:channels]
		for i, x := range pixel {
			group := i / part
			at := (k*part+i%part)*channels + group*own
			if depthwise {
				at = (k*depth + i) * own
			}
			sums := row[group*own:][:own]
			for j, w := range filter.F()[at:][:own] {
				sums[j] += x * w
			}
		}
	})
	return One(value.Floats(v.DType(), shape, out))
}

// outputShape returns the shape of a result with the given number of images and channels.
func outputShape(images int, spans []span, channels int) []int {
	shape := []int{images}
	for _, s := range spans {
		shape = append(shape, s.out)
	}
	return append(shape, channels)
}

// windows calls visit for each pixel of the result and each element k of its window that lies
// inside the input. The argument to is the index of the pixel in the result. The argument from is
// the index of the input pixel at element k. A volume is a stack of planes.
func windows(spans []span, images int, visit func(to, from, k int)) {
	plane := spans[len(spans)-2:]
	each := plane[0].window * plane[1].window
	for b := range images {
		if len(spans) == 2 {
			planeWindows(plane, b, b, 0, visit)
			continue
		}
		d := spans[0]
		for z := range d.out {
			for k := range d.window {
				if p := d.at(z, k); p >= 0 {
					planeWindows(plane, b*d.out+z, b*d.in+p, k*each, visit)
				}
			}
		}
	}
}

// planeWindows does what windows does for one plane of the result and one of the input, given by
// their indices. first is the index of the window's first element.
func planeWindows(plane []span, to, from, first int, visit func(to, from, k int)) {
	h, w := plane[0], plane[1]
	for y := range h.out {
		for x := range w.out {
			for i := range h.window {
				for j := range w.window {
					if p, q := h.at(y, i), w.at(x, j); p >= 0 && q >= 0 {
						visit((to*h.out+y)*w.out+x, (from*h.in+p)*w.in+q, first+i*w.window+j)
					}
				}
			}
		}
	}
}

// windowRoom accounts for the memory of an output whose pixels have a window each, and for the elements of these
// windows. It returns the number of the output's elements.
func (c *Call) windowRoom(dtype DType, shape, window []int) (int, error) {
	n, err := c.Room(dtype, shape)
	if err != nil {
		return 0, err
	}
	each, ok := value.Count(window)
	visited := value.Reach(shape) // an empty output has windows, too
	if !ok || each > 0 && visited > maxWork/each {
		return 0, OutOfMemory(dtype, shape)
	}
	return n, c.Work(visited*each, dtype, shape)
}

func pool(c *Call) ([]Value, error) {
	v, size := c.In[0], c.Numbers("ksize")
	rank := 4
	if strings.HasSuffix(c.Op, "3D") {
		rank = 5
	}
	switch {
	case v.Rank() != rank && rank == 5:
		return nil, Invalidf("tensor_in must be 5-dimensional")
	case v.Rank() != rank:
		return nil, Invalidf("tensor_in_shape must have 2 spatial dimensions. %d 0", v.Rank())
	case len(size) != rank || size[0] != 1 || size[rank-1] != 1 || v.F() == nil:
		return nil, c.Unsupported("ksize %v", size)
	}
	in := v.Shape()
	spans, err := c.spans(in, size[1:rank-1])
	if err != nil {
		return nil, err
	}
	depth := in[rank-1]
	shape := outputShape(in[0], spans, depth)
	n, err := c.windowRoom(v.DType(), shape, size)
	if err != nil {
		return nil, err
	}
	out, counts := make([]float64, n), make([]float64, n/max(depth, 1))
	largestWanted := strings.HasPrefix(c.Op, "MaxPool")
	for i := range out {
		if largestWanted {
			out[i] = math.Inf(-1)
		}
	}
	windows(spans, in[0], func(to, from, _ int) {
		row := out[to*depth:][:depth]
		if depth > 0 {
			counts[to]++
		}
		for i, x := range v.F()[from*depth:][:depth] {
			if largestWanted {
				row[i] = max(row[i], x)
			} else {
				row[i] += x
			}
		}
	})
	for i := range out {
		if !largestWanted {
			out[i] /= counts[i/depth]
		}
	}
	return One(value.Floats(v.DType(), shape, out))
}

// poolWithPlaces takes the largest element of each window, and tells where it is: its number in the
// picture, or in all pictures (core/kernels/maxpooling_op.cc).
func poolWithPlaces(c *Call) ([]Value, error) {
	v, size := c.In[0], c.Numbers("ksize")
	switch {
	case v.Rank() != 4:
		return nil, Invalidf("tensor_in must be 4-dimensional (2)")
	case v.Len() == 0:
		return nil, Invalidf("tensor_in must not be empty (2)")
	case len(size) != 4 || size[0] != 1 || size[3] != 1 || v.F() == nil:
		return nil, c.Unsupported("ksize %v, %s", size, tensor.DTypeName(v.DType()))
	}
	in := v.Shape()
	spans, err := c.spans(in, size[1:3])
	if err != nil {
		return nil, err
	}
	depth, dtype := in[3], c.TypeOf("Targmax")
	shape := outputShape(in[0], spans, depth)
	n, err := c.windowRoom(v.DType(), shape, size)
	if err == nil {
		_, err = c.Room(dtype, shape)
	}
	if err != nil {
		return nil, err
	}
	out, places := make([]float64, n), make([]int64, n)
	for i := range out {
		out[i] = math.Inf(-1)
	}
	windows(spans, in[0], func(to, from, _ int) {
		for ch := range depth {
			at := from*depth + ch
			if x := v.F()[at]; x > out[to*depth+ch] {
				if out[to*depth+ch] = x; !c.Flag("include_batch_in_index") {
					at %= in[1] * in[2] * depth
				}
				places[to*depth+ch] = int64(at)
			}
		}
	})
	return []Value{value.Floats(v.DType(), shape, out), value.Ints(dtype, shape, places)}, nil
}

// patches puts the elements of each window into one pixel, zeros for those in the padding
// (core/kernels/image/extract_image_patches_op.cc).
func patches(c *Call) ([]Value, error) {
	v, size := c.In[0], c.Numbers("ksizes")
	if v.Rank() != 4 {
		return nil, Invalidf("input must be 4-dimensional%s", value.ShapeText(v.Shape()))
	}
	wide, ok := v.Cast(value.Float64)
	if len(size) != 4 || size[0] != 1 || size[3] != 1 || !ok || v.I() != nil && tensor.Size(v.DType()) > 4 {
		return nil, c.Unsupported("ksizes %v, %s", size, tensor.DTypeName(v.DType()))
	}
	in := v.Shape()
	spans, err := c.spans(in, size[1:3])
	if err != nil {
		return nil, err
	}
	depth := in[3]
	each, ok := value.Count([]int{size[1], size[2], depth})
	shape := outputShape(in[0], spans, each)
	if !ok {
		return nil, OutOfMemory(v.DType(), shape)
	}
	n, err := c.windowRoom(v.DType(), shape, size)
	if err != nil {
		return nil, err
	}
	out := make([]float64, n)
	windows(spans, in[0], func(to, from, k int) {
		copy(out[to*each+k*depth:][:depth], wide.F()[from*depth:])
	})
	cut, _ := value.Floats(value.Float64, shape, out).Cast(v.DType())
	return One(cut)
}

// batchNorm normalizes by a given mean and variance, as a trained layer does. Training is not
// supported.
func batchNorm(c *Call) ([]Value, error) {
	v, channels := c.In[0], c.In[1].Len()
	if c.Flag("is_training") || c.Text("data_format") == "NCHW" {
		return nil, c.Unsupported("training, or data_format %s", c.Text("data_format"))
	}
	if v.Rank() == 5 && c.Text("data_format") != "NDHWC" {
		return nil, c.Unsupported("5 dimensions")
	}
	if v.Rank() != 4 && v.Rank() != 5 {
		return nil, Invalidf("input must be 4 or 5-dimensional%s", value.ShapeText(v.Shape()))
	}
	for i, name := range []string{"scale", "offset", "estimated_mean", "estimated_variance"} {
		if own := c.In[1+i]; own.Rank() != 1 {
			return nil, Invalidf("%s must be 1-dimensional%s", name, value.ShapeText(own.Shape()))
		}
	}
	for i, name := range []string{"scale", "offset", "When is_training=false, mean", "When is_training=false, variance"} {
		if own := c.In[1+i].Len(); own != v.Shape()[v.Rank()-1] {
			return nil, Invalidf("%s must have the same number of elements as the channels of x, got %d and %d", name, own, v.Shape()[v.Rank()-1])
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
	rank := 4
	if c.Op == "Conv3DBackpropInputV2" {
		rank = 5
	}
	if rank == 5 && len(shape) != rank {
		return nil, Invalidf("input tensor must have 5 dimensions")
	}
	if len(shape) != rank || filter.Rank() != rank || v.Rank() != rank || v.F() == nil {
		return nil, c.Unsupported("shapes of other ranks, or %s", tensor.DTypeName(v.DType()))
	}
	window := filter.Shape()
	spans, err := c.spans(shape, window)
	if err != nil {
		return nil, err
	}
	deep, flat := window[rank-2], window[rank-1]
	if err := c.transposeError(shape, spans, deep, flat); err != nil {
		return nil, err
	}
	n, err := c.Room(v.DType(), shape)
	if err != nil {
		return nil, err
	}
	each, _ := value.Count(window[:rank-1])
	if each > 0 && v.Len() > maxWork/each {
		return nil, OutOfMemory(v.DType(), shape)
	} else if err := c.Work(v.Len()*each, v.DType(), shape); err != nil {
		return nil, err
	}
	out := make([]float64, n)
	windows(spans, shape[0], func(from, to, k int) {
		pixel, weights := v.F()[from*flat:][:flat], filter.F()[k*deep*flat:]
		for i := range deep {
			for j, x := range pixel {
				out[to*deep+i] += x * weights[i*flat+j]
			}
		}
	})
	return One(value.Floats(v.DType(), shape, out))
}

// transposeError returns the error for sizes that no convolution has. The texts are those of the
// kernels without oneDNN (core/kernels/conv_grad_shape_utils.cc).
func (c *Call) transposeError(shape []int, spans []span, deep, flat int) error {
	from, rank, name := c.In[2].Shape(), len(shape), "Conv2DCustomBackpropInput"
	if rank == 5 {
		name = "Conv3DBackpropInputOp"
		if from[rank-1] != flat {
			return Invalidf("out_backprop and filter_sizes must have the same number of channels. Got %d for out_backprop and %d for filter_sizes", from[rank-1], flat)
		}
	}
	switch {
	case from[0] != shape[0]:
		return Invalidf("%s: input and out_backprop must have the same batch size. Input batch: %d, outbackprop batch: %d, batch_dim: 0", name, shape[0], from[0])
	case shape[rank-1] != deep:
		return c.Unsupported("%d channels of %d", shape[rank-1], deep)
	case from[rank-1] != flat:
		return Invalidf("%s: filter and out_backprop must have the same out_depth", name)
	}
	for i, s := range spans {
		if from[i+1] != s.out {
			return Invalidf("%s: Size of out_backprop doesn't match computed: actual = %d, computed = %d spatial_dim: %d input: %d filter: %d output: %d stride: %d dilation: %d",
				name, from[i+1], s.out, i+1, s.in, s.window, from[i+1], s.stride, s.dilation)
		}
	}
	return nil
}
