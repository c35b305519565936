package pysem

import "fmt"

// Opt is a value or None. The zero Opt is None. Opts of comparable types can be compared with ==.
type Opt[T any] struct {
	V   T
	Set bool
}

// Some returns an Opt that holds v.
func Some[T any](v T) Opt[T] { return Opt[T]{V: v, Set: true} }

// None returns the Opt that holds nothing.
func None[T any]() Opt[T] { return Opt[T]{} }

// Or returns the value, or fallback if it is None.
func (o Opt[T]) Or(fallback T) T {
	if o.Set {
		return o.V
	}
	return fallback
}

// Any returns the value as a Python value, nil for None.
func (o Opt[T]) Any() any {
	if o.Set {
		return o.V
	}
	return nil
}

// String formats the value as Python's str and f-strings do.
func (o Opt[T]) String() string {
	if !o.Set {
		return "None"
	}
	switch v := any(o.V).(type) {
	case string:
		return v
	case int, bool, float64:
		return Str(v)
	}
	return fmt.Sprint(o.V)
}
