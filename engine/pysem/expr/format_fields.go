package expr

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// formatMethod is str.format.
func formatMethod(m *machine, args arguments) (Value, error) {
	if len(args.values) == 0 {
		return nil, typeError("unbound method str.format() needs an argument")
	}
	text, ok := args.values[0].(string)
	if !ok {
		return nil, typeError("descriptor 'format' for 'str' objects doesn't apply to a '%s' object", typeName(args.values[0]))
	}
	return m.formatFields(text, args.values[1:], func(key string) (Value, error) {
		for _, n := range args.named {
			if n.ID == key {
				return n.Value, nil
			}
		}
		return nil, m.keyError(key)
	})
}

// fieldFormatter fills the replacement fields of a format string
// (Objects/stringlib/unicode_format.h).
type fieldFormatter struct {
	m      *machine
	values []Value // nil of format_map
	named  func(key string) (Value, error)
	// next is the number of the next field without one, and counts and numbers say which
	// of the two forms was used.
	next            int
	counts, numbers bool
}

func (m *machine) formatFields(text string, values []Value, named func(string) (Value, error)) (Value, error) {
	f := &fieldFormatter{m: m, values: values, named: named}
	return f.fill(text, 2)
}

// fill formats text, whose fields may nest depth deep.
func (f *fieldFormatter) fill(text string, depth int) (string, error) {
	if depth == 0 {
		return "", raise("ValueError", "Max string recursion exceeded")
	}
	var b strings.Builder
	for text != "" {
		literal, field, rest, hasField, err := nextField(text)
		if err != nil {
			return "", err
		}
		b.WriteString(literal)
		text = rest
		if hasField {
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

// nextField splits text at its first field (MarkupIterator_next).
func nextField(text string) (literal, field, rest string, hasField bool, err error) {
	at := strings.IndexAny(text, "{}")
	if at < 0 {
		return text, "", "", false, nil
	}
	c := text[at]
	after := text[at+1:]
	switch {
	case after == "":
		return "", "", "", false, raise("ValueError", "Single '%c' encountered in format string", c)
	case after[0] == c:
		return text[:at+1], "", after[1:], false, nil
	case c == '}':
		return "", "", "", false, raise("ValueError", "Single '}' encountered in format string")
	}
	depth := 1
	for i := 0; i < len(after); i++ {
		switch after[i] {
		case '[':
			// A bracket may hold braces, up to its end.
			if end := strings.IndexByte(after[i:], ']'); end >= 0 && !beforeSpec(after[:i]) {
				i += end
			} else if end < 0 {
				i = len(after)
			}
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[:at], after[:i], after[i+1:], true, nil
			}
		}
	}
	return "", "", "", false, raise("ValueError", "expected '}' before end of string")
}

// beforeSpec reports whether a field's name has ended.
func beforeSpec(text string) bool { return strings.ContainsAny(text, ":!") }

// field formats what stands between braces.
func (f *fieldFormatter) field(text string, depth int) (string, error) {
	name, conversion, spec, err := splitField(text)
	if err != nil {
		return "", err
	}
	v, err := f.value(name)
	if err != nil {
		return "", err
	}
	if conversion != "" {
		if len(conversion) != 1 || strings.IndexByte("sra", conversion[0]) < 0 {
			return "", unknownConversion(runesOf(conversion)[0])
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

// splitField splits name!conversion:spec (parse_field).
func splitField(text string) (name, conversion, spec string, err error) {
	end := 0
	bracket := false
	for ; end < len(text); end++ {
		c := text[end]
		switch {
		case c == '{':
			return "", "", "", raise("ValueError", "unexpected '{' in field name")
		case c == '[':
			bracket = true
			continue
		case c == ']':
			bracket = false
			continue
		}
		if !bracket && (c == ':' || c == '!') {
			break
		}
	}
	name, text = text[:end], text[end:]
	if strings.HasPrefix(text, "!") {
		chars := pysem.Chars(text[1:])
		if len(chars) == 0 {
			return "", "", "", raise("ValueError", "end of string while looking for conversion specifier")
		}
		conversion, text = chars[0], text[1+len(chars[0]):]
		if text != "" && text[0] != ':' {
			return "", "", "", raise("ValueError", "expected ':' after conversion specifier")
		}
	}
	return name, conversion, strings.TrimPrefix(text, ":"), nil
}

// value finds what a field names: first a number or a name, then attributes and items.
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
			end := strings.IndexAny(rest[1:], ".[") + 1
			if end == 0 {
				end = len(rest)
			}
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

// fieldKey is an index where it is one, and else a string.
func fieldKey(text string) Value {
	if n, ok := atoi(pysem.FoldDigits(text)); ok {
		return n
	}
	return text
}

// first is the value that a field begins with.
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
