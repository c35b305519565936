package pysem

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Identifier returns the Python name that src begins with, or "".
func Identifier(src string) string {
	end := 0
	for end < len(src) {
		r, size := utf8.DecodeRuneInString(src[end:])
		letter := r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start)
		if !letter && (end == 0 || !unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue)) {
			break
		}
		end += size
	}
	return src[:end]
}

// IsIdentifier returns str.isidentifier.
func IsIdentifier(text string) bool { return text != "" && Identifier(text) == text }

// NFKC returns the form in which Python keeps names.
func NFKC(name string) string { return norm.NFKC.String(name) }
