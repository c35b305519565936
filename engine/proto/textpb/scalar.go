package textpb

import (
	"bytes"
	"math"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// appendScalar appends a value that is not a message.
func appendScalar(text []byte, desc protoreflect.FieldDescriptor, value protoreflect.Value) []byte {
	switch desc.Kind() {
	case protoreflect.BoolKind:
		return strconv.AppendBool(text, value.Bool())
	case protoreflect.EnumKind:
		return appendEnum(text, desc.Enum(), value.Enum())
	case protoreflect.StringKind:
		return appendQuoted(text, value.String())
	case protoreflect.BytesKind:
		return appendQuoted(text, value.Bytes())
	case protoreflect.FloatKind:
		return appendDouble(text, shortestFloat(float32(value.Float())))
	case protoreflect.DoubleKind:
		return appendDouble(text, value.Float())
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return strconv.AppendUint(text, value.Uint(), 10)
	default:
		return strconv.AppendInt(text, value.Int(), 10)
	}
}

// appendEnum writes the name of an enum value, or its number if it has none.
func appendEnum(text []byte, enum protoreflect.EnumDescriptor, number protoreflect.EnumNumber) []byte {
	if value := enum.Values().ByNumber(number); value != nil {
		return append(text, value.Name()...)
	}
	return strconv.AppendInt(text, int64(number), 10)
}

// appendQuoted appends a string or bytes in double quotes, escaped byte by byte (text_encoding.py,
// CEscape with as_utf8=False). Printable ASCII stays, except that quotes of both kinds and the
// backslash get a backslash. Newline, carriage return and tab become \n, \r and \t. Any other byte
// becomes three octal digits.
func appendQuoted[T string | []byte](text []byte, s T) []byte {
	text = append(text, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '\n':
			text = append(text, '\\', 'n')
		case '\r':
			text = append(text, '\\', 'r')
		case '\t':
			text = append(text, '\\', 't')
		case '"', '\'', '\\':
			text = append(text, '\\', c)
		default:
			if c < ' ' || c > '~' {
				text = append(text, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
			} else {
				text = append(text, c)
			}
		}
	}
	return append(text, '"')
}

// shortestFloat returns a double with a short decimal form that reads back as v. Like Python it
// tries six significant digits, and then one more at a time (type_checkers.py, ToShortestFloat). So
// a denormal keeps six digits where fewer would be enough.
func shortestFloat(v float32) float64 {
	exact := float64(v)
	if math.IsInf(exact, 0) || math.IsNaN(exact) {
		return exact
	}
	var buffer [32]byte
	for digits := 6; digits < 9; digits++ {
		text := strconv.AppendFloat(buffer[:0], exact, 'e', digits-1, 64)
		rounded, err := strconv.ParseFloat(string(text), 64)
		if err == nil && float32(rounded) == v {
			return rounded
		}
	}
	text := strconv.AppendFloat(buffer[:0], exact, 'e', 8, 64)
	rounded, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return exact
	}
	return rounded // nine digits always read back as the same float32
}

// appendDouble appends Python's str(v): the shortest decimal that reads back as v. It has an
// exponent from 1e16 on and below 1e-4, and otherwise a decimal point.
func appendDouble(text []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(text, "nan"...)
	case math.IsInf(v, 1):
		return append(text, "inf"...)
	case math.IsInf(v, -1):
		return append(text, "-inf"...)
	}
	if magnitude := math.Abs(v); magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16) {
		return strconv.AppendFloat(text, v, 'e', -1, 64)
	}
	start := len(text)
	text = strconv.AppendFloat(text, v, 'f', -1, 64)
	if bytes.IndexByte(text[start:], '.') < 0 {
		text = append(text, ".0"...)
	}
	return text
}

// isDefault reports whether a map key or value has its default, so that the message leaves it
// unset. A value that is a message is never left unset.
func isDefault(desc protoreflect.FieldDescriptor, value protoreflect.Value) bool {
	switch desc.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return false
	case protoreflect.BytesKind:
		return len(value.Bytes()) == 0
	default:
		return value.Equal(desc.Default())
	}
}
