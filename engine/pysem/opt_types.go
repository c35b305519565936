package pysem

// OptString is a string or None.
type OptString = Opt[string]

// OptInt is an int or None.
type OptInt = Opt[int]
