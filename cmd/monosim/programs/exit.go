package programs

import "github.com/spf13/cobra"

// Exit codes, as those of all commands.
const (
	exitFailed   = 1 // something that was run did not pass
	exitBadInput = 2 // what was asked for makes no sense
)

// ExitError is the error of a program that has ended with an exit code. A nil Err means
// that everything was said already.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// badInput is an error in what the user asked for.
func badInput(err error) error { return &ExitError{Code: exitBadInput, Err: err} }

// ended is the error of a program that has ended by itself.
func ended(code int, err error) error {
	switch {
	case err != nil:
		code = exitFailed
	case code == 0:
		return nil
	}
	return &ExitError{Code: code, Err: err}
}

// noArguments refuses arguments as bad input.
func noArguments(cmd *cobra.Command, args []string) error {
	if err := cobra.NoArgs(cmd, args); err != nil {
		return badInput(err)
	}
	return nil
}
