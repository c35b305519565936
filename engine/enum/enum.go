// Package enum gives names to the values of enumerations, and finds values by their names.
//
// Two things to use first: [Name] is what a String method returns, and [Parse] reads such a name.
//
// Unstable: any commit may change it.
package enum

import (
	"fmt"
	"slices"
	"strings"
)

// Value is the constraint for integer types that are used as enumerations.
type Value interface {
	~int | ~int32 | ~uint8
}

// Name returns the name of a value. A value without a name gives its type and number, such as
// Level(7).
func Name[T Value](names map[T]string, v T) string {
	if name, ok := names[v]; ok {
		return name
	}
	return numbered(v)
}

// Listed works as Name, for names in a slice. A value without a name has "" there.
func Listed[T Value](names []string, v T) string {
	if at := int(v); at >= 0 && at < len(names) && names[at] != "" {
		return names[at]
	}
	return numbered(v)
}

func numbered[T Value](v T) string {
	_, name, _ := strings.Cut(fmt.Sprintf("%T", v), ".")
	return fmt.Sprintf("%s(%d)", name, v)
}

// Parse returns the value with the given name. Values count from 0. An error message begins with
// the word in the parameter what, which names the kind of value.
func Parse[T Value](names []string, what, name string) (T, error) {
	if at := slices.Index(names, name); at >= 0 {
		return T(at), nil
	}
	return 0, fmt.Errorf("%s: got %q, want one of %q", what, name, names)
}
