package pysem

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// MaxDigits is how many decimal digits CPython converts between int and str at most.
const MaxDigits = 4300

// shortDigits is a number of decimal digits that always fit into an int64.
const shortDigits = 18

// ParseInt returns Python's int(text). It allows white space around the number, a sign, single
// underscores between digits, and the decimal digits of every script. If text is not a number, it
// returns a ValueError.
func ParseInt(text string) (*big.Int, error) {
	if len(text) <= shortDigits {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return big.NewInt(n), nil
		}
	}
	digits, ok := asciiDigits(StripNumber(text))
	if n := len(strings.TrimPrefix(digits, "-")); ok && n > MaxDigits {
		return nil, Raise("ValueError", "Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit", MaxDigits, n)
	}
	if ok {
		if n, ok := new(big.Int).SetString(digits, 10); ok {
			return n, nil
		}
	}
	return nil, Raise("ValueError", "invalid literal for int() with base 10: %s", Repr(text))
}

// StripNumber removes the white space around a number. Unlike str.strip it keeps the separators
// U+001C to U+001F, because int and float use C's definition of white space for ASCII.
func StripNumber(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return IsSpace(r) && (r < 0x1c || r > 0x1f) })
}

// ParseSmallInt works as [ParseInt], but returns a Go int. If the value does not fit, n is the
// nearest int, and exact is the value itself.
func ParseSmallInt(text string) (n int, exact any, err error) {
	if v, err := strconv.Atoi(text); err == nil {
		return v, v, nil
	}
	v, err := ParseInt(text)
	if err != nil {
		return 0, nil, err
	}
	exact = Int(v)
	return Saturate(exact), exact, nil
}

// asciiDigits removes underscores and replaces the digits of other scripts by ASCII digits. It
// returns false if text is not a decimal integer.
func asciiDigits(text string) (string, bool) {
	var b strings.Builder
	afterDigit := false
	for i, r := range text {
		switch {
		case (r == '+' || r == '-') && i == 0:
			if r == '-' {
				b.WriteByte('-')
			}
			continue
		case r == '_' && afterDigit:
			afterDigit = false
			continue
		}
		d, ok := DigitValue(r)
		if !ok {
			return "", false
		}
		b.WriteByte(byte('0' + d))
		afterDigit = true
	}
	return b.String(), afterDigit
}

// DigitValue returns the value of a decimal digit of any script. In Unicode the ten digits of a
// script follow one another, beginning with zero.
func DigitValue(r rune) (int, bool) {
	if r >= '0' && r <= '9' {
		return int(r - '0'), true
	}
	if r < unicode.MaxASCII || !unicode.Is(unicode.Nd, r) {
		return 0, false
	}
	for _, block := range unicode.Nd.R16 {
		if rune(block.Lo) <= r && r <= rune(block.Hi) {
			return int(r-rune(block.Lo)) % 10, true
		}
	}
	for _, block := range unicode.Nd.R32 {
		if rune(block.Lo) <= r && r <= rune(block.Hi) {
			return int(r-rune(block.Lo)) % 10, true
		}
	}
	return 0, false
}

// Int returns n as a Python value: an int if it fits, and otherwise n itself.
func Int(n *big.Int) any {
	if n.IsInt64() {
		return int(n.Int64())
	}
	return n
}

// Big returns v as a big integer. It returns false if v is neither an int nor a bool.
func Big(v any) (*big.Int, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case int:
		return big.NewInt(int64(v)), true
	case *big.Int:
		return v, true
	}
	return nil, false
}

// Plus returns a + b. If that overflows, it returns the nearest int.
func Plus(a, b int) int {
	sum := a + b
	switch {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt
	}
	return sum
}

// Saturate returns the int nearest to v, an int value of any size.
func Saturate(v any) int {
	switch v := v.(type) {
	case int:
		return v
	case *big.Int:
		if v.IsInt64() {
			return int(v.Int64())
		}
		if v.Sign() < 0 {
			return math.MinInt
		}
		return math.MaxInt
	}
	return 0
}

