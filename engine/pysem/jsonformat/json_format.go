// Package jsonformat is json_format of Python's protobuf 3.21: it converts messages to and from the
// values of package pysem, with Python's error messages. [ParseDict] and [MessageDict] are the two
// directions. It handles messages of scalars, lists and messages; where Python accepts more than
// Go's protojson does, it follows Python. Protobuf's text form is in package textpb.
//
// Unstable: any commit may change it.
package jsonformat

import (
	"encoding/base64"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/monosim/monosim/engine/pysem"
)

// ParseDict merges a JSON value into a message. Every failure is a ParseError, with two exceptions.
// A value that Python cannot iterate over is a TypeError. A number beyond the range of a float is
// an OverflowError.
func ParseDict(value any, m protoreflect.Message) error {
	switch v := value.(type) {
	case *pysem.Dict:
		for _, item := range v.Items {
			if err := parseMember(item.Key, item.Value, m); err != nil {
				return asParseError(item.Key, err)
			}
		}
		return nil
	case []any:
		if len(v) == 0 {
			return nil
		}
		return parseError("Failed to parse %s field", pysem.Repr(v[0]))
	case string:
		if v == "" {
			return nil
		}
		return parseError("Message type %q has no field named %s", m.Descriptor().FullName(), pysem.Repr(v))
	}
	return pysem.Raise("TypeError", "'%s' object is not iterable", pysem.TypeName(value))
}

func parseError(format string, args ...any) error { return pysem.Raise("ParseError", format, args...) }

// asParseError returns the error for a field that could not be parsed. Python's json_format turns a
// ValueError or TypeError into a ParseError, and passes other errors on.
func asParseError(name string, err error) error {
	switch pysem.TypeOf(err) {
	case "ParseError", "ValueError", "TypeError":
		return parseError("Failed to parse %s field: %v.", name, err)
	}
	return err
}

func parseMember(name string, value any, m protoreflect.Message) error {
	fields := m.Descriptor().Fields()
	field := fields.ByJSONName(name)
	if field == nil {
		field = fields.ByName(protoreflect.Name(name))
	}
	switch {
	case field == nil:
		return parseError("Message type %q has no field named %q", m.Descriptor().FullName(), name)
	case value == nil:
		m.Clear(field)
		return nil
	case field.IsList():
		m.Clear(field)
		return parseList(name, value, m.Mutable(field).List(), field)
	case field.Message() != nil:
		return ParseDict(value, m.Mutable(field).Message())
	}
	scalar, err := parseScalar(value, field)
	if err == nil {
		m.Set(field, scalar)
	}
	return err
}

func parseList(name string, value any, list protoreflect.List, field protoreflect.FieldDescriptor) error {
	items, ok := value.([]any)
	if !ok {
		return parseError("repeated field %s must be in [] which is %s", name, pysem.Str(value))
	}
	for i, item := range items {
		if item == nil {
			return parseError("null is not allowed to be used as an element in a repeated field at %s[%d]", name, i)
		}
		if field.Message() != nil {
			if err := ParseDict(item, list.AppendMutable().Message()); err != nil {
				return err
			}
			continue
		}
		scalar, err := parseScalar(item, field)
		if err != nil {
			return err
		}
		list.Append(scalar)
	}
	return nil
}

func parseScalar(value any, field protoreflect.FieldDescriptor) (protoreflect.Value, error) {
	switch field.Kind() {
	case protoreflect.FloatKind:
		f, err := parseReal(value, true)
		return protoreflect.ValueOfFloat32(float32(f)), err
	case protoreflect.DoubleKind:
		f, err := parseReal(value, false)
		return protoreflect.ValueOfFloat64(f), err
	case protoreflect.BoolKind:
		b, ok := value.(bool)
		if !ok {
			return protoreflect.Value{}, parseError("Expected true or false without quotes")
		}
		return protoreflect.ValueOfBool(b), nil
	case protoreflect.StringKind:
		text, ok := value.(string)
		if !ok {
			return protoreflect.Value{}, pysem.Raise("TypeError", "expected string or bytes-like object")
		}
		if !utf8.ValidString(text) {
			return protoreflect.Value{}, parseError("Unpaired surrogate")
		}
		return protoreflect.ValueOfString(text), nil
	case protoreflect.BytesKind:
		text, ok := value.(string)
		if !ok {
			return protoreflect.Value{}, pysem.Raise("TypeError", "object of type '%s' has no len()", pysem.TypeName(value))
		}
		data, err := laxBase64(text)
		return protoreflect.ValueOfBytes(data), err
	}
	return parseInteger(value, field)
}

