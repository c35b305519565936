package pysem

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Identifier returns the longest Python name at the beginning of src, or "" if there is none.
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

// IsIdentifier reports whether text is a valid Python name, as str.isidentifier does.
func IsIdentifier(text string) bool { return text != "" && Identifier(text) == text }

// NFKC returns a name in the Unicode normal form NFKC, which Python uses for names.
func NFKC(name string) string { return norm.NFKC.String(name) }
