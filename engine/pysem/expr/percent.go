package expr

import (
	"cmp"
	"math"
	"math/big"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// percentFormatter implements the operator text % values (unicode_format in
// Objects/unicodeobject.c) and bytes % values (_PyBytes_FormatEx in Objects/bytesobject.c). While it
// formats bytes, each byte is the character with its number.
type percentFormatter struct {
	m     *machine
	bytes bool
	chars []rune
	at    int
	args  Tuple
	used  int
	right Value
	dict  bool // whether the right operand may be a mapping, looked up by name
}

// percentSpec is a conversion such as %5.2f: what is between % and the type letter, and that
// letter.
type percentSpec struct {
	minus, plus, space, alternate, zero bool
	width, precision                    int
	typ                                 rune
}

func (m *machine) percent(text string, right Value) (Value, error) {
	p := &percentFormatter{m: m, chars: pysem.Runes(text), right: right}
	return p.format("string")
}

func (m *machine) percentBytes(b []byte, right Value) (Value, error) {
	p := &percentFormatter{m: m, bytes: true, chars: latin1(b), right: right}
	text, err := p.format("bytes")
	if err != nil {
		return nil, err
	}
	return p.own(text), nil
}

// latin1 returns the characters whose numbers are the bytes.
func latin1(b []byte) []rune { return lists.Map(b, func(c byte) rune { return rune(c) }) }

// format formats all of the text. The parameter what is "string" or "bytes", for error texts.
func (p *percentFormatter) format(what string) (string, error) {
	right := p.right
	if t, ok := right.(Tuple); ok {
		p.args = t
	} else {
		p.args = Tuple{right}
	}
	switch right.(type) {
	case Tuple, string:
	case []byte:
		p.dict = !p.bytes
	default:
		_, isDict := right.(*Dict)
		p.dict = isDict || isMapping(right)
	}
	var b strings.Builder
	for p.at < len(p.chars) {
		if p.chars[p.at] != '%' {
			b.WriteString(textOf(p.chars[p.at : p.at+1]))
			p.at++
			continue
		}
		p.at++
		part, err := p.field()
		if err == nil {
			err = p.m.make(len(part))
		}
		if err != nil {
			return "", err
		}
		b.WriteString(part)
	}
	if p.used < len(p.args) && !p.dict {
		return "", typeError("not all arguments converted during %s formatting", what)
	}
	return b.String(), nil
}

// isMapping reports whether CPython treats v as a mapping, although v is not a dict. Then v
// supports subscripts, which %(name)s needs.
func isMapping(v Value) bool {
	switch v.(type) {
	case *List, *Range:
		return true
	}
	return false
}

// next returns the next argument.
func (p *percentFormatter) next() (Value, error) {
	if p.used >= len(p.args) {
		return nil, typeError("not enough arguments for format string")
	}
	p.used++
	return p.args[p.used-1], nil
}

func (p *percentFormatter) incomplete() error { return raise("ValueError", "incomplete format") }

// field formats a conversion, or the second of two percent signs.
func (p *percentFormatter) field() (string, error) {
	if p.peek() == '%' {
		p.at++
		return "%", nil
	}
	if err := p.key(); err != nil {
		return "", err
	}
	s, err := p.spec()
	if err != nil {
		return "", err
	}
	v, err := p.next()
	if err != nil {
		return "", err
	}
	return p.convert(v, s)
}

// key parses (name) and makes the value with that name the next argument.
func (p *percentFormatter) key() error {
	if p.at == len(p.chars) || p.chars[p.at] != '(' {
		return nil
	}
	if !p.dict {
		return typeError("format requires a mapping")
	}
	depth, start := 1, p.at+1
	for p.at++; p.at < len(p.chars); p.at++ {
		switch p.chars[p.at] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			break
		}
	}
	if depth > 0 {
		return raise("ValueError", "incomplete format key")
	}
	v, err := p.m.subscript(p.right, p.own(textOf(p.chars[start:p.at])))
	p.at++
	p.args, p.used = Tuple{v}, 0
	return err
}