// ToInt returns Python's int(v) for every value that eval can return. Floats are truncated towards
// zero, and strings are parsed. Errors are those of Python's int.
func ToInt(v any) (any, error) {
	switch v := v.(type) {
	case bool, int, *big.Int:
		n, _ := Big(v)
		return Int(n), nil
	case float64:
		if math.IsNaN(v) {
			return nil, Raise("ValueError", "cannot convert float NaN to integer")
		}
		if math.IsInf(v, 0) {
			return nil, Raise("OverflowError", "cannot convert float infinity to integer")
		}
		n, _ := big.NewFloat(v).Int(nil)
		return Int(n), nil
	case string:
		n, err := ParseInt(v)
		if err != nil {
			return nil, err
		}
		return Int(n), nil
	}
	return nil, Raise("TypeError",
		"int() argument must be a string, a bytes-like object or a real number, not '%s'", TypeName(v))
}

// ToFloat returns Python's float(v) for every value that eval can return. Errors are those of
// Python's float.
func ToFloat(v any) (float64, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case bool, int, *big.Int:
		n, _ := Big(v)
		f, _ := new(big.Float).SetInt(n).Float64()
		if math.IsInf(f, 0) {
			return 0, Raise("OverflowError", "int too large to convert to float")
		}
		return f, nil
	case string:
		return ParseFloat(v)
	}
	return 0, Raise("TypeError", "float() argument must be a string or a real number, not '%s'", TypeName(v))
}

func isNumber(v any) bool {
	switch v.(type) {
	case bool, int, *big.Int, float64:
		return true
	}
	return false
}

// CompareNumbers compares two numbers, consistently with [Equal]. c is negative, 0 or positive. ok
// is false if a or b is not a number; ordered is false if one of them is NaN.
func CompareNumbers(a, b any) (c int, ordered, ok bool) {
	if !isNumber(a) || !isNumber(b) {
		return 0, false, false
	}
	c, ordered = compareNumbers(a, b)
	return c, ordered, true
}

// Compare returns Python's a < b for numbers, where op is "<", or any other of its four orders. It
// returns a TypeError for what is no number, as None.
func Compare(a any, op string, b any) (bool, error) {
	c, ordered, ok := CompareNumbers(a, b)
	if !ok {
		return false, Raise("TypeError", "'%s' not supported between instances of '%s' and '%s'", op, TypeName(a), TypeName(b))
	}
	switch op {
	case "<":
		return ordered && c < 0, nil
	case "<=":
		return ordered && c <= 0, nil
	case ">":
		return ordered && c > 0, nil
	}
	return ordered && c >= 0, nil
}

// SleepError returns what Python's time.sleep raises of such seconds: of what is no number, of NaN,
// of more nanoseconds than an int64 holds and of less than 0. For others it is nil.
func SleepError(seconds any) error {
	if !isNumber(seconds) {
		return Raise("TypeError", "an integer is required (got type %s)", TypeName(seconds))
	}
	f, err := ToFloat(seconds)
	switch {
	case math.IsNaN(f):
		return Raise("ValueError", "Invalid value NaN (not a number)")
	case err != nil || math.Abs(f) >= math.MaxInt64/1e9:
		return Raise("OverflowError", "timestamp too large to convert to C _PyTime_t")
	case f < 0:
		return Raise("ValueError", "sleep length must be non-negative")
	}
	return nil
}

// compareNumbers compares two numbers without rounding, even a float with an int of any size.
// ordered is false if one of them is NaN.
func compareNumbers(a, b any) (c int, ordered bool) {
	x, xInt := a.(int)
	y, yInt := b.(int)
	if xInt && yInt {
		return cmp.Compare(x, y), true
	}
	fa, aFloat := a.(float64)
	fb, bFloat := b.(float64)
	if aFloat && math.IsNaN(fa) || bFloat && math.IsNaN(fb) {
		return 0, false
	}
	if aFloat && bFloat {
		return cmp.Compare(fa, fb), true
	}
	if p, ok := a.(bool); ok {
		if q, ok := b.(bool); ok && p == q {
			return 0, true
		}
	}
	return exactFloat(a).Cmp(exactFloat(b)), true
}

// exactFloat converts a number to a big.Float without rounding it.
func exactFloat(v any) *big.Float {
	if f, ok := v.(float64); ok {
		return new(big.Float).SetFloat64(f)
	}
	n, _ := Big(v)
	return new(big.Float).SetInt(n)
}
