package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/monosim/monosim/cmd/monosim/programs"
)

// Exit codes of the program.
const (
	exitFailed   = 1 // something that was run did not pass
	exitBadInput = 2 // what was asked for makes no sense, or cannot be opened or written
	// exitUndecided is of what ended before it was known.
	exitUndecided = 3
)

// badInput is an error in what the user asked for.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return &programs.ExitError{Code: exitBadInput, Err: err}
}

// flagError is an error in the flags of a command.
func flagError(cmd *cobra.Command, err error) error {
	return badInput(fmt.Errorf("%w%s; see %s --help", err, similarFlag(cmd, err), cmd.CommandPath()))
}

var unknownFlag = regexp.MustCompile(`^unknown flag: --(.+)$`)

// similarFlag is ", did you mean --tags" when the error is of an unknown flag that is
// like one of the command's.
func similarFlag(cmd *cobra.Command, err error) string {
	m := unknownFlag.FindStringSubmatch(err.Error())
	if m == nil {
		return ""
	}
	best, edits := "", 3
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		d := levenshtein.ComputeDistance(m[1], f.Name)
		if d < edits || len(m[1]) > 2 && best == "" && strings.HasPrefix(f.Name, m[1]) {
			best, edits = f.Name, min(d, edits)
		}
	})
	if best == "" {
		return ""
	}
	return ", did you mean --" + best
}

// noArguments refuses arguments as bad input.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && len(similarCommands(cmd, args[0])) > 0 {
		return badInput(unknownCommand(cmd, args[0]))
	}
	if len(args) > 0 {
		return badInput(fmt.Errorf("found argument %q, want none; see %s --help", args[0], cmd.CommandPath()))
	}
	return nil
}

// exitCode is the code with which the program ends for an error.
func exitCode(err error) int {
	var e *programs.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.Code
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)), errors.Is(err, syscall.ENOSPC):
		return exitBadInput // what cannot be opened or written
	}
	return exitFailed
}
