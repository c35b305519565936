package textformat

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// bytes parses one string or several adjacent strings, which it joins.
func (p *parser) bytes() ([]byte, bool) {
	if p.current.kind != text {
		return nil, p.fail("Expected string, got: %s", p.current.text)
	}
	data := []byte{}
	for p.current.kind == text {
		data = unescape(data, p.current.text)
		p.next()
	}
	return data, true
}

// unescape appends the content of a string token to data. Errors in the token were already recorded
// by the tokenizer (ParseStringAppend).
func unescape(data []byte, token string) []byte {
	inside := token[1:]
	if strings.HasSuffix(inside, token[:1]) {
		inside = inside[:len(inside)-1]
	}
	for i := 0; i < len(inside); {
		if inside[i] != '\\' || i+1 == len(inside) {
			data = append(data, inside[i])
			i++
			continue
		}
		var n int
		data, n = appendEscape(data, inside[i+1:])
		i += 1 + n
	}
	return data
}

// appendEscape appends the character of an escape sequence. rest is the text after the backslash.
// It returns how many bytes of rest belong to the sequence.
func appendEscape(data []byte, rest string) ([]byte, int) {
	switch c := rest[0]; {
	case isOctal(c):
		digits := leading(rest, 3, isOctal)
		code, _ := strconv.ParseUint(digits, 8, 16)
		return append(data, byte(code)), len(digits)
	case c == 'x':
		digits := leading(rest[1:], 2, isHex)
		code, _ := strconv.ParseUint(digits, 16, 16)
		return append(data, byte(code)), 1 + len(digits)
	case c == 'u' || c == 'U':
		return appendUnicode(data, rest)
	default:
		if i := strings.IndexByte("abfnrtv", c); i >= 0 {
			c = "\a\b\f\n\r\t\v"[i]
		}
		return append(data, c), 1
	}
}

func leading(text string, most int, class func(byte) bool) string {
	n := 0
	for n < min(most, len(text)) && class(text[n]) {
		n++
	}
	return text[:n]
}

// appendUnicode appends the character of a \u or \U escape. A pair of surrogates is one character.
// A single surrogate is encoded like any other character.
func appendUnicode(data []byte, rest string) ([]byte, int) {
	width := 4
	if rest[0] == 'U' {
		width = 8
	}
	code, ok := hexCode(rest[1:], width)
	if !ok {
		return append(data, rest[0]), 1
	}
	n := 1 + width
	if second, ok := strings.CutPrefix(rest[n:], `\u`); ok && code >= 0xd800 && code < 0xdc00 {
		if low, ok := hexCode(second, 4); ok && low >= 0xdc00 && low < 0xe000 {
			code = 0x10000 + (code-0xd800)<<10 | (low - 0xdc00)
			n += 6
		}
	}
	switch {
	case code >= 0xd800 && code < 0xe000:
		return append(data, 0xe0|byte(code>>12), 0x80|byte(code>>6)&0x3f, 0x80|byte(code)&0x3f), n
	case code > utf8.MaxRune:
		return fmt.Appendf(data, `\U%08x`, code), n
	}
	return utf8.AppendRune(data, code), n
}

func hexCode(text string, width int) (rune, bool) {
	digits := leading(text, width, isHex)
	code, _ := strconv.ParseUint(digits, 16, 32)
	return rune(code), len(digits) == width
}
