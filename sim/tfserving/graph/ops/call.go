package ops

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// Value and DType are short for those of package value.
type (
	Value = value.Value
	DType = value.DType
)

// Kernel computes the outputs of an operation.
type Kernel func(c *Call) ([]Value, error)

// Env is the run that an operation is a part of.
type Env interface {
	// Call runs a function of the graph.
	Call(function *framework.NameAttrList, args []Value) ([]Value, error)
	// State returns the variables and tables of the model.
	State() *State
	// ReadFile returns a file of the model.
	ReadFile(path string) ([]byte, error)
	// Restore returns a variable from the files of the model whose names begin with prefix.
	Restore(prefix, name string) (Value, error)
	// Path returns the name of the running node behind those of the calls that led to it.
	Path() string
	// Take counts memory and work of the run. It returns false where either is beyond the limit.
	Take(bytes, work int) bool
}

// Call is one use of an operation.
type Call struct {
	*Node
	In  []Value
	Env Env
}

// Unsupported is the error for what this package does not compute, although TensorFlow may.
type Unsupported struct{ What string }

func (u *Unsupported) Error() string { return "not supported: " + u.What }

// unsupported returns an error for a use of the operation that is not computed.
func (c *Call) unsupported(format string, args ...any) error {
	return &Unsupported{c.Op + ": " + fmt.Sprintf(format, args...)}
}

func invalidf(format string, args ...any) error {
	return statusf(rpcerrors.InvalidArgument, format, args...)
}

func statusf(code rpcerrors.Code, format string, args ...any) error {
	return &env.RPCError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// one makes the result of an operation with one output.
func one(v Value) ([]Value, error) { return []Value{v}, nil }

// room counts the memory of an output before it is made, and returns its number of elements.
func (c *Call) room(dtype DType, shape []int) (int, error) {
	n, ok := value.Count(shape)
	if !ok || n > maxElements || !c.Env.Take(8*n, n) {
		return 0, outOfMemory(dtype, shape)
	}
	return n, nil
}

// maxElements limits the elements of one tensor.
const maxElements = tensor.MaxBytes / 16

// outOfMemory has the words of the runtime's allocator (core/framework/op_kernel.cc).
func outOfMemory(dtype DType, shape []int) error {
	return statusf(rpcerrors.ResourceExhausted,
		"OOM when allocating tensor with shape%s and type %s on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu",
		value.ShapeText(shape), tensor.DTypeName(dtype))
}

// work counts multiplications and the like, where they are many more than the elements of the
// output.
func (c *Call) work(n int, dtype DType, shape []int) error {
	if n < 0 || !c.Env.Take(0, n) {
		return outOfMemory(dtype, shape)
	}
	return nil
}

// ints returns an integer input as a list.
func (c *Call) ints(input int) ([]int, error) {
	list := c.In[input].I()
	if list == nil && c.In[input].Len() > 0 {
		return nil, c.unsupported("input %d of %s", input, tensor.DTypeName(c.In[input].DType()))
	}
	return lists.Map(list, func(n int64) int { return int(n) }), nil
}

// int returns an integer input of one element.
func (c *Call) int(input int) (int, error) {
	list, err := c.ints(input)
	if err != nil {
		return 0, err
	}
	if len(list) != 1 {
		return 0, invalidf("input %d of %s must be a scalar, got shape %s", input, c.Op, value.ShapeText(c.In[input].Shape()))
	}
	return list[0], nil
}

// of makes an operation of a function that also takes what is read of the inputs.
func of[A any](a func(*Call) (A, error), f func(*Call, A) ([]Value, error)) Kernel {
	return func(c *Call) ([]Value, error) {
		x, err := a(c)
		if err != nil {
			return nil, err
		}
		return f(c, x)
	}
}

// of2 is of for two that are read, in this order.
func of2[A, B any](a func(*Call) (A, error), b func(*Call) (B, error), f func(*Call, A, B) ([]Value, error)) Kernel {
	return of(a, func(c *Call, x A) ([]Value, error) {
		return of(b, func(c *Call, y B) ([]Value, error) { return f(c, x, y) })(c)
	})
}

// ints and scalar read an integer input as a list and as a number.
func ints(input int) func(*Call) ([]int, error) {
	return func(c *Call) ([]int, error) { return c.ints(input) }
}

func scalar(input int) func(*Call) (int, error) {
	return func(c *Call) (int, error) { return c.int(input) }
}
