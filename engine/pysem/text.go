package pysem

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsSpace reports whether a character is white space for str.isspace. That is Unicode white space,
// and the four information separators, which Go does not count.
func IsSpace(r rune) bool {
	return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f
}

// Strip removes the white space at both ends, as str.strip() does.
func Strip(text string) string { return strings.TrimFunc(text, IsSpace) }

// RStrip removes the white space at the end, as str.rstrip() does.
func RStrip(text string) string { return strings.TrimRightFunc(text, IsSpace) }

// Fields splits text at white space, as str.split() does.
func Fields(text string) []string { return strings.FieldsFunc(text, IsSpace) }

// Lower converts text to lower case, as str.lower does. Python differs from Go in two letters: the
// dotted capital I, and sigma at the end of a word.
func Lower(text string) string {
	if utf8.ValidString(text) && !strings.ContainsAny(text, "\u0130\u03a3") {
		return strings.ToLower(text)
	}
	var b strings.Builder
	runes := Runes(text)
	for i := range runes {
		b.WriteString(LowerRune(runes, i))
	}
	return b.String()
}

// LowerRune converts one character of a text to lower case. The others are its context, which
// decides whether a sigma is final.
func LowerRune(text []rune, i int) string {
	switch {
	case text[i] == '\u0130':
		return "i\u0307"
	case text[i] == '\u03a3' && endsWord(text, i):
		return "\u03c2"
	}
	return string(AppendRune(nil, unicode.ToLower(text[i])))
}

// endsWord reports whether, within the word around index i, a cased letter comes before i and none
// comes after i.
func endsWord(runes []rune, i int) bool {
	cased := func(r rune) bool {
		return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) || unicode.In(r, unicode.Other_Uppercase, unicode.Other_Lowercase)
	}
	ignorable := func(r rune) bool {
		return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || r == '\'' || r == '.' || r == ':'
	}
	before := i - 1
	for before >= 0 && ignorable(runes[before]) {
		before--
	}
	after := i + 1
	for after < len(runes) && ignorable(runes[after]) {
		after++
	}
	return before >= 0 && cased(runes[before]) && (after == len(runes) || !cased(runes[after]))
}

// ideographicNumbers lists characters of other Unicode categories that str.isnumeric also accepts
// (Unicode 14, as in Python 3.11).
const ideographicNumbers = "㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零𠀁𠁤" +
	"𠃢𠄡𠤪𠦃𠦌𠦜𠫪𠫽𠬙𢎐𢦘𣬛𦉭\uf96b\uf973\uf978\uf9b2\uf9d1\uf9d3\uf9fd\U0002f890"

// IsNumeric reports whether text is not empty and each character represents a number in some
// script, as str.isnumeric does.
func IsNumeric(text string) bool {
	for _, r := range text {
		if !unicode.IsNumber(r) && !strings.ContainsRune(ideographicNumbers, r) {
			return false
		}
	}
	return text != ""
}

// IsDigit reports whether str.isdigit accepts a character. It is a decimal digit, or a character
// such as ² that represents a digit but is not used in decimal numbers.
func IsDigit(r rune) bool {
	return unicode.Is(unicode.Nd, r) ||
		slices.ContainsFunc(digitBlocks, func(block [2]rune) bool { return r >= block[0] && r <= block[1] })
}

// digitBlocks lists the digits that are not decimal digits: characters outside of category Nd whose
// numeric type is Digit in Unicode 14.
var digitBlocks = [][2]rune{
	{0xb2, 0xb3}, {0xb9, 0xb9}, {0x1369, 0x1371}, {0x19da, 0x19da}, {0x2070, 0x2070}, {0x2074, 0x2079}, {0x2080, 0x2089}, {0x2460, 0x2468},
	{0x2474, 0x247c}, {0x2488, 0x2490}, {0x24ea, 0x24ea}, {0x24f5, 0x24fd}, {0x24ff, 0x24ff}, {0x2776, 0x277e}, {0x2780, 0x2788}, {0x278a, 0x2792},
	{0x10a40, 0x10a43}, {0x10e60, 0x10e68}, {0x11052, 0x1105a}, {0x1f100, 0x1f10a},
}

