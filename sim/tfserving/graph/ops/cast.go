package ops

import (
	"math/cmplx"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

var castOps = map[string]Kernel{"Cast": cast, "Bitcast": bitcast, "Real": part(0), "Imag": part(1), "ComplexAbs": part(2), "Complex": makeComplex}

func cast(c *Call) ([]Value, error) {
	to := c.TypeOf("DstT")
	if _, err := c.Room(to, c.In[0].Shape()); err != nil {
		return nil, err
	}
	v, ok := c.In[0].Cast(to)
	if !ok {
		return nil, c.Unsupported("%s to %s", tensor.DTypeName(c.In[0].DType()), tensor.DTypeName(to))
	}
	return One(v)
}

// bitcast reinterprets the bytes of the elements as another dtype. If the two dtypes differ in
// size, the tensor of the smaller dtype has one more dimension at its end. That dimension holds the
// parts of one larger element.
func bitcast(c *Call) ([]Value, error) {
	to, from, shape := c.TypeOf("type"), c.In[0].DType(), c.In[0].Shape()
	t, err := c.In[0].Tensor()
	in, out := tensor.Size(from), tensor.Size(to)
	if err != nil || in == 0 || out == 0 {
		return nil, c.Unsupported("%s to %s", tensor.DTypeName(from), tensor.DTypeName(to))
	}
	switch last := len(shape) - 1; {
	case in > out:
		shape = append(slices.Clone(shape), in/out)
	case in < out && (last < 0 || shape[last] != out/in):
		return nil, Invalidf("Cannot bitcast from %d to %d", from, to)
	case in < out:
		shape = shape[:last]
	}
	message := t.ContentProto()
	message.Dtype = to
	message.TensorShape = tensor.ShapeProto(lists.Map(shape, func(n int) int64 { return int64(n) }))
	again, err := tensor.Parse(message)
	if err != nil {
		return nil, c.Unsupported("%v", err)
	}
	return One(value.FromTensor(again))
}

// part makes an operation that takes one part of a complex number: its real part, imaginary part or
// absolute value.
func part(which int) Kernel {
	return func(c *Call) ([]Value, error) {
		dtype := value.Float32
		if c.In[0].DType() == framework.DataType_DT_COMPLEX128 {
			dtype = value.Float64
		}
		return One(value.Floats(dtype, c.In[0].Shape(), lists.Map(c.In[0].C(), func(x complex128) float64 {
			return [...]float64{real(x), imag(x), cmplx.Abs(x)}[which]
		})))
	}
}

func makeComplex(c *Call) ([]Value, error) {
	shape, err := c.broadcast(c.TypeOf("Tout"))
	if err != nil {
		return nil, err
	}
	list := zip(c.In[0].F(), c.In[1].F(), c.In, shape, func(a, b float64) complex128 { return complex(a, b) })
	return One(value.Complexes(c.TypeOf("Tout"), shape, list))
}
