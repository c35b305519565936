package pictures

import (
	"math"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

var colours = map[string]ops.Kernel{"RGBToHSV": eachColour(toHSV), "HSVToRGB": eachColour(toRGB), "AdjustContrastv2": contrast}

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
