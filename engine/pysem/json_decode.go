package pysem

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxJSONDepth is the depth of nesting at which a document reaches CPython's recursion limit.
const maxJSONDepth = 990

// ParseJSON returns Python's json.loads(text). The text must hold exactly one value. Objects become
// *[Dict]; if a key occurs twice, it has the last value, at the first place. Errors are
// JSONDecodeErrors.
func ParseJSON(text string) (any, error) {
	if strings.HasPrefix(text, "\ufeff") {
		return nil, Raise("JSONDecodeError", "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)")
	}
	p := &jsonParser{text: text}
	p.space()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at != len(text) {
		return nil, p.fail("Extra data", p.at)
	}
	return v, nil
}

type jsonParser struct {
	text string
	at   int
}

// fail returns a JSONDecodeError with Python's text. Positions in it count characters.
func (p *jsonParser) fail(what string, at int) *Error {
	before := p.text[:min(at, len(p.text))]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return Raise("JSONDecodeError", "%s: line %d column %d (char %d)", what, line, column, utf8.RuneCountInString(before))
}

func (p *jsonParser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *jsonParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// constants lists the words that Python's JSON decoder accepts as values.
var constants = []struct {
	word  string
	value any
}{
	{"null", nil}, {"true", true}, {"false", false},
	{"NaN", math.NaN()}, {"Infinity", math.Inf(1)}, {"-Infinity", math.Inf(-1)},
}

func (p *jsonParser) value(depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, Raise("RecursionError", "maximum recursion depth exceeded while decoding a JSON document")
	}
	switch c := p.peek(); {
	case c == '"':
		return p.string()
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '-' || c >= '0' && c <= '9':
		if v, ok, err := p.number(); ok || err != nil {
			return v, err
		}
	}
	for _, c := range constants {
		if strings.HasPrefix(p.text[p.at:], c.word) {
			p.at += len(c.word)
			return c.value, nil
		}
	}
	return nil, p.fail("Expecting value", p.at)
}

func (p *jsonParser) object(depth int) (any, error) {
	d := &Dict{}
	p.at++
	p.space()
	if p.peek() == '}' {
		p.at++
		return d, nil
	}
	for {
		if p.peek() != '"' {
			return nil, p.fail("Expecting property name enclosed in double quotes", p.at)
		}
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		p.space()
		if p.peek() != ':' {
			return nil, p.fail("Expecting ':' delimiter", p.at)
		}
		p.at++
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		d.Set(key, v)
		if done, err := p.next('}'); done || err != nil {
			return d, err
		}
	}
}

func (p *jsonParser) array(depth int) (any, error) {
	list := []any{}
	p.at++
	p.space()
	if p.peek() == ']' {
		p.at++
		return list, nil
	}
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if done, err := p.next(']'); done || err != nil {
			return list, err
		}
	}
}

// next reads a comma or the closing bracket. done is true for the bracket.
func (p *jsonParser) next(closing byte) (done bool, err error) {
	p.space()
	switch p.peek() {
	case closing:
		p.at++
		return true, nil
	case ',':
		p.at++
		p.space()
		return false, nil
	}
	return false, p.fail("Expecting ',' delimiter", p.at)
}

// number reads an int or a float. ok is false if the text does not continue with a number.
func (p *jsonParser) number() (v any, ok bool, err error) {
	i := p.at
	if p.peek() == '-' {
		i++
	}
	digits := func(from int) int {
		for from < len(p.text) && p.text[from] >= '0' && p.text[from] <= '9' {
			from++
		}
		return from
	}
	end := digits(i)
	switch {
	case end == i:
		return nil, false, nil
	case p.text[i] == '0':
		end = i + 1
	}
	isFloat := false
	if end < len(p.text) && p.text[end] == '.' {
		if e := digits(end + 1); e > end+1 {
			end, isFloat = e, true
		}
	}
	if end < len(p.text) && (p.text[end] == 'e' || p.text[end] == 'E') {
		e := end + 1
		if e < len(p.text) && (p.text[e] == '+' || p.text[e] == '-') {
			e++
		}
		if stop := digits(e); stop > e {
			end, isFloat = stop, true
		}
	}
	text := p.text[p.at:end]
	p.at = end
	if isFloat {
		f, err := ParseFloat(text)
		return f, true, err
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n, true, nil
	}
	n, _ := new(big.Int).SetString(text, 10)
	return Int(n), true, nil
}

func (p *jsonParser) string() (string, error) {
	begin := p.at
	p.at++
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			s := p.text[start:p.at]
			p.at++
			return s, nil
		case c == '\\':
			return p.escapedString(begin, start)
		case c < 0x20:
			return "", p.fail("Invalid control character at", p.at)
		}
		p.at++
	}
	return "", p.fail("Unterminated string starting at", begin)
}

// escapedString reads the rest of a string, beginning at its first backslash.
func (p *jsonParser) escapedString(begin, start int) (string, error) {
	b := append([]byte(nil), p.text[start:p.at]...)
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == '"':
			p.at++
			return string(b), nil
		case c == '\\':
			r, err := p.escape(begin)
			if err != nil {
				return "", err
			}
			b = AppendRune(b, r)
			continue
		case c < 0x20:
			return "", p.fail("Invalid control character at", p.at)
		}
		b = append(b, c)
		p.at++
	}
	return "", p.fail("Unterminated string starting at", begin)
}

func (p *jsonParser) escape(begin int) (rune, error) {
	if p.at+1 >= len(p.text) {
		return 0, p.fail("Unterminated string starting at", begin)
	}
	c := p.text[p.at+1]
	if c != 'u' {
		i := strings.IndexByte(`"\/bfnrt`, c)
		if i < 0 {
			return 0, p.fail("Invalid \\escape: ", p.at)
		}
		p.at += 2
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	high, ok := p.unit(p.at)
	if !ok {
		return 0, p.fail("Invalid \\uXXXX escape", p.at+1)
	}
	p.at += 6
	if high >= 0xd800 && high <= 0xdbff {
		if low, ok := p.unit(p.at); ok && low >= 0xdc00 && low <= 0xdfff {
			p.at += 6
			return 0x10000 + (high-0xd800)<<10 + (low - 0xdc00), nil
		}
	}
	return high, nil
}

// unit reads the escape \uXXXX at the given position. It returns false if there is none.
func (p *jsonParser) unit(at int) (rune, bool) {
	if at+6 > len(p.text) || p.text[at] != '\\' || p.text[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[at+2:at+6], 16, 32)
	return rune(n), err == nil
}