func parseInteger(value any, field protoreflect.FieldDescriptor) (protoreflect.Value, error) {
	switch v := value.(type) {
	case float64:
		if v != math.Trunc(v) || math.IsInf(v, 0) {
			return protoreflect.Value{}, parseError("Couldn't parse integer: %s", pysem.FloatRepr(v))
		}
	case string:
		if strings.Contains(v, " ") {
			return protoreflect.Value{}, parseError("Couldn't parse integer: %q", v)
		}
	case bool:
		return protoreflect.Value{}, parseError("Bool value %s is not acceptable for integer field", pysem.Str(v))
	}
	number, err := pysem.ToInt(value)
	if err != nil {
		return protoreflect.Value{}, err
	}
	n, _ := pysem.Big(number)
	switch field.Kind() {
	case protoreflect.Int32Kind:
		if fits(n, math.MinInt32, math.MaxInt32) {
			return protoreflect.ValueOfInt32(int32(n.Int64())), nil
		}
	case protoreflect.Uint32Kind:
		if fits(n, 0, math.MaxUint32) {
			return protoreflect.ValueOfUint32(uint32(n.Int64())), nil
		}
	case protoreflect.Int64Kind:
		if n.IsInt64() {
			return protoreflect.ValueOfInt64(n.Int64()), nil
		}
	case protoreflect.Fixed64Kind, protoreflect.Uint64Kind:
		if n.IsUint64() {
			return protoreflect.ValueOfUint64(n.Uint64()), nil
		}
	}
	return protoreflect.Value{}, pysem.Raise("ValueError", "Value out of range: %s", n)
}

func fits(n *big.Int, low, high int64) bool {
	return n.IsInt64() && n.Int64() >= low && n.Int64() <= high
}

// parseReal parses a number, or a string that contains one. It refuses NaN and Infinity that are
// not quoted. If single is set, it also refuses numbers beyond the range of a 32-bit float.
func parseReal(value any, single bool) (float64, error) {
	if f, ok := value.(float64); ok {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return 0, parseError("Couldn't parse %s, use a quoted one instead", pysem.FloatRepr(f))
		}
		if single && math.Abs(f) > math.MaxFloat32 {
			return 0, parseError("Float value too large or too small")
		}
	}
	if value == "nan" {
		return 0, parseError(`Couldn't parse float "nan", use "NaN" instead`)
	}
	return pysem.ToFloat(value)
}

// laxBase64 returns Python's base64.urlsafe_b64decode(text), after adding any missing padding. It
// accepts both alphabets, skips other characters, and ignores what follows the padding.
func laxBase64(text string) ([]byte, error) {
	var digits []byte
	pads := 0
	for _, c := range []byte(text + strings.Repeat("=", 4-len(text)%4)) {
		switch c {
		case '-':
			c = '+'
		case '_':
			c = '/'
		case '=':
			pads++
			if quad := len(digits) % 4; quad >= 2 && quad+pads >= 4 {
				return base64.RawStdEncoding.DecodeString(string(digits))
			}
			continue
		}
		if c == '+' || c == '/' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			digits = append(digits, c)
			pads = 0
		}
	}
	if len(digits)%4 != 0 {
		return nil, pysem.Raise("ValueError", "Incorrect padding")
	}
	return base64.StdEncoding.DecodeString(string(digits))
}

// MessageDict returns a message as MessageToJson shows it: the fields that are set, ordered by
// number, under their JSON names.
func MessageDict(m protoreflect.Message) *pysem.Dict {
	d := &pysem.Dict{}
	fields := m.Descriptor().Fields()
	for _, i := range fieldsByNumber(fields) {
		field := fields.Get(i)
		if !m.Has(field) {
			continue
		}
		if !field.IsList() {
			d.Set(field.JSONName(), jsonValue(m.Get(field), field))
			continue
		}
		list := m.Get(field).List()
		values := make([]any, list.Len())
		for i := range values {
			values[i] = jsonValue(list.Get(i), field)
		}
		d.Set(field.JSONName(), values)
	}
	return d
}

func fieldsByNumber(fields protoreflect.FieldDescriptors) []int {
	order := make([]int, 0, fields.Len())
	for i := range fields.Len() {
		at := len(order)
		for at > 0 && fields.Get(order[at-1]).Number() > fields.Get(i).Number() {
			at--
		}
		order = append(order[:at], append([]int{i}, order[at:]...)...)
	}
	return order
}

func jsonValue(value protoreflect.Value, field protoreflect.FieldDescriptor) any {
	switch v := value.Interface().(type) {
	case protoreflect.Message:
		return MessageDict(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case int32:
		return int(v)
	case uint32:
		return int(v)
	case []byte:
		return base64.StdEncoding.EncodeToString(v)
	case float32:
		return jsonReal(float64(v), 32)
	case float64:
		return jsonReal(v, 64)
	case bool, string:
		return v
	}
	panic("agent: no JSON form for a field of kind " + field.Kind().String())
}

// jsonReal returns a number with as many digits as are needed to read it back, or a word for an
// infinity or NaN. A 32-bit float has at least six digits, which every such float can hold
// (type_checkers.ToShortestFloat).
func jsonReal(f float64, bits int) any {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case math.IsNaN(f):
		return "NaN"
	case bits == 64:
		return f
	}
	for digits := 6; ; digits++ {
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64)
		if float32(rounded) == float32(f) {
			return rounded
		}
	}
}
