package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/scope"
)

// newTesteeCommand makes `monosim testee`, in which the engine answers cases as lines of JSON.
func newTesteeCommand() *cobra.Command {
	var quirks string
	cmd := &cobra.Command{
		Use:   "testee",
		Short: "Answer cases about the agent service, as JSON lines on stdin and stdout",
		Long: `Answer cases by the testee protocol: one JSON object a line on standard input, one
answer a line on standard output, in order. {"op":"hello"} is answered with name,
version and the operations. The program ends with its input. runners/diff/testee/PROTOCOL.md
describes the protocol and all operations.`,
		Example: `  echo '{"id":"a/b","op":"utils.expand_pattern","env":{},"in":{"pattern_str":"ps_[0-3]"}}' | monosim testee`,
		Args:    command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine := gotestee.New(thisVersion().Version)
			err := checkQuirks(quirks)
			if err == nil {
				err = engine.KeepQuirks(quirks)
			}
			if err != nil {
				return command.BadInput(err)
			}
			return testee.Serve(engine, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&quirks, "quirks", "python", quirksHelp)
	return cmd
}

// quirksHelp describes the values of --quirks.
const quirksHelp = "faults of the reference to keep: python (all), fixed (none), a list as Q22,Q117, or all but a list as -Q22,-Q117; then ,Q25=fork for the form of the fork"

// checkQuirks returns an error for a quirk that the register does not have or that cannot
// be repaired.
func checkQuirks(text string) error {
	if err := scope.CheckToggles(text); err != nil {
		return fmt.Errorf("--quirks: %w", err)
	}
	return nil
}

// testeeFlags holds the flags that choose testees: the Python reference or commands to run.
type testeeFlags struct {
	python   bool
	commands []string
	timeout  time.Duration
}

const testeeHelp = "command of an implementation to ask, split at blanks"

// answerFlags holds the flags about waiting for answers and printing differences.
type answerFlags struct {
	timeout time.Duration
	most    int
}

func (f *answerFlags) register(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.timeout, "timeout", testee.AnswerTimeout, "how long a testee may take for an answer")
	cmd.Flags().IntVar(&f.most, "most", 5, "how many failed cases of each operation to print; 0 for all")
}

// check returns an error for values that make no sense.
func (f *answerFlags) check() error {
	switch {
	case f.timeout <= 0:
		return fmt.Errorf("--timeout: found %v, want a time above 0", f.timeout)
	case f.most < 0:
		return fmt.Errorf("--most: found %d, want 0 or more", f.most)
	}
	return nil
}

const pythonHelp = "ask the reference: needs MONOLITH_SRC, a checkout of it, and the project's sources; PYTHON names the interpreter (default python3)"

// start prepares the testees that the flags name.
func (f *testeeFlags) start() (list []conformance.Subject, err error) {
	if f.python {
		reference, err := conformance.Python()
		if err != nil {
			return nil, err
		}
		list = append(list, reference)
	}
	for _, command := range f.commands {
		s, err := conformance.Program(command, f.timeout)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}
