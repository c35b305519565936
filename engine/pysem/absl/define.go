package absl

import (
	"slices"

	"github.com/monosim/monosim/engine/pysem"
)

// Parsed reports whether a command line was parsed. In the reference, reading a flag before that
// raises an UnparsedFlagAccessError.
func (f *Flags) Parsed() bool { return f.parsed }

// Lookup returns the definition of a flag. ok is false if there is none with that name.
func (f *Flags) Lookup(name string) (flag Flag, ok bool) {
	if found := f.byName[name]; found != nil {
		return *found, true
	}
	return Flag{}, false
}

// Define adds a flag while the program runs. If the name is already in use, it returns a
// DuplicateFlagError. If the flag cannot hold its default, it returns an IllegalFlagValueError.
func (f *Flags) Define(module string, flag Flag) error {
	if f.Has(flag.Name) {
		return pysem.Raise("DuplicateFlagError", "The flag '%s' is defined twice.", flag.Name)
	}
	value, ok := flag.takeDefault(flag.Default)
	if !ok {
		return pysem.Raise("IllegalFlagValueError", "flag --%s=%s: not a default of this flag", flag.Name, pysem.Str(flag.Default))
	}
	flag.Default = value
	at := slices.IndexFunc(f.modules, func(m Module) bool { return m.Name == module })
	if at < 0 {
		at = len(f.modules)
		f.modules = append(f.modules, Module{Name: module})
	}
	f.modules[at].Flags = append(slices.Clone(f.modules[at].Flags), flag)
	f.define(&flag)
	return nil
}

// takeDefault converts a default value as the flag's parser would. It returns false if the parser
// refuses the value.
func (flag *Flag) takeDefault(value any) (any, bool) {
	if value == nil {
		return nil, true
	}
	if text, ok := value.(string); ok {
		parsed, why := flag.parseValue(text)
		return parsed, why == ""
	}
	_, isBool := value.(bool)
	_, isNumber := pysem.Big(value)
	switch {
	case flag.Kind == Bool && (isBool || isNumber):
		truth := pysem.Truth(value)
		return truth, pysem.Equal(value, truth)
	case flag.Kind == Integer && isNumber && !isBool:
		return value, true
	case flag.Kind == Float && !isBool:
		number, err := pysem.ToFloat(value)
		return number, err == nil
	}
	return nil, false
}

// Assign sets a flag to a value of any type, as the Python statement FLAGS.name = value does. It
// returns an UnrecognizedFlagError if there is no such flag.
func (f *Flags) Assign(name string, value any) error {
	if !f.Has(name) {
		return pysem.Raise("UnrecognizedFlagError", "Unknown command line flag '%s'", name)
	}
	f.values[f.byName[name].Name] = value
	return nil
}

// TypeName returns the flag's type as absl names it.
func (flag Flag) TypeName() string {
	switch flag.Kind {
	case Integer:
		return "int"
	case Bool, help:
		return "bool"
	case Float:
		return "float"
	case Enum:
		return "string enum"
	}
	return "string"
}
