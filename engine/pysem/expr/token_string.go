package expr

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/pysem"
)

// stringPrefix returns the length of the letters before the quote of the string that src
// begins with, -1 when it begins with none.
func stringPrefix(src string) int {
	for i := range min(len(src), 3) {
		switch c := src[i] | 0x20; {
		case src[i] == '\'' || src[i] == '"':
			switch strings.ToLower(src[:i]) {
			case "", "r", "u", "b", "f", "br", "rb", "fr", "rf":
				return i
			}
			return -1
		case c != 'r' && c != 'u' && c != 'b' && c != 'f':
			return -1
		}
	}
	return -1
}

// text reads a string literal with a prefix of n letters, up to its closing quote.
func (l *lexer) text(n int) error {
	quote := l.src[n : n+1]
	triple := strings.HasPrefix(l.src[n:], quote+quote+quote)
	closing := quote
	if triple {
		closing = quote + quote + quote
	}
	for i := n + len(closing); i < len(l.src); i++ {
		switch {
		case strings.HasPrefix(l.src[i:], closing):
			l.add(tokenString, i+len(closing))
			return nil
		case l.src[i] == '\\':
			i++
		case l.src[i] == '\n' && !triple:
			return syntaxError("unterminated string literal (detected at line 1)")
		}
	}
	if triple {
		return syntaxError("unterminated triple-quoted string literal (detected at line %d)", 1+strings.Count(l.src, "\n"))
	}
	return syntaxError("unterminated string literal (detected at line 1)")
}

// literal is a string token taken apart.
type literal struct {
	raw, bytes, format bool
	body               string
}

func literalOf(text string) literal {
	n := strings.IndexAny(text, `'"`)
	prefix := strings.ToLower(text[:n])
	quotes := 1
	if len(text)-n >= 6 && text[n] == text[n+1] && text[n] == text[n+2] {
		quotes = 3
	}
	return literal{
		raw: strings.Contains(prefix, "r"), bytes: strings.Contains(prefix, "b"), format: strings.Contains(prefix, "f"),
		body: text[n+quotes : len(text)-quotes],
	}
}

// simpleEscapes are what follows a backslash and what it stands for.
const (
	simpleEscapes = `\'"abfnrtv`
	simpleMeaning = "\\'\"\a\b\f\n\r\t\v"
)

// unescape resolves the escapes of a string's body.
func unescape(body string) (string, error) {
	if !strings.Contains(body, `\`) {
		return body, nil
	}
	var b []byte
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			b = append(b, body[i])
			continue
		}
		r, n, kept, err := escape(body, i)
		if err != nil {
			return "", err
		}
		if !kept {
			b = append(b, '\\')
			continue
		}
		if r >= 0 {
			b = pysem.AppendRune(b, r)
		}
		i += n - 1
	}
	return string(b), nil
}

// escape resolves the escape at place i: n bytes that stand for r, or for nothing when r
// is -1. meant is false for a backslash that is one.
func escape(body string, i int) (r rune, n int, meant bool, err error) {
	if i+1 == len(body) {
		return 0, 1, false, nil
	}
	c := body[i+1]
	if j := strings.IndexByte(simpleEscapes, c); j >= 0 {
		return rune(simpleMeaning[j]), 2, true, nil
	}
	switch c {
	case '\n':
		return -1, 2, true, nil
	case 'x', 'u', 'U':
		return hexEscape(body, i)
	case 'N':
		return 0, 0, false, refuse(outside, `a character by name, \N{…}`)
	}
	if r, n := octalEscape(body[i+1:]); n > 0 {
		return r, n + 1, true, nil
	}
	return 0, 1, false, nil
}

// octalEscape reads up to three octal digits.
func octalEscape(digits string) (r rune, n int) {
	for n < 3 && n < len(digits) && digits[n] >= '0' && digits[n] <= '7' {
		r = r*8 + rune(digits[n]-'0')
		n++
	}
	return r, n
}

func hexEscape(body string, i int) (r rune, n int, meant bool, err error) {
	c := body[i+1]
	width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	end := i + 2
	for end < len(body) && end < i+2+width && isHexDigit(body[end]) {
		end++
	}
	fail := func(what string) (rune, int, bool, error) {
		from := utf8.RuneCountInString(body[:i])
		return 0, 0, false, syntaxError("(unicode error) 'unicodeescape' codec can't decode bytes in position %d-%d: %s", from, from+end-i-1, what)
	}
	if end-i-2 < width {
		return fail(`truncated \` + map[byte]string{'x': "xXX", 'u': "uXXXX", 'U': "UXXXXXXXX"}[c] + ` escape`)
	}
	code, _ := strconv.ParseUint(body[i+2:end], 16, 32)
	if code > 0x10ffff {
		return fail("illegal Unicode character")
	}
	return rune(code), width + 2, true, nil
}

// unescapeBytes resolves the escapes of a bytes literal.
func unescapeBytes(body string) ([]byte, error) {
	b := []byte{}
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' || i+1 == len(body) {
			b = append(b, body[i])
			continue
		}
		c := body[i+1]
		if j := strings.IndexByte(simpleEscapes, c); j >= 0 {
			b = append(b, simpleMeaning[j])
			i++
			continue
		}
		switch r, n := octalEscape(body[i+1:]); {
		case n > 0:
			b = append(b, byte(r))
			i += n
		case c == '\n':
			i++
		case c == 'x':
			if i+3 >= len(body) || !isHexDigit(body[i+2]) || !isHexDigit(body[i+3]) {
				return nil, syntaxError(`(value error) invalid \x escape at position %d`, i)
			}
			b = append(b, byte(digitOf(body[i+2])<<4|digitOf(body[i+3])))
			i += 3
		default:
			b = append(b, '\\')
		}
	}
	return b, nil
}
