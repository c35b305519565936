package serve

import (
	"math"
	"strconv"
	"strings"
)

// This file parses numbers as the C library does, which libevent uses.

// cString returns a text up to its first zero byte, as C reads it.
func cString(text string) string {
	before, _, _ := strings.Cut(text, "\x00")
	return before
}

// scanLong parses an integer as C's strtoll does with base 10 or 16. It skips leading blanks, then
// reads a sign and digits (after 0x with base 16). rest is the text after the digits. If there are
// no digits, rest is the whole text.
func scanLong(text string, base int) (n int64, rest string) {
	digits := strings.TrimLeft(text, " \t\n\v\f\r")
	negative := strings.HasPrefix(digits, "-")
	if negative || strings.HasPrefix(digits, "+") {
		digits = digits[1:]
	}
	if base == 16 && len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x' && isDigitOf(rune(digits[2]), base) {
		digits = digits[2:]
	}
	rest = strings.TrimLeftFunc(digits, func(r rune) bool { return isDigitOf(r, base) })
	digits = digits[:len(digits)-len(rest)]
	if digits == "" {
		return 0, text
	}
	if negative {
		digits = "-" + digits
	}
	// the error is not looked at: if n is out of range, ParseInt returns the nearest number, as C
	// does
	n, _ = strconv.ParseInt(digits, base, 64)
	return n, rest
}

func isDigitOf(r rune, base int) bool {
	return r >= '0' && r <= '9' || base == 16 && (r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F')
}

// scanInt parses an integer as scanf's %d does.
func scanInt(text string) (n int, rest string, ok bool) {
	long, rest := scanLong(text, 10)
	return int(int32(long & math.MaxUint32)), rest, len(rest) < len(text)
}
