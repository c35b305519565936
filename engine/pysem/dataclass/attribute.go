package dataclass

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/monosim/monosim/engine/pysem/expr"
)

// Attribute describes one field of a dataclass, as read from a field of the Go struct and its tag.
type Attribute struct {
	// Name is the name of the field in the reference.
	Name string
	// Owner is the Go struct that declares the field: the class's own struct, or that of a base
	// class.
	Owner reflect.Type
	// Type is the field's type in Go.
	Type reflect.Type
	// Default is the field's default as a Python value.
	Default any
	// Tag is the complete struct tag of the field. It can hold keys that this package does not
	// read.
	Tag reflect.StructTag

	// pointer returns a pointer to the field, given the address of the object.
	pointer func(object unsafe.Pointer) any
}

const (
	nameTag    = "py"
	defaultTag = "default"
	noField    = "-"
)

// attributesOf describes the fields of a struct, which begins offset bytes after the start of the
// object.
func attributesOf(owner reflect.Type, offset uintptr) []Attribute {
	var list []Attribute
	for i := range owner.NumField() {
		line := owner.Field(i)
		name, named := line.Tag.Lookup(nameTag)
		switch {
		case line.Anonymous && line.Type.Kind() == reflect.Struct && !named:
			if len(list) > 0 {
				panic(fmt.Sprintf("dataclass: the base class %s is not in the first line of %s", line.Name, owner))
			}
			list = attributesOf(line.Type, offset+line.Offset)
		case !line.IsExported() || name == noField:
		case name == "":
			panic(fmt.Sprintf("dataclass: %s.%s has no tag %s", owner, line.Name, nameTag))
		default:
			list = append(list, Attribute{
				Name: name, Owner: owner, Type: line.Type, Tag: line.Tag,
				pointer: pointerTo(line.Type, offset+line.Offset),
			})
		}
	}
	return list
}

func (f *Attribute) hasDefault() bool {
	_, ok := f.Tag.Lookup(defaultTag)
	return ok
}

// parseDefault evaluates the default in the struct tag. All objects share the result, so a list in
// it must be empty.
func (f *Attribute) parseDefault() any {
	text := f.Tag.Get(defaultTag)
	value, err := expr.Eval(text, expr.Names{})
	if err == nil {
		value, err = expr.Plain(value)
	}
	if err != nil {
		panic(fmt.Sprintf("dataclass: default %q of %s.%s: %v", text, f.Owner, f.Name, err))
	}
	if list, ok := value.([]any); ok && len(list) > 0 {
		panic(fmt.Sprintf("dataclass: default %q of %s.%s: objects would share the list", text, f.Owner, f.Name))
	}
	return value
}
