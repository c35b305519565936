package expr

import (
	"cmp"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// formatMethod implements str.format.
func formatMethod(m *machine, args arguments) (Value, error) {
	text, rest, err := selfOf[string]("str", "format", args)
	if err != nil {
		return nil, err
	}
	return m.formatFields(text, rest.values, func(key string) (Value, error) {
		for _, n := range args.named {
			if n.ID == key {
				return n.Value, nil
			}
		}
		return nil, m.keyError(key)
	})
}

// fieldFormatter fills in the replacement fields of a format string, as str.format does
// (Objects/stringlib/unicode_format.h).
type fieldFormatter struct {
	m      *machine
	values []Value // nil for format_map
	named  func(key string) (Value, error)
	// next is the number of the next field without an explicit number. counts is set after such a
	// field, and numbers after a field with a number. Both in one string are an error.
	next            int
	counts, numbers bool
}

func (m *machine) formatFields(text string, values []Value, named func(string) (Value, error)) (Value, error) {
	f := &fieldFormatter{m: m, values: values, named: named}
	return f.fill(text, 2)
}

// fill formats a text. Fields inside of fields can nest up to depth levels.
func (f *fieldFormatter) fill(text string, depth int) (string, error) {
	if depth == 0 {
		return "", raise("ValueError", "Max string recursion exceeded")
	}
	var b strings.Builder
	for text != "" {
		literal, rest, hasField, err := cutLiteral(text)
		if err != nil {
			return "", err
		}
		b.WriteString(literal)
		text = rest
		if hasField {
			var field replacement
			if field, text, err = cutField(text); err != nil {
				return "", err
			}
			part, err := f.field(field, depth)
			if err != nil {
				return "", err
			}
			b.WriteString(part)
		}
		if err := f.m.make(b.Len()/16 + 1); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// cutLiteral cuts off the literal text before the first field. If a doubled brace comes before
// that, the literal text ends with one of these two braces. rest begins after the field's opening
// brace, or after the doubled brace (MarkupIterator_next).
func cutLiteral(text string) (literal, rest string, hasField bool, err error) {
	at := strings.IndexAny(text, "{}")
	if at < 0 {
		return text, "", false, nil
	}
	c, after := text[at], text[at+1:]
	switch {
	case after == "":
		return "", "", false, raise("ValueError", "Single '%c' encountered in format string", c)
	case after[0] == c:
		return text[:at+1], after[1:], false, nil
	case c == '}':
		return "", "", false, raise("ValueError", "Single '}' encountered in format string")
	}
	return text[:at], after, true, nil
}

// replacement holds the parts of a replacement field: name!conversion:spec.
type replacement struct{ name, conversion, spec string }

// cutField parses a field and returns the text after it. text begins after the opening brace
// (parse_field). A conversion can be any character, even a closing brace.
func cutField(text string) (field replacement, rest string, err error) {
	end, err := fieldNameEnd(text)
	if err != nil {
		return field, "", err
	}
	field.name, rest = text[:end], text[end:]
	if rest[0] == '!' {
		chars := pysem.Chars(rest[1:])
		if len(chars) == 0 {
			return field, "", raise("ValueError", "end of string while looking for conversion specifier")
		}
		field.conversion, rest = chars[0], rest[1+len(chars[0]):]
		if rest != "" && rest[0] != ':' && rest[0] != '}' {
			return field, "", raise("ValueError", "expected ':' after conversion specifier")
		}
	}
	if strings.HasPrefix(rest, "}") {
		return field, rest[1:], nil
	}
	rest = strings.TrimPrefix(rest, ":")
	depth := 1
	for i := range len(rest) {
		switch rest[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			field.spec = rest[:i]
			return field, rest[i+1:], nil
		}
	}
	return field, "", raise("ValueError", "unmatched '{' in format spec")
}

// fieldNameEnd returns the index where the name of a field ends: at the first ":", "!" or "}" that
// is not in brackets.
func fieldNameEnd(text string) (int, error) {
	inBrackets := false
	for i := range len(text) {
		c := text[i]
		switch {
		case inBrackets:
			inBrackets = c != ']'
		case c == '{':
			return 0, raise("ValueError", "unexpected '{' in field name")
		case c == '[':
			inBrackets = true
		case c == ':' || c == '!' || c == '}':
			return i, nil
		}
	}
	return 0, raise("ValueError", "expected '}' before end of string")
}

// field formats the value of a replacement field.
func (f *fieldFormatter) field(field replacement, depth int) (string, error) {
	conversion, spec := field.conversion, field.spec
	v, err := f.value(field.name)
	if err != nil {
		return "", err
	}
	if conversion != "" {
		if len(conversion) != 1 || strings.IndexByte("sra", conversion[0]) < 0 {
			return "", unknownConversion(pysem.Runes(conversion)[0])
		}
		if v, err = f.m.convert(v, conversion[0]); err != nil {
			return "", err
		}
	}
	if strings.Contains(spec, "{") || strings.Contains(spec, "}") {
		if spec, err = f.fill(spec, depth-1); err != nil {
			return "", err
		}
	}
	return f.m.format(v, spec)
}

func unknownConversion(r rune) error {
	if r > 32 && r < 127 {
		return raise("ValueError", "Unknown conversion specifier %c", r)
	}
	return raise("ValueError", "Unknown conversion specifier \\x%x", r)
}

// value finds the value of a field: an argument by number or name, and then its attributes and
// items.
func (f *fieldFormatter) value(name string) (Value, error) {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	v, err := f.first(name[:end])
	if err != nil {
		return nil, err
	}
	for rest := name[end:]; rest != ""; {
		switch rest[0] {
		case '.':
			end := cmp.Or(strings.IndexAny(rest[1:], ".[")+1, len(rest))
			if end == 1 {
				return nil, raise("ValueError", "Empty attribute in format string")
			}
			v, err = f.m.attribute(v, rest[1:end])
			rest = rest[end:]
		case '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, raise("ValueError", "Missing ']' in format string")
			}
			if end == 1 {
				return nil, raise("ValueError", "Empty attribute in format string")
			}
			v, err = f.m.subscript(v, fieldKey(rest[1:end]))
			rest = rest[end+1:]
		default:
			return nil, raise("ValueError", "Only '.' or '[' may follow ']' in format field specifier")
		}
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}

// fieldKey returns the text between brackets as an int if it is a number, and otherwise as a
// string.
func fieldKey(text string) Value {
	if n, ok := atoi(pysem.FoldDigits(text)); ok {
		return n
	}
	return text
}

// first returns the argument that a field's name begins with.
func (f *fieldFormatter) first(name string) (Value, error) {
	n, isNumber := atoi(pysem.FoldDigits(name))
	switch {
	case name == "":
		if f.numbers {
			return nil, raise("ValueError", "cannot switch from manual field specification to automatic field numbering")
		}
		f.counts = true
		n = f.next
		f.next++
	case !isNumber:
		return f.named(name)
	default:
		if f.counts {
			return nil, raise("ValueError", "cannot switch from automatic field numbering to manual field specification")
		}
		f.numbers = true
	}
	if f.values == nil {
		return nil, raise("ValueError", "Format string contains positional fields")
	}
	if n >= len(f.values) {
		return nil, raise("IndexError", "Replacement index %d out of range for positional args tuple", n)
	}
	return f.values[n], nil
}
