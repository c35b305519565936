// Package java does what the Java of a real server does to text and to hash tables, as far as
// clients see it. It follows OpenJDK 17.
//
// Two things to use first:
//
//   - [Text] decodes the bytes of a string as a server does that has received it.
//   - [Table] follows the keys of a HashMap or HashSet, and lists them in its order.
//
// To change:
//
//   - what becomes of broken or uncommon UTF-8: text.go
//   - the order of a set: hashset.go, hashmap.go
//   - the order of a set that owns its members: table.go
//   - which texts are numbers: number.go
//   - addresses: address.go
//   - files of properties: properties.go
//
// Unstable: any commit may change it.
package java

import (
	"strings"
	"unicode/utf8"
)

// replacement replaces bytes that are not valid UTF-8.
const replacement = '\uFFFD'

// Text decodes bytes as Java's new String(b, UTF_8) does, and encodes the result as a server does
// when it sends the string. Invalid UTF-8 becomes U+FFFD. A character beyond the basic plane
// becomes two surrogates of three bytes each (BinaryInputArchive.java readString,
// BinaryOutputArchive.java stringToByteBuffer).
func Text(b []byte) string {
	if plain(b) {
		return string(b)
	}
	out := make([]byte, 0, len(b)+len(b)/2)
	for len(b) > 0 {
		r, n := first(b)
		if b = b[n:]; r > 0xFFFF {
			out = appendUnit(appendUnit(out, 0xD800+(r-0x10000)>>10), 0xDC00+(r-0x10000)&0x3FF)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

// Reread decodes a string returned by Text once more, after Java has encoded it.
func Reread(s string) string {
	if strings.IndexByte(s, 0xED) < 0 { // the UTF-8 form of every surrogate begins with this byte
		return s
	}
	return Text([]byte(s))
}

// plain reports whether Text returns the bytes unchanged.
func plain(b []byte) bool {
	ascii := true
	for _, c := range b {
		if c >= 0xF0 {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.Valid(b)
}

// appendUnit appends a surrogate encoded as three bytes.
func appendUnit(b []byte, unit rune) []byte {
	return append(b, 0xE0|byte(unit>>12), 0x80|byte(unit>>6)&0x3F, 0x80|byte(unit)&0x3F)
}

// first decodes the first character of b, which must not be empty, and returns its length. For
// invalid bytes it returns U+FFFD and the number of bytes that Java skips (String.java
// decodeUTF8_UTF16).
func first(b []byte) (r rune, n int) {
	switch lead := b[0]; {
	case lead < utf8.RuneSelf:
		return rune(lead), 1
	case lead >= 0xC2 && lead <= 0xDF:
		if len(b) > 1 && continues(b[1]) {
			return rune(lead&0x1F)<<6 | rune(b[1]&0x3F), 2
		}
	case lead >= 0xE0 && lead <= 0xEF:
		return three(b)
	case lead >= 0xF0 && lead <= 0xF4:
		return four(b)
	}
	return replacement, 1
}

func continues(c byte) bool { return c&0xC0 == 0x80 }

// three decodes a sequence of three bytes. All three bytes of an encoded surrogate are skipped.
func three(b []byte) (r rune, n int) {
	switch {
	case len(b) > 1 && (!continues(b[1]) || b[0] == 0xE0 && b[1] < 0xA0):
		return replacement, 1
	case len(b) < 3:
		return replacement, len(b)
	case !continues(b[2]):
		return replacement, 2
	}
	r = rune(b[0]&0xF)<<12 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F)
	if r >= 0xD800 && r <= 0xDFFF {
		r = replacement
	}
	return r, 3
}

// four decodes a sequence of four bytes.
func four(b []byte) (r rune, n int) {
	switch {
	case len(b) > 1 && (!continues(b[1]) || b[0] == 0xF0 && b[1] < 0x90 || b[0] == 0xF4 && b[1] > 0x8F):
		return replacement, 1
	case len(b) > 2 && !continues(b[2]):
		return replacement, 2
	case len(b) < 4:
		return replacement, len(b)
	case !continues(b[3]):
		return replacement, 3
	}
	return rune(b[0]&7)<<18 | rune(b[1]&0x3F)<<12 | rune(b[2]&0x3F)<<6 | rune(b[3]&0x3F), 4
}

// UTF8 encodes a string returned by Text as Java's getBytes(UTF_8) does: two surrogates become one
// character of four bytes. This form is used for digests and on terminals.
func UTF8(s string) string {
	var out []byte // nil until the first difference
	done := 0
	for i := 0; i+6 <= len(s); i++ {
		if high, low, ok := pair(s[i:]); ok {
			out = utf8.AppendRune(append(out, s[done:i]...), (high-0xD800)<<10+(low-0xDC00)+0x10000)
			i += 5
			done = i + 1
		}
	}
	if out == nil {
		return s
	}
	return string(append(out, s[done:]...))
}

// pair decodes a surrogate pair at the start of s. Each surrogate takes three bytes.
func pair(s string) (high, low rune, ok bool) {
	high, ok = surrogate(s)
	if !ok || high >= 0xDC00 {
		return 0, 0, false
	}
	low, ok = surrogate(s[3:])
	return high, low, ok && low >= 0xDC00
}

// surrogate decodes a surrogate of three bytes at the start of s.
func surrogate(s string) (unit rune, ok bool) {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || !continues(s[1]) || !continues(s[2]) {
		return 0, false
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), true
}

// Length returns the length of a text in UTF-16 units, as Java's String.length does.
func Length(s string) (n int) {
	for i := range len(s) {
		if !continues(s[i]) {
			n++
		}
	}
	return n
}
