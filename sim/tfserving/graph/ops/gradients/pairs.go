package gradients

import (
	"math"
	"strings"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// pairs holds the derivatives that are computed from two numbers: the result of the operation and the
// gradient, or for those with Relu, Elu or Soft in their names the gradient, and then the operand or
// the result.
var pairs = map[string]func(a, b float64) float64{
	"SigmoidGrad": func(y, g float64) float64 { return g * y * (1 - y) },
	"TanhGrad":    func(y, g float64) float64 { return g * (1 - y*y) },
	"SqrtGrad": func(y, g float64) float64 {
		if g == 0 {
			return 0
		}
		return g * 0.5 / y
	},
	"RsqrtGrad":      func(y, g float64) float64 { return g * -0.5 * y * y * y },
	"InvGrad":        func(y, g float64) float64 { return -g * y * y },
	"ReciprocalGrad": func(y, g float64) float64 { return -g * y * y },
	"ReluGrad":       func(g, x float64) float64 { return g * truth(x > 0) },
	"Relu6Grad":      func(g, x float64) float64 { return g * truth(x > 0 && x < 6) },
	"EluGrad": func(g, y float64) float64 {
		if y < 0 {
			return (y + 1) * g
		}
		return g
	},
	"SeluGrad": func(g, y float64) float64 {
		const scale, scaleAlpha = 1.0507009873554804934193349852946, 1.7580993408473768599402175208123
		if y < 0 {
			return g * (y + scaleAlpha)
		}
		return g * scale
	},
	"SoftplusGrad": func(g, x float64) float64 { return g / (math.Exp(-x) + 1) },
	"SoftsignGrad": func(g, x float64) float64 { return g / ((1 + math.Abs(x)) * (1 + math.Abs(x))) },
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func pair(c *ops.Call) ([]ops.Value, error) { return elementwise(c, pairs[c.Op]) }

func leakyRelu(c *ops.Call) ([]ops.Value, error) {
	alpha := c.Float("alpha")
	return elementwise(c, func(g, x float64) float64 {
		if x > 0 {
			return g
		}
		return g * alpha
	})
}

// elementwise returns a tensor of the shape of the first input.
func elementwise(c *ops.Call, f func(a, b float64) float64) ([]ops.Value, error) {
	a, b := c.In[0], c.In[1]
	if strings.Contains(c.Op, "lu") || strings.HasPrefix(c.Op, "Soft") {
		if err := c.SameShapes(); err != nil {
			return nil, err
		}
	} else if a.Len() != b.Len() {
		return nil, ops.Invalidf("The two arguments to a cwise op must have same number of elements, got %d and %d", a.Len(), b.Len())
	}
	if a.F() == nil {
		return nil, c.Unsupported("%s", tensor.DTypeName(a.DType()))
	}
	n, err := c.Room(a.DType(), a.Shape())
	if err != nil {
		return nil, err
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = f(a.F()[i], b.F()[i])
	}
	return ops.One(value.Floats(a.DType(), a.Shape(), list))
}
