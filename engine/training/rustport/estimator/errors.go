package estimator

// Kind is the kind of an error.
type Kind int

// These are the kinds of errors. Each trailing comment is the beginning of the kind's text.
const (
	HookFailed       Kind = iota // "Hook error: "
	EvaluationFailed             // "Evaluation error: "
	Distributed                  // "Distributed runtime error: "
	RunnerUtils                  // "Runner utils error: "
	SpecModeChange               // "Cannot change EstimatorSpec mode from "
	HookIO                       // "I/O error: ", from a hook
)

var prefixes = [...]string{
	HookFailed: "Hook error: ", EvaluationFailed: "Evaluation error: ", Distributed: "Distributed runtime error: ",
	RunnerUtils: "Runner utils error: ", SpecModeChange: "Cannot change EstimatorSpec mode from ", HookIO: "I/O error: ",
}

// Error is an error with the Rust port's text.
type Error struct {
	Kind Kind
	Text string
	// Err is the underlying error; nil for none.
	Err error
}

// Error returns the Rust port's text.
func (e *Error) Error() string { return prefixes[e.Kind] + e.Text }

// Unwrap returns the underlying error; nil for none.
func (e *Error) Unwrap() error { return e.Err }

// wrap returns an error of a kind with the text of err; nil for a nil err.
func wrap(kind Kind, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: kind, Text: err.Error(), Err: err}
}
