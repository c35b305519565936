package pysem

// OptString is a string or None.
type OptString = Opt[string]

// OptInt is an int or None.
type OptInt = Opt[int]

// OptBool is a bool or None.
type OptBool = Opt[bool]

// OptFloat is a float or None.
type OptFloat = Opt[float64]
