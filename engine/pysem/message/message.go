// Package message gives protobuf messages the values of Python: a field takes what protobuf's classes
// for Python take, and refuses with what they raise.
//
// Two things to use first:
//
//   - [Set] sets a field as a keyword argument of the message's constructor does.
//   - [Int] and [Text] return what a field holds after it was given a value; [Check] finds what a
//     message cannot hold in one that was made by other means.
//
// To change what a field takes: the function of its kind. Texts of protobuf are package textformat's.
//
// Unstable: any commit may change it.
package message

import (
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/monosim/monosim/engine/pysem"
)

// Set sets a field of the message m by name. A value of None leaves the field unchanged, and for an
// enum a string is the name of a value. A value of the wrong type is a TypeError. A value that the
// field cannot hold, or an unknown field, is a ValueError. A lone surrogate is a
// UnicodeEncodeError.
func Set(m proto.Message, name string, v any) error {
	r := m.ProtoReflect()
	field := r.Descriptor().Fields().ByName(protoreflect.Name(name))
	if field == nil {
		return pysem.Raise("ValueError", "Protocol message %s has no \"%s\" field.", r.Descriptor().Name(), name)
	}
	if v == nil {
		return nil
	}
	value, err := valueOf(field, v)
	if err == nil {
		r.Set(field, value)
	}
	return err
}

// valueOf converts v to the value that a field holds.
func valueOf(field protoreflect.FieldDescriptor, v any) (protoreflect.Value, error) {
	if field.IsList() || field.IsMap() {
		panic("message: " + string(field.FullName()) + " is no single value")
	}
	switch field.Kind() {
	case protoreflect.EnumKind:
		n, err := Enum(v, field.Enum())
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n)), err
	case protoreflect.Int32Kind:
		n, err := Int(v, math.MinInt32, math.MaxInt32)
		return protoreflect.ValueOfInt32(int32(n)), err
	case protoreflect.Int64Kind:
		n, err := Int(v, math.MinInt64, math.MaxInt64)
		return protoreflect.ValueOfInt64(n), err
	case protoreflect.StringKind:
		text, err := Text(v)
		return protoreflect.ValueOfString(text), err
	}
	panic("message: " + string(field.FullName()) + " is of the kind " + field.Kind().String() + ", which no caller has")
}

// Int converts v, an int or a bool, to the value of an integer field with the range from least to
// most.
func Int(v any, least, most int64) (int64, error) {
	n, ok := pysem.Big(v)
	switch {
	case !ok:
		return 0, pysem.Raise("TypeError", "'%s' object cannot be interpreted as an integer", pysem.TypeName(v))
	case !n.IsInt64() || n.Int64() < least || n.Int64() > most:
		return 0, pysem.Raise("ValueError", "Value out of range: %s", n)
	}
	return n.Int64(), nil
}

// Enum converts v to the value of an enum field, as a constructor does. v is a number, or the name
// of a value.
func Enum(v any, enum protoreflect.EnumDescriptor) (int32, error) {
	name, ok := v.(string)
	if !ok {
		n, err := Int(v, math.MinInt32, math.MaxInt32)
		return int32(n), err
	}
	value := enum.Values().ByName(protoreflect.Name(name))
	if value == nil {
		return 0, pysem.Raise("ValueError", "unknown enum label \"%s\"", name)
	}
	return int32(value.Number()), nil
}

// Text converts v to the value of a string field. v is a str, or bytes in UTF-8.
func Text(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, Encodable(v)
	case []byte:
		return pysem.DecodeUTF8(v)
	}
	return "", pysem.Raise("TypeError", "bad argument type for built-in operation")
}

// Check returns the error for the first text in m that UTF-8 cannot represent. It also looks into
// maps and nested messages. In Python the error is raised when the text is set.
func Check(m proto.Message) error { return checkFields(m.ProtoReflect()) }

func checkFields(m protoreflect.Message) (err error) {
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.IsMap():
			v.Map().Range(func(key protoreflect.MapKey, v protoreflect.Value) bool {
				if err = checkValue(key.Interface()); err == nil {
					err = checkValue(v.Interface())
				}
				return err == nil
			})
		case field.IsList():
			for i := 0; i < v.List().Len() && err == nil; i++ {
				err = checkValue(v.List().Get(i).Interface())
			}
		default:
			err = checkValue(v.Interface())
		}
		return err == nil
	})
	return err
}

func checkValue(v any) error {
	switch v := v.(type) {
	case string:
		return Encodable(v)
	case protoreflect.Message:
		return checkFields(v)
	}
	return nil
}

// Encodable returns a UnicodeEncodeError if UTF-8 cannot represent the text, because it has a lone
// surrogate.
func Encodable(text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	at := 0
	for rest := text; rest != ""; at++ {
		r, size := pysem.DecodeRune(rest)
		if r >= 0xd800 && r <= 0xdfff {
			return pysem.Raise("UnicodeEncodeError", "'utf-8' codec can't encode character '\\u%04x' in position %d: surrogates not allowed", r, at)
		}
		rest = rest[size:]
	}
	return nil
}
