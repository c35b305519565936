package linear

import (
	"math"
	"math/cmplx"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// number is a type of the elements of matrices, realNumber one of their sizes.
type (
	number interface {
		float32 | float64 | complex64 | complex128
	}
	realNumber interface{ float32 | float64 }
)

// wide returns a number with more digits, from which narrow gets it back.
func wide[T number](x T) complex128 {
	switch x := any(x).(type) {
	case float32:
		return complex(float64(x), 0)
	case float64:
		return complex(x, 0)
	case complex64:
		return complex128(x)
	case complex128:
		return x
	}
	return 0
}

func narrow[T number](x complex128) (out T) {
	switch out := any(&out).(type) {
	case *float32:
		*out = float32(real(x))
	case *float64:
		*out = real(x)
	case *complex64:
		*out = complex64(x)
	case *complex128:
		*out = x
	}
	return out
}

func of[T number](x float64) T            { return narrow[T](complex(x, 0)) }
func re[T number](x T) float64            { return real(wide(x)) }
func conj[T number](x T) T                { return narrow[T](cmplx.Conj(wide(x))) }
func rounded[T number](x float64) float64 { return re(of[T](x)) }
func size[T number](x T) float64          { return rounded[T](cmplx.Abs(wide(x))) }
func root[R realNumber](x R) R            { return R(math.Sqrt(float64(x))) }

// squared returns the square of a number's size.
func squared[T number, R realNumber](x T) R {
	w := wide(x)
	a, b := R(real(w)), R(imag(w))
	return a*a + b*b
}

// least returns the smallest number of a type that has all its digits, and precision what 1 divided by
// the distance to the next number is.
func least[R realNumber]() R {
	if isShort[R]() {
		return 0x1p-126
	}
	x := 0x1p-1022 // of which a float32 would be 0
	return R(x)
}

func precision[R realNumber]() R {
	if isShort[R]() {
		return 0x1p23
	}
	return 0x1p52
}

// elements returns the elements of a tensor.
func elements[T number](v ops.Value) []T {
	out := make([]T, v.Len())
	for i, x := range v.F() {
		out[i] = of[T](x)
	}
	for i, x := range v.C() {
		out[i] = narrow[T](x)
	}
	return out
}

// tensorOf makes a tensor of elements.
func tensorOf[T number](dtype ops.DType, shape []int, list []T) ops.Value {
	if isReal[T]() {
		return value.Floats(dtype, shape, lists.Map(list, re[T]))
	}
	return value.Complexes(dtype, shape, lists.Map(list, wide[T]))
}

// isShort reports whether numbers have the digits of float32.
func isShort[T number]() bool { return of[T](1+0x1p-30) == of[T](1) }

func isReal[T number]() bool { return narrow[T](1i) == narrow[T](0) }
