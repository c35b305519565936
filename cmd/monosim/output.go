package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/show/colour"
)

// checkedOutput is an output that remembers the first failed write, for example on a full disk.
// Much of the printing code has no caller to return such an error to.
type checkedOutput struct {
	io.Writer
	err error // the first
}

func (o *checkedOutput) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// Unwrap returns the underlying output, so that others can tell whether it is a terminal.
func (o *checkedOutput) Unwrap() io.Writer { return o.Writer }

// useColours turns colours of standard output on or off, as the value of --color says.
func useColours(cmd *cobra.Command, when string) error {
	out := cmd.Root().OutOrStdout()
	wanted, err := colour.Wanted(when, command.IsTerminal(out), os.Getenv)
	if err != nil {
		return command.BadInput(fmt.Errorf("--color: %w", err))
	}
	if wanted {
		cmd.Root().SetOut(colour.On(out))
	}
	return nil
}

// end returns the error with which the program ends after a command returned err. A failed write to
// standard output takes precedence over err.
func (o *checkedOutput) end(err error) error {
	if o.err == nil {
		return err
	}
	return command.BadInput(fmt.Errorf("standard output: %w", o.err))
}
