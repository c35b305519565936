package dataclass

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/monosim/monosim/engine/pysem/expr"
)

// Attribute describes one field of a class, as its struct line does.
type Attribute struct {
	// Name is the reference's name of the field.
	Name string
	// Owner is the struct whose line it is: the class's own or that of a base class.
	Owner reflect.Type
	// Type is the field's type in Go.
	Type reflect.Type
	// Default is its default as a Python value.
	Default any
	// Tag is the whole tag of the line, for what the owner of the class adds to it.
	Tag reflect.StructTag

	// pointer makes a pointer to the field of the object at an address.
	pointer func(object unsafe.Pointer) any
}

const (
	nameTag    = "py"
	defaultTag = "default"
	noField    = "-"
)

// attributesOf reads the fields of a struct that begins offset bytes into an object.
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

// parseDefault evaluates the default of the tag. Objects share what it gives, so that a
// list has to be empty.
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
