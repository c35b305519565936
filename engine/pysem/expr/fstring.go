package expr

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// strings parses adjacent string literals and joins them into one.
func (p *parser) strings() (node, error) {
	var parts []node
	var data []byte
	isBytes, isFormat := false, false
	for first := true; p.peek().kind == tokenString; first = false {
		l := literalOf(p.peek().text)
		p.at++
		if !first && l.bytes != isBytes {
			return nil, syntaxError("cannot mix bytes and nonbytes literals")
		}
		isBytes, isFormat = l.bytes, isFormat || l.format
		switch {
		case l.bytes:
			b, err := l.bytesOf()
			if err != nil {
				return nil, err
			}
			data = append(data, b...)
		case l.format:
			f := &formatParser{parser: p, src: l.body, raw: l.raw}
			more, err := f.parts(0)
			if err != nil {
				return nil, err
			}
			parts = append(parts, more...)
		default:
			text, err := l.textOf()
			if err != nil {
				return nil, err
			}
			parts = append(parts, constant{value: text})
		}
	}
	if isBytes {
		return constant{value: append([]byte{}, data...)}, nil
	}
	if isFormat {
		return joined{parts: parts}, nil
	}
	var text strings.Builder
	for _, part := range parts {
		text.WriteString(part.(constant).value.(string))
	}
	return constant{value: text.String()}, nil
}

func (l literal) textOf() (string, error) {
	if l.raw {
		return l.body, nil
	}
	return unescape(l.body)
}

func (l literal) bytesOf() ([]byte, error) {
	if !isASCII(l.body) {
		return nil, syntaxError("bytes can only contain ASCII literal characters")
	}
	if l.raw {
		return []byte(l.body), nil
	}
	return unescapeBytes(l.body)
}

// formatParser parses the body of an f-string (Parser/string_parser.c of 3.11).
type formatParser struct {
	parser *parser
	src    string
	at     int
	raw    bool
}

// parts parses literal text and replacement fields. level is 0 for the string itself and higher
// inside the format spec of a field. There the parts end before the field's closing brace.
func (f *formatParser) parts(level int) ([]node, error) {
	var parts []node
	for {
		text, err := f.text(level)
		if err != nil {
			return nil, err
		}
		if text != "" {
			parts = append(parts, constant{value: text})
		}
		if f.at == len(f.src) || f.src[f.at] == '}' {
			return parts, nil
		}
		fields, err := f.field(level)
		if err != nil {
			return nil, err
		}
		parts = append(parts, fields...)
	}
}

// text parses literal text up to the next brace that is not doubled.
func (f *formatParser) text(level int) (string, error) {
	var b strings.Builder
	start := f.at
	flush := func(end int) error {
		text := f.src[start:end]
		if !f.raw {
			var err error
			if text, err = unescape(text); err != nil {
				return err
			}
		}
		b.WriteString(text)
		return nil
	}
	for f.at < len(f.src) {
		c := f.src[f.at]
		if c == '\\' && !f.raw && f.at+1 < len(f.src) {
			if f.src[f.at+1] == '{' || f.src[f.at+1] == '}' {
				f.at++ // the backslash stands for itself
				continue
			}
			f.at += 2
			continue
		}
		if c != '{' && c != '}' {
			f.at++
			continue
		}
		if level == 0 && f.at+1 < len(f.src) && f.src[f.at+1] == c {
			if err := flush(f.at + 1); err != nil {
				return "", err
			}
			f.at += 2
			start = f.at
			continue
		}
		if level == 0 && c == '}' {
			return "", syntaxError("f-string: single '}' is not allowed")
		}
		break
	}
	err := flush(f.at)
	return b.String(), err
}

