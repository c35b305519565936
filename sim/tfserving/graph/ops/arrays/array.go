package arrays

import (
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// array is an array of tensors of one dtype (core/kernels/tensor_array.cc).
type array struct {
	name      string
	dtype     ops.DType
	shape     []int // shape is the shape of the elements, with -1 for open sizes
	ranked    bool  // ranked is set if the rank of the elements is known
	grows     bool  // grows is set if a write behind the end makes the array longer
	clears    bool  // clears is set if an element can be read once only
	identical bool  // identical is set if the first element that is written fixes the shape
	closed    bool
	elements  []element
}

// element is a tensor of an array, with what has been done to it.
type element struct {
	value                  ops.Value
	written, read, cleared bool
}

// shapeText formats the shape of the elements.
func (a *array) shapeText() string {
	if !a.ranked {
		return "<unknown>"
	}
	return value.ShapeText(a.shape)
}

// whole reports whether all sizes of the elements are known.
func (a *array) whole() bool {
	_, ok := value.Count(a.shape)
	return a.ranked && ok
}

// fits reports whether a shape may be that of an element.
func (a *array) fits(shape []int) bool {
	if !a.ranked {
		return true
	}
	if len(shape) != len(a.shape) {
		return false
	}
	for i, size := range a.shape {
		if size >= 0 && size != shape[i] {
			return false
		}
	}
	return true
}

func (a *array) open() error {
	if a.closed {
		return ops.Invalidf("TensorArray %s has already been closed.", a.name)
	}
	return nil
}

// write sets an element.
func (a *array) write(c *ops.Call, at int, v ops.Value) error {
	if err := a.open(); err != nil {
		return err
	}
	if at < 0 || at >= len(a.elements) && !a.grows {
		return ops.Invalidf("TensorArray %s: Tried to write to index %d but array is not resizeable and size is: %d", a.name, at, len(a.elements))
	}
	if more := at + 1 - len(a.elements); more > 0 {
		if _, err := c.Room(value.Variant, []int{at + 1}); err != nil {
			return err
		}
		a.elements = append(a.elements, make([]element, more)...)
	}
	refused := func(why string) error {
		return ops.Invalidf("TensorArray %s: Could not write to TensorArray index %d because %s", a.name, at, why)
	}
	e := &a.elements[at]
	switch {
	case v.DType() != a.dtype:
		return refused("the value dtype is " + tensor.DTypeName(v.DType()) + " but TensorArray dtype is " + tensor.DTypeName(a.dtype) + ".")
	case !a.fits(v.Shape()):
		return refused("the value shape is " + value.ShapeText(v.Shape()) + " which is incompatible with the TensorArray's inferred element shape: " +
			a.shapeText() + " (consider setting infer_shape=False).")
	case e.read:
		return refused("it has already been read.")
	case e.written:
		return refused("it has already been written to.")
	}
	if a.identical && !a.whole() {
		a.shape, a.ranked = v.Shape(), true
	}
	*e = element{value: v, written: true}
	return nil
}

// read returns an element. An element that was not written is zero.
func (a *array) read(c *ops.Call, at int) (ops.Value, error) {
	if err := a.open(); err != nil {
		return ops.Value{}, err
	}
	if at < 0 || at >= len(a.elements) {
		return ops.Value{}, ops.Statusf(rpcerrors.InvalidArgument, "Tried to read from index %d but array size is: %d", at, len(a.elements))
	}
	e := &a.elements[at]
	if e.cleared {
		return ops.Value{}, ops.Invalidf("TensorArray %s: Could not read index %d twice because it was cleared after a previous read (perhaps try setting clear_after_read = false?).", a.name, at)
	}
	if !e.written {
		if !a.whole() {
			return ops.Value{}, ops.Invalidf("TensorArray %s: Could not read from TensorArray index %d.  Furthermore, the element shape is not fully defined: %s.  It is possible you are working with a resizeable TensorArray and stop_gradients is not allowing the gradients to be written.  If you set the full element_shape property on the forward TensorArray, the proper all-zeros tensor will be returned instead of incurring this error.", a.name, at, a.shapeText())
		}
		if _, err := c.Room(a.dtype, a.shape); err != nil {
			return ops.Value{}, err
		}
		zeros, ok := value.Zeros(a.dtype, a.shape)
		if !ok {
			return ops.Value{}, c.Unsupported("%s", tensor.DTypeName(a.dtype))
		}
		e.value, e.written = zeros, true
	}
	v := e.value
	e.read = true
	if a.clears {
		e.value, e.cleared = ops.Value{}, true
	}
	return v, nil
}
