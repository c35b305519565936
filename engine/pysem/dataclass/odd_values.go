package dataclass

import (
	"math"
	"slices"

	"github.com/monosim/monosim/engine/pysem"
)

// Cell is implemented by pointers to field types that this package does not know, such as an enum
// or a dict of strings.
type Cell interface {
	// LoadPython returns the field as a Python value.
	LoadPython() any
	// StorePython assigns a Python value to the field. If the field cannot hold the value, it gets
	// the nearest value of its type, and exact is false.
	StorePython(value any) (exact bool)
}

// Decoder is a [Cell] for which dataclasses_json converts values when it reads JSON. It keeps None
// without a call of DecodePython.
type Decoder interface {
	// DecodePython converts a value from JSON to the value to store. Errors are *pysem.Error.
	DecodePython(value any) (any, error)
}

// Member is a [Cell] for an enum. In Python the field's value is a member of the enum, but
// LoadPython returns the member's number.
type Member interface {
	// MemberPython returns the member that has the number n.
	MemberPython(n int) any
}

// OddValues holds Python values of an object's fields that their Go types cannot hold, such as a
// string in an int field, or an int that is too large. An odd value is used as long as the Go field
// stays unchanged. An assignment to the Go field replaces it.
//
// A list is never changed, so copies of an object share it. A nil list is empty.
type OddValues []oddValue

type oddValue struct {
	name  string
	value any
	// typed is the value of the Go field at the time when the odd value was stored.
	typed any
}

// with stores a value in the field that ptr points to. It returns the object's odd values after
// that.
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

// unchanged compares was, the earlier value of a Go field, with is, the present value. It reports
// whether the two are equal. Two NaNs count as equal.
func unchanged(was, is any) bool {
	a, okA := was.(float64)
	b, okB := is.(float64)
	return pysem.Equal(was, is) || okA && okB && math.IsNaN(a) && math.IsNaN(b)
}
