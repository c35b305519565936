package dataclass

import (
	"math"
	"slices"

	"github.com/monosim/monosim/engine/pysem"
)

// Cell is implemented by pointers to fields of types that package dataclass does not know, such as
// an enum or a dict of strings.
type Cell interface {
	// LoadPython returns the field as a Python value.
	LoadPython() any
	// StorePython assigns a Python value to the field. exact is false if the field cannot hold it;
	// the field then gets the nearest value of its type.
	StorePython(value any) (exact bool)
}

// Decoder is a [Cell] whose values dataclasses_json converts to the declared type of the field when
// it reads JSON. None is kept without calling DecodePython.
type Decoder interface {
	// DecodePython returns the value to store, given the one in the JSON. Errors are *pysem.Error.
	DecodePython(value any) (any, error)
}

// Member is a [Cell] of an enum. In Python the value of the field is a member of the enum, while
// LoadPython gives its number.
type Member interface {
	// MemberPython returns the member that has the number n.
	MemberPython(n int) any
}

// OddValues holds the values of an object's fields that their Go types cannot hold, such as a
// string in an int field or an int outside the range of int. An odd value counts only as long as
// the Go field is unchanged: assigning to the Go field replaces it.
//
// The list itself never changes, so copies of an object share it. A nil one is empty.
type OddValues []oddValue

type oddValue struct {
	name  string
	value any
	// typed is the value that the Go field had when the odd value was noted.
	typed any
}

// with stores value in the field that ptr points to, and returns the odd values that the object has
// then.
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

// get returns the Python value of the field that ptr points to.
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

// unchanged reports whether a Go field still holds the value that it had; nan counts as equal to
// itself.
func unchanged(was, is any) bool {
	a, okA := was.(float64)
	b, okB := is.(float64)
	return pysem.Equal(was, is) || okA && okB && math.IsNaN(a) && math.IsNaN(b)
}
