package tensor

import (
	"math"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
)

func halfToFloat(bits uint16) float64 {
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	value := math.Ldexp(fraction, -24)
	switch {
	case exponent == 0x1f && fraction != 0:
		return math.NaN()
	case exponent == 0x1f:
		value = math.Inf(1)
	case exponent > 0:
		value = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits&0x8000 != 0 {
		return -value
	}
	return value
}

// floatToHalf rounds to the nearest binary16, ties to even. A fraction that overflows carries into
// the exponent, which gives the correct next number.
func floatToHalf(value float64) uint16 {
	sign := uint16(math.Float64bits(value) >> 48 & 0x8000)
	magnitude := math.Abs(value)
	switch {
	case math.IsNaN(value):
		return 0x7e00
	case magnitude >= 65520: // half-way between 65504, the largest half, and what would come next: rounded to infinity
		return sign | 0x7c00
	case magnitude < 0x1p-14:
		return sign | uint16(math.RoundToEven(math.Ldexp(magnitude, 24)))
	}
	fraction, exponent := math.Frexp(magnitude)
	steps := uint16(math.RoundToEven(math.Ldexp(fraction, 11))) - 1024
	return sign | (uint16(exponent+14)<<10 + steps)
}

// floatToBfloat rounds to the nearest bfloat16, ties to even.
func floatToBfloat(value float32) uint16 {
	bits := math.Float32bits(value)
	if value != value {
		return 0x7fc0
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// Round16 rounds to the nearest number of a 16-bit float dtype, ties to even.
func Round16(dtype framework.DataType, value float64) float64 {
	if dtype == framework.DataType_DT_HALF {
		return halfToFloat(floatToHalf(value))
	}
	return float64(math.Float32frombits(uint32(floatToBfloat(float32(value))) << 16))
}
