// Package gflagsutils sets the fields of configurations from command line flags: the port of
// native_training/gflags_utils.py.
//
// Two things to use first:
//
//   - [Update] sets each field that the code left at its default to the flag of its name.
//   - [FieldsOf] describes the fields of a dataclass; [ExtractFlags] makes flags of them.
//
// A value set by code wins over the command line, and the command line over the default. A field
// that code set to its default counts as not set.
//
// To change:
//
//   - how a field's documentation is read: help.go
//   - fields with a flag of another name: link.go
//
// Cost: an update grows with the fields of the class, each of which is compared with its default.
//
// Unstable: any commit may change it.
package gflagsutils

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
)

// Kind is the annotated type of a field.
type Kind uint8

// These are the kinds of fields. A field of kind Other gets no flag.
const (
	Other Kind = iota
	Int
	Bool
	String
	Float
	Enum
)

// Field describes a field of a configuration.
type Field struct {
	Name string
	Kind Kind
	// Default is the field's default as a Python value.
	Default any
	// Factory is true if each object gets a newly created default, so that the class has no value.
	Factory bool
	// Class is the name of the field's enum. Members holds the enum's members.
	Class   string
	Members []Member
}

// Member is an enum member with its name and its Python value.
type Member struct {
	Name  string
	Value any
}

// Config is an object whose fields can be read and set by name.
type Config interface {
	Get(name string) any
	Set(name string, value any) error
}

// defaultOf returns the class's value for a field. It raises an AttributeError if there is none.
func (f Field) defaultOf() (any, error) {
	if f.Factory {
		return nil, pysem.Raise("AttributeError", "type object has no attribute '%s'", f.Name)
	}
	return f.Default, nil
}

// ExtractFlags defines a flag for each documented field, except those in skip
// (gflags_utils.py:106). A field that cannot have a flag, or whose flag already exists, is silently
// skipped (Q248).
func ExtractFlags(flags *absl.Flags, module string, fields []Field, help []Help, skip []string) error {
	for _, f := range fields {
		at := slices.IndexFunc(help, func(h Help) bool { return h.Name == f.Name })
		if at < 0 || slices.Contains(skip, f.Name) {
			continue
		}
		value, err := f.defaultOf()
		if err != nil {
			return err
		}
		if flag, ok := f.flag(value, help[at].Text); ok {
			_ = flags.Define(module, flag) // the reference ignores this error
		}
	}
	return nil
}

// flag returns the flag for a field. ok is false if the field cannot have one.
func (f Field) flag(value any, help string) (flag absl.Flag, ok bool) {
	flag = absl.Flag{Name: f.Name, Default: value}
	describe := func(kind, shown string) string { return fmt.Sprintf("%s, default=%s, %s", kind, shown, help) }
	switch f.Kind {
	case Int:
		flag.Kind, flag.Help = absl.Integer, describe("int", pysem.Str(value))
	case Bool:
		flag.Kind, flag.Help = absl.Bool, describe("bool", pysem.Str(value))
	case String:
		flag.Kind, flag.Help = absl.String, describe("string", pysem.Str(value))
	case Float:
		flag.Kind, flag.Help = absl.Float, describe("float", pysem.Str(value))
	case Enum:
		at := slices.IndexFunc(f.Members, func(m Member) bool { return pysem.Equal(m.Value, value) })
		if at < 0 {
			return flag, false
		}
		for _, m := range f.Members {
			flag.Words = append(flag.Words, strings.ToLower(m.Name))
		}
		flag.Kind, flag.Default = absl.Enum, flag.Words[at]
		flag.Help = "<" + strings.Join(flag.Words, "|") + ">: " + describe("enum", f.Class+"."+f.Members[at].Name)
	default:
		return flag, false
	}
	return flag, true
}

// Update sets each field that still has its default to the value of the flag with its name, if that
// value differs from the field's default (gflags_utils.py:151). It does nothing before a command
// line is parsed. For an enum, an unknown word raises a KeyError and a flag of None an
// AttributeError. Fields that were set before the error stay set.
func Update(c Config, fields []Field, flags *absl.Flags) error {
	for _, f := range fields {
		value, err := f.defaultOf()
		if err != nil {
			return err
		}
		if !flags.Has(f.Name) || !flags.Parsed() {
			continue
		}
		given, err := f.fromFlag(flags)
		if err != nil {
			return err
		}
		if pysem.Equal(c.Get(f.Name), value) && !pysem.Equal(given, value) {
			if err := c.Set(f.Name, given); err != nil {
				return err
			}
		}
	}
	return nil
}

// fromFlag returns the value of the field's flag. For an enum this is a member.
func (f Field) fromFlag(flags *absl.Flags) (any, error) {
	value, err := flags.Value(f.Name)
	if err != nil || f.Kind != Enum {
		return value, err
	}
	word, ok := value.(string)
	if !ok {
		return nil, pysem.AttributeError(value, "upper")
	}
	for _, m := range f.Members {
		if m.Name == strings.ToUpper(word) {
			return m.Value, nil
		}
	}
	return nil, pysem.Raise("KeyError", "%s", pysem.Repr(strings.ToUpper(word)))
}
