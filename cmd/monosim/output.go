package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/show/colour"
)

// checkedOutput is an output that remembers that it could not be written, as when a
// disk is full: much of what is printed is nobody's error to return.
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

// Unwrap is the output itself.
func (o *checkedOutput) Unwrap() io.Writer { return o.Writer }

// useColours has standard output take colours where --color says so.
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

// end is how a command ends that came to err: what could not be printed counts more
// than what it said.
func (o *checkedOutput) end(err error) error {
	if o.err == nil {
		return err
	}
	return command.BadInput(fmt.Errorf("standard output: %w", o.err))
}