// own returns a text as a value of the class that is formatted, str or bytes.
func (p *percentFormatter) own(text string) Value {
	if p.bytes {
		return lists.Map(pysem.Runes(text), func(r rune) byte { return byte(r) })
	}
	return text
}

func (p *percentFormatter) peek() rune {
	if p.at < len(p.chars) {
		return p.chars[p.at]
	}
	return 0
}

// spec parses the flags, width, precision and type of a conversion.
func (p *percentFormatter) spec() (percentSpec, error) {
	s := percentSpec{precision: -1}
	flags := map[rune]*bool{'-': &s.minus, '+': &s.plus, ' ': &s.space, '#': &s.alternate, '0': &s.zero}
	for flags[p.peek()] != nil && p.at < len(p.chars) {
		*flags[p.peek()] = true
		p.at++
	}
	var err error
	if s.width, err = p.number("width"); err != nil {
		return s, err
	}
	if s.width < 0 {
		s.minus, s.width = true, -s.width
	}
	if p.peek() == '.' {
		p.at++
		if s.precision, err = p.number("precision"); err != nil {
			return s, err
		}
		s.precision = max(s.precision, 0)
	}
	for c := p.peek(); c == 'h' || c == 'l' || c == 'L'; {
		p.at++
		break
	}
	if p.at == len(p.chars) {
		return s, p.incomplete()
	}
	s.typ = p.chars[p.at]
	p.at++
	return s, nil
}

// number parses digits, or takes an argument for a star. The parameter what is "width" or
// "precision", for error texts.
func (p *percentFormatter) number(what string) (int, error) {
	if p.peek() == '*' {
		p.at++
		v, err := p.next()
		if err != nil {
			return 0, err
		}
		if !isInt(v) {
			return 0, typeError("* wants int")
		}
		if what == "precision" {
			return wantInt(v)
		}
		return wantIndex(v)
	}
	n, most := 0, math.MaxInt
	if what == "precision" {
		most = math.MaxInt32
	}
	for p.peek() >= '0' && p.peek() <= '9' {
		digit := int(p.peek() - '0')
		if n > (most-digit)/10 {
			return 0, raise("ValueError", "%s too big", pick(p.bytes && what == "precision", "prec", what))
		}
		n = n*10 + digit
		p.at++
	}
	return n, nil
}

// convert formats a value.
func (p *percentFormatter) convert(v Value, s percentSpec) (string, error) {
	if p.bytes && strings.ContainsRune("sbrac", s.typ) {
		text, err := p.bytesText(v, s.typ)
		if err != nil {
			return "", err
		}
		if s.typ == 'c' {
			s.precision = -1
		}
		return p.text(text, s)
	}
	switch s.typ {
	case 's', 'r', 'a':
		text, err := p.m.convert(v, byte(s.typ))
		if err != nil {
			return "", err
		}
		return p.text(text.(string), s)
	case 'i', 'd', 'u', 'o', 'x', 'X':
		return p.int(v, s)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		return p.float(v, s)
	case 'c':
		return p.char(v, s)
	}
	if p.bytes && s.typ > 127 {
		return "", raise("OverflowError", "character argument not in range(0x110000)") // CPython's error text cannot be made either
	}
	return "", raise("ValueError", "unsupported format character '%s' (0x%x) at index %d", pick(s.typ > 31 && s.typ < 127, string(s.typ), "?"), s.typ, p.at-1)
}

// bytesText returns what the conversions %s, %b, %r, %a and %c of bytes make of a value.
func (p *percentFormatter) bytesText(v Value, typ rune) (string, error) {
	b, isBytes := v.([]byte)
	switch typ {
	case 'r', 'a':
		return p.m.ascii(v)
	case 'c':
		return byteText(v)
	}
	if !isBytes {
		return "", typeError("%%b requires a bytes-like object, or an object that implements __bytes__, not '%s'", typeName(v))
	}
	return textOf(latin1(b)), nil
}

