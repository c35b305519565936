package rest

import (
	"math"
	"strconv"
	"strings"
)

// decimal formats a number as upstream's WriteDecimal does (util/json_tensor.cc:109). It writes six
// digits if these parse to the same number, else max_digits10 digits. Whole numbers end in ".0".
// bits is 32 or 64.
func decimal(value float64, bits int) string {
	switch {
	case math.IsNaN(value):
		return "NaN"
	case math.IsInf(value, 1):
		return "Infinity"
	case math.IsInf(value, -1):
		return "-Infinity"
	}
	text := digitsOf(value, 6, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// digitsOf formats a number with the given number of digits, if these parse to the same number.
// Otherwise it writes max_digits10 digits.
func digitsOf(value float64, digits, bits int) string {
	text := strconv.FormatFloat(value, 'g', digits, 64)
	if again, _ := strconv.ParseFloat(text, bits); again != value {
		text = strconv.FormatFloat(value, 'g', maxDigits(bits), 64)
	}
	return text
}

// maxDigits returns C++'s std::numeric_limits::max_digits10. With that many digits every number
// parses to itself.
func maxDigits(bits int) int {
	if bits == 32 {
		return 9
	}
	return 17
}
