package linear

import (
	"slices"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// form computes the outputs of an operation from one matrix of each input. The outputs are zero before.
type form[T number] func(c *ops.Call, in, out []matrix[T]) error

// forms holds an operation's form for each dtype.
type forms struct {
	float      form[float32]
	double     form[float64]
	complex64  form[complex64]
	complex128 form[complex128]
}

// demand returns the error for matrices of other sizes than the operation takes; how many it takes is
// their number.
type demand struct {
	inputs int
	check  func(sizes [][]int) error
}

// shapesOf returns the shapes of the outputs for one matrix of each input.
type shapesOf func(c *ops.Call, sizes [][]int) ([][]int, error)

// each makes the kernel of an operation that does the same with all matrices of a batch
// (core/kernels/linalg/linalg_ops_common.cc).
func each(want demand, shapes shapesOf, run forms) ops.Kernel {
	return func(c *ops.Call) ([]ops.Value, error) {
		batch, sizes, err := want.read(c)
		if err != nil {
			return nil, err
		}
		made, err := shapes(c, sizes)
		if err != nil {
			return nil, err
		}
		if err := room(c, batch, sizes, made); err != nil {
			return nil, err
		}
		j := job{c, batch, sizes, made}
		switch c.In[0].DType() {
		case value.Float32:
			return compute(j, run.float)
		case value.Float64:
			return compute(j, run.double)
		case framework.DataType_DT_COMPLEX64:
			return compute(j, run.complex64)
		case framework.DataType_DT_COMPLEX128:
			return compute(j, run.complex128)
		}
		return nil, c.Unsupported("%s", tensor.DTypeName(c.In[0].DType()))
	}
}

// read returns the outer dimensions of the inputs, and the sizes of the matrix of each.
func (d demand) read(c *ops.Call) (batch []int, sizes [][]int, err error) {
	for i, v := range c.In[:d.inputs] {
		shape := v.Shape()
		switch {
		case i == 0 && len(shape) < 2:
			return nil, nil, ops.Invalidf("Input tensor 0 must have rank >= 2, got %d", len(shape))
		case i == 0:
			batch = shape[:len(shape)-2]
		case len(shape) != len(batch)+2:
			return nil, nil, ops.Invalidf("All input tensors must have the same rank.")
		case !slices.Equal(shape[:len(batch)], batch):
			return nil, nil, ops.Invalidf("All input tensors must have the same outer dimensions.")
		}
		sizes = append(sizes, shape[len(batch):])
	}
	return batch, sizes, d.check(sizes)
}

// room accounts for the outputs, and for more multiplications than a decomposition takes.
func room(c *ops.Call, batch []int, sizes, made [][]int) error {
	dtype := c.In[0].DType()
	for _, shape := range made {
		if _, err := c.Room(dtype, slices.Concat(batch, shape)); err != nil {
			return err
		}
	}
	n, _ := value.Count(batch)
	for _, size := range sizes {
		longest := max(size[0], size[1])
		if err := c.Work(n*longest*size[0]*size[1]*steps, dtype, c.In[0].Shape()); err != nil {
			return err
		}
	}
	return nil
}

// steps is how often a decomposition goes through a matrix of n rows, for each of them.
const steps = 8

type job struct {
	call        *ops.Call
	batch       []int
	sizes, made [][]int
}

func compute[T number](j job, run form[T]) ([]ops.Value, error) {
	n, _ := value.Count(j.batch)
	in, out := make([][]T, len(j.sizes)), make([][]T, len(j.made))
	for i := range in {
		in[i] = elements[T](j.call.In[i])
	}
	for i, shape := range j.made {
		each, _ := value.Count(shape)
		out[i] = make([]T, n*each)
	}
	for k := range n {
		if err := run(j.call, matrices(in, j.sizes, k), matrices(out, j.made, k)); err != nil {
			return nil, err
		}
	}
	var values []ops.Value
	for i, shape := range j.made {
		values = append(values, tensorOf(j.call.In[0].DType(), slices.Concat(j.batch, shape), out[i]))
	}
	return values, nil
}

// matrices returns matrix k of each list. A vector is a column, a number a matrix of one.
func matrices[T number](lists [][]T, shapes [][]int, k int) []matrix[T] {
	out := make([]matrix[T], len(lists))
	for i, list := range lists {
		size := append(slices.Clone(shapes[i]), 1, 1)[:2]
		each := size[0] * size[1]
		out[i] = matrix[T]{size[0], size[1], list[k*each:][:each]}
	}
	return out
}

var (
	anySize = demand{1, func([][]int) error { return nil }}
	square  = demand{1, func(sizes [][]int) error {
		if sizes[0][0] != sizes[0][1] {
			return ops.Invalidf("Input matrix must be square.")
		}
		return nil
	}}
	solver = demand{2, func(sizes [][]int) error {
		if sizes[0][0] != sizes[1][0] {
			return ops.Invalidf("Input matrix and rhs are incompatible.")
		}
		return nil
	}}
	squareSolver = demand{2, func(sizes [][]int) error {
		if sizes[0][0] != sizes[0][1] {
			return ops.Invalidf("First input (lhs) must be a square matrix.")
		}
		return solver.check(sizes)
	}}
)

func sameShape(_ *ops.Call, sizes [][]int) ([][]int, error) { return sizes[:1], nil }

// solution returns the shape of what solves a system of equations.
func solution(_ *ops.Call, sizes [][]int) ([][]int, error) {
	return [][]int{{sizes[0][1], sizes[1][1]}}, nil
}

// numbers returns the shapes of n outputs that are a number for each matrix.
func numbers(n int) shapesOf {
	return func(*ops.Call, [][]int) ([][]int, error) { return make([][]int, n), nil }
}
