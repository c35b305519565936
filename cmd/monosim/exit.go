package main

import "errors"

// Exit codes of the program.
const (
	exitFailed   = 1 // something that was run did not pass
	exitBadInput = 2 // what was asked for makes no sense
)

// exitError is an error with the exit code that it stands for. A nil err means
// that everything was said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// badInput is an error in what the user asked for.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: exitBadInput, err: err}
}

// exitCode is the code with which the program ends for an error.
func exitCode(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.code
	}
	return exitFailed
}
