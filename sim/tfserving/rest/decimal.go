package rest

import (
	"math"
	"strconv"
	"strings"
)

// decimal is upstream's WriteDecimal (util/json_tensor.cc:109). It writes six digits if they
// read back as the same number, else as many as tell all numbers apart. Whole numbers end in
// ".0". bits is 32 or 64.
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

// digitsOf formats a number with digits digits if they read back as the same number, else with
// as many as tell all numbers of its type apart.
func digitsOf(value float64, digits, bits int) string {
	text := strconv.FormatFloat(value, 'g', digits, 64)
	if again, _ := strconv.ParseFloat(text, bits); again != value {
		text = strconv.FormatFloat(value, 'g', maxDigits(bits), 64)
	}
	return text
}

// maxDigits is C++'s std::numeric_limits::max_digits10.
func maxDigits(bits int) int {
	if bits == 32 {
		return 9
	}
	return 17
}
