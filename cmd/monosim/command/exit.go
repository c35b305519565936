// Package command has what the commands of monosim share.
//
// Two things to use first:
//
//   - [BadInput] and [ExitError] end a command with an exit code.
//   - [UntilSignal] lets a long run end in order when a signal asks it to.
//
// To change
//
//   - exit codes, errors about arguments, and JSON: exit.go
//   - signals: interrupt.go
//   - how far a long run is: progress.go
//   - programs beside this one: program.go
//
// Unstable: any commit may change it.
package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit codes of the program.
const (
	ExitFailed   = 1 // a check, scenario or case did not pass
	ExitBadInput = 2 // the request makes no sense, or a file cannot be opened or written
	// ExitUndecided is the code of a run that ended before it had an answer.
	ExitUndecided = 3
)

// ExitError is an error that ends the program with an exit code. A nil Err means that the error
// was printed already.
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

// Ended makes the error for a program that ran as a child and ended with an exit code. It returns
// nil for code 0 without an error.
func Ended(code int, err error) error {
	switch {
	case err != nil:
		code = ExitFailed
	case code == 0:
		return nil
	}
	return &ExitError{Code: code, Err: err}
}

// BadInput marks an error as a fault in what the user asked for, so that the program ends with
// [ExitBadInput].
func BadInput(err error) error {
	if err == nil {
		return nil
	}
	return &ExitError{Code: ExitBadInput, Err: err}
}

// FlagError marks an error in the flags of a command as bad input, and suggests a similar flag.
func FlagError(cmd *cobra.Command, err error) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = fmt.Errorf("--%s: %w", wrong.GetFlag().Name, wrongValue(wrong))
	}
	return BadInput(fmt.Errorf("%w%s; see %s --help", err, similarFlag(cmd, err), cmd.CommandPath()))
}

// valueWords says in plain words which values a type of flag takes. It covers the types for which
// Go's own error would be printed.
var valueWords = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint": "a whole number, 0 or more", "uint64": "a whole number, 0 or more",
	"uint8": "a whole number from 0 to 255", "uint16": "a whole number from 0 to 65535", "float64": "a number", "bool": "true or false",
	"duration": "a duration with its unit, as 90s, 10m or 24h",
}

// wrongValue makes an error that says which value a flag has and which it wants. For flags of our
// own types it returns their own error, which already says so.
func wrongValue(wrong *pflag.InvalidValueError) error {
	want, ok := valueWords[wrong.GetFlag().Value.Type()]
	switch {
	case !ok:
		return wrong.Unwrap()
	case errors.Is(wrong, strconv.ErrRange) && !strings.Contains(want, " to "):
		want += ", and no greater one than it can hold"
	}
	return fmt.Errorf("found %q, want %s", wrong.GetValue(), want)
}

var unknownFlag = regexp.MustCompile(`^unknown flag: --(.+)$`)

// similarFlag returns a hint such as ", did you mean --tags" if the error is about an unknown flag
// and a known flag has a similar name. Otherwise it returns "".
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

// NoArguments returns an error of bad input if the command has arguments.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && len(SimilarCommands(cmd, args[0])) > 0 {
		return BadInput(UnknownCommand(cmd, args[0]))
	}
	if len(args) > 0 {
		return BadInput(fmt.Errorf("found argument %q, want none; see %s --help", args[0], cmd.CommandPath()))
	}
	return nil
}

// OneArgument returns a check that the command has exactly one argument. Error messages call the
// argument by the given name.
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

// UnknownCommand returns an error for a subcommand that does not exist, and suggests similar ones.
func UnknownCommand(cmd *cobra.Command, name string) error {
	text := fmt.Sprintf("unknown command %q", name)
	if similar := SimilarCommands(cmd, name); len(similar) > 0 {
		text += fmt.Sprintf(", did you mean %s", strings.Join(similar, " or "))
	}
	return fmt.Errorf("%s; %s --help lists them", text, cmd.CommandPath())
}

// SimilarCommands returns the subcommands whose names are within two edits of the given name.
func SimilarCommands(cmd *cobra.Command, name string) []string {
	cmd.SuggestionsMinimumDistance = 2
	return cmd.SuggestionsFor(name)
}

// ExitCode returns the exit code with which the program ends for an error, 0 for nil.
func ExitCode(err error) int {
	var e *ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.Code
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)), errors.Is(err, syscall.ENOSPC):
		return ExitBadInput // a file cannot be opened or written
	}
	return ExitFailed
}

// PrintJSON prints a value as indented JSON.
func PrintJSON(cmd *cobra.Command, v any) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Quoted quotes arguments so that they can be pasted into a shell.
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
