package estimator

// Kind tells errors apart.
type Kind int

// The kinds of errors, each with the beginning of its text.
const (
	HookFailed       Kind = iota // "Hook error: "
	EvaluationFailed             // "Evaluation error: "
	Distributed                  // "Distributed runtime error: "
	RunnerUtils                  // "Runner utils error: "
	SpecModeChange               // "Cannot change EstimatorSpec mode from "
	HookIO                       // "I/O error: ", of a hook
)

var prefixes = [...]string{
	HookFailed: "Hook error: ", EvaluationFailed: "Evaluation error: ", Distributed: "Distributed runtime error: ",
	RunnerUtils: "Runner utils error: ", SpecModeChange: "Cannot change EstimatorSpec mode from ", HookIO: "I/O error: ",
}

// Error is an error with the Rust port's text.
type Error struct {
	Kind Kind
	Text string
	// Err is the cause, or nil.
	Err error
}

// Error returns the Rust port's text.
func (e *Error) Error() string { return prefixes[e.Kind] + e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// wrap returns an error of a kind with the text of err; nil stays nil.
func wrap(kind Kind, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: kind, Text: err.Error(), Err: err}
}
