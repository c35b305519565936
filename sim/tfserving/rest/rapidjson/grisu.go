package rapidjson

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// appendReal appends a finite double with the digits of Grisu2 (F. Loitsch, Printing
// Floating-Point Numbers Quickly and Accurately with Integers, 2010). The digits parse to the same
// double. Sometimes they are not the shortest such digits.
func appendReal(out []byte, value float64) []byte {
	if math.Signbit(value) {
		out = append(out, '-')
		value = -value
	}
	if value == 0 {
		return append(out, "0.0"...)
	}
	digits, power := grisu2(value)
	return layOut(out, digits, power)
}

// layOut writes digits * 10^power. It uses an exponent if the number would have more than 21 digits
// before the decimal point, or more than 6 zeros after it.
func layOut(out, digits []byte, power int) []byte {
	switch point := len(digits) + power; {
	case power >= 0 && point <= 21:
		out = append(out, digits...)
		out = appendZeros(out, power)
		return append(out, ".0"...)
	case point > 0 && point <= 21:
		out = append(out, digits[:point]...)
		out = append(out, '.')
		return append(out, digits[point:]...)
	case point > -6 && point <= 0:
		out = append(out, "0."...)
		out = appendZeros(out, -point)
		return append(out, digits...)
	default:
		out = append(out, digits[0])
		if len(digits) > 1 {
			out = append(out, '.')
			out = append(out, digits[1:]...)
		}
		out = append(out, 'e')
		return strconv.AppendInt(out, int64(point-1), 10)
	}
}

func appendZeros(out []byte, count int) []byte {
	for range count {
		out = append(out, '0')
	}
	return out
}

// float is the number fraction * 2^exponent.
type float struct {
	fraction uint64
	exponent int
}

// times returns the product, rounded to the upper 64 of its 128 bits.
func (f float) times(g float) float {
	high, low := bits.Mul64(f.fraction, g.fraction)
	return float{high + low>>63, f.exponent + g.exponent + 64}
}

// normalize shifts the fraction until its highest bit is set.
func (f float) normalize() float {
	shift := bits.LeadingZeros64(f.fraction)
	return float{f.fraction << shift, f.exponent - shift}
}

// split converts a double to a float. It also returns the points half-way to the neighbouring
// doubles, lower and upper, both with the exponent of upper.
func split(value float64) (f, lower, upper float) {
	const hidden = 1 << 52
	raw := math.Float64bits(value)
	f = float{raw & (hidden - 1), -1074}
	if biased := int(raw >> 52 & 0x7ff); biased != 0 {
		f = float{f.fraction + hidden, biased - 1075}
	}
	upper = float{f.fraction<<1 + 1, f.exponent - 1}.normalize()
	lower = float{f.fraction<<1 - 1, f.exponent - 1}
	if f.fraction == hidden {
		lower = float{f.fraction<<2 - 1, f.exponent - 2}
	}
	lower = float{lower.fraction << (lower.exponent - upper.exponent), upper.exponent}
	return f, lower, upper
}

// grisu2 returns the decimal digits of a double, and the power of ten of the last digit.
func grisu2(value float64) (digits []byte, power int) {
	f, lower, upper := split(value)
	ten, power := cachedPower(upper.exponent)
	f, lower, upper = f.normalize().times(ten), lower.times(ten), upper.times(ten)
	upper.fraction--
	lower.fraction++
	digits, kappa := generate(f, upper, upper.fraction-lower.fraction)
	return digits, power + kappa
}

// generate produces digits of the upper bound until the remainder is at most delta.
func generate(f, upper float, delta uint64) ([]byte, int) {
	shift := -upper.exponent
	one := uint64(1) << shift
	distance := upper.fraction - f.fraction
	whole, rest := upper.fraction>>shift, upper.fraction&(one-1)
	digits := strconv.AppendUint(make([]byte, 0, 20), whole, 10)
	for kappa := len(digits) - 1; kappa >= 0; kappa-- {
		unit := integerPower(kappa)
		if left := whole%unit<<shift + rest; left <= delta {
			digits = digits[:len(digits)-kappa]
			approach(digits, delta, left, unit<<shift, distance)
			return digits, kappa
		}
	}
	return fractionDigits(digits, rest, shift, delta, distance)
}

func integerPower(exponent int) uint64 {
	power := uint64(1)
	for range exponent {
		power *= 10
	}
	return power
}

func fractionDigits(digits []byte, rest uint64, shift int, delta, distance uint64) ([]byte, int) {
	one, unit := uint64(1)<<shift, uint64(1)
	for kappa := -1; ; kappa-- {
		rest, delta, unit = rest*10, delta*10, unit*10
		digits = append(digits, '0'+byte(rest>>shift))
		if rest &= one - 1; rest < delta {
			if kappa <= -9 { // no further digits: RapidJSON's table of powers ends here
				unit = 0
			}
			approach(digits, delta, rest, one, distance*unit)
			return digits, kappa
		}
	}
}

// approach decrements the last digit while that brings the decimal number closer to the value.
func approach(digits []byte, delta, rest, unit, distance uint64) {
	for rest < distance && delta-rest >= unit &&
		(rest+unit < distance || distance-rest > rest+unit-distance) {
		digits[len(digits)-1]--
		rest += unit
	}
}

// cachedPower returns a power of ten. The product of that power and a float with the given exponent
// has an exponent between -60 and -32. It also returns the negated decimal exponent of the power.
func cachedPower(exponent int) (float, int) {
	estimate := float64(float64(-61-exponent)*0.30102999566398114) + 347
	index := int(math.Ceil(estimate))>>3 + 1
	return cachedPowers[index], 348 - index<<3
}

// cachedPowers holds 10^-348, 10^-340 ... 10^340, rounded to 64 bits.
var cachedPowers = func() (table [87]float) {
	ten := big.NewInt(10)
	for i := range table {
		exponent := int64(-348 + 8*i)
		power := new(big.Int).Exp(ten, big.NewInt(max(exponent, -exponent)), nil)
		rounded := new(big.Float).SetPrec(64).SetInt(power)
		if exponent < 0 {
			exact := new(big.Float).SetInt(power)
			rounded = new(big.Float).SetPrec(64).Quo(big.NewFloat(1), exact)
		}
		table[i] = toFloat(rounded)
	}
	return table
}()

// toFloat converts a big.Float of 64 bits to a float whose highest bit is set.
func toFloat(f *big.Float) float {
	const precision = 64
	exponent := f.MantExp(f)
	fraction, _ := f.SetMantExp(f, precision).Uint64()
	return float{fraction, exponent - precision}
}
