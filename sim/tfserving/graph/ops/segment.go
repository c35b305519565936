package ops

import (
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// segmentOps holds the operations that reduce the rows of each segment to one row.
var segmentOps = map[string]Kernel{
	"SegmentSum": Of(ints(1), sortedSegment), "SegmentMean": Of(ints(1), sortedSegment), "SegmentMax": Of(ints(1), sortedSegment),
	"SegmentMin": Of(ints(1), sortedSegment), "SegmentProd": Of(ints(1), sortedSegment),
	"UnsortedSegmentSum": unsortedSegment, "UnsortedSegmentMax": unsortedSegment, "UnsortedSegmentMin": unsortedSegment, "UnsortedSegmentProd": unsortedSegment,
	"UnsortedSegmentJoin": segmentJoin,
	"SparseSegmentSum":    Of2(ints(1), ints(2), sparseSegment), "SparseSegmentMean": Of2(ints(1), ints(2), sparseSegment),
	"SparseSegmentSqrtN":                Of2(ints(1), ints(2), sparseSegment),
	"SparseSegmentSumWithNumSegments":   Of2(ints(1), ints(2), sparseSegment),
	"SparseSegmentMeanWithNumSegments":  Of2(ints(1), ints(2), sparseSegment),
	"SparseSegmentSqrtNWithNumSegments": Of2(ints(1), ints(2), sparseSegment),
}

// kindOf returns how a segment operation reduces the rows of a segment, and the name of that
// reduction, such as Sum for SegmentSum.
func kindOf(op string) (fold, string) {
	for _, kind := range []string{"Sum", "Mean", "Max", "Min", "Prod"} {
		if strings.Contains(op, "Segment"+kind) {
			return folds[kind], kind
		}
	}
	return folds["Sum"], "SqrtN"
}

func sortedSegment(c *Call, ids []int) ([]Value, error) {
	if c.In[0].Rank() == 0 {
		return nil, Invalidf("input must be at least rank 1")
	}
	if c.In[1].Rank() != 1 {
		return nil, Invalidf("segment_ids should be a vector.")
	}
	if len(ids) != c.In[0].Shape()[0] {
		return nil, Invalidf("segment_ids should be the same size as dimension 0 of input.")
	}
	segments, err := sortedIDs(ids)
	if err != nil {
		return nil, err
	}
	return c.segments(c.In[0], ids, segments)
}

// sortedIDs checks that segment ids are ascending, and returns the number of segments.
func sortedIDs(ids []int) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	last := ids[len(ids)-1]
	if last < 0 {
		return 0, Invalidf("segment ids must be >= 0")
	}
	for i, id := range ids {
		if i > 0 && id < ids[i-1] {
			return 0, Invalidf("segment ids are not increasing")
		}
		if (id < 0 || id > last) && (i+1 == len(ids) || ids[i+1] > id) {
			return 0, Invalidf("Segment id %d out of range [0, %d), possibly because 'segment_ids' input is not sorted.", id, last+1)
		}
	}
	return last + 1, nil
}

// unsortedInput reads the inputs of an unsorted segment operation: the rows, the segment id of each
// row, and the number of segments.
func (c *Call) unsortedInput() (rows Value, ids []int, segments int, err error) {
	if ids, err = c.Ints(1); err != nil {
		return Value{}, nil, 0, err
	}
	if segments, err = c.Scalar(2, "num_segments should be a scalar, not shape "); err != nil {
		return Value{}, nil, 0, err
	}
	v, rank := c.In[0], c.In[1].Rank()
	if v.Rank() < rank || !slices.Equal(v.Shape()[:rank], c.In[1].Shape()) {
		return Value{}, nil, 0, Invalidf("data.shape = %s does not start with segment_ids.shape = %s", value.ShapeText(v.Shape()), value.ShapeText(c.In[1].Shape()))
	}
	for i, id := range ids {
		if id >= segments {
			return Value{}, nil, 0, Invalidf("segment_ids%s = %d is out of range [0, %d)", placeText(i, c.In[1].Shape()), id, segments)
		}
	}
	return v.Reshape(append([]int{len(ids)}, v.Shape()[rank:]...)), ids, segments, nil
}

func unsortedSegment(c *Call) ([]Value, error) {
	if n := c.In[2]; n.Rank() == 0 && n.I()[0] < 0 {
		return nil, Invalidf("Input num_segments == %d must not be negative.", n.I()[0])
	}
	rows, ids, segments, err := c.unsortedInput()
	if err != nil {
		return nil, err
	}
	return c.segments(rows, ids, segments)
}

// segmentJoin joins the strings of each segment.
func segmentJoin(c *Call) ([]Value, error) {
	if err := c.joinError(); err != nil {
		return nil, err
	}
	rows, ids, segments, err := c.unsortedInput()
	if err != nil {
		return nil, err
	}
	shape := append([]int{segments}, rows.Shape()[1:]...)
	n, err := c.Room(value.String, shape)
	if err != nil {
		return nil, err
	}
	parts := make([][]string, n)
	each, _ := value.Count(shape[1:])
	for row, id := range ids {
		for k := 0; id >= 0 && k < each; k++ {
			parts[id*each+k] = append(parts[id*each+k], rows.S()[row*each+k])
		}
	}
	separator := c.Text("separator")
	return c.strings(shape, lists.Map(parts, func(list []string) string { return strings.Join(list, separator) }))
}