// DecodeUTF8 returns Python's bytes.decode("utf-8"). Invalid bytes are a UnicodeDecodeError, and so
// are surrogates and overlong forms.
func DecodeUTF8(data []byte) (string, error) {
	if utf8.Valid(data) {
		return string(data), nil
	}
	at := 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	n, why := BadUTF8(data[at:])
	if n > 1 {
		return "", Raise("UnicodeDecodeError", "'utf-8' codec can't decode bytes in position %d-%d: %s", at, at+n-1, why)
	}
	return "", Raise("UnicodeDecodeError", "'utf-8' codec can't decode byte 0x%02x in position %d: %s", data[at], at, why)
}

// BadUTF8 returns how many bytes at the beginning of data, which is not empty and begins with no
// character, are invalid together, and the reason that Python gives. The bytes are those that could
// begin a character, at least one.
func BadUTF8(data []byte) (n int, why string) {
	want := 0
	switch c := data[0]; {
	case c >= 0xc2 && c <= 0xdf:
		want = 2
	case c >= 0xe0 && c <= 0xef:
		want = 3
	case c >= 0xf0 && c <= 0xf4:
		want = 4
	default:
		return 1, "invalid start byte"
	}
	for n = 1; n < want; n++ {
		if n == len(data) {
			return n, "unexpected end of data"
		}
		low, high := byte(0x80), byte(0xbf)
		if n == 1 {
			low, high = secondByte(data[0])
		}
		if data[n] < low || data[n] > high {
			return n, "invalid continuation byte"
		}
	}
	return n, "invalid continuation byte"
}

// secondByte returns the range of bytes that may follow the first byte of a character.
func secondByte(first byte) (low, high byte) {
	switch first {
	case 0xe0:
		return 0xa0, 0xbf
	case 0xed:
		return 0x80, 0x9f
	case 0xf0:
		return 0x90, 0xbf
	case 0xf4:
		return 0x80, 0x8f
	}
	return 0x80, 0xbf
}

// DecodeRune returns the first character of text and its length in bytes. It also decodes lone
// surrogates, which take three bytes.
func DecodeRune(text string) (rune, int) {
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size == 1 && len(text) >= 3 && text[0] == 0xed && text[1] >= 0xa0 && text[1] <= 0xbf {
		return 0xd000 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f), 3
	}
	return r, size
}

// Runes returns the characters of text. A lone surrogate is a character.
func Runes(text string) []rune {
	runes := make([]rune, 0, len(text))
	for text != "" {
		r, size := DecodeRune(text)
		runes = append(runes, r)
		text = text[size:]
	}
	return runes
}

// AppendRune appends one character, which may be a lone surrogate.
func AppendRune(b []byte, r rune) []byte {
	if r >= 0xd800 && r <= 0xdfff {
		return append(b, 0xed, 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(b, r)
}

// Chars returns the characters of text, as Python's list(text) does.
func Chars(text string) []string {
	var chars []string
	for text != "" {
		_, size := DecodeRune(text)
		chars = append(chars, text[:size])
		text = text[size:]
	}
	return chars
}

// reprString returns Python's repr of a string, with prefix before the opening quote.
func reprString(text, prefix string) string {
	quote := byte('\'')
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = '"'
	}
	b := append([]byte(prefix), quote)
	for text != "" {
		r, size := DecodeRune(text)
		switch {
		case r == rune(quote) || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < 0x20 || r == 0x7f || r >= 0x80 && r < 0x100 && !unicode.IsPrint(r):
			b = fmt.Appendf(b, `\x%02x`, r)
		case r < 0x10000 && !unicode.IsPrint(r):
			b = fmt.Appendf(b, `\u%04x`, r)
		case !unicode.IsPrint(r):
			b = fmt.Appendf(b, `\U%08x`, r)
		default:
			b = append(b, text[:size]...)
		}
		text = text[size:]
	}
	return string(append(b, quote))
}

// reprBytes returns Python's repr of bytes.
func reprBytes(data []byte) string {
	quote := byte('\'')
	if strings.Contains(string(data), "'") && !strings.Contains(string(data), `"`) {
		quote = '"'
	}
	b := []byte{'b', quote}
	for _, c := range data {
		switch {
		case c == quote || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < 0x20 || c >= 0x7f:
			b = fmt.Appendf(b, `\x%02x`, c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, quote))
}

// IsWordChar reports whether \w matches r: a letter or number of any script, or an underscore.
func IsWordChar(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }
