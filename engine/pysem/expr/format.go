package expr

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// spec is a parsed format specification (Python/formatter_unicode.c).
type spec struct {
	fill      string
	align     byte // one of < > = ^, or 0 for none
	sign      byte // +, - or space; 0 for none
	zero      bool // z, which turns a negative zero into a positive one
	alternate bool
	width     int
	grouping  byte // , or _ between groups of digits; 0 for none
	precision int  // -1 if none is given
	typ       rune // letter of the presentation type; 0 if none is given
}

// format returns format(v, text).
func (m *machine) format(v Value, text string) (string, error) {
	if text == "" {
		return m.str(v)
	}
	switch v := v.(type) {
	case string:
		s, err := parseSpec(text, "str", '<')
		if err != nil {
			return "", err
		}
		return m.formatText(v, s)
	case bool, int, *big.Int:
		s, err := parseSpec(text, typeName(v), '>')
		if err != nil {
			return "", err
		}
		return m.formatInt(v, s)
	case float64:
		s, err := parseSpec(text, "float", '>')
		if err != nil {
			return "", err
		}
		return m.formatFloat(v, s, "float")
	}
	return "", typeError("unsupported format string passed to %s.__format__", typeName(v))
}

// parseSpec parses a format specification for a value of the type typ. align is the alignment by
// default.
func parseSpec(text, typ string, align byte) (spec, error) {
	s := spec{fill: " ", precision: -1}
	chars := pysem.Chars(text)
	at := 0
	next := func() string {
		if at < len(chars) {
			return chars[at]
		}
		return ""
	}
	is := func(set string) bool { c := next(); return len(c) == 1 && strings.Contains(set, c) }
	filled := false
	switch {
	case len(chars) > 1 && len(chars[1]) == 1 && strings.Contains("<>=^", chars[1]):
		s.fill, s.align, filled = chars[0], chars[1][0], true
		at = 2
	case is("<>=^"):
		s.align = chars[0][0]
		at = 1
	}
	if is("+- ") {
		s.sign = next()[0]
		at++
	}
	if is("z") {
		s.zero = true
		at++
	}
	if is("#") {
		s.alternate = true
		at++
	}
	if !filled && is("0") {
		s.fill = "0"
		if s.align == 0 && align == '>' {
			s.align = '='
		}
		at++
	}
	s.align = cmp.Or(s.align, align)
	err := s.finish(chars[at:], text, typ)
	return s, err
}

// finish parses the rest of a specification: width, grouping, precision and type.
func (s *spec) finish(chars []string, text, typ string) error {
	at := 0
	n, digits, err := specNumber(chars)
	if err != nil {
		return err
	}
	at += digits
	if digits > 0 {
		s.width = n
	}
	for _, g := range []byte(",_,") {
		if at == len(chars) || chars[at] != string(g) || s.grouping == ',' && g == ',' {
			continue
		}
		if s.grouping != 0 {
			return raise("ValueError", "Cannot specify both ',' and '_'.")
		}
		s.grouping = g
		at++
	}
	if at < len(chars) && chars[at] == "." {
		n, digits, err := specNumber(chars[at+1:])
		if err != nil {
			return err
		}
		if digits == 0 {
			return raise("ValueError", "Format specifier missing precision")
		}
		s.precision = n
		at += 1 + digits
	}
	switch len(chars) - at {
	case 0:
	case 1:
		s.typ = pysem.Runes(chars[at])[0]
	default:
		return raise("ValueError", "Invalid format specifier '%s' for object of type '%s'", text, typ)
	}
	return s.checkGrouping()
}

func (s *spec) checkGrouping() error {
	if s.grouping == 0 || strings.ContainsRune("defgEG%F", s.typ) || s.typ == 0 || s.grouping == '_' && strings.ContainsRune("boxX", s.typ) {
		return nil
	}
	if s.typ > 32 && s.typ < 128 {
		return raise("ValueError", "Cannot specify '%c' with '%c'.", s.grouping, s.typ)
	}
	return raise("ValueError", "Cannot specify '%c' with '\\x%x'.", s.grouping, s.typ)
}

func specNumber(chars []string) (n, digits int, err error) {
	for digits < len(chars) {
		d, ok := pysem.DigitValue(pysem.Runes(chars[digits])[0])
		if !ok {
			break
		}
		if n = n*10 + d; n > 1<<40 {
			return 0, 0, raise("ValueError", "Too many decimal digits in format string")
		}
		digits++
	}
	return n, digits, nil
}

func unknownCode(typ rune, of string) error {
	if typ > 32 && typ < 128 {
		return raise("ValueError", "Unknown format code '%c' for object of type '%s'", typ, of)
	}
	return raise("ValueError", "Unknown format code '\\x%x' for object of type '%s'", typ, of)
}

