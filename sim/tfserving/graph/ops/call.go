package ops

import (
	"fmt"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// Value and DType are the types of package value under shorter names.
type (
	Value = value.Value
	DType = value.DType
)

// Kernel computes the outputs of an operation.
type Kernel func(c *Call) ([]Value, error)

// Env gives an operation access to the run that it is part of.
type Env interface {
	// Call runs a function of the graph.
	Call(function *framework.NameAttrList, args []Value) ([]Value, error)
	// State returns the variables and tables of the model.
	State() *State
	// ReadFile returns the content of a file of the model.
	ReadFile(path string) ([]byte, error)
	// Restore returns the value of a variable from the checkpoint files that begin with prefix.
	Restore(prefix, name string) (Value, error)
	// Path returns the name of the running node, preceded by the names of the calling nodes.
	Path() string
	// Take counts bytes of memory and units of work of the run. It returns false if either exceeds
	// its limit.
	Take(bytes, work int) bool
}

// Call is one execution of an operation with its input values.
type Call struct {
	*Node
	In  []Value
	Env Env
}

// Unsupported is the error for something that this package does not compute, although TensorFlow
// may.
type Unsupported struct{ What string }

func (u *Unsupported) Error() string { return "not supported: " + u.What }

// Unsupported returns an Unsupported error with the operation's name and the formatted reason.
func (c *Call) Unsupported(format string, args ...any) error {
	return &Unsupported{c.Op + ": " + fmt.Sprintf(format, args...)}
}

// Invalidf returns an INVALID_ARGUMENT, the error of most kernels.
func Invalidf(format string, args ...any) error {
	return Statusf(rpcerrors.InvalidArgument, format, args...)
}

// Statusf returns an error of any code.
func Statusf(code rpcerrors.Code, format string, args ...any) error {
	return &env.RPCError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// One wraps the value of an operation with a single output.
func One(v Value) ([]Value, error) { return []Value{v}, nil }

// Room accounts for the memory of an output before it is allocated. It returns the number of
// elements, or an error if the output is too large.
func (c *Call) Room(dtype DType, shape []int) (int, error) {
	n, ok := value.Count(shape)
	if !ok || value.Reach(shape) > MaxElements || !c.Env.Take(8*n, n) {
		return 0, OutOfMemory(dtype, shape)
	}
	return n, nil
}

// MaxElements limits the elements of one tensor, and the reach of one without elements.
const MaxElements = tensor.MaxBytes / 16

// Empty returns the error for an empty tensor with sizes so large that loops over them would not end,
// and nil for any other tensor.
func Empty(v Value) error {
	if v.Len() == 0 && value.Reach(v.Shape()) > MaxElements {
		return OutOfMemory(v.DType(), v.Shape())
	}
	return nil
}

// OutOfMemory returns an error for a tensor of this shape, in the words of the runtime's allocator
// (core/framework/op_kernel.cc).
func OutOfMemory(dtype DType, shape []int) error {
	return Statusf(rpcerrors.ResourceExhausted,
		"OOM when allocating tensor with shape%s and type %s on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu",
		value.ShapeText(shape), tensor.DTypeName(dtype))
}

// Work counts n multiplications or similar steps. Operations call it if they need many more steps
// than their output has elements.
func (c *Call) Work(n int, dtype DType, shape []int) error {
	if n < 0 || !c.Env.Take(0, n) {
		return OutOfMemory(dtype, shape)
	}
	return nil
}

// Ints returns an integer input as a list.
func (c *Call) Ints(input int) ([]int, error) {
	list := c.In[input].I()
	if list == nil && c.In[input].Len() > 0 {
		return nil, c.Unsupported("input %d of %s", input, tensor.DTypeName(c.In[input].DType()))
	}
	return wholeInts(list), nil
}

// wholeInts returns the numbers of an integer tensor as sizes or positions.
func wholeInts(list []int64) []int { return lists.Map(list, func(n int64) int { return int(n) }) }

// Int returns the value of an integer input, which must have one element.
func (c *Call) Int(input int) (int, error) {
	list, err := c.Ints(input)
	if err != nil {
		return 0, err
	}
	if len(list) != 1 {
		return 0, Invalidf("input %d of %s must be a scalar, got shape %s", input, c.Op, value.ShapeText(c.In[input].Shape()))
	}
	return list[0], nil
}

// Scalar returns the value of an integer input, which must have no dimensions. If the input has
// dimensions, the error is the argument text, followed by the input's shape.
func (c *Call) Scalar(input int, text string) (int, error) {
	if c.In[input].Rank() != 0 {
		return 0, Invalidf("%s%s", text, value.ShapeText(c.In[input].Shape()))
	}
	return c.Int(input)
}

// Of makes a kernel from two functions: a reads an argument from the inputs, and f computes the
// outputs from that argument.
func Of[A any](a func(*Call) (A, error), f func(*Call, A) ([]Value, error)) Kernel {
	return func(c *Call) ([]Value, error) {
		x, err := a(c)
		if err != nil {
			return nil, err
		}
		return f(c, x)
	}
}

// Of2 makes a kernel like Of, but f has two arguments. The function a reads the first argument;
// after that, the function b reads the second.
func Of2[A, B any](a func(*Call) (A, error), b func(*Call) (B, error), f func(*Call, A, B) ([]Value, error)) Kernel {
	return Of(a, func(c *Call, x A) ([]Value, error) {
		return Of(b, func(c *Call, y B) ([]Value, error) { return f(c, x, y) })(c)
	})
}

// ints and scalar return functions that read an integer input as a list or as a number.
func ints(input int) func(*Call) ([]int, error) {
	return func(c *Call) ([]int, error) { return c.Ints(input) }
}

func scalar(input int) func(*Call) (int, error) {
	return func(c *Call) (int, error) { return c.Int(input) }
}

// strictScalar returns a function that reads an integer input as Call.scalar does.
func strictScalar(input int, text string) func(*Call) (int, error) {
	return func(c *Call) (int, error) { return c.Scalar(input, text) }
}

// Node is a node of a graph, with the values of all attributes of its operation.
type Node struct {
	Name, Op string
	// Inputs holds the names of the inputs, for error messages.
	Inputs []string
	Attrs  map[string]*framework.AttrValue
	// Alone is set for a node whose output is fetched, or is what its function returns: the runtime's
	// optimizer joins it with no node behind it.
	Alone bool

	constant []Value // constant is the output of a Const; broken is why it has none
	broken   error
}

// NewNode makes a node. For a Const it also parses the constant tensor.
func NewNode(name, op string, inputs []string, attrs map[string]*framework.AttrValue) *Node {
	n := &Node{Name: name, Op: op, Inputs: inputs, Attrs: attrs}
	if op == "Const" {
		t, err := tensor.Parse(attrs["value"].GetTensor())
		if err != nil {
			n.broken = &Unsupported{"Const: " + err.Error()}
		} else {
			n.constant = []Value{value.FromTensor(t)}
		}
	}
	return n
}

// GathersRows reports whether the node picks rows of its first input. If the node has an axis
// input, this holds only for axis 0, which the caller has to check.
func (n *Node) GathersRows() bool {
	return slices.Contains([]string{"Gather", "GatherV2", "ResourceGather"}, n.Op) && n.Number("batch_dims") == 0
}

// IsZero reports whether the node is the constant 0.
func (n *Node) IsZero() bool {
	if len(n.constant) != 1 {
		return false
	}
	list := n.constant[0].I()
	return len(list) == 1 && list[0] == 0
}

// TypeOf and the methods below return an attribute of a kind; its zero if the node has none of the
// name.
func (n *Node) TypeOf(name string) DType                     { return n.Attrs[name].GetType() }
func (n *Node) Flag(name string) bool                        { return n.Attrs[name].GetB() }
func (n *Node) Number(name string) int                       { return int(n.Attrs[name].GetI()) }
func (n *Node) Float(name string) float64                    { return float64(n.Attrs[name].GetF()) }
func (n *Node) Text(name string) string                      { return string(n.Attrs[name].GetS()) }
func (n *Node) Types(name string) []DType                    { return n.Attrs[name].GetList().GetType() }
func (n *Node) function(name string) *framework.NameAttrList { return n.Attrs[name].GetFunc() }

// Numbers returns an attribute that is a list of numbers.
func (n *Node) Numbers(name string) []int {
	return wholeInts(n.Attrs[name].GetList().GetI())
}

// Texts returns an attribute that is a list of texts.
func (n *Node) Texts(name string) []string {
	return lists.Map(n.Attrs[name].GetList().GetS(), func(b []byte) string { return string(b) })
}

// ShapeAt returns the dimensions of one shape of an attribute that is a list of them, as Shape does.
func (n *Node) ShapeAt(name string, i int) ([]int, bool) {
	all := n.Attrs[name].GetList().GetShape()
	if i >= len(all) {
		return nil, false
	}
	return sizesOf(all[i])
}

// Shape returns the dimensions of a shape attribute, with -1 for unknown sizes. It returns false
// for an unknown rank.
func (n *Node) Shape(name string) ([]int, bool) { return sizesOf(n.Attrs[name].GetShape()) }

func sizesOf(s *framework.TensorShapeProto) ([]int, bool) {
	if s == nil || s.GetUnknownRank() {
		return nil, false
	}
	return lists.Map(s.GetDim(), func(d *framework.TensorShapeProto_Dim) int { return int(d.GetSize()) }), true
}
