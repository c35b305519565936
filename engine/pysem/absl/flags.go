// Package absl reads command lines in the way of absl's flags (absl-py 0.15.0), so that the
// programs here take the arguments that the reference's programs take.
//
//   - [New] makes the flags of a program, including those that every program has.
//   - [Flags.Parse] reads a program's arguments.
//
// Unstable: any commit may change it.
package absl

import (
	"math/big"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// Kind is the type of values that a flag accepts.
type Kind uint8

// The kinds.
const (
	String Kind = iota
	Integer
	Bool
	// Enum accepts one of the words in the flag's Words.
	Enum
	Float
	// threshold accepts a log level, and leveled accepts the levels of several loggers.
	threshold
	leveled
	// help is for flags that print the usage of the program.
	help
)

// Flag is one flag of a program.
type Flag struct {
	Name string
	// Short is a second name of the flag, often a single letter.
	Short string
	Kind  Kind
	// Default is a string, an int, a float64, a bool, or nil for None.
	Default any
	// Words holds the values that an Enum takes.
	Words []string
	Help  string
}

// Module holds the flags that one Python module defines.
type Module struct {
	Name  string
	Flags []Flag
}

// Flags holds the flags of a program and their values. Two modules must not define flags with the
// same name: [New] and [Registry] panic then, because absl refuses that too (Q60).
type Flags struct {
	modules []Module
	byName  map[string]*Flag
	values  map[string]any
	given   map[string]bool
	parsed  bool
}

// New makes the flags of a program from its modules, of which the first is the main module. It adds
// the flags that every program has. All flags have their default values.
func New(modules ...Module) *Flags {
	return Registry(append(slices.Clone(modules), appModule, loggingModule)...)
}

// Registry makes flags from modules, without the flags that every program has.
func Registry(modules ...Module) *Flags {
	n := 0
	for _, m := range modules {
		n += len(m.Flags)
	}
	f := &Flags{modules: modules, byName: make(map[string]*Flag, n), values: make(map[string]any, n), given: map[string]bool{}}
	for _, m := range f.modules {
		for i := range m.Flags {
			f.define(&m.Flags[i])
		}
	}
	return f
}

func (f *Flags) define(flag *Flag) {
	for _, name := range []string{flag.Name, flag.Short} {
		if f.byName[name] != nil {
			panic("absl: two flags are called " + name)
		}
		if name != "" {
			f.byName[name] = flag
		}
	}
	f.values[flag.Name] = flag.Default
}

// Has reports whether the program has a flag of that name.
func (f *Flags) Has(name string) bool { return f.byName[name] != nil }

// Given reports whether the command line sets the flag.
func (f *Flags) Given(name string) bool { return f.given[name] }

// Value returns the value of a flag: a string, an int or *big.Int, a float64, a bool, nil for None,
// or any assigned value. It returns an AttributeError if there is no such flag.
func (f *Flags) Value(name string) (any, error) {
	if !f.Has(name) {
		return nil, &pysem.Error{Type: "AttributeError", Message: name}
	}
	return f.values[name], nil
}

// Text returns the value of a string or enum flag, which may be None.
func (f *Flags) Text(name string) pysem.OptString {
	text, ok := f.values[name].(string)
	return pysem.OptString{V: text, Set: ok}
}

// Int returns the value of an integer flag. A value outside of the range of int is clamped to that
// range.
func (f *Flags) Int(name string) int { return pysem.Saturate(f.values[name]) }

// Bool returns the value of a boolean flag. It is false if there is no such flag.
func (f *Flags) Bool(name string) bool { return f.values[name] == true }

// parseValue converts the text of a flag to its value. If the flag does not accept the text, why
// gives the reason; otherwise why is "".
func (flag *Flag) parseValue(text string) (value any, why string) {
	switch flag.Kind {
	case Integer:
		return parseInteger(text)
	case Float:
		value, err := pysem.ParseFloat(text)
		if err != nil {
			return nil, "could not convert string to float: " + pysem.Repr(text)
		}
		return value, ""
	case Bool, help:
		switch strings.ToLower(text) {
		case "true", "t", "1":
			return true, ""
		case "false", "f", "0":
			return false, ""
		}
		return nil, pysem.Repr(pysem.Tuple{"Non-boolean argument to boolean flag", text})
	case Enum:
		if !slices.Contains(flag.Words, text) {
			return nil, "value should be one of <" + strings.Join(flag.Words, "|") + ">"
		}
	case leveled:
		for pair := range strings.SplitSeq(text, ",") {
			if strings.TrimSpace(pair) != "" && !strings.Contains(pair, ":") {
				return nil, pysem.UnpackError(2, 1).Message
			}
		}
	}
	return text, ""
}

// parseInteger returns Python's int(text). A prefix 0o or 0x means base 8 or 16. The string is the
// error text if text is not an integer, and "" otherwise.
func parseInteger(text string) (any, string) {
	if len(text) > 2 && (text[:2] == "0o" || text[:2] == "0x") {
		base := 8
		if text[1] == 'x' {
			base = 16
		}
		if n, ok := new(big.Int).SetString(strings.ReplaceAll(text[2:], "_", ""), base); ok && n.Sign() >= 0 && !oddUnderscores(text[2:]) {
			return pysem.Int(n), ""
		}
		return nil, "invalid literal for int() with base " + pysem.Str(base) + ": " + pysem.Repr(text)
	}
	n, err := pysem.ParseInt(text)
	if err != nil {
		return nil, "invalid literal for int() with base 10: " + pysem.Repr(text)
	}
	return pysem.Int(n), ""
}

// oddUnderscores reports whether an underscore is in a place where Python does not allow it. It
// must be between two digits, or directly after the prefix.
func oddUnderscores(digits string) bool {
	return strings.Contains(digits, "__") || strings.HasSuffix(digits, "_") || strings.ContainsAny(digits, "+-")
}