// field parses a replacement field, from its opening to its closing brace.
func (f *formatParser) field(level int) ([]node, error) {
	if level >= 2 {
		return nil, syntaxError("f-string: expressions nested too deeply")
	}
	f.at++
	start := f.at
	if err := f.skipExpression(); err != nil {
		return nil, err
	}
	text := f.src[start:f.at]
	if f.at == len(f.src) {
		return nil, syntaxError("f-string: expecting '}'")
	}
	value, err := f.compile(text)
	if err != nil {
		return nil, err
	}
	field := formatted{value: value}
	var parts []node
	debug := f.src[f.at] == '='
	if debug {
		f.at++
		for f.at < len(f.src) && isSpaceASCII(rune(f.src[f.at])) {
			f.at++
		}
		parts = append(parts, constant{value: f.src[start:f.at]})
	}
	if err := f.conversion(&field); err != nil {
		return nil, err
	}
	if err := f.spec(&field, level); err != nil {
		return nil, err
	}
	if f.at == len(f.src) || f.src[f.at] != '}' {
		return nil, syntaxError("f-string: expecting '}'")
	}
	f.at++
	if debug && field.conversion == 0 && field.spec == nil {
		field.conversion = 'r'
	}
	return append(parts, field), nil
}

func (f *formatParser) conversion(field *formatted) error {
	if f.at == len(f.src) || f.src[f.at] != '!' {
		return nil
	}
	f.at++
	if f.at == len(f.src) {
		return syntaxError("f-string: expecting '}'")
	}
	field.conversion = f.src[f.at]
	f.at++
	if strings.IndexByte("sra", field.conversion) < 0 {
		return syntaxError("f-string: invalid conversion character: expected 's', 'r', or 'a'")
	}
	return nil
}

func (f *formatParser) spec(field *formatted, level int) error {
	if f.at == len(f.src) || f.src[f.at] != ':' {
		return nil
	}
	f.at++
	parts, err := f.parts(level + 1)
	field.spec = joined{parts: parts}
	return err
}

// skipExpression moves to the end of a field's expression. It ends at the first ! : } or = outside
// of brackets and quotes that is not part of a comparison.
func (f *formatParser) skipExpression() error {
	var open []byte
	quote := ""
	for ; f.at < len(f.src); f.at++ {
		c := f.src[f.at]
		switch {
		case c == '\\':
			return syntaxError("f-string expression part cannot include a backslash")
		case quote != "":
			if strings.HasPrefix(f.src[f.at:], quote) {
				f.at += len(quote) - 1
				quote = ""
			}
		case c == '\'' || c == '"':
			quote = string(c)
			if strings.HasPrefix(f.src[f.at:], quote+quote+quote) {
				quote += quote + quote
				f.at += 2
			}
		case c == '(' || c == '[' || c == '{':
			open = append(open, c)
		case c == '#':
			return syntaxError("f-string expression part cannot include '#'")
		case len(open) == 0 && strings.IndexByte("!:}=<>", c) >= 0:
			if f.at+1 < len(f.src) && f.src[f.at+1] == '=' && strings.IndexByte("!=<>", c) >= 0 {
				f.at++
				continue
			}
			if c == '<' || c == '>' {
				continue
			}
			return nil
		case c == ')' || c == ']' || c == '}':
			if len(open) == 0 {
				return syntaxError("f-string: unmatched '%c'", c)
			}
			if last := open[len(open)-1]; closings[last] != c {
				return syntaxError("f-string: closing parenthesis '%c' does not match opening parenthesis '%c'", c, last)
			}
			open = open[:len(open)-1]
		}
	}
	if quote != "" {
		return syntaxError("f-string: unterminated string")
	}
	if len(open) > 0 {
		return syntaxError("f-string: unmatched '%c'", open[len(open)-1])
	}
	return nil
}

// compile parses a field's expression, which can use the scopes around the f-string.
func (f *formatParser) compile(text string) (node, error) {
	if strings.Trim(text, " \t\n\f\r") == "" {
		return nil, syntaxError("f-string: empty expression not allowed")
	}
	tokens, err := lex("(" + text + ")")
	if err != nil {
		return nil, inFString(err)
	}
	outer := f.parser
	p := &parser{program: outer.program, tokens: tokens, depth: outer.depth, scopes: outer.scopes, iterable: outer.iterable}
	n, err := p.primary()
	if err == nil && p.peek().kind != tokenEnd {
		err = p.unexpected()
	}
	return n, inFString(err)
}

// inFString adds the "f-string: " that CPython puts before the text of a SyntaxError in a field.
func inFString(err error) error {
	var e *pysem.Error
	if pysem.TypeOf(err) != "SyntaxError" {
		return err
	}
	e = err.(*pysem.Error)
	return raise("SyntaxError", "%s", "f-string: "+e.Message)
}
