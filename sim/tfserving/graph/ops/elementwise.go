package ops

import (
	"maps"
	"math"
	"math/bits"
	"math/cmplx"
	"slices"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/special"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// floatUnary holds the operations on one float. intUnary and complexUnary hold the operations on
// one integer and on one complex number.
var floatUnary = map[string]func(float64) float64{
	"Abs": math.Abs, "Acos": math.Acos, "Acosh": math.Acosh, "Asin": math.Asin, "Asinh": math.Asinh,
	"Atan": math.Atan, "Atanh": math.Atanh, "Ceil": math.Ceil, "Cos": math.Cos, "Cosh": math.Cosh,
	"Erf": math.Erf, "Erfc": math.Erfc, "Exp": math.Exp, "Expm1": math.Expm1, "Floor": math.Floor,
	"Log": math.Log, "Log1p": math.Log1p, "Rint": math.RoundToEven, "Round": math.RoundToEven,
	"Sin": math.Sin, "Sinh": math.Sinh, "Sqrt": math.Sqrt, "Tan": math.Tan, "Tanh": math.Tanh,
	"Lgamma":     func(x float64) float64 { y, _ := math.Lgamma(x); return y },
	"Neg":        func(x float64) float64 { return -x },
	"Square":     func(x float64) float64 { return x * x },
	"Rsqrt":      func(x float64) float64 { return 1 / math.Sqrt(x) },
	"Reciprocal": func(x float64) float64 { return 1 / x },
	"Inv":        func(x float64) float64 { return 1 / x },
	"Sigmoid":    sigmoid,
	"Sign":       sign,
	"Relu":       func(x float64) float64 { return atLeast(x, 0) },
	"Relu6":      func(x float64) float64 { return atLeast(min(x, 6), 0) },
	"Elu": func(x float64) float64 {
		if x < 0 {
			return math.Expm1(x)
		}
		return x
	},
	"Selu":     selu,
	"Softplus": softplus,
	"Softsign": func(x float64) float64 { return x / (1 + math.Abs(x)) },
}

var intUnary = map[string]func(int64) int64{
	"Abs":    func(x int64) int64 { return max(x, -x) },
	"Neg":    func(x int64) int64 { return -x },
	"Square": func(x int64) int64 { return x * x },
	"Sign": func(x int64) int64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return 0
	},
	"Round":  func(x int64) int64 { return x },
	"Relu":   func(x int64) int64 { return max(x, 0) },
	"Relu6":  func(x int64) int64 { return max(min(x, 6), 0) },
	"Invert": func(x int64) int64 { return ^x },
}

var complexUnary = map[string]func(complex128) complex128{
	"Neg":    func(x complex128) complex128 { return -x },
	"Square": func(x complex128) complex128 { return x * x },
	"Exp":    cmplx.Exp, "Log": cmplx.Log, "Sqrt": cmplx.Sqrt, "Tanh": cmplx.Tanh,
	"Conj":       cmplx.Conj,
	"Reciprocal": func(x complex128) complex128 { return 1 / x },
}

var floatTests = map[string]func(float64) bool{
	"IsNan":    func(x float64) bool { return math.IsNaN(x) },
	"IsInf":    func(x float64) bool { return math.IsInf(x, 0) },
	"IsFinite": func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) },
}

func unaryOps() map[string]Kernel {
	ops := map[string]Kernel{"LeakyRelu": leakyRelu, "LogicalNot": logicalNot, "Angle": angle, "PopulationCount": countBits, "ClipByValue": clip}
	maps.Copy(floatUnary, special.OfOne)
	for _, name := range unaryNames() {
		ops[name] = unary
	}
	for name := range floatTests { //lint:ordered each name has an entry of its own
		ops[name] = floatTest
	}
	return ops
}

func unaryNames() (names []string) {
	for name := range floatUnary { //lint:ordered the names become keys of a map
		names = append(names, name)
	}
	return append(names, "Invert", "Conj")
}

