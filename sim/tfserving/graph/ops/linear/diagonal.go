package linear

import (
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// band is the range of the diagonals of a matrix that an operation is about, the highest of which is
// first in a list of them. Shorter ones are at the left or the right of their row in the list.
type band struct {
	lowest, highest       int
	leftAbove, leftBelow  bool
	rows, columns, length int // of the matrix, and of the longest diagonal
}

// bandOf reads the input that has the range, which those of the first version do not have.
func bandOf(c *ops.Call, input int) (band, error) {
	b := band{leftAbove: true, leftBelow: true}
	if align := c.Text("align"); align != "" {
		b.leftAbove = align == "LEFT_LEFT" || align == "LEFT_RIGHT"
		b.leftBelow = align == "LEFT_LEFT" || align == "RIGHT_LEFT"
	}
	if len(c.In) <= input {
		return b, nil
	}
	list, err := c.Ints(input)
	switch shape := c.In[input].Shape(); {
	case err != nil:
		return b, err
	case len(shape) > 1:
		return b, ops.Invalidf("diag_index must be a scalar or vector, received shape: %s", value.ShapeText(shape))
	case len(list) == 0 && c.Op[:9] == "MatrixSet":
		return b, ops.Invalidf("diag_index must have at least one element")
	case len(list) == 0 || len(list) > 2:
		return b, ops.Invalidf("diag_index must have only one or two elements, received %d elements.", len(list))
	}
	b.lowest, b.highest = list[0], list[len(list)-1]
	return b, nil
}

func (b band) count() int { return b.highest - b.lowest + 1 }

// within returns the error for a band that is not within its matrix. The words about the lowest have a
// full stop in one operation.
func (b *band) within(shape []int, stop string) error {
	b.rows, b.columns = shape[len(shape)-2], shape[len(shape)-1]
	for _, end := range []struct {
		name, stop string
		at         int
	}{{"lower", stop, b.lowest}, {"upper", "", b.highest}} {
		if end.at != 0 && (end.at <= -b.rows || end.at >= b.columns) {
			return ops.Invalidf("%s_diag_index is out of bound: %d%s It must be between %d and %d", end.name, end.at, end.stop, -b.rows, b.columns)
		}
	}
	b.length = min(b.rows+min(b.highest, 0), b.columns-max(b.lowest, 0))
	return b.ordered()
}

func (b band) ordered() error {
	if b.lowest > b.highest {
		return ops.Invalidf("lower_diag_index must not be larger than upper_diag_index: %d > %d", b.lowest, b.highest)
	}
	return nil
}

// each calls visit with the positions of each element of the band in a batch of matrices, and in a list
// of their diagonals.
func (b band) each(batches int, visit func(inMatrix, inDiagonals int)) {
	for k := range batches * b.count() {
		d := b.highest - k%b.count()
		n := min(b.rows+min(d, 0), b.columns-max(d, 0))
		offset := b.length - n
		if d >= 0 && b.leftAbove || d <= 0 && b.leftBelow {
			offset = 0
		}
		for i := range n {
			row, column := i-min(d, 0), i+max(d, 0)
			visit((k/b.count()*b.rows+row)*b.columns+column, k*b.length+offset+i)
		}
	}
}

// diagonal makes matrices of their diagonals (core/kernels/linalg/matrix_diag_op.cc).
func diagonal(c *ops.Call) ([]ops.Value, error) {
	v := c.In[0]
	b, err := bandOf(c, 1)
	if err != nil {
		return nil, err
	}
	if v.Rank() < 1 {
		return nil, ops.Invalidf("diagonal must be at least 1-dim, received shape: %s", value.ShapeText(v.Shape()))
	}
	if err := b.ordered(); err != nil {
		return nil, err
	}
	outer := v.Shape()[:v.Rank()-1]
	if b.lowest != b.highest {
		if len(outer) == 0 {
			return nil, c.Unsupported("several diagonals in a vector") // which ends the runtime's process
		}
		if outer[len(outer)-1] != b.count() {
			return nil, ops.Invalidf("The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range.")
		}
		outer = outer[:len(outer)-1]
	}
	b.length = v.Shape()[v.Rank()-1]
	if err := b.sizes(c); err != nil {
		return nil, err
	}
	shape := append(slices.Clone(outer), b.rows, b.columns)
	n, err := c.Room(v.DType(), shape)
	if err != nil {
		return nil, err
	}
	places := slices.Repeat([]int{-1}, n)
	batches, _ := value.Count(outer)
	b.each(batches, func(inMatrix, inDiagonals int) { places[inMatrix] = inDiagonals })
	if len(c.In) > 4 {
		return ops.One(v.PickOr(shape, places, c.In[4]))
	}
	return ops.One(v.Pick(shape, places))
}

// sizes sets the sizes of the matrices: what is asked for, or the least in which the diagonals have room.
func (b *band) sizes(c *ops.Call) error {
	rows, columns := b.length-min(b.highest, 0), b.length+max(b.lowest, 0)
	b.rows, b.columns = -1, -1
	if len(c.In) > 3 {
		for i, to := range []*int{&b.rows, &b.columns} {
			n, err := c.Int(2 + i)
			if err != nil {
				return err
			}
			*to = n
		}
	}
	switch {
	case b.rows != -1 && b.rows < rows:
		return ops.Invalidf("The number of rows is too small.")
	case b.columns != -1 && b.columns < columns:
		return ops.Invalidf("The number of columns is too small.")
	case b.rows == -1 && b.columns == -1:
		b.rows = max(rows, columns)
		b.columns = b.rows
	case b.rows == -1:
		b.rows = rows
	case b.columns == -1:
		b.columns = columns
	}
	if b.rows != rows && b.columns != columns {
		return ops.Invalidf("The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal.")
	}
	return nil
}

// diagonalPart returns diagonals of matrices.
func diagonalPart(c *ops.Call) ([]ops.Value, error) {
	v := c.In[0]
	b, err := bandOf(c, 1)
	if err != nil {
		return nil, err
	}
	if v.Rank() < 2 {
		return nil, ops.Invalidf("input must be at least 2-dim, received shape: %s", value.ShapeText(v.Shape()))
	}
	if err := b.within(v.Shape(), "."); err != nil {
		return nil, err
	}
	outer := v.Shape()[:v.Rank()-2]
	shape := b.listed(outer)
	n, err := c.Room(v.DType(), shape)
	if err != nil {
		return nil, err
	}
	places := slices.Repeat([]int{-1}, n)
	batches, _ := value.Count(outer)
	b.each(batches, func(inMatrix, inDiagonals int) { places[inDiagonals] = inMatrix })
	if len(c.In) > 2 {
		return ops.One(v.PickOr(shape, places, c.In[2]))
	}
	return ops.One(v.Pick(shape, places))
}

// listed returns the shape of the diagonals of matrices with these outer dimensions.
func (b band) listed(outer []int) []int {
	shape := slices.Clone(outer)
	if b.count() > 1 {
		shape = append(shape, b.count())
	}
	return append(shape, b.length)
}

// setDiagonal replaces diagonals of matrices (core/kernels/linalg/matrix_set_diag_op.cc).
func setDiagonal(c *ops.Call) ([]ops.Value, error) {
	v, own := c.In[0], c.In[1]
	b, err := bandOf(c, 2)
	if err != nil {
		return nil, err
	}
	if v.Rank() < 2 {
		return nil, ops.Invalidf("input must be at least 2-dim, received shape: %s", value.ShapeText(v.Shape()))
	}
	if own.Rank() < 1 {
		return nil, ops.Invalidf("diagonal must be at least 1-dim, received shape: %s", value.ShapeText(own.Shape()))
	}
	if err := b.within(v.Shape(), ""); err != nil {
		return nil, err
	}
	outer := v.Shape()[:v.Rank()-2]
	if b.count() > 1 {
		if own.Rank() <= len(outer) {
			return nil, c.Unsupported("several diagonals in too few dimensions") // which ends the runtime's process
		}
		if own.Shape()[len(outer)] != b.count() {
			return nil, ops.Invalidf("The number of diagonals provided in `diag` is not consistent with `lower_diag_index` and `upper_diag_index`")
		}
	}
	if want := b.listed(outer); !slices.Equal(own.Shape(), want) {
		return nil, ops.Invalidf("Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to the longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: %s\nDiagonal shape: %s\nExpected diagonal shape: %s",
			value.ShapeText(v.Shape()), value.ShapeText(own.Shape()), value.ShapeText(want))
	}
	n, err := c.Room(v.DType(), v.Shape())
	if err != nil {
		return nil, err
	}
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	batches, _ := value.Count(outer)
	b.each(batches, func(inMatrix, inDiagonals int) { places[inMatrix] = n + inDiagonals })
	return ops.One(value.Join(v, own).Pick(v.Shape(), places))
}
