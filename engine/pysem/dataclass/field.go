package dataclass

// Field is a field's name with a value, as in a keyword argument.
type Field struct {
	Name  string // in the reference
	Value any    // a Python value (see package pysem)
}
