package infer

import "slices"

// fits reports whether a value's shape is compatible with the shape in the signature.
func (p *port) fits(shape []int64) bool {
	if p.anyRank {
		return true
	}
	if len(shape) != len(p.shape) {
		return false
	}
	for i, size := range p.shape {
		if size >= 0 && size != shape[i] {
			return false
		}
	}
	return true
}

// batched reports whether the first dimension has no fixed size. If so, the first dimension counts
// the rows of a batch.
func (p *port) batched() bool { return p.anyRank || len(p.shape) > 0 && p.shape[0] < 0 }

// noBatch is the number of rows when no input has a batch dimension.
const noBatch = -1

// rowsOf returns the number of rows of a batch: the first dimension of the first batched input;
// noBatch if there is none.
func rowsOf(feeds []feed) int64 {
	for _, f := range feeds {
		if f.in.batched() && len(f.shape) > 0 {
			return f.shape[0]
		}
	}
	return noBatch
}

// classesWithoutSize is the number of classes if the signature does not fix it.
const classesWithoutSize = 2

// shapeOf returns the shape that an output has for the inputs of this run.
func (c *computation) shapeOf(out *output) []int64 {
	if shape, ok := c.elementwise(out); ok {
		return shape
	}
	if out.anyRank {
		return c.shapeWithoutRank(out)
	}
	shape := slices.Clone(out.shape)
	for i, size := range shape {
		switch {
		case size >= 0:
		case i == 0:
			shape[i] = max(c.rows, -c.rows) // noBatch is -1, which counts as a batch of one
		default:
			shape[i] = c.sizeNamed(out, i)
		}
	}
	return shape
}

// elementwise handles an input whose shape does not fit its signature. Only a graph of element-wise
// operations accepts such an input. If the signature gives the output the same shape as that input,
// elementwise returns the actual shape of the input for the output.
func (c *computation) elementwise(out *output) ([]int64, bool) {
	for _, f := range c.feeds {
		if !f.in.fits(f.shape) && !out.anyRank && slices.Equal(f.in.shape, out.shape) {
			return f.shape, true
		}
	}
	return nil, false
}

// shapeWithoutRank returns the shape of an output whose signature gives no rank: a vector with one
// element for each row, or a matrix for classes and scores. Without a batch it is a scalar.
func (c *computation) shapeWithoutRank(out *output) []int64 {
	var shape []int64
	if c.rows != noBatch {
		shape = append(shape, c.rows)
	}
	if c.perClass(out) {
		shape = append(shape, classesWithoutSize)
	}
	return shape
}

// sizeNamed returns the size of a dimension that the signature does not fix. If an input has a
// dimension of the same name, it returns that size. Otherwise it is 2 for classes and 1 for others.
func (c *computation) sizeNamed(out *output, dim int) int64 {
	for _, f := range c.feeds {
		for i, name := range f.in.names {
			if name != "" && name == out.names[dim] && i < len(f.shape) {
				return f.shape[i]
			}
		}
	}
	if c.perClass(out) {
		return classesWithoutSize
	}
	return 1
}

// perClass reports whether the output is the classes or the scores of a classification. Either the
// signature's method or the called method can make a run a classification.
func (c *computation) perClass(out *output) bool {
	classifies := c.classifies || c.signature.def.GetMethodName() == classifyMethod
	return classifies && (out.alias == classesAlias || out.alias == scoresAlias)
}