// joinError returns the error if the inputs of a segment join do not fit each other
// (core/kernels/unsorted_segment_join_op.cc).
func (c *Call) joinError() error {
	segments, err := c.Scalar(2, "Number of segments should be a scalar, not shape ")
	if err != nil {
		return err
	}
	v, ids := c.In[0], c.In[1]
	if segments < 0 {
		return Invalidf("Number of segments must be non-negative but got %d", segments)
	}
	for d, size := range ids.Shape() {
		if d < v.Rank() && v.Shape()[d] != size {
			return Invalidf("Segment dimension is %d while input dimension is %d in rank %d", size, v.Shape()[d], d)
		}
	}
	for _, id := range ids.I() {
		if id < 0 || id >= int64(segments) {
			return Invalidf("segment_ids are not allowed to exceed num_segments or to have negative values.")
		}
	}
	return nil
}

// segments reduces the rows of each segment to one row. Rows with a negative id are ignored.
func (c *Call) segments(rows Value, ids []int, segments int) ([]Value, error) {
	f, kind := kindOf(c.Op)
	shape := append([]int{segments}, rows.Shape()[1:]...)
	n, err := c.Room(rows.DType(), shape)
	if err != nil {
		return nil, err
	}
	float, int, _ := f.start(rows.DType())
	sorted := !strings.HasPrefix(c.Op, "Unsorted")
	s := segmented{ids: ids, size: 1, n: n, segments: segments, sorted: sorted && kind != "Prod", kind: kind}
	if segments > 0 {
		s.size = n / segments
	}
	switch {
	case rows.F() != nil:
		if !sorted && math.IsInf(float, 0) {
			float = math.Copysign(value.Highest(rows.DType()), float)
		}
		return One(value.Floats(rows.DType(), shape, s.means(foldSegments(rows.F(), s, float, f.float))))
	case rows.I() != nil && kind != "Mean" && kind != "SqrtN":
		return One(value.Ints(rows.DType(), shape, foldSegments(rows.I(), s, int, f.int)))
	}
	return nil, c.Unsupported("%s", tensor.DTypeName(rows.DType()))
}

// segmented describes a reduction by segments. size is the number of elements of a row, and n is
// the number of elements of the result.
type segmented struct {
	ids     []int
	size, n int
	// segments is the number of segments, and so the number of rows of the result.
	segments int
	sorted   bool // sorted means that segments without rows become 0
	kind     string
}

func (s segmented) counts() []int {
	counts := make([]int, s.segments)
	for _, id := range s.ids {
		if id >= 0 {
			counts[id]++
		}
	}
	return counts
}

func foldSegments[T float64 | int64](rows []T, s segmented, start T, f func(T, T) T) []T {
	out := make([]T, s.n)
	counts := s.counts()
	for i := range out {
		if counts[i/s.size] > 0 || !s.sorted {
			out[i] = start
		}
	}
	for row, id := range s.ids {
		for k := 0; id >= 0 && k < s.size; k++ {
			out[id*s.size+k] = f(out[id*s.size+k], rows[row*s.size+k])
		}
	}
	return out
}

// means turns sums into means by dividing by each segment's count, or by its square root for kind
// SqrtN. Sums of other kinds stay unchanged.
func (s segmented) means(list []float64) []float64 {
	if s.kind != "Mean" && s.kind != "SqrtN" {
		return list
	}
	counts := s.counts()
	for i := range list {
		count := float64(max(counts[i/s.size], 1))
		if s.kind == "SqrtN" {
			count = math.Sqrt(count)
		}
		list[i] /= count
	}
	return list
}

// sparseIDs checks the ids of a sparse segment operation and returns the number of segments, as
// sortedIDs does for other segment operations.
func sparseIDs(ids []int) (int, error) {
	if len(ids) > 0 && ids[len(ids)-1] < 0 {
		return 0, Invalidf("segment ids must be >= 0")
	}
	return sortedIDs(ids)
}

// sparseSegment reduces the rows whose numbers are in indices. For each number in indices, ids
// holds the segment of the row.
func sparseSegment(c *Call, indices, ids []int) ([]Value, error) {
	switch {
	case c.In[1].Rank() != 1:
		return nil, Invalidf("indices should be a vector.")
	case c.In[2].Rank() != 1:
		return nil, Invalidf("segment_ids should be a vector.")
	case c.In[0].Rank() == 0:
		return nil, Invalidf("Shape must be at least rank 1")
	case len(indices) != len(ids):
		return nil, Invalidf("segment_ids and indices should have same size.")
	}
	segments, err := sparseIDs(ids)
	if err != nil {
		return nil, err
	}
	if len(c.In) > 3 {
		if v := c.In[3]; v.Rank() > 1 || v.Len() != 1 {
			return nil, Invalidf("num_segments should be a scalar, not shape %s", value.ShapeText(v.Shape()))
		}
		most, err := c.Int(3)
		if err != nil {
			return nil, err
		}
		if most < 0 {
			return nil, Invalidf("segment ids must be >= 0")
		}
		if segments > most {
			return nil, Invalidf("segment ids must be < num_segments")
		}
		segments = most
	}
	limit := c.In[0].Shape()[0]
	for i, at := range indices {
		if at < 0 || at >= limit {
			return nil, Invalidf("Bad: indices[%d] == %d out of range [0, %d)", i, at, limit)
		}
	}
	rows, err := (&Call{Node: c.Node, In: []Value{c.In[0], c.In[1]}, Env: c.Env}).gatherOn(c.In[0], 0, 0)
	if err != nil {
		return nil, err
	}
	return c.segments(rows[0], ids, segments)
}
