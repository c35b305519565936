package expr

import (
	"math"
	"math/big"

	"github.com/monosim/monosim/engine/pysem"
)

// floats returns a op b where one of the numbers counts as a float.
func floats(op string, left, right Value) (Value, error) {
	a, err := pysem.ToFloat(left)
	if err != nil {
		return nil, err
	}
	b, err := pysem.ToFloat(right)
	if err != nil {
		return nil, err
	}
	switch op {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "/":
		if b == 0 {
			return nil, raise("ZeroDivisionError", "float division by zero")
		}
		return a / b, nil
	case "//":
		if b == 0 {
			return nil, raise("ZeroDivisionError", "float floor division by zero")
		}
		quotient, _ := floatDivmod(a, b)
		return quotient, nil
	case "%":
		if b == 0 {
			return nil, raise("ZeroDivisionError", "float modulo")
		}
		_, modulo := floatDivmod(a, b)
		return modulo, nil
	case "**":
		return floatPower(a, b)
	}
	return nil, operandError(op, left, right)
}

// floatDivmod follows CPython: the remainder has the sign of b, and the quotient
// is the whole number nearest to the exact one.
func floatDivmod(a, b float64) (quotient, modulo float64) {
	modulo = math.Mod(a, b)
	quotient = (a - modulo) / b
	switch {
	case modulo == 0:
		modulo = math.Copysign(0, b)
	case (b < 0) != (modulo < 0):
		modulo += b
		quotient--
	}
	if quotient == 0 {
		return math.Copysign(0, a/b), modulo
	}
	whole := math.Floor(quotient)
	if quotient-whole > 0.5 {
		whole++
	}
	return whole, modulo
}

func floatPower(a, b float64) (Value, error) {
	finite := !math.IsInf(a, 0) && !math.IsInf(b, 0) && !math.IsNaN(a) && !math.IsNaN(b)
	switch {
	case a == 0 && b < 0 && finite:
		return nil, raise("ZeroDivisionError", "0.0 cannot be raised to a negative power")
	case a < 0 && finite && b != math.Floor(b):
		return nil, refuse(outside, "a complex number")
	case !finite || a == 0 || b == 0:
		return math.Pow(a, b), nil
	}
	f := exactPower(a, b)
	if math.IsInf(f, 0) {
		return nil, raise("OverflowError", "(34, 'Numerical result out of range')")
	}
	return f, nil
}

// powerBits is the precision in which a power is computed before it is rounded once, as
// the C library all but always does. Go's own errs in the last digit more often.
const powerBits = 200

// exactPower returns a**b rounded to the nearest float, for finite numbers other than 0; a is
// negative only with a whole b.
func exactPower(a, b float64) float64 {
	rough := math.Pow(a, b)
	if rough == 0 && b*math.Log2(math.Abs(a)) < -1100 || math.IsInf(rough, 0) && b*math.Log2(math.Abs(a)) > 1025 {
		return rough
	}
	exponent := new(big.Float).SetPrec(powerBits).SetFloat64(b)
	power := bigExp2(new(big.Float).SetPrec(powerBits).Mul(exponent, bigLog2(math.Abs(a))))
	f, _ := power.Float64()
	if a < 0 && math.Mod(b, 2) != 0 {
		return -f
	}
	return f
}

// ln2 is the natural logarithm of 2.
var ln2 = atanhSeries(new(big.Float).Quo(number(1), number(3)))

func number(f float64) *big.Float { return new(big.Float).SetPrec(powerBits).SetFloat64(f) }

// atanhSeries returns 2*atanh(x) for small x: the logarithm of (1+x)/(1-x).
func atanhSeries(x *big.Float) *big.Float {
	square := number(0).Mul(x, x)
	sum, term := number(0), number(0).Set(x)
	for k := 1; term.Sign() != 0 && term.MantExp(nil) > -powerBits-8; k += 2 {
		sum.Add(sum, number(0).Quo(term, number(float64(k))))
		term.Mul(term, square)
	}
	return sum.Mul(sum, number(2))
}

// bigLog2 returns the binary logarithm of a positive float.
func bigLog2(f float64) *big.Float {
	fraction, exponent := math.Frexp(f)
	if fraction < math.Sqrt2/2 {
		fraction, exponent = fraction*2, exponent-1
	}
	m := number(fraction)
	x := number(0).Quo(number(0).Sub(m, number(1)), number(0).Add(m, number(1)))
	log := number(0).Quo(atanhSeries(x), ln2)
	return log.Add(log, number(float64(exponent)))
}

// bigExp2 returns 2**x.
func bigExp2(x *big.Float) *big.Float {
	whole, _ := x.Float64()
	whole = math.Round(whole)
	rest := number(0).Sub(x, number(whole))
	rest.Mul(rest, ln2)
	sum, term := number(1), number(1)
	for k := 1; term.Sign() != 0 && term.MantExp(nil) > -powerBits-8; k++ {
		term.Mul(term, rest)
		term.Quo(term, number(float64(k)))
		sum.Add(sum, term)
	}
	return number(0).SetMantExp(sum, int(whole))
}
