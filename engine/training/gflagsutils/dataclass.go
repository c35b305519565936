package gflagsutils

import (
	"reflect"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
)

// Enumerated is implemented by pointers to fields of an enum type.
type Enumerated interface {
	// EnumMembers returns the enum's name and its members. The members have the values that
	// dataclass.Class.Get returns.
	EnumMembers() (class string, members []Member)
}

// kindTag is the tag of a field whose kind does not follow from its Go type.
const kindTag = "kind"

// FieldsOf returns descriptions of a dataclass's fields. A field of an unsupported type has the
// kind Other, unless it is Enumerated or its tag kind is string.
func FieldsOf[T any](class *dataclass.Class[T]) []Field {
	var fields []Field
	for _, a := range class.Fields() {
		f := Field{Name: a.Name, Default: a.Default, Kind: kindOf(a.Type)}
		if a.Tag.Get(kindTag) == "string" {
			f.Kind = String
		}
		if enum, ok := reflect.New(a.Type).Interface().(Enumerated); ok {
			f.Kind = Enum
			f.Class, f.Members = enum.EnumMembers()
		}
		fields = append(fields, f)
	}
	return fields
}

func kindOf(t reflect.Type) Kind {
	switch t {
	case reflect.TypeFor[int](), reflect.TypeFor[pysem.OptInt]():
		return Int
	case reflect.TypeFor[bool](), reflect.TypeFor[pysem.OptBool]():
		return Bool
	case reflect.TypeFor[string](), reflect.TypeFor[pysem.OptString]():
		return String
	case reflect.TypeFor[float64](), reflect.TypeFor[pysem.OptFloat]():
		return Float
	}
	return Other
}

// Object wraps an object of a dataclass as a Config.
type Object[T any] struct {
	Class *dataclass.Class[T]
	To    *T
}

// Get returns the Python value of a field.
func (o Object[T]) Get(name string) any { return o.Class.Get(o.To, name) }

// Set sets a field to a Python value.
func (o Object[T]) Set(name string, value any) error { return o.Class.Set(o.To, name, value) }
