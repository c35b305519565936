package expr

import (
	"unicode"

	"github.com/monosim/monosim/engine/pysem"
)

// stringTestMethods ask what a string is made of.
var stringTestMethods = []*builtin{
	text0("isalnum", func(s string) Value { return every1(s, isAlnum) }),
	text0("isalpha", func(s string) Value { return every1(s, unicode.IsLetter) }),
	text0("isascii", func(s string) Value { return isASCII(s) }),
	text0("isdecimal", func(s string) Value { return every1(s, func(r rune) bool { return unicode.Is(unicode.Nd, r) }) }),
	text0("isdigit", func(s string) Value { return every1(s, pysem.IsDigit) }),
	text0("isidentifier", func(s string) Value { return pysem.IsIdentifier(s) }),
	text0("isnumeric", func(s string) Value { return pysem.IsNumeric(s) }),
	text0("isprintable", func(s string) Value { return s == "" || every1(s, unicode.IsPrint) }),
	text0("isspace", func(s string) Value { return every1(s, pysem.IsSpace) }),
	text0("islower", func(s string) Value { return hasCase(s, isLower) }),
	text0("isupper", func(s string) Value { return hasCase(s, isUpper) }),
	text0("istitle", func(s string) Value { return isTitle(s) }),
}

// every1 reports whether s is not empty and every character passes.
func every1(s string, test func(r rune) bool) bool {
	for _, r := range runesOf(s) {
		if !test(r) {
			return false
		}
	}
	return s != ""
}

func isAlnum(r rune) bool { return unicode.IsLetter(r) || pysem.IsNumeric(string(r)) }

func isLower(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }

func isUpper(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }

// hasCase reports whether there are letters with a case, all of this one.
func hasCase(s string, test func(r rune) bool) bool {
	found := false
	for _, r := range runesOf(s) {
		if isCased(r) {
			if !test(r) {
				return false
			}
			found = true
		}
	}
	return found
}

func isTitle(s string) bool {
	found, afterCased := false, false
	for _, r := range runesOf(s) {
		switch {
		case isUpper(r) || unicode.IsTitle(r):
			if afterCased {
				return false
			}
			found, afterCased = true, true
		case isLower(r):
			if !afterCased {
				return false
			}
			found = true
		default:
			afterCased = false
		}
	}
	return found
}
