package programs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/monosim/monosim/engine/agent/programs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners/test/realrun/surroundings"
)

// Names lists the programs of the reference that [Client] can run. They have the names of their
// Python files, sorted. svr_client is included, although it is only a class in the reference.
func Names() []string { return programs.Names() }

// ClientQuirks selects the reference's faults that clients keep by default. The excluded faults are
// those that keep a command from working at all.
const ClientQuirks = "-Q61,-Q67,-Q68,-Q71,-Q135,-Q136,-Q234,-Q235,-Q317,-Q318"

// ClientOptions says which client program to run, and how.
type ClientOptions struct {
	// Name is one of [Names].
	Name string
	// Args are the program's arguments, in the form of absl's flags. Two flags are additional:
	// --json prints JSON in place of the reference's text, and --quirks=SET selects the faults to
	// keep.
	Args []string
	// Called is the program's name in messages. About describes the program in the text of --help.
	Called, About string
	// AsPython means that wrong flags and --help end with exit code 1, as in the reference.
	// Otherwise the codes are 2 and 0.
	AsPython       bool
	Stdout, Stderr io.Writer
}

// Exit codes of clients.
const (
	exitFailed = 1
	exitUsage  = 2
)

// Client runs a program until it ends, and returns its exit code: 0 for success, 1 for an
// exception. AsPython decides other codes. An exception is printed on stderr with its class, its
// text and what to do about it. The error is a failure of stdout or a panic.
func Client(o ClientOptions) (code int, err error) {
	own, err := ownFlags(o.Args)
	if err != nil {
		fmt.Fprintf(o.Stderr, "%s: %v\n", o.Called, err)
		return o.usageCode(), nil
	}
	var ended programs.Ended
	p, err := Surroundings{Verbosity: int(surroundings.VerbosityDebug), Log: o.Stderr}.program(o.Name, func(e *env.Env) int {
		level := &leveled{Log: e.Log}
		e.Log = level
		ended = programs.Run(e, o.Name, own.rest, programs.Options{
			Quirks: own.quirks, TFSHome: os.Getenv("TFS_HOME"), Parsed: func(f *absl.Flags) { level.verbosity = verbosityOf(f) },
		})
		return ended.Exit
	})
	if err != nil {
		return 0, err
	}
	if code, err = surroundings.Run(p); err != nil {
		return 0, err
	}
	return o.show(ended, code, own.json)
}

func (o ClientOptions) usageCode() int {
	if o.AsPython {
		return exitFailed
	}
	return exitUsage
}

// show prints the result of a program, and returns the exit code.
func (o ClientOptions) show(ended programs.Ended, code int, asJSON bool) (int, error) {
	var asked *absl.HelpAsked
	var usage *absl.UsageError
	switch {
	case errors.As(ended.Err, &asked):
		_, err := io.WriteString(o.Stdout, o.About+ended.Usage+ownUsage)
		if !o.AsPython {
			code = 0
		}
		return code, err
	case errors.As(ended.Err, &usage):
		fmt.Fprintf(o.Stderr, "%s: %s; see %s --help\n", o.Called, usage.Text, o.Called)
		return o.usageCode(), nil
	case ended.Err != nil:
		advice := ended.Advice
		if advice != "" {
			advice = " (" + advice + ")"
		}
		fmt.Fprintf(o.Stderr, "%s: %v%s\n", o.Called, ended.Err, advice)
	}
	if !asJSON {
		_, err := io.WriteString(o.Stdout, ended.Printed)
		return code, err
	}
	text, err := ended.JSON()
	if err != nil {
		return 0, err
	}
	_, err = o.Stdout.Write(append(text, '\n'))
	return code, err
}

// own holds the values of the additional flags, which the reference's programs do not have. rest
// holds the other arguments.
type own struct {
	rest   []string
	json   bool
	quirks quirks.Set
}

const ownUsage = `
monosim:
  --[no]json: print what was found as JSON, in the place of the reference's text
    (default: 'false')
  --quirks: which faults of the reference are kept: python (all), fixed (none), ids to keep as Q61,Q62, or ids to repair as -Q61,-Q67
    (default: '` + ClientQuirks + `')
`

// ownFlags parses the additional flags and removes them from args.
func ownFlags(args []string) (o own, err error) {
	set := ClientQuirks
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		flag := strings.HasPrefix(args[i], "-")
		switch {
		case args[i] == "--":
			o.rest = append(o.rest, args[i:]...)
			i = len(args)
		case flag && args[i] != "-" && (name == "json" || name == "nojson") && !given:
			o.json = name == "json"
		case flag && name == "quirks" && given:
			set = value
		case flag && name == "quirks" && i+1 < len(args):
			i++
			set = args[i]
		default:
			o.rest = append(o.rest, args[i])
		}
	}
	if o.quirks, err = quirks.Parse(set); err != nil {
		return o, fmt.Errorf("--quirks: %w", err)
	}
	return o, nil
}

// verbosityOf returns the log level that --verbosity sets, or INFO if the flag is not given.
func verbosityOf(f *absl.Flags) surroundings.Verbosity {
	v := f.Int(absl.VerbosityFlag)
	if !f.Given(absl.VerbosityFlag) {
		v = int(surroundings.VerbosityInfo)
	}
	return surroundings.Verbosity(max(min(v, int(surroundings.VerbosityDebug)), int(surroundings.VerbosityError)))
}

// leveled is a log that drops lines below the level set by --verbosity.
type leveled struct {
	env.Log
	verbosity surroundings.Verbosity
}

func (l *leveled) Enabled(level env.Level) bool {
	return surroundings.Verbosity(env.Info)-surroundings.Verbosity(level) <= l.verbosity && l.Log.Enabled(level)
}

func (l *leveled) Logf(level env.Level, format string, args ...any) {
	if l.Enabled(level) {
		l.Log.Logf(level, format, args...)
	}
}