// byteText returns a byte, or the number of one, as a character.
func byteText(v Value) (string, error) {
	if b, ok := v.([]byte); ok && len(b) == 1 {
		return textOf(latin1(b)), nil
	}
	if !isInt(v) {
		return "", typeError("%%c requires an integer in range(256) or a single byte")
	}
	n, ok := asInt(v)
	if !ok || n < 0 || n > 255 {
		return "", raise("OverflowError", "%%c arg not in range(256)")
	}
	return string(rune(n)), nil
}

func (p *percentFormatter) text(text string, s percentSpec) (string, error) {
	if s.precision >= 0 && s.precision < lengthOf(text) {
		text = textOf(pysem.Runes(text)[:s.precision])
	}
	return p.m.pad("", text, s.padding(false))
}

// padding returns a specification with which pad fills up to the width. It uses zeros only for
// numbers.
func (s percentSpec) padding(number bool) spec {
	filled := spec{fill: " ", align: '>', width: s.width}
	switch {
	case s.minus:
		filled.align = '<'
	case s.zero && number:
		filled.fill, filled.align = "0", '='
	}
	return filled
}

func (s percentSpec) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.plus:
		return "+"
	case s.space:
		return " "
	}
	return ""
}

func (p *percentFormatter) int(v Value, s percentSpec) (string, error) {
	if _, ok := v.(float64); ok && strings.ContainsRune("idu", s.typ) {
		whole, err := truncated(v.(float64))
		if err != nil {
			return "", err
		}
		v = whole
	}
	n, ok := pysem.Big(v)
	if !ok {
		if p.bytes && s.typ == 'i' {
			s.typ = 'd'
		}
		return "", typeError("%%%c format: %s is required, not %s", s.typ, pick(strings.ContainsRune("oxX", s.typ), "an integer", "a real number"), typeName(v))
	}
	base := cmp.Or(map[rune]int{'o': 8, 'x': 16, 'X': 16}[s.typ], 10)
	if err := p.m.make(n.BitLen() + max(s.precision, 0)); err != nil {
		return "", err
	}
	digits := new(big.Int).Abs(n).Text(base)
	if base == 10 && len(digits) > maxDigits {
		_, err := intText(n)
		return "", err
	}
	digits = strings.Repeat("0", max(0, s.precision-len(digits))) + digits
	prefix := ""
	if s.alternate {
		prefix = map[rune]string{'o': "0o", 'x': "0x", 'X': "0X"}[s.typ]
	}
	if s.typ == 'X' {
		digits = strings.ToUpper(digits)
	}
	return p.m.pad(s.sign(n.Sign() < 0)+prefix, digits, s.padding(true))
}

func (p *percentFormatter) float(v Value, s percentSpec) (string, error) {
	_, isFloat := v.(float64)
	f, err := pysem.ToFloat(v)
	switch {
	case p.bytes && (!isFloat && !isInt(v) || err != nil): // also where the int is too large
		return "", typeError("float argument required, not %s", typeName(v))
	case !isFloat && !isInt(v):
		return "", typeError("must be real number, not %s", typeName(v))
	}
	if err != nil {
		return "", err
	}
	if err := p.m.make(max(s.precision, 0)); err != nil {
		return "", err
	}
	text := floatDigits(f, spec{precision: s.precision, typ: s.typ, alternate: s.alternate})
	body := strings.TrimPrefix(text, "-")
	return p.m.pad(s.sign(body != text), body, s.padding(true))
}

func (p *percentFormatter) char(v Value, s percentSpec) (string, error) {
	text := ""
	switch v := v.(type) {
	case string:
		if text = v; lengthOf(v) != 1 {
			return "", typeError("%%c requires int or char")
		}
	case bool, int, *big.Int:
		n, ok := asInt(v)
		if !ok || n < 0 || n > 0x10ffff {
			return "", raise("OverflowError", "%%c arg not in range(0x110000)")
		}
		text = textOf([]rune{rune(n)})
	default:
		return "", typeError("%%c requires int or char")
	}
	return p.m.pad("", text, s.padding(false))
}
