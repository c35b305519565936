package rest

import (
	"math"
	"strconv"
	"strings"
)

// decimal is WriteDecimal (util/json_tensor.cc:109): six digits if they read back
// as the same number, else as many as tell all numbers apart, and ".0" behind
// whole numbers. bits is 32 or 64.
func decimal(value float64, bits int) string {
	switch {
	case math.IsNaN(value):
		return "NaN"
	case math.IsInf(value, 1):
		return "Infinity"
	case math.IsInf(value, -1):
		return "-Infinity"
	}
	text := strconv.FormatFloat(value, 'g', 6, 64)
	if again, _ := strconv.ParseFloat(text, bits); again != value {
		text = strconv.FormatFloat(value, 'g', maxDigits(bits), 64)
	}
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// maxDigits is std::numeric_limits::max_digits10.
func maxDigits(bits int) int {
	if bits == 32 {
		return 9
	}
	return 17
}
