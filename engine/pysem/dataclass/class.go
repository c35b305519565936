// Package dataclass is Python's dataclasses, described by Go structs: a struct line with
// a tag is a field, and gives it the reference's name, its place in the order, its
// default and its type. With them comes the JSON form that dataclasses_json makes, and a
// place for values that a field's Go type cannot hold, for the reference does not check
// types at run time.
//
// Two things to use first:
//
//   - [Of] reads the [Class] of a Go struct from its tags; it makes objects with their
//     defaults, sets, gets, lists and compares fields, encodes and decodes.
//   - [Cell] is what a field's type implements when it is none of the usual ones.
//
// The tags are read in attribute.go, the JSON form is in json.go, values of other types
// in odd_values.go; to let fields have another Go type, add it to usual.go.
package dataclass

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/monosim/monosim/engine/pysem"
)

// Class describes a dataclass of the reference by the struct T that holds its fields.
// Make one with [Of]; it never changes afterwards.
type Class[T any] struct {
	odd      func(*T) **OddValues
	fields   []Attribute
	index    map[string]int
	defaults T
}

// Of reads a class from the lines of T:
//
//	NumPS int `py:"num_ps" default:"1"`
//
// py is the reference's name of the field. default is Python's expression for its
// default, such as 60 * 1000, 'latest', True or []; without it the default is Go's zero
// value, which is False, 0 or None by the type. An enum's is its number. A default of
// another type than the field's is kept as it is, as the reference keeps it.
//
// Fields come in the order of their lines. An embedded struct is a base class: its
// fields belong to the class and come first, as in Python. Unexported fields, and those
// with the tag `py:"-"`, are none of the class's; any other field has to have a name.
//
// odd gives the place where an object keeps values that its Go fields cannot hold: a
// field of type *OddValues, nil for none.
//
// Of panics where a line is wrong, and is therefore called for a package variable.
func Of[T any](odd func(*T) **OddValues) *Class[T] {
	c := &Class[T]{odd: odd, index: map[string]int{}}
	c.fields = attributesOf(reflect.TypeFor[T](), 0)
	for i := range c.fields {
		f := &c.fields[i]
		if _, twice := c.index[f.Name]; twice {
			panic(fmt.Sprintf("dataclass: %T has two fields %q", c.defaults, f.Name))
		}
		c.index[f.Name] = i
		if f.hasDefault() {
			c.put(&c.defaults, f, f.parseDefault())
		}
		f.Default = c.get(&c.defaults, f)
	}
	return c
}

// Fields describes all fields, in order. The list must not be changed.
func (d *Class[T]) Fields() []Attribute { return d.fields }

// New returns an object whose fields all have their defaults.
func (d *Class[T]) New() T { return d.defaults }

// pointer returns a pointer to the field in m, as a *int for an int.
func (d *Class[T]) pointer(m *T, f *Attribute) any { return f.pointer(unsafe.Pointer(m)) }

// put assigns a Python value to a field.
func (d *Class[T]) put(m *T, f *Attribute, value any) {
	odd := d.odd(m)
	*odd = (*odd).with(f.Name, d.pointer(m, f), value)
}

// get returns the Python value of a field.
func (d *Class[T]) get(m *T, f *Attribute) any {
	ptr := d.pointer(m, f)
	return (*d.odd(m)).get(f.Name, ptr)
}

// Set assigns a Python value of any type to the field of that name, as a keyword
// argument or an attribute assignment does. A name that is no field is a TypeError.
func (d *Class[T]) Set(m *T, name string, value any) error {
	i, ok := d.index[name]
	if !ok {
		return pysem.Raise("TypeError", "__init__() got an unexpected keyword argument '%s'", name)
	}
	d.put(m, &d.fields[i], value)
	return nil
}

// Lookup returns the Python value of the field of that name; ok reports whether there is
// such a field.
func (d *Class[T]) Lookup(m *T, name string) (value any, ok bool) {
	i, ok := d.index[name]
	if !ok {
		return nil, false
	}
	return d.get(m, &d.fields[i]), true
}

// Get returns the Python value of the field of that name, which the class must have: it
// panics for another.
func (d *Class[T]) Get(m *T, name string) any {
	value, ok := d.Lookup(m, name)
	if !ok {
		panic("dataclass: no field " + name)
	}
	return value
}

// List returns all fields with their Python values, in order; members of enums keep their
// type.
func (d *Class[T]) List(m *T) []Field {
	fields := make([]Field, len(d.fields))
	for i := range d.fields {
		f := &d.fields[i]
		value := d.get(m, f)
		if n, ok := value.(int); ok {
			if enum, ok := d.pointer(m, f).(Member); ok {
				value = enum.MemberPython(n)
			}
		}
		fields[i] = Field{Name: f.Name, Value: value}
	}
	return fields
}

// Repr returns the repr of a value of the class, under the name of its Go type.
func (d *Class[T]) Repr(m *T) string {
	texts := make([]string, len(d.fields))
	for i := range d.fields {
		f := &d.fields[i]
		texts[i] = f.Name + "=" + pysem.Repr(d.get(m, f))
	}
	return reflect.TypeFor[T]().Name() + "(" + strings.Join(texts, ", ") + ")"
}

// Equal reports whether all fields are equal, as the dataclass's == does.
func (d *Class[T]) Equal(a, b *T) bool {
	for i := range d.fields {
		if f := &d.fields[i]; !pysem.Equal(d.get(a, f), d.get(b, f)) {
			return false
		}
	}
	return true
}
