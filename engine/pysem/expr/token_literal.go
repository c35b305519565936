package expr

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/pysem"
)

// numberBases maps the letter after the 0 of an int literal to the base.
var numberBases = map[byte]struct {
	name string
	base int
}{'x': {"hexadecimal", 16}, 'o': {"octal", 8}, 'b': {"binary", 2}}

// number reads a number literal.
func (l *lexer) number() error {
	if len(l.src) > 1 && l.src[0] == '0' {
		if b, ok := numberBases[l.src[1]|0x20]; ok {
			return l.prefixed(b.name, b.base)
		}
	}
	end, isFloat, ok := numberEnd(l.src)
	if !ok {
		return syntaxError("invalid decimal literal")
	}
	text := strings.ReplaceAll(l.src[:end], "_", "")
	if rest := l.src[end:]; rest != "" && (rest[0] == 'j' || rest[0] == 'J') {
		if err := l.endNumber(end+1, "imaginary"); err != nil {
			return err
		}
		l.addNumber(end+1, refusedValue{"a complex number"})
		return nil
	}
	if err := l.endNumber(end, "decimal"); err != nil {
		return err
	}
	if isFloat {
		f, err := pysem.ParseFloat(text)
		if err != nil {
			return syntaxError("invalid decimal literal")
		}
		l.addNumber(end, f)
		return nil
	}
	if len(text) > 1 && text[0] == '0' && strings.Trim(text, "0") != "" {
		return syntaxError("leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
	}
	if len(text) > maxDigits {
		return syntaxError("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid decimal conversion limits.", maxDigits, len(text))
	}
	n, _ := new(big.Int).SetString(text, 10)
	l.addNumber(end, pysem.Int(n))
	return nil
}

// refusedValue is the value of a literal that Python accepts but this package refuses, such as a
// complex number.
type refusedValue struct{ what string }

func (l *lexer) addNumber(n int, v Value) {
	l.add(tokenNumber, n)
	l.tokens[len(l.tokens)-1].value = v
}

// prefixed reads an int literal in a base other than 10, with its prefix.
func (l *lexer) prefixed(name string, base int) error {
	end := 2
	for {
		if end < len(l.src) && l.src[end] == '_' {
			end++
		}
		start := end
		for end < len(l.src) && isHexDigit(l.src[end]) && digitOf(l.src[end]) < base {
			end++
		}
		if end == start {
			if end < len(l.src) && isDigit(l.src[end]) {
				return syntaxError("invalid digit '%c' in %s literal", l.src[end], name)
			}
			return syntaxError("invalid %s literal", name)
		}
		if end == len(l.src) || l.src[end] != '_' {
			break
		}
	}
	if end < len(l.src) && isDigit(l.src[end]) {
		return syntaxError("invalid digit '%c' in %s literal", l.src[end], name)
	}
	if err := l.endNumber(end, name); err != nil {
		return err
	}
	n, _ := new(big.Int).SetString(strings.ReplaceAll(l.src[2:end], "_", ""), base)
	l.addNumber(end, pysem.Int(n))
	return nil
}

func digitOf(c byte) int {
	if isDigit(c) {
		return int(c - '0')
	}
	return int(c|0x20-'a') + 10
}

// endNumber checks what directly follows a number. Some keywords may follow it, but no other names.
func (l *lexer) endNumber(end int, name string) error {
	rest := l.src[end:]
	for _, word := range []string{"and", "else", "for", "if", "in", "is", "or", "not"} {
		if strings.HasPrefix(rest, word) {
			return nil
		}
	}
	if pysem.Identifier(rest) != "" {
		return syntaxError("invalid %s literal", name)
	}
	return nil
}

// numberEnd finds the end of the decimal number at the beginning of src. ok is false if an
// underscore is not between digits.
func numberEnd(src string) (end int, isFloat, ok bool) {
	end, ok = digitsEnd(src, 0)
	if !ok {
		return end, false, false
	}
	if end < len(src) && src[end] == '.' {
		end, isFloat = end+1, true
		if end < len(src) && isDigit(src[end]) {
			if end, ok = digitsEnd(src, end); !ok {
				return end, true, false
			}
		}
	}
	if end == len(src) || src[end]|0x20 != 'e' {
		return end, isFloat, true
	}
	exponent := end + 1
	if exponent < len(src) && (src[exponent] == '+' || src[exponent] == '-') {
		exponent++
		if exponent == len(src) || !isDigit(src[exponent]) {
			return end, isFloat, false
		}
	}
	if exponent < len(src) && isDigit(src[exponent]) {
		end, ok = digitsEnd(src, exponent)
		return end, true, ok
	}
	return end, isFloat, true
}

func digitsEnd(src string, at int) (end int, ok bool) {
	for {
		for at < len(src) && isDigit(src[at]) {
			at++
		}
		if at == len(src) || src[at] != '_' {
			return at, true
		}
		if at++; at == len(src) || !isDigit(src[at]) {
			return at, false
		}
	}
}

// stringPrefix returns the number of letters before the quote of a string literal. It returns -1 if
// src does not begin with a string literal.
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

// text reads a string literal up to its closing quote. Its prefix has n letters.
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

// literal is a string token, split into prefix and body.
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

// simpleEscapes lists the characters that can follow a backslash. simpleMeaning lists, in the same
// order, the characters that these escapes mean.
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

// escape decodes the escape at body[i:] to the character r. The escape is n bytes long. r is -1 for
// a backslash before a line end, which stands for no character. meant is false for a backslash that
// is not part of an escape.
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
