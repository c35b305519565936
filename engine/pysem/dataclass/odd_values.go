package dataclass

import (
	"math"
	"slices"

	"github.com/monosim/monosim/engine/pysem"
)

// Cell is a field whose type is the owner's own, as an enum or a dict of strings is.
// The pointer to the field implements it.
type Cell interface {
	// LoadPython is the field as a Python value.
	LoadPython() any
	// StorePython assigns a Python value and reports whether the field holds it
	// exactly; if not, the field gets the nearest value of its type.
	StorePython(value any) (exact bool)
}

// Decoder is a [Cell] that dataclasses_json converts by the field's declared type;
// None is let through without a call.
type Decoder interface {
	// DecodePython is the value to store for one that was read from JSON. Errors are
	// *pysem.Error.
	DecodePython(value any) (any, error)
}

// Member is a [Cell] of an enum, whose Python value is a member and not its number.
type Member interface {
	// MemberPython is the member for a number.
	MemberPython(n int) any
}

// OddValues keeps the values of fields whose Go type cannot hold what the reference
// holds, for its fields are untyped at run time: a string in an int field, an int outside
// the range of int. A typed field that was changed since makes its odd value void.
//
// A set never changes, so that copies of an object share it; a nil one is empty.
type OddValues []oddValue

type oddValue struct {
	name  string
	value any
	// typed is what the Go field held when the odd value was noted.
	typed any
}

// with stores value in the field behind ptr, and is the set of odd values thereafter.
func (o *OddValues) with(name string, ptr, value any) *OddValues {
	exact := store(ptr, value)
	if o == nil {
		if exact {
			return nil
		}
		o = &OddValues{}
	}
	named := func(v oddValue) bool { return v.name == name }
	if exact && !slices.ContainsFunc(*o, named) {
		return o
	}
	next := slices.DeleteFunc(slices.Clone(*o), named)
	if !exact {
		next = append(next, oddValue{name: name, value: value, typed: load(ptr)})
	}
	if len(next) == 0 {
		return nil
	}
	return &next
}

// get returns the Python value of the field behind ptr.
func (o *OddValues) get(name string, ptr any) any {
	value := load(ptr)
	if o == nil {
		return value
	}
	for _, v := range *o {
		if v.name == name && unchanged(v.typed, value) {
			return v.value
		}
	}
	return value
}

// unchanged reports whether a typed field still holds what it did; a nan does.
func unchanged(was, is any) bool {
	a, okA := was.(float64)
	b, okB := is.(float64)
	return pysem.Equal(was, is) || okA && okB && math.IsNaN(a) && math.IsNaN(b)
}
