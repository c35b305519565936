package pictures

import (
	"math"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

var colours = map[string]ops.Kernel{
	"RGBToHSV": eachColour(toHSV), "HSVToRGB": eachColour(toRGB), "AdjustContrastv2": contrast,
	"AdjustHue": adjust("delta", turned), "AdjustSaturation": adjust("scale", paler),
}

// eachColour makes a kernel that applies f to each group of three channels.
func eachColour(f func(a, b, c float64) [3]float64) ops.Kernel {
	return func(c *ops.Call) ([]ops.Value, error) {
		v := c.In[0]
		if v.Rank() < 1 {
			return nil, ops.Invalidf("input must be at least 1D%s", value.ShapeText(v.Shape()))
		}
		if n := v.Shape()[v.Rank()-1]; n != 3 {
			return nil, ops.Statusf(rpcerrors.FailedPrecondition, "input must have 3 channels but input only has %d channels.", n)
		}
		return mapped(c, f)
	}
}

func mapped(c *ops.Call, f func(a, b, c float64) [3]float64) ([]ops.Value, error) {
	v := c.In[0]
	if _, err := c.Room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	out := make([]float64, 0, v.Len())
	for list := v.F(); len(list) > 0; list = list[3:] {
		made := f(list[0], list[1], list[2])
		out = append(out, made[:]...)
	}
	return ops.One(value.Floats(v.DType(), v.Shape(), out))
}

// adjust makes a kernel that changes each colour of pictures by a number, the input that is called
// by (core/kernels/image/adjust_hue_op.cc, adjust_saturation_op.cc).
func adjust(by string, f func(colour [3]float64, by float64) [3]float64) ops.Kernel {
	return func(c *ops.Call) ([]ops.Value, error) {
		v := c.In[0]
		switch {
		case v.Rank() < 3:
			return nil, ops.Invalidf("input must be at least 3-D, got shape%s", value.ShapeText(v.Shape()))
		case c.In[1].Rank() != 0:
			return nil, ops.Invalidf("%s must be scalar: %s", by, value.ShapeText(c.In[1].Shape()))
		case v.Shape()[v.Rank()-1] != 3:
			return nil, ops.Invalidf("input must have 3 channels but instead has %d channels.", v.Shape()[v.Rank()-1])
		}
		return mapped(c, func(red, green, blue float64) [3]float64 { return f([3]float64{red, green, blue}, c.In[1].F()[0]) })
	}
}

// turned turns the hue of a colour by a part of the circle. The largest and the least channel keep
// their values.
func turned(colour [3]float64, by float64) [3]float64 {
	low, high := min(colour[0], colour[1], colour[2]), max(colour[0], colour[1], colour[2])
	hsv := toHSV(colour[0]-low, colour[1]-low, colour[2]-low)
	hue := math.Mod(hsv[0]+by, 1)
	if hue < 0 {
		hue++
	}
	made := toRGB(hue, 1, high-low)
	return [3]float64{made[0] + low, made[1] + low, made[2] + low}
}

func paler(colour [3]float64, by float64) [3]float64 {
	hsv := toHSV(colour[0], colour[1], colour[2])
	return toRGB(hsv[0], min(max(hsv[1]*by, 0), 1), hsv[2])
}

func toHSV(r, g, b float64) [3]float64 {
	v := max(r, g, b)
	span := v - min(r, g, b)
	s, h := 0.0, 0.0
	if v > 0 {
		s = span / v
	}
	switch {
	case span <= 0:
	case r == v:
		h = (g - b) / (6 * span)
	case g == v:
		h = (b-r)/(6*span) + 2.0/6
	default:
		h = (r-g)/(6*span) + 4.0/6
	}
	if h < 0 {
		h++
	}
	return [3]float64{h, s, v}
}

func toRGB(h, s, v float64) [3]float64 {
	unit := func(x float64) float64 { return min(max(x, 0), 1) }
	part := func(x float64) float64 { return (1 - s + s*unit(x)) * v }
	return [3]float64{part(math.Abs(h*6-3) - 1), part(2 - math.Abs(h*6-2)), part(2 - math.Abs(h*6-4))}
}

// contrast moves each element away from the mean of its channel in its picture.
func contrast(c *ops.Call) ([]ops.Value, error) {
	v, factor := c.In[0], c.In[1]
	switch {
	case v.Rank() < 3:
		return nil, ops.Invalidf("input must be at least 3-D, got shape%s", value.ShapeText(v.Shape()))
	case factor.Rank() != 0:
		return nil, ops.Invalidf("contrast_factor must be scalar: %s", value.ShapeText(factor.Shape()))
	}
	if _, err := c.Room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	size, _ := value.Count(v.Shape()[v.Rank()-3:])
	channels, out := v.Shape()[v.Rank()-1], make([]float64, v.Len())
	for start := 0; start < len(out); start += size {
		picture := v.F()[start : start+size]
		means := make([]float64, channels)
		for i, x := range picture {
			means[i%channels] += x / float64(size/channels)
		}
		for i, x := range picture {
			out[start+i] = (x-means[i%channels])*factor.F()[0] + means[i%channels]
		}
	}
	return ops.One(value.Floats(v.DType(), v.Shape(), out))
}
