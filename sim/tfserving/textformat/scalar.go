package textformat

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// scalarField parses one value of a field that is no message (ConsumeFieldValue).
func (p *parser) scalarField(m protoreflect.Message, field protoreflect.FieldDescriptor) bool {
	value, ok := p.scalar(field)
	if !ok {
		return false
	}
	if field.IsList() {
		m.Mutable(field).List().Append(value)
	} else {
		m.Set(field, value)
	}
	return true
}

func (p *parser) scalar(field protoreflect.FieldDescriptor) (protoreflect.Value, bool) {
	switch field.Kind() {
	case protoreflect.StringKind:
		data, ok := p.bytes()
		return protoreflect.ValueOfString(string(data)), ok
	case protoreflect.BytesKind:
		data, ok := p.bytes()
		return protoreflect.ValueOfBytes(data), ok
	case protoreflect.EnumKind:
		return p.enum(field)
	case protoreflect.BoolKind:
		return p.bool(field)
	case protoreflect.FloatKind:
		f, ok := p.double()
		return protoreflect.ValueOfFloat32(toFloat(f)), ok
	case protoreflect.DoubleKind:
		f, ok := p.double()
		return protoreflect.ValueOfFloat64(f), ok
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		n, ok := p.unsigned(math.MaxUint32)
		return protoreflect.ValueOfUint32(uint32(n)), ok
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		n, ok := p.unsigned(math.MaxUint64)
		return protoreflect.ValueOfUint64(n), ok
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		n, ok := p.signed(math.MaxInt64)
		return protoreflect.ValueOfInt64(n), ok
	}
	n, ok := p.signed(math.MaxInt32)
	return protoreflect.ValueOfInt32(int32(n)), ok
}

func (p *parser) unsigned(most uint64) (uint64, bool) {
	if p.current.kind != integer {
		return 0, p.fail("Expected integer, got: %s", p.current.text)
	}
	n, ok := integerOf(p.current.text)
	if !ok || n > most {
		return 0, p.fail("Integer out of range (%s)", p.current.text)
	}
	p.next()
	return n, true
}

// integerOf converts an integer token to a number. Its prefix determines the base: 0x, 0 or none.
func integerOf(text string) (uint64, bool) {
	digits, base := text, 10
	switch {
	case len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x':
		if digits, base = text[2:], 16; digits == "" {
			return 0, true // the tokenizer has reported the mistake already
		}
	case text[0] == '0':
		base = 8
	}
	n, err := strconv.ParseUint(digits, base, 64)
	return n, err == nil
}

// signed parses an integer with an optional minus, which is a separate token. most is the largest
// allowed positive number.
func (p *parser) signed(most uint64) (int64, bool) {
	if p.tryConsume("-") {
		n, ok := p.unsigned(most + 1)
		return -int64(n), ok
	}
	n, ok := p.unsigned(most)
	return int64(n), ok
}

// double parses a decimal number, infinity or NaN.
func (p *parser) double() (f float64, ok bool) {
	minus := p.tryConsume("-")
	word := strings.ToLower(p.current.text)
	switch {
	case p.current.kind == integer && len(word) > 1 && word[0] == '0' && (word[1] == 'x' || isOctal(word[1])):
		return 0, p.fail("Expect a decimal number, got: %s", p.current.text)
	case p.current.kind == integer, p.current.kind == float:
		f = floatOf(word)
	case p.current.kind == identifier && !isFloatWord(word):
		return 0, p.fail("Expected double, got: %s", word)
	case p.current.kind != identifier:
		return 0, p.fail("Expected double, got: %s", p.current.text)
	case word == "nan":
		f = math.Float64frombits(0x7ff8_0000_0000_0000) // C++'s NaN has other bits than Go's
	default:
		f = math.Inf(1)
	}
	p.next()
	if minus {
		f = math.Copysign(f, -1)
	}
	return f, true
}

// floatOf converts a float token to a number as strtod does. Too large numbers become infinity. Of
// an exponent without digits, which the tokenizer has reported, the number before it is left.
func floatOf(text string) float64 {
	text = strings.TrimSuffix(text, "f")
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		f, _ = strconv.ParseFloat(strings.TrimRight(text, "eE+-"), 64)
	}
	return f
}

// toFloat converts a double to a float. Numbers up to half a step beyond the largest float become
// the largest float (SafeDoubleToFloat).
func toFloat(f float64) float32 {
	const halfStepBeyond = 3.4028235677973366e+38
	if math.Abs(f) > math.MaxFloat32 && math.Abs(f) <= halfStepBeyond {
		return float32(math.Copysign(math.MaxFloat32, f))
	}
	return float32(f)
}

func (p *parser) bool(field protoreflect.FieldDescriptor) (protoreflect.Value, bool) {
	if p.current.kind == integer {
		n, ok := p.unsigned(1)
		return protoreflect.ValueOfBool(n == 1), ok
	}
	word, ok := p.consumeIdentifier()
	switch {
	case !ok:
	case word == "true" || word == "True" || word == "t":
		return protoreflect.ValueOfBool(true), true
	case word == "false" || word == "False" || word == "f":
		return protoreflect.ValueOfBool(false), true
	default:
		ok = p.fail(`Invalid value for boolean field "%s". Value: "%s".`, field.Name(), word)
	}
	return protoreflect.Value{}, ok
}

// enum parses an enum value given by its name or number. For a closed enum the number must be
// defined.
func (p *parser) enum(field protoreflect.FieldDescriptor) (protoreflect.Value, bool) {
	values := field.Enum().Values()
	var value protoreflect.EnumValueDescriptor
	var word string
	switch {
	case p.current.kind == identifier:
		word, _ = p.consumeIdentifier()
		if value = values.ByName(protoreflect.Name(word)); value != nil && p.HidesValue != nil && p.HidesValue(value) {
			value = nil // the number of an unknown enum value is kept, as by any open enum
		}
	case p.lookingAt("-") || p.current.kind == integer:
		n, ok := p.signed(math.MaxInt32)
		if !ok {
			return protoreflect.Value{}, false
		}
		if value = values.ByNumber(protoreflect.EnumNumber(n)); value == nil && !field.Enum().IsClosed() {
			return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n)), true
		}
		word = strconv.FormatInt(n, 10)
	default:
		return protoreflect.Value{}, p.fail("Expected integer or identifier, got: %s", p.current.text)
	}
	if value == nil {
		return protoreflect.Value{}, p.fail(`Unknown enumeration value of "%s" for field "%s".`, word, field.Name())
	}
	return protoreflect.ValueOfEnum(value.Number()), true
}
