package textformat

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/monosim/monosim/engine/pysem"
)

// scalarField reads a field whose value is not a message (_MergeScalarField).
func (p *parser) scalarField(m protoreflect.Message, field protoreflect.FieldDescriptor) error {
	value, err := p.scalar(field)
	// this error is raised by Python's message when the field is set, rather than by the parser
	refused := pysem.TypeOf(err) == "ValueError"
	switch {
	case err != nil && !refused:
		return err
	case !field.IsList() && !p.Overwrite && p.isThere(m, field):
		return p.failTwice(m, field)
	case refused:
		return err
	case field.IsList():
		m.Mutable(field).List().Append(value)
	case !field.HasPresence() && isFalse(value):
		m.Clear(field) // in Python, setting a false value clears the field, even for -0.0
	default:
		m.Set(field, value)
	}
	return nil
}

// isThere reports whether a field already has a value. In proto3 only a value that is true in
// Python counts.
func (p *parser) isThere(m protoreflect.Message, field protoreflect.FieldDescriptor) bool {
	if m.Descriptor().ParentFile().Syntax() == protoreflect.Proto3 {
		return !isFalse(m.Get(field))
	}
	return m.Has(field)
}

// isFalse reports whether Python's bool(value) is False.
func isFalse(value protoreflect.Value) bool {
	switch v := value.Interface().(type) {
	case bool:
		return !v
	case int32:
		return v == 0
	case int64:
		return v == 0
	case uint32:
		return v == 0
	case uint64:
		return v == 0
	case float32:
		return v == 0
	case float64:
		return v == 0
	case string:
		return v == ""
	case []byte:
		return len(v) == 0
	case protoreflect.EnumNumber:
		return v == 0
	}
	return false
}

func (p *parser) scalar(field protoreflect.FieldDescriptor) (value protoreflect.Value, err error) {
	switch field.Kind() {
	case protoreflect.StringKind:
		text, err := p.consumeString()
		return protoreflect.ValueOfString(text), err
	case protoreflect.BytesKind:
		data, err := p.consumeBytes()
		return protoreflect.ValueOfBytes(data), err
	case protoreflect.EnumKind:
		value, err = p.enum(field)
	case protoreflect.BoolKind:
		value, err = boolOf(p.token)
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		value, err = floatOf(p.token, field.Kind())
	default:
		value, err = integerOf(p.token, field.Kind())
	}
	var bad badValue
	switch {
	case errors.As(err, &bad):
		return value, p.fail("%s", string(bad))
	case err == nil || pysem.TypeOf(err) == "ValueError":
		p.next()
	}
	return value, err
}

// badValue is the reason why a token is not a valid value of its field.
type badValue string

func (b badValue) Error() string { return string(b) }

func bad(format string, args ...any) error { return badValue(fmt.Sprintf(format, args...)) }

// outOfRange returns the reason for a number out of range. If the number has more digits than
// CPython can format, it returns that reason instead.
func outOfRange(format string, n *big.Int) badValue {
	text := n.String()
	if len(strings.TrimPrefix(text, "-")) > pysem.MaxDigits {
		return badValue(fmt.Sprintf("Exceeds the limit (%d digits) for integer string conversion; "+
			"use sys.set_int_max_str_digits() to increase the limit", pysem.MaxDigits))
	}
	return badValue(fmt.Sprintf(format, text))
}

func boolOf(text string) (protoreflect.Value, error) {
	switch text {
	case "true", "t", "1", "True":
		return protoreflect.ValueOfBool(true), nil
	case "false", "f", "0", "False":
		return protoreflect.ValueOfBool(false), nil
	}
	return protoreflect.Value{}, bad(`Expected "true" or "false".`)
}

