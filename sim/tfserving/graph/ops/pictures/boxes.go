package pictures

import (
	"math"
	"slices"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

var boxes = map[string]ops.Kernel{"CropAndResize": crop, "NonMaxSuppressionV3": suppress}

// crop cuts boxes out of pictures and scales them to one size (core/kernels/image/crop_and_resize_op.cc).
func crop(c *ops.Call) ([]ops.Value, error) {
	size, err := c.Ints(3)
	if err != nil {
		return nil, err
	}
	if err := cropError(c, size); err != nil {
		return nil, err
	}
	pictures, ok := c.In[0].Cast(value.Float64)
	if !ok {
		return nil, c.Unsupported("%s", tensor.DTypeName(c.In[0].DType()))
	}
	in, corners := pictures.Shape(), c.In[1].F()
	n := len(corners) / 4
	shape := []int{n, size[0], size[1], in[3]}
	room, err := c.Room(value.Float32, shape)
	if err != nil {
		return nil, err
	}
	out := make([]float64, 0, room)
	for i := range n {
		picture := c.In[2].I()[i]
		if picture < 0 || picture >= int64(in[0]) {
			return nil, ops.Statusf(rpcerrors.OutOfRange, "box_index has values outside [0, batch_size)")
		}
		box := corners[4*i:]
		rows, columns := positions(box[0], box[2], in[1], size[0]), positions(box[1], box[3], in[2], size[1])
		for _, y := range rows {
			for _, x := range columns {
				for ch := range in[3] {
					at := func(row, column float64) float64 {
						return pictures.F()[((int(picture)*in[1]+int(row))*in[2]+int(column))*in[3]+ch]
					}
					out = append(out, pixel(c, y, x, in, at))
				}
			}
		}
	}
	return ops.One(value.Floats(value.Float32, shape, out))
}

// positions returns where in a dimension of the picture the elements of a box lie.
func positions(from, to float64, in, out int) []float64 {
	list := make([]float64, out)
	for i := range list {
		if list[i] = (from + to) / 2 * float64(in-1); out > 1 {
			list[i] = from*float64(in-1) + float64(i)*(to-from)*float64(in-1)/float64(out-1)
		}
	}
	return list
}

// pixel returns the picture at a position, at which elements are found by at.
func pixel(c *ops.Call, y, x float64, in []int, at func(row, column float64) float64) float64 {
	if !(y >= 0 && y <= float64(in[1]-1) && x >= 0 && x <= float64(in[2]-1)) {
		return c.Float("extrapolation_value")
	}
	if c.Text("method") == "nearest" {
		return at(math.Round(y), math.Round(x))
	}
	top, bottom, left, right := math.Floor(y), math.Ceil(y), math.Floor(x), math.Ceil(x)
	upper := at(top, left) + (at(top, right)-at(top, left))*(x-left)
	lower := at(bottom, left) + (at(bottom, right)-at(bottom, left))*(x-left)
	return upper + (lower-upper)*(y-top)
}

func cropError(c *ops.Call, size []int) error {
	picture, corners, at, text := c.In[0], c.In[1], c.In[2], value.ShapeText
	switch {
	case picture.Rank() != 4:
		return ops.Invalidf("input image must be 4-D%s", text(picture.Shape()))
	case picture.Shape()[1] == 0 || picture.Shape()[2] == 0:
		return ops.Invalidf("image dimensions must be positive")
	case c.In[3].Rank() != 1:
		return c.Unsupported("a size of rank %d", c.In[3].Rank())
	case len(size) != 2:
		return ops.Invalidf("crop_size must have two elements%s", text(c.In[3].Shape()))
	case size[0] <= 0 || size[1] <= 0:
		return ops.Invalidf("crop dimensions must be positive")
	case corners.Len() == 0 && at.Len() == 0:
		return nil
	case corners.Rank() != 2:
		return ops.Invalidf("boxes must be 2-D, got: %s", text(corners.Shape()))
	case corners.Shape()[1] != 4:
		return ops.Invalidf("boxes must have 4 columns")
	case at.Rank() != 1 || at.Len() != corners.Shape()[0]:
		return ops.Invalidf("box_index has incompatible shape")
	}
	return nil
}

// suppress picks boxes from the one with the highest score on, without those that overlap one that
// was picked (core/kernels/image/non_max_suppression_op.cc).
func suppress(c *ops.Call) ([]ops.Value, error) {
	if err := suppressError(c); err != nil {
		return nil, err
	}
	corners, scores := c.In[0].F(), c.In[1].F()
	most, overlap, least := c.In[2].I()[0], c.In[3].F()[0], c.In[4].F()[0]
	if most < 0 {
		return nil, ops.Invalidf("output size must be non-negative")
	}
	var order []int
	for i, score := range scores {
		if score > least {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	if err := c.Work(len(order)*int(min(most, int64(len(order)))), value.Int32, nil); err != nil {
		return nil, err
	}
	picked := []int{}
	for _, i := range order {
		if int64(len(picked)) == most {
			break
		}
		if !slices.ContainsFunc(picked, func(k int) bool { return shared(corners[4*i:], corners[4*k:]) > overlap }) {
			picked = append(picked, i)
		}
	}
	return ops.One(value.Sizes(value.Int32, picked))
}

func suppressError(c *ops.Call) error {
	corners, scores, text := c.In[0], c.In[1], value.ShapeText
	for i, name := range []string{"max_output_size", "iou_threshold", "score_threshold"} {
		if v := c.In[2+i]; v.Rank() != 0 {
			return ops.Invalidf("%s must be 0-D, got shape %s (Shape must be rank 0 but is rank %d)", name, text(v.Shape()), v.Rank())
		}
	}
	overlap := c.In[3].F()
	switch {
	case overlap == nil || corners.F() == nil:
		return c.Unsupported("%s", tensor.DTypeName(corners.DType()))
	case !(overlap[0] >= 0 && overlap[0] <= 1):
		return ops.Invalidf("iou_threshold must be in [0, 1]")
	case corners.Rank() != 2:
		return ops.Invalidf("boxes must be 2-D%s (Shape must be rank 2 but is rank %d)", text(corners.Shape()), corners.Rank())
	case corners.Shape()[1] != 4:
		return ops.Invalidf("boxes must have 4 columns (Dimension must be 4 but is %d)", corners.Shape()[1])
	case scores.Rank() != 1:
		return ops.Invalidf("scores must be 1-D%s (Shape must be rank 1 but is rank %d)", text(scores.Shape()), scores.Rank())
	case scores.Len() != corners.Shape()[0]:
		return ops.Invalidf("scores has incompatible shape (Dimensions must be equal, but are %d and %d)", corners.Shape()[0], scores.Len())
	}
	return nil
}

// shared returns which part of the area of two boxes they share. A box has any two opposite corners.
func shared(a, b []float64) float64 {
	side := func(box []float64, d int) (low, high float64) { return min(box[d], box[d+2]), max(box[d], box[d+2]) }
	both, areaA, areaB := 1.0, 1.0, 1.0
	for d := range 2 {
		lowA, highA := side(a, d)
		lowB, highB := side(b, d)
		both *= max(min(highA, highB)-max(lowA, lowB), 0)
		areaA *= highA - lowA
		areaB *= highB - lowB
	}
	if areaA <= 0 || areaB <= 0 {
		return 0
	}
	return both / (areaA + areaB - both)
}
