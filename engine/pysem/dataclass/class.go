// Package dataclass has Python's dataclasses, described by Go structs. A line of the struct that
// has a tag is a field; the tag gives the reference's name and default. The package also has the
// JSON form that dataclasses_json makes of a dataclass, and a place for values that a field's Go
// type cannot hold: Python does not check types at run time, so an int field may hold a string.
//
//   - [Of] reads the [Class] of a Go struct from its tags. A Class makes objects with their
//     defaults, sets, gets, lists and compares fields, and encodes and decodes objects.
//   - [Cell] is the interface of fields with a type that this package does not know.
//
// usual.go lists the Go types that fields may have without being a Cell.
//
// Unstable: any commit may change it.
package dataclass

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/monosim/monosim/engine/pysem"
)

// Class describes a dataclass of the reference. Its fields are those of the Go struct T. [Of] makes
// a Class, which never changes.
type Class[T any] struct {
	odd      func(*T) **OddValues
	fields   []Attribute
	index    map[string]int
	defaults T
}

// Of reads a class from the lines of T, such as:
//
//	NumPS int `py:"num_ps" default:"1"`
//
// py is the reference's name of the field. default is a Python expression for its default, such as
// 60 * 1000, 'latest', True or []; for an enum it is a number. Without a default the field starts
// with Go's zero value, which is False, 0 or None depending on the type. As in the reference, a
// default may have another type than the field.
//
// Fields are in the order of their lines. An embedded struct is a base class: its fields belong to
// the class and come first, as in Python. Unexported fields, and those with the tag `py:"-"`, do
// not belong to the class; all others must have a name.
//
// odd returns the place for values of an object that its Go fields cannot hold, which is a field of
// type *OddValues; nil stands for none.
//
// Of panics if a line is wrong, so call it in the declaration of a package variable.
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

// Fields describes all fields in order. Callers must not change the list.
func (d *Class[T]) Fields() []Attribute { return d.fields }

// New returns an object whose fields all have their defaults.
func (d *Class[T]) New() T { return d.defaults }

// pointer returns a pointer to the field f of m, for example an *int.
func (d *Class[T]) pointer(m *T, f *Attribute) any { return f.pointer(unsafe.Pointer(m)) }

// put assigns a Python value to a field. If the field's Go type cannot hold the value, it is stored
// in the object's odd values.
func (d *Class[T]) put(m *T, f *Attribute, value any) {
	odd := d.odd(m)
	*odd = (*odd).with(f.Name, d.pointer(m, f), value)
}

// get returns the Python value of a field.
func (d *Class[T]) get(m *T, f *Attribute) any {
	ptr := d.pointer(m, f)
	return (*d.odd(m)).get(f.Name, ptr)
}

// Set assigns a Python value of any type to a field, as a keyword argument or an attribute
// assignment does. An unknown name is a TypeError.
func (d *Class[T]) Set(m *T, name string, value any) error {
	i, ok := d.index[name]
	if !ok {
		return pysem.Raise("TypeError", "__init__() got an unexpected keyword argument '%s'", name)
	}
	d.put(m, &d.fields[i], value)
	return nil
}

// Lookup returns the Python value of a field. ok is false if there is no field of that name.
func (d *Class[T]) Lookup(m *T, name string) (value any, ok bool) {
	i, ok := d.index[name]
	if !ok {
		return nil, false
	}
	return d.get(m, &d.fields[i]), true
}

// Get returns the Python value of a field, and panics if there is no field of that name.
func (d *Class[T]) Get(m *T, name string) any {
	value, ok := d.Lookup(m, name)
	if !ok {
		panic("dataclass: no field " + name)
	}
	return value
}

// List returns all fields with their Python values, in order. For an enum the value is the member,
// not its number.
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

// Repr returns Python's repr of an object. The name of the class is that of the Go type.
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
