package dataclass

// Field is the name of a field and a value for it, as in a keyword argument.
type Field struct {
	Name  string // in the reference
	Value any    // a Python value (see package pysem)
}
