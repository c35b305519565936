package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
)

// verifyOptions holds the flags of `monosim vectors verify`.
type verifyOptions struct {
	vectorFlags
	answerFlags
	asJSON         bool
	known, command string
}

func newVerifyCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Replay the golden cases on the engine, without the reference",
		Long: `Replay the golden cases on the engine, or on another testee, and compare the
answers with those of the reference. There is a line for each suite, the quirks that
explain differences with what they do, for each case that fails the question and both
answers (- expected, + the testee's), and a line of totals. monosim diff says more of
testees other than the engine.

The exit code is 0 when no case failed, 1 when one did, and 2 when what was asked
for makes no sense.`,
		Example: `  monosim vectors verify
  monosim vectors verify --suite 'utils.ZKPath' --json
  monosim vectors verify --testee 'java -jar port.jar' --known-failing known_failing.txt`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.vectorFlags.register(cmd)
	o.answerFlags.register(cmd)
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON instead of text")
	cmd.Flags().StringVar(&o.known, "known-failing", "", "file with ids of cases that the testee is known to fail")
	cmd.Flags().StringVar(&o.command, "testee", "", testeeHelp+", instead of the engine")
	return cmd
}

func (o *verifyOptions) run(cmd *cobra.Command) error {
	suites, err := o.read()
	if err == nil {
		err = o.check()
	}
	if err != nil {
		return command.BadInput(err)
	}
	failing, err := readKnown(o.known)
	if o.known == "" && o.command == "" {
		failing, err = engineKnown()
	}
	if err != nil {
		return command.BadInput(err)
	}
	subject, err := subjectOf(o.command, o.timeout)
	if err != nil {
		return command.BadInput(err)
	}
	defer subject.Close()
	report, err := conformance.Verify(subject, suites, conformance.Selection{Suites: o.suites}, failing)
	if err == nil {
		err = report.CheckAnswered(o.suites)
	}
	if err != nil {
		return command.BadInput(err)
	}
	return o.write(cmd.OutOrStdout(), report)
}

// subjectOf returns the testee that a command starts. For "" it returns the engine.
func subjectOf(command string, timeout time.Duration) (conformance.Subject, error) {
	if command == "" {
		return engineSubject(), nil
	}
	s, err := conformance.Program(command, timeout)
	if err != nil {
		return s, err
	}
	if _, err = s.Greet(); err != nil {
		s.Close()
	}
	return s, err
}

// engineSubject returns the engine as a testee.
func engineSubject() conformance.Subject {
	return conformance.Subject{Name: "monosim", Testee: gotestee.New(thisVersion().Version)}
}

// write writes the report, and returns an error if a case failed.
func (o *verifyOptions) write(w io.Writer, r *conformance.Report) error {
	var err error
	if o.asJSON {
		err = conformance.WriteJSON(w, r)
	} else {
		err = conformance.WriteSuites(w, r, o.most)
	}
	if err != nil {
		return err
	}
	if r.Counts().Failed > 0 {
		return &command.ExitError{Code: command.ExitFailed}
	}
	return nil
}

// newVectorsLintCommand makes `monosim vectors lint`.
func newVectorsLintCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Check ids, flags, hashes and inputs of the golden cases",
		Long: `Check the golden cases: that ids are unique, that flags are quirks of the register,
that the hashes of the manifest are those of the suites, and that each case has an
input of the case files.

The exit code is 0 when nothing is wrong, 1 when something is, and 2 when the suites
cannot be read.`,
		Example: `  monosim vectors lint
  monosim vectors lint --dir vectors`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := os.Stat(dir); err != nil {
				return command.BadInput(fmt.Errorf("--dir: %w", err))
			}
			findings, err := golden.Lint(os.DirFS(dir))
			if err != nil {
				return command.BadInput(err)
			}
			for _, f := range findings {
				fmt.Fprintln(cmd.OutOrStdout(), f)
			}
			if len(findings) > 0 {
				return &command.ExitError{Code: command.ExitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "vectors/golden", "directory with the suites and cases/*.jsonl, from which they are recorded")
	return cmd
}
