package pysem

// RefusedType is the type of the errors for what is Python and is not evaluated here: no
// exception of Python has this name.
const RefusedType = "ExpressionRefused"

// The reasons for a refusal, as vectors/quirks.yaml numbers them.
const (
	Outside  = "Q230" // it reaches beyond the expression
	TooLarge = "Q231" // it takes more steps or memory than a configuration can want
	Unstable = "Q232" // CPython's own answer changes from run to run
)

// Refuse makes every refusal of an expression or a regular expression. what completes
// "… is not evaluated here".
func Refuse(quirk, what string) *Error {
	return Raise(RefusedType, "%s: %s is not evaluated here", quirk, what)
}

// IsRefused reports whether err is a refusal.
func IsRefused(err error) bool { return TypeOf(err) == RefusedType }
