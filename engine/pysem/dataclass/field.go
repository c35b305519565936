package dataclass

// Field is a field with its value, as a keyword argument gives it.
type Field struct {
	Name  string // the reference's
	Value any    // a Python value (see package pysem)
}
