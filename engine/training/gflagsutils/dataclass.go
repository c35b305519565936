package gflagsutils

import (
	"reflect"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
)

// Enumerated is implemented by pointers to fields whose type is an enum.
type Enumerated interface {
	// EnumMembers returns the enum's name and its members, with the values that dataclass.Class.Get
	// returns.
	EnumMembers() (class string, members []Member)
}

// kindTag is the tag for a field whose Go type does not determine its kind.
const kindTag = "kind"

// FieldsOf describes the fields of a dataclass. A field of an unusual type has the kind Other,
// unless it is Enumerated or its tag kind is string.
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

// Object is an object of a dataclass as a Config.
type Object[T any] struct {
	Class *dataclass.Class[T]
	To    *T
}

// Get returns the Python value of a field.
func (o Object[T]) Get(name string) any { return o.Class.Get(o.To, name) }

// Set assigns a Python value to a field.
func (o Object[T]) Set(name string, value any) error { return o.Class.Set(o.To, name, value) }
