package pysem

// RefusedType is the type of the error for an expression that is valid in Python but not supported
// here. Python has no exception with this name.
const RefusedType = "ExpressionRefused"

// These are the reasons for a refusal, as ids of quirks in vectors/quirks.yaml.
const (
	Outside  = "Q230" // the expression refers to something outside of it
	TooLarge = "Q231" // it needs more steps or memory than any sensible configuration
	Unstable = "Q232" // CPython's own result differs from run to run
)

// Refuse returns the error that refuses an expression or regular expression. The parameter what is
// the subject of a sentence that ends with "is not evaluated here".
func Refuse(quirk, what string) *Error {
	return Raise(RefusedType, "%s: %s is not evaluated here", quirk, what)
}

// IsRefused reports whether err is a refusal.
func IsRefused(err error) bool { return TypeOf(err) == RefusedType }
