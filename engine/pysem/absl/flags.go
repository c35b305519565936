// Package absl reads command lines in the way of absl's flags (absl-py 0.15.0), so that the
// programs here take the arguments that the reference's programs take.
//
//   - [New] makes the flags of a program, those that every program has among them.
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

// Kind tells which values a flag takes.
type Kind uint8

// The kinds.
const (
	String Kind = iota
	Integer
	Bool
	// Enum takes one of the words that the flag lists.
	Enum
	Float
	// threshold takes a level of a log, leveled takes levels of several logs.
	threshold
	leveled
	// help shows how the program is used.
	help
)

// Flag is one flag of a program.
type Flag struct {
	Name string
	// Short is a second name, often of one letter.
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

// Flags holds the flags of a program with their values. Two modules that define a flag of the same
// name cause a panic: absl refuses them too (Q60).
type Flags struct {
	modules []Module
	byName  map[string]*Flag
	values  map[string]any
	given   map[string]bool
	parsed  bool
}

// New makes the flags of a program that consists of these modules, of which the first is the main
// one, and adds those that every program has. All have their defaults.
func New(modules ...Module) *Flags {
	return Registry(append(slices.Clone(modules), appModule, loggingModule)...)
}

// Registry makes flags without those that every program has.
func Registry(modules ...Module) *Flags {
	f := &Flags{modules: modules, byName: map[string]*Flag{}, values: map[string]any{}, given: map[string]bool{}}
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

// Given reports whether the command line gave the flag a value.
func (f *Flags) Given(name string) bool { return f.given[name] }

// Value returns the value of a flag: a string, an int or *big.Int, a float64, a bool, nil for None,
// or whatever was assigned. The error is an AttributeError if the program has no such flag.
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

// Int returns the value of an integer flag; for one outside the range of int, the nearest int.
func (f *Flags) Int(name string) int { return pysem.Saturate(f.values[name]) }

// Bool returns the value of a boolean flag.
func (f *Flags) Bool(name string) bool { return f.values[name] == true }

// parseValue returns the value that a flag gets from text. If the flag cannot hold it, why says so;
// otherwise why is empty.
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

// parseInteger returns int(text), read in base 8 or 16 if text begins with 0o or 0x. The string
// says why text is no integer, and is empty otherwise.
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

// oddUnderscores reports whether an underscore does not stand between two digits. One directly
// behind the prefix is allowed.
func oddUnderscores(digits string) bool {
	return strings.Contains(digits, "__") || strings.HasSuffix(digits, "_") || strings.ContainsAny(digits, "+-")
}
