package java

import (
	"strconv"
	"strings"
	"unicode"
)

// ParseInt parses a decimal number of the given size in bits as Integer.parseInt and Long.parseLong
// do. They accept all decimal digits of the basic plane, such as fullwidth and Arabic ones
// (Character.digit).
func ParseInt(text string, bits int) (int64, error) {
	return strconv.ParseInt(strings.Map(asciiDigit, text), 10, bits)
}

// asciiDigit turns a decimal digit of any script into the ASCII digit of the same value. It returns
// every other character unchanged. The ranges of unicode.Nd hold whole sets of ten digits in order.
func asciiDigit(r rune) rune {
	if r < 0x80 || r > 0xFFFF {
		return r
	}
	for _, set := range unicode.Nd.R16 {
		if r >= rune(set.Lo) && r <= rune(set.Hi) {
			return '0' + (r-rune(set.Lo))%10
		}
	}
	return r
}