func (m *machine) formatText(text string, s spec) (string, error) {
	switch {
	case s.typ != 0 && s.typ != 's':
		return "", unknownCode(s.typ, "str")
	case s.sign == ' ':
		return "", raise("ValueError", "Space not allowed in string format specifier")
	case s.sign != 0:
		return "", raise("ValueError", "Sign not allowed in string format specifier")
	case s.zero:
		return "", raise("ValueError", "Negative zero coercion (z) not allowed in string format specifier")
	case s.alternate:
		return "", raise("ValueError", "Alternate form (#) not allowed in string format specifier")
	case s.align == '=':
		return "", raise("ValueError", "'=' alignment not allowed in string format specifier")
	case s.grouping != 0:
		return "", raise("ValueError", "Cannot specify '%c' with 's'.", s.grouping)
	}
	if s.precision >= 0 && s.precision < lengthOf(text) {
		text = textOf(pysem.Runes(text)[:s.precision])
	}
	return m.pad("", text, s)
}

// pad fills a text up to the width. For a number, sign is its sign with the prefix, and body its
// digits.
func (m *machine) pad(sign, body string, s spec) (string, error) {
	padding := max(0, s.width-lengthOf(sign)-lengthOf(body))
	if err := m.make(padding*len(s.fill) + len(body)); err != nil {
		return "", err
	}
	left := 0
	switch s.align {
	case '>':
		left = padding
	case '^':
		left = padding / 2
	case '=':
		return sign + strings.Repeat(s.fill, padding) + body, nil
	}
	return strings.Repeat(s.fill, left) + sign + body + strings.Repeat(s.fill, padding-left), nil
}

// intBases maps a type letter to the base of an int, and the prefix before its digits.
var intBases = map[rune]struct {
	base   int
	prefix string
}{'b': {2, "0b"}, 'o': {8, "0o"}, 'x': {16, "0x"}, 'X': {16, "0X"}, 'd': {10, ""}, 'n': {10, ""}, 0: {10, ""}}

func (m *machine) formatInt(v Value, s spec) (string, error) {
	n, _ := pysem.Big(v)
	b, isInt := intBases[s.typ]
	switch {
	case s.typ == 'c':
		return m.formatChar(n, s)
	case strings.ContainsRune("eEfFgG%", s.typ) && s.typ != 0:
		f, err := pysem.ToFloat(v)
		if err != nil {
			return "", err
		}
		return m.formatFloat(f, s, "int")
	case !isInt:
		return "", unknownCode(s.typ, typeName(v))
	case s.precision >= 0:
		return "", raise("ValueError", "Precision not allowed in integer format specifier")
	case s.zero:
		return "", raise("ValueError", "Negative zero coercion (z) not allowed in format specifier with integer")
	}
	if err := m.make(n.BitLen()); err != nil {
		return "", err
	}
	digits := new(big.Int).Abs(n).Text(b.base)
	if b.base == 10 && len(digits) > maxDigits {
		_, err := intText(n)
		return "", err
	}
	if s.typ == 'X' {
		digits = strings.ToUpper(digits)
	}
	return m.padNumber(s.signOf(n.Sign() < 0)+pick(s.alternate, b.prefix, ""), digits, "", s, pick(b.base == 10, 3, 4))
}

func (s spec) signOf(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.sign == '+' || s.sign == ' ':
		return string(s.sign)
	}
	return ""
}

// padNumber groups the digits before the point and pads the number. Zeros that pad it are grouped
// as well.
func (m *machine) padNumber(sign, digits, rest string, s spec, group int) (string, error) {
	if s.grouping != 0 {
		least := 0
		if s.fill == "0" && s.align == '=' {
			least = s.width - len(sign) - len(rest)
		}
		if err := m.make(max(least, 0)); err != nil {
			return "", err
		}
		digits = grouped(digits, s.grouping, group, least)
	}
	return m.pad(sign, digits+rest, s)
}

// grouped puts a separator between groups of digits. It adds leading zeros up to the width least.
func grouped(digits string, separator byte, group, least int) string {
	var b []byte
	n := 0
	for i := len(digits) - 1; i >= 0 || len(b) < least; i-- {
		if n > 0 && n%group == 0 {
			b = append(b, separator)
		}
		if i >= 0 {
			b = append(b, digits[i])
		} else {
			b = append(b, '0')
		}
		n++
	}
	slices.Reverse(b)
	return string(b)
}

func (m *machine) formatChar(n *big.Int, s spec) (string, error) {
	switch {
	case s.precision >= 0:
		return "", raise("ValueError", "Precision not allowed in integer format specifier")
	case s.zero:
		return "", raise("ValueError", "Negative zero coercion (z) not allowed in format specifier with integer")
	case s.sign != 0:
		return "", raise("ValueError", "Sign not allowed with integer format specifier 'c'")
	case s.alternate:
		return "", raise("ValueError", "Alternate form (#) not allowed with integer format specifier 'c'")
	case !n.IsInt64():
		return "", raise("OverflowError", "Python int too large to convert to C long")
	case n.Int64() < 0 || n.Int64() > 0x10ffff:
		return "", raise("OverflowError", "%%c arg not in range(0x110000)")
	}
	return m.pad("", textOf([]rune{rune(n.Int64())}), s)
}

// atoi parses a decimal number without a sign. It returns false for any other text.
func atoi(text string) (int, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}
