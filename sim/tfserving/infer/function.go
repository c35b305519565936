package infer

import (
	"fmt"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// computation is one run of a model. Outputs that no graph has computed are invented from the
// model's name and version, the signature's name and the inputs. Invented floats are in [0, 1),
// integers in [0, 100), and strings have eight hexadecimal digits. The scores of a classification
// sum to 1 (TFS-12.5).
type computation struct {
	signature  *Signature
	classifies bool // classifies is true when the call is a classification
	feeds      []feed
	rows       int64
	seed       uint64
	digests    []uint64 // digests has one digest for each row; nil until first needed
	batched    []Rows   // batched has the rows that batches have computed; nil outside of a batch

	computed map[*output]tensor.Tensor // computed has the outputs of the graph; nil where they are invented
	scripted map[*output]tensor.Tensor // scripted has the outputs of a script
}

// compute runs the graph for the outputs. Without a plan for the graph it prepares to invent them.
func (m *Model) compute(s *Signature, feeds []feed, outputs []*output) (*computation, error) {
	c := &computation{signature: s, feeds: feeds, rows: rowsOf(feeds), seed: m.seed ^ s.seed}
	if s.plan == nil {
		return c, nil
	}
	var err error
	c.computed, err = m.runGraph(s, feeds, outputs)
	return c, err
}

func (c *computation) value(out *output) (tensor.Tensor, error) {
	if value, ok := c.scripted[out]; ok {
		return value, nil
	}
	if value, ok := c.computed[out]; ok {
		return value, nil
	}
	if c.batched != nil {
		return c.batchedValue(out), nil
	}
	shape := c.shapeOf(out)
	count, err := tensor.Count(shape)
	if err != nil || count > ops.MaxElements {
		return tensor.Tensor{}, ops.OutOfMemory(c.dtypeOf(out), lists.Map(shape, func(size int64) int { return int(size) }))
	}
	var seeds []uint64 // none for an empty output, which may have any number of rows
	if count > 0 {
		seeds = c.seedsOf(out, shape)
	}
	value, err := c.fill(out, shape, seeds, int(count))
	if err != nil {
		return tensor.Tensor{}, statusf(rpcerrors.Internal, "output %s: %v", out.alias, err)
	}
	return value, nil
}

// seedsOf returns the random seeds of an output: one for each row, or a single seed if the output
// has no rows.
func (c *computation) seedsOf(out *output, shape []int64) []uint64 {
	if c.rows == noBatch || len(shape) == 0 || !out.batched() || shape[0] != c.rows {
		return []uint64{c.digest(func(d digest, f feed) digest { return d.elements(f.value, 0, f.value.Len()) })}
	}
	if c.digests == nil {
		c.digests = c.rowDigests()
	}
	return c.digests
}

// digest hashes the inputs into one number. It calls part for each input, which adds all or a part
// of the input to the hash.
func (c *computation) digest(part func(digest, feed) digest) uint64 {
	d := digest(c.seed)
	for _, f := range c.feeds {
		d = d.number(f.in.seed).number(uint64(f.value.DType()))
		d = part(d, f)
	}
	return d.sum()
}

// rowDigests returns one digest for each row of the batch. For an input with rows the digest covers
// that row. For any other input it covers all elements.
func (c *computation) rowDigests() []uint64 {
	digests := make([]uint64, c.rows)
	for row := range digests {
		digests[row] = c.digest(func(d digest, f feed) digest {
			if !f.in.batched() || len(f.shape) == 0 || f.shape[0] != c.rows {
				return d.elements(f.value, 0, f.value.Len())
			}
			each := f.value.Len() / len(digests)
			return d.elements(f.value, row*each, (row+1)*each)
		})
	}
	return digests
}

// fill makes a tensor of count invented elements. Each seed yields the same number of elements.
func (c *computation) fill(out *output, shape []int64, seeds []uint64, count int) (tensor.Tensor, error) {
	each := 0
	if count > 0 {
		each = count / len(seeds)
	}
	draw := func(visit func(i int, drawn uint64)) {
		for part, seed := range seeds {
			s := stream(seed ^ out.seed)
			for i := range each {
				visit(part*each+i, s.next())
			}
		}
	}
	dtype := c.dtypeOf(out)
	switch dtype {
	case framework.DataType_DT_STRING:
		values := make([]string, count)
		draw(func(i int, drawn uint64) { values[i] = fmt.Sprintf("%08x", uint32(drawn)) })
		return tensor.FromStrings(shape, values)
	case framework.DataType_DT_BOOL:
		values := make([]bool, count)
		draw(func(i int, drawn uint64) { values[i] = drawn>>63 == 1 })
		return tensor.FromBools(shape, values)
	case framework.DataType_DT_FLOAT, framework.DataType_DT_DOUBLE, framework.DataType_DT_HALF,
		framework.DataType_DT_BFLOAT16, framework.DataType_DT_COMPLEX64, framework.DataType_DT_COMPLEX128:
		values := make([]float64, count)
		draw(func(i int, drawn uint64) { values[i] = fraction(drawn, dtype) })
		if c.perClass(out) && out.alias == scoresAlias {
			normalize(values, shape)
		}
		return tensor.FromFloats(dtype, shape, values)
	}
	values := make([]int64, count)
	draw(func(i int, drawn uint64) { values[i] = int64(drawn % 100) })
	return tensor.FromInts(dtype, shape, values)
}

// dtypeOf returns the dtype of an output. If the signature does not say, classes and scores get the
// dtype that their method requires, and other outputs DT_FLOAT.
func (c *computation) dtypeOf(out *output) framework.DataType {
	switch {
	case out.dtype != framework.DataType_DT_INVALID:
		return out.dtype
	case c.perClass(out) && out.alias == classesAlias:
		return framework.DataType_DT_STRING
	}
	return framework.DataType_DT_FLOAT
}

// fraction converts random bits to a number in [0, 1). For 16-bit floats it uses only 8 significant
// bits, because more could round up to 1.
func fraction(drawn uint64, dtype framework.DataType) float64 {
	if dtype == framework.DataType_DT_HALF || dtype == framework.DataType_DT_BFLOAT16 {
		return float64(drawn>>56) / (1 << 8)
	}
	return float64(drawn>>40) / (1 << 24)
}

// normalize scales the innermost vectors so that each sums to 1.
func normalize(values []float64, shape []int64) {
	if len(shape) == 0 || shape[len(shape)-1] == 0 {
		return
	}
	for n := int(shape[len(shape)-1]); len(values) >= n; values = values[n:] {
		sum := 0.0
		for i := range n {
			values[i] += 1.0 / (1 << 24) // the small addend keeps the sum from being 0
			sum += values[i]
		}
		for i := range n {
			values[i] /= sum
		}
	}
}
