package linear

import (
	"slices"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// lower and upper solve a system with a triangular matrix in place; what is beyond the triangle is not
// looked at.
func lower[T number](m, x matrix[T]) {
	for i := range m.rows {
		for k := range i {
			subtract(x.row(i), *m.at(i, k), x.row(k))
		}
		divide(x.row(i), *m.at(i, i))
	}
}

func upper[T number](m, x matrix[T]) {
	for i := m.rows - 1; i >= 0; i-- {
		for k := i + 1; k < m.rows; k++ {
			subtract(x.row(i), *m.at(i, k), x.row(k))
		}
		divide(x.row(i), *m.at(i, i))
	}
}

func divide[T number](row []T, by T) {
	for j := range row {
		row[j] /= by
	}
}

// triangularSolve broadcasts the outer dimensions (core/kernels/linalg/matrix_triangular_solve_op_impl.h).
func triangularSolve(c *ops.Call) ([]ops.Value, error) {
	outer, err := triangularError(c)
	if err != nil {
		return nil, err
	}
	a, b := c.In[0].Shape(), c.In[1].Shape()
	n := a[len(a)-1]
	shape := slices.Concat(outer, []int{n, b[len(b)-1]})
	total, err := c.Room(c.In[0].DType(), shape)
	if err != nil {
		return nil, err
	}
	if err := c.Work(total*n, c.In[0].DType(), shape); err != nil {
		return nil, err
	}
	switch c.In[0].DType() {
	case value.Float32:
		return triangularOf[float32](c, shape)
	case value.Float64:
		return triangularOf[float64](c, shape)
	case framework.DataType_DT_COMPLEX64:
		return triangularOf[complex64](c, shape)
	case framework.DataType_DT_COMPLEX128:
		return triangularOf[complex128](c, shape)
	}
	return nil, c.Unsupported("%s", tensor.DTypeName(c.In[0].DType()))
}

// triangularError returns the outer dimensions of the result, or the error for inputs that do not fit.
func triangularError(c *ops.Call) (outer []int, err error) {
	for i, v := range c.In {
		if v.Rank() < 2 {
			return nil, ops.Invalidf("In[%d] ndims must be >= 2: %d", i, v.Rank())
		}
	}
	a, b := c.In[0].Shape(), c.In[1].Shape()
	rows, columns := a[len(a)-2], a[len(a)-1]
	if rows != columns {
		return nil, ops.Invalidf("In[0] matrices in the last dimensions must be square (%d =/= %d)", columns, rows)
	}
	outer, ok := value.Broadcast(a[:len(a)-2], b[:len(b)-2])
	if !ok {
		return nil, ops.Invalidf("In[0] and In[1] must have compatible batch dimensions: %s vs. %s", value.ShapeText(a), value.ShapeText(b))
	}
	if b[len(b)-2] != columns {
		return nil, ops.Invalidf("In[0] mismatch In[1] shape: %d vs. %d: %s %s %d %d", columns, b[len(b)-2], value.ShapeText(a), value.ShapeText(b), digit(c.Flag("lower")), digit(c.Flag("adjoint")))
	}
	return outer, nil
}

func digit(flag bool) int {
	if flag {
		return 1
	}
	return 0
}

func triangularOf[T number](c *ops.Call, shape []int) ([]ops.Value, error) {
	outer, n, columns := shape[:len(shape)-2], shape[len(shape)-2], shape[len(shape)-1]
	a, b := c.In[0].Shape(), c.In[1].Shape()
	atA, atB := value.BroadcastIndex(a[:len(a)-2], outer), value.BroadcastIndex(b[:len(b)-2], outer)
	left, right := elements[T](c.In[0]), elements[T](c.In[1])
	batches, _ := value.Count(outer)
	out := make([]T, 0, batches*n*columns)
	for k := range batches {
		m := matrix[T]{n, n, left[atA.At(k)*n*n:][:n*n]}
		out = append(out, right[atB.At(k)*n*columns:][:n*columns]...)
		x := matrix[T]{n, columns, out[k*n*columns:]}
		isLower := c.Flag("lower")
		if c.Flag("adjoint") {
			m, isLower = m.adjoint(), !isLower
		}
		if isLower {
			lower(m, x)
		} else {
			upper(m, x)
		}
	}
	return ops.One(tensorOf(c.In[0].DType(), shape, out))
}