func unary(c *Call) ([]Value, error) {
	v := c.In[0]
	if _, err := c.Room(v.DType(), v.Shape()); err != nil {
		return nil, err
	}
	switch {
	case v.F() != nil && floatUnary[c.Op] != nil:
		return One(value.Floats(v.DType(), v.Shape(), lists.Map(v.F(), floatUnary[c.Op])))
	case v.I() != nil && intUnary[c.Op] != nil && v.DType() != value.UInt64:
		return One(value.Ints(v.DType(), v.Shape(), lists.Map(v.I(), intUnary[c.Op])))
	case v.C() != nil && complexUnary[c.Op] != nil:
		return One(value.Complexes(v.DType(), v.Shape(), lists.Map(v.C(), complexUnary[c.Op])))
	}
	return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
}

// angle returns the argument of complex numbers.
func angle(c *Call) ([]Value, error) {
	return One(value.Floats(c.TypeOf("Tout"), c.In[0].Shape(), lists.Map(c.In[0].C(), cmplx.Phase)))
}

func floatTest(c *Call) ([]Value, error) {
	return One(value.Bools(c.In[0].Shape(), lists.Map(c.In[0].F(), floatTests[c.Op])))
}

func leakyRelu(c *Call) ([]Value, error) {
	alpha := c.Float("alpha")
	return One(value.Floats(c.In[0].DType(), c.In[0].Shape(), lists.Map(c.In[0].F(), func(x float64) float64 {
		if x < 0 {
			return x * alpha
		}
		return x
	})))
}

func logicalNot(c *Call) ([]Value, error) {
	return One(value.Bools(c.In[0].Shape(), lists.Map(c.In[0].B(), func(x bool) bool { return !x })))
}

// countBits returns how many bits of each integer are set.
func countBits(c *Call) ([]Value, error) {
	v := c.In[0]
	mask := ^uint64(0) >> (64 - 8*tensor.Size(v.DType()))
	return One(value.Ints(value.UInt8, v.Shape(), lists.Map(v.I(), func(x int64) int64 { return int64(bits.OnesCount64(uint64(x) & mask)) })))
}

// clip limits elements to a range, the ends of which are numbers or have the shape of the tensor
// (core/kernels/clip_op.cc).
func clip(c *Call) ([]Value, error) {
	v := c.In[0]
	for _, end := range c.In[1:] {
		if end.Rank() > 0 && !slices.Equal(end.Shape(), v.Shape()) {
			return nil, Invalidf("clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input shape: %sclip_value_min shape: %sclip_value_max shape: %s",
				value.ShapeText(v.Shape()), value.ShapeText(c.In[1].Shape()), value.ShapeText(c.In[2].Shape()))
		}
	}
	n, err := c.Room(v.DType(), v.Shape())
	if err != nil {
		return nil, err
	}
	low, high := value.BroadcastIndex(c.In[1].Shape(), v.Shape()), value.BroadcastIndex(c.In[2].Shape(), v.Shape())
	switch {
	case v.F() != nil:
		return One(value.Floats(v.DType(), v.Shape(), clipped(c.In, n, low, high, Value.F)))
	case v.I() != nil && v.DType() != value.UInt64:
		return One(value.Ints(v.DType(), v.Shape(), clipped(c.In, n, low, high, Value.I)))
	}
	return nil, c.Unsupported("%s", tensor.DTypeName(v.DType()))
}

func clipped[T float64 | int64](in []Value, n int, low, high value.Index, list func(Value) []T) []T {
	out := slices.Clone(list(in[0]))
	for i := range n {
		if most := list(in[2])[high.At(i)]; out[i] > most {
			out[i] = most
		}
		if least := list(in[1])[low.At(i)]; out[i] < least {
			out[i] = least
		}
	}
	return out
}

// atLeast returns the larger of x and low. If x is NaN, it returns NaN, as Eigen's relu does.
func atLeast(x, low float64) float64 {
	if x < low {
		return low
	}
	return x
}

func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x // 0 and NaN
}

func selu(x float64) float64 {
	const scale, scaleAlpha = 1.0507009873554804934193349852946, 1.7580993408473768599402175208123
	if x < 0 {
		return scaleAlpha * math.Expm1(x)
	}
	return scale * x
}

func softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}
