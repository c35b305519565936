package pysem

// RefusedType is the type of errors that say that an expression is valid in Python but not
// evaluated here. No exception of Python has this name.
const RefusedType = "ExpressionRefused"

// These are the reasons for a refusal, by their numbers in vectors/quirks.yaml.
const (
	Outside  = "Q230" // the expression refers to something outside of it
	TooLarge = "Q231" // it needs more steps or memory than any configuration should
	Unstable = "Q232" // CPython's own result differs from run to run
)

// Refuse returns the error that refuses an expression or regular expression. what begins a sentence
// that ends with "is not evaluated here".
func Refuse(quirk, what string) *Error {
	return Raise(RefusedType, "%s: %s is not evaluated here", quirk, what)
}

// IsRefused reports whether err is a refusal.
func IsRefused(err error) bool { return TypeOf(err) == RefusedType }
