// Package command is what the commands of monosim have in common.
//
// Two things to use first:
//
//   - [BadInput] and [ExitError] are how a command ends with an exit code.
//   - [UntilSignal] has a long run end in order when the program is asked to end.
//
// Exit codes, refused arguments and JSON are in exit.go, signals in interrupt.go, how far a
// long run is in progress.go, programs beside this one in program.go.
package command

import (
	"encoding/json"
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
)

// Exit codes of the program.
const (
	ExitFailed   = 1 // something that was run did not pass
	ExitBadInput = 2 // what was asked for makes no sense, or cannot be opened or written
	// ExitUndecided is of what ended before it was known.
	ExitUndecided = 3
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

// Ended is the error of a program that has ended by itself.
func Ended(code int, err error) error {
	switch {
	case err != nil:
		code = ExitFailed
	case code == 0:
		return nil
	}
	return &ExitError{Code: code, Err: err}
}

// BadInput is an error in what the user asked for.
func BadInput(err error) error {
	if err == nil {
		return nil
	}
	return &ExitError{Code: ExitBadInput, Err: err}
}

// FlagError is an error in the flags of a command.
func FlagError(cmd *cobra.Command, err error) error {
	return BadInput(fmt.Errorf("%w%s; see %s --help", err, similarFlag(cmd, err), cmd.CommandPath()))
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

// NoArguments refuses arguments as bad input.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && len(SimilarCommands(cmd, args[0])) > 0 {
		return BadInput(UnknownCommand(cmd, args[0]))
	}
	if len(args) > 0 {
		return BadInput(fmt.Errorf("found argument %q, want none; see %s --help", args[0], cmd.CommandPath()))
	}
	return nil
}

// OneArgument refuses other than one argument, which is called name, as bad input.
func OneArgument(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return BadInput(fmt.Errorf("found no %s, want one; see %s --help", name, cmd.CommandPath()))
		case len(args) > 1:
			return BadInput(fmt.Errorf("found argument %q, want one %s; see %s --help", args[1], name, cmd.CommandPath()))
		}
		return nil
	}
}

// UnknownCommand says that a command has none of a name below it, and which it has that
// is like it.
func UnknownCommand(cmd *cobra.Command, name string) error {
	text := fmt.Sprintf("unknown command %q", name)
	if similar := SimilarCommands(cmd, name); len(similar) > 0 {
		text += fmt.Sprintf(", did you mean %s", strings.Join(similar, " or "))
	}
	return fmt.Errorf("%s; %s --help lists them", text, cmd.CommandPath())
}

// SimilarCommands are the commands below one whose names are like a name.
func SimilarCommands(cmd *cobra.Command, name string) []string {
	cmd.SuggestionsMinimumDistance = 2
	return cmd.SuggestionsFor(name)
}

// ExitCode is the code with which the program ends for an error.
func ExitCode(err error) int {
	var e *ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.Code
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)), errors.Is(err, syscall.ENOSPC):
		return ExitBadInput // what cannot be opened or written
	}
	return ExitFailed
}

// PrintJSON prints a value as indented JSON.
func PrintJSON(cmd *cobra.Command, v any) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Quoted are the arguments as a shell takes them.
func Quoted(args []string) []string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = a
		if strings.ContainsAny(a, " '\"\\$*?;&|<>()") {
			list[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return list
}
