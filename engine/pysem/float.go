package pysem

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// FloatRepr returns Python's repr of a float: the fewest digits that read back as the same number.
// Numbers below 1e-4 and from 1e16 on have an exponent.
func FloatRepr(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case f == 0:
		if math.Signbit(f) {
			return "-0.0"
		}
		return "0.0"
	}
	if magnitude := math.Abs(f); magnitude < 1e-4 || magnitude >= 1e16 {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// NaN is Python's float("nan"). Its bits differ from those of math.NaN.
var NaN = math.Float64frombits(0x7ff8_0000_0000_0000)

// ParseFloat returns Python's float(text), or a ValueError if text is not a number.
func ParseFloat(text string) (float64, error) {
	trimmed := StripNumber(text)
	body, ok := dropUnderscores(FoldDigits(trimmed))
	if ok && isFloatText(body) {
		// strconv does not accept a sign before nan. For a number out of range it returns an error,
		// but also the right infinity or zero.
		if strings.EqualFold(strings.TrimLeft(body, "+-"), "nan") {
			return math.Copysign(NaN, 1-2*float64(strings.Count(body, "-"))), nil
		}
		if f, err := strconv.ParseFloat(body, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return f, nil
		}
	}
	return 0, Raise("ValueError", "could not convert string to float: %s", Repr(text))
}

// isFloatText rejects texts that strconv accepts but Python does not, such as hexadecimal floats.
func isFloatText(text string) bool {
	word := strings.TrimLeft(strings.ToLower(text), "+-")
	if word == "inf" || word == "infinity" || word == "nan" {
		return len(text)-len(word) <= 1
	}
	return text != "" && strings.Trim(strings.ToLower(text), "0123456789+-.e") == ""
}

// FoldDigits replaces the decimal digits of every script by ASCII digits.
func FoldDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if d, ok := DigitValue(r); ok {
			return rune('0' + d)
		}
		return r
	}, text)
}

// dropUnderscores removes underscores between digits. It returns false if an underscore is anywhere
// else.
func dropUnderscores(text string) (string, bool) {
	if !strings.Contains(text, "_") {
		return text, true
	}
	isDigit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	for i := range len(text) {
		if text[i] == '_' && (!isDigit(i-1) || !isDigit(i+1)) {
			return "", false
		}
	}
	return strings.ReplaceAll(text, "_", ""), true
}
