package rapidjson

import "unicode/utf8"

// quoted reads a string. Bytes that are not UTF-8 are kept.
func (p *parser) quoted() (string, *ParseError) {
	p.at++
	out := p.scratch[:0]
	for {
		start := p.at
		for p.at < len(p.text) && isPlain(p.text[p.at]) {
			p.at++
		}
		out = append(out, p.text[start:p.at]...)
		switch b := p.peek(); {
		case b == '"':
			p.at++
			p.scratch = out
			return string(out), nil
		case b == 0:
			return "", p.fail(StringMissQuotation)
		case b != '\\':
			return "", p.fail(EscapeInvalid)
		}
		var err *ParseError
		if out, err = p.escape(out); err != nil {
			return "", err
		}
	}
}

func isPlain(b byte) bool { return b >= 0x20 && b != '"' && b != '\\' }

// escape reads one escape sequence. An error has the offset of the backslash.
func (p *parser) escape(out []byte) ([]byte, *ParseError) {
	start := p.at
	p.at++
	b := p.peek()
	if plain := escaped(b); plain != 0 {
		p.at++
		return append(out, plain), nil
	}
	if b != 'u' {
		return nil, &ParseError{EscapeInvalid, start}
	}
	p.at++
	code, ok := p.hex4()
	if !ok {
		return nil, &ParseError{UnicodeEscapeHex, start}
	}
	if code >= 0xd800 && code <= 0xdbff {
		return p.surrogates(out, code, start)
	}
	return appendCode(out, code), nil
}

// surrogates reads the low half of a surrogate pair and appends the resulting character. start is
// the offset for errors.
func (p *parser) surrogates(out []byte, high rune, start int) ([]byte, *ParseError) {
	if !p.consume('\\') || !p.consume('u') {
		return nil, &ParseError{SurrogateInvalid, start}
	}
	low, ok := p.hex4()
	if !ok {
		return nil, &ParseError{UnicodeEscapeHex, start}
	}
	if low < 0xdc00 || low > 0xdfff {
		return nil, &ParseError{SurrogateInvalid, start}
	}
	return appendCode(out, (high-0xd800)<<10|(low-0xdc00)+0x10000), nil
}

// appendCode encodes a character as RapidJSON's UTF8::Encode does. It writes a lone low surrogate
// as three bytes, which are not valid UTF-8.
func appendCode(out []byte, code rune) []byte {
	if code >= 0xd800 && code <= 0xdfff {
		return append(out, 0xed, 0x80|byte(code>>6&0x3f), 0x80|byte(code&0x3f))
	}
	return utf8.AppendRune(out, code)
}

func (p *parser) hex4() (code rune, ok bool) {
	for range 4 {
		digit := hexDigit(p.peek())
		if digit < 0 {
			return 0, false
		}
		code = code<<4 | digit
		p.at++
	}
	return code, true
}

func hexDigit(b byte) rune {
	switch {
	case b >= '0' && b <= '9':
		return rune(b - '0')
	case b >= 'a' && b <= 'f':
		return rune(b-'a') + 10
	case b >= 'A' && b <= 'F':
		return rune(b-'A') + 10
	}
	return -1
}

// escaped returns the byte that a letter after a backslash stands for; 0 if the letter has no
// meaning.
func escaped(b byte) byte {
	switch b {
	case '"', '\\', '/':
		return b
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}