// floatOf parses a float as Python's float(text) does. It also accepts forms of C++: nanf, inff,
// 1.5f (ParseFloat).
func floatOf(text string, kind protoreflect.Kind) (protoreflect.Value, error) {
	f, err := pysem.ParseFloat(text)
	if err != nil {
		lower := strings.ToLower(text)
		switch {
		case isInfinity(strings.TrimPrefix(lower, "-")):
			f = math.Inf(1 - 2*strings.Count(lower, "-"))
		case lower == "nanf":
			f = pysem.NaN
		default:
			if f, err = pysem.ParseFloat(strings.TrimRight(text, "f")); err != nil {
				return protoreflect.Value{}, bad("Couldn't parse float: %s", text)
			}
		}
	}
	if kind == protoreflect.DoubleKind {
		return protoreflect.ValueOfFloat64(f), nil
	}
	switch { // a number that would be rounded down to the largest float is infinite, too
	case f > math.MaxFloat32:
		f = math.Inf(1)
	case f < -math.MaxFloat32:
		f = math.Inf(-1)
	}
	return protoreflect.ValueOfFloat32(float32(f)), nil
}

func isInfinity(lower string) bool {
	word := strings.TrimSuffix(lower, "f")
	return word == "inf" || word == "infinity" || lower == "inf"
}

// integerOf parses an integer and checks that it fits its field (ParseInteger).
func integerOf(text string, kind protoreflect.Kind) (protoreflect.Value, error) {
	n, ok := parseInteger(octal(text))
	if !ok {
		return protoreflect.Value{}, bad("Couldn't parse integer: %s", text)
	}
	return fitted(n, kind)
}

func fitted(n *big.Int, kind protoreflect.Kind) (protoreflect.Value, error) {
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		if n.IsInt64() && n.Int64() == int64(int32(n.Int64())) {
			if kind == protoreflect.EnumKind {
				return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n.Int64())), nil
			}
			return protoreflect.ValueOfInt32(int32(n.Int64())), nil
		}
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		if n.IsUint64() && n.Uint64() <= math.MaxUint32 {
			return protoreflect.ValueOfUint32(uint32(n.Uint64())), nil
		}
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		if n.IsUint64() {
			return protoreflect.ValueOfUint64(n.Uint64()), nil
		}
	default:
		if n.IsInt64() {
			return protoreflect.ValueOfInt64(n.Int64()), nil
		}
	}
	return protoreflect.Value{}, outOfRange("Value out of range: %s", n)
}

// octal converts a number that begins with 0 to Python's octal form: -017 becomes -0o17.
func octal(text string) string {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) < 2 || digits[0] != '0' || strings.Trim(digits, "0123456789") != "" {
		return text
	}
	return text[:len(text)-len(digits)] + "0o" + digits[1:]
}

// parseInteger returns Python's int(text, 0), which takes the base from the prefix of the text.
func parseInteger(text string) (*big.Int, bool) {
	text = pysem.FoldDigits(text)
	digits := strings.TrimLeft(text, "+-")
	zeros := strings.Trim(digits, "0_") == ""
	switch {
	case len(digits) > 1 && digits[0] == '0' && (isDigit(digits[1]) || digits[1] == '_') && !zeros:
		return nil, false // a number with leading 0 is not decimal
	case len(digits) > pysem.MaxDigits && strings.Trim(digits, "0123456789_") == "" && len(strings.ReplaceAll(digits, "_", "")) > pysem.MaxDigits:
		return nil, false
	}
	return new(big.Int).SetString(text, 0)
}

// enum parses a value of an enum, which is a name or a number (ParseEnum).
func (p *parser) enum(field protoreflect.FieldDescriptor) (protoreflect.Value, error) {
	values := field.Enum().Values()
	n, isNumber := parseInteger(p.token)
	if !isNumber {
		value := values.ByName(protoreflect.Name(p.token))
		if value == nil {
			return protoreflect.Value{}, bad(`Enum type "%s" has no value named %s.`, field.Enum().FullName(), p.token)
		}
		return protoreflect.ValueOfEnum(value.Number()), nil
	}
	if field.ParentFile().Syntax() == protoreflect.Proto3 {
		value, err := fitted(n, protoreflect.EnumKind)
		if err != nil { // it is the message that refuses the value, not the parser
			return value, pysem.Raise("ValueError", "%v", err)
		}
		return value, nil
	}
	if n.IsInt64() && (p.Native || int64(int32(n.Int64())) == n.Int64()) {
		if known := values.ByNumber(protoreflect.EnumNumber(int32(n.Int64()))); known != nil {
			return protoreflect.ValueOfEnum(known.Number()), nil
		}
	}
	return protoreflect.Value{}, outOfRange(fmt.Sprintf(`Enum type "%s" has no value with number %%s.`, field.Enum().FullName()), n)
}
