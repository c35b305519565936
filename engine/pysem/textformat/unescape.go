package textformat

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// consumeString returns the text of one string literal, or of several adjacent ones.
func (t *tokenizer) consumeString() (string, error) {
	data, err := t.consumeBytes()
	if err != nil {
		return "", err
	}
	text, err := pysem.DecodeUTF8(data)
	if err != nil {
		return "", t.fail("Couldn't parse string: %s", message(err))
	}
	return text, nil
}

// message returns Python's str() of an exception.
func message(err error) string { return err.(*pysem.Error).Message }

func (t *tokenizer) consumeBytes() ([]byte, error) {
	data, err := t.consumeLiteral(nil)
	for err == nil && t.token != "" && isQuote(t.token[0]) {
		data, err = t.consumeLiteral(data)
	}
	return data, err
}

// consumeLiteral appends the bytes of one string literal to data.
func (t *tokenizer) consumeLiteral(data []byte) ([]byte, error) {
	token := t.token
	switch {
	case token == "" || !isQuote(token[0]):
		return nil, t.fail("Expected string but found: %s", pysem.Repr(token))
	case len(token) < 2 || token[len(token)-1] != token[0]:
		return nil, t.fail("String missing ending quote: %s", pysem.Repr(token))
	}
	data, err := unescape(data, token[1:len(token)-1])
	if pysem.TypeOf(err) == "UnicodeDecodeError" {
		err = t.fail("%s", message(err))
	}
	if err == nil {
		t.next()
	}
	return data, err
}

// unescape appends to data what Python's text_encoding.CUnescape(text) returns. It reads text with
// the codec unicode_escape and writes it with raw_unicode_escape. So characters beyond U+00FF
// become escapes again.
func unescape(data []byte, text string) ([]byte, error) {
	if strings.IndexByte(text, '\\') < 0 {
		return append(data, text...), nil
	}
	text = padHex(text)
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			data = append(data, text[i])
			i++
			continue
		}
		r, n, err := escape(text, i)
		switch {
		case err != nil:
			return nil, err
		case r <= 0xff:
			data = append(data, byte(r))
		case r <= 0xffff:
			data = fmt.Appendf(data, `\u%04x`, r)
		default:
			data = fmt.Appendf(data, `\U%08x`, r)
		}
		i += n
	}
	return data, nil
}

// padHex adds a 0 to each \x escape with only one digit, because Python's codec needs two.
func padHex(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		end := i + 1
		for text[i] == '\\' && end < len(text) && text[end] == '\\' {
			end++
		}
		escapes := text[i] == '\\' && (end-i)%2 == 1
		b.WriteString(text[i:end])
		if escapes && hexDigits(text[end:], "x", 3) == 1 {
			b.WriteString("x0")
			end++
		}
		i = end
	}
	return b.String()
}

// hexDigits counts the hexadecimal digits after a prefix, up to the limit most. It returns -1 if
// the prefix is missing.
func hexDigits(text, prefix string, most int) int {
	digits, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return -1
	}
	n := 0
	for n < min(most, len(digits)) && strings.IndexByte("0123456789abcdefABCDEF", digits[n]) >= 0 {
		n++
	}
	return n
}

const simpleEscapes = `\'"abfnrtv`

// escape returns the character that the escape at text[i:] means, and the length of the escape. A
// backslash before any other letter is a plain backslash.
func escape(text string, i int) (r rune, n int, err error) {
	if i+1 == len(text) {
		return 0, 0, undecodable(text, i, 1, `\ at end of string`)
	}
	c := text[i+1]
	if at := strings.IndexByte(simpleEscapes, c); at >= 0 {
		return rune("\\'\"\a\b\f\n\r\t\v"[at]), 2, nil
	}
	switch c {
	case 'x':
		return hexEscape(text, i, 2, `truncated \xXX escape`)
	case 'u':
		return hexEscape(text, i, 4, `truncated \uXXXX escape`)
	case 'U':
		return hexEscape(text, i, 8, `truncated \UXXXXXXXX escape`)
	case 'N':
		return namedEscape(text, i)
	}
	for n = 1; n < 4 && i+n < len(text) && text[i+n] >= '0' && text[i+n] <= '7'; n++ {
		r = r*8 + rune(text[i+n]-'0')
	}
	if n == 1 {
		return '\\', 1, nil
	}
	return r, n, nil
}

func hexEscape(text string, i, width int, truncated string) (rune, int, error) {
	n := hexDigits(text[i+2:], "", width)
	if n < width {
		return 0, 0, undecodable(text, i, 2+n, truncated)
	}
	r, _ := strconv.ParseUint(text[i+2:i+2+n], 16, 32)
	if r > 0x10ffff {
		return 0, 0, undecodable(text, i, 2+n, "illegal Unicode character")
	}
	return rune(r), 2 + n, nil
}

// namedEscape refuses an escape by character name, such as \N{...}. A table of all Unicode names
// would make every program a megabyte larger.
func namedEscape(text string, i int) (rune, int, error) {
	const malformed = `malformed \N character escape`
	name, ok := strings.CutPrefix(text[i+2:], "{")
	end := strings.IndexByte(name, '}')
	switch {
	case !ok:
		return 0, 0, undecodable(text, i, 2, malformed)
	case end < 0:
		return 0, 0, undecodable(text, i, len(text)-i, malformed)
	case end == 0:
		return 0, 0, undecodable(text, i, 3, malformed)
	}
	return 0, 0, pysem.Refuse(pysem.Outside, `a character by name, \N{…}`)
}

func undecodable(text string, at, n int, why string) error {
	if n == 1 {
		return pysem.Raise("UnicodeDecodeError", "'unicodeescape' codec can't decode byte 0x%02x in position %d: %s", text[at], at, why)
	}
	return pysem.Raise("UnicodeDecodeError", "'unicodeescape' codec can't decode bytes in position %d-%d: %s", at, at+n-1, why)
}
