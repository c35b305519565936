package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
)

// newRecordCommand makes `monosim vectors record`.
func newRecordCommand() *cobra.Command {
	var flags testeeFlags
	var dir, other string
	var check bool
	cmd := &cobra.Command{
		Use:   "record",
		Short: "Record the golden cases from the reference",
		Long: `Ask the reference all inputs of the case files (cases/*.jsonl in the directory) and
write its answers as suites, with a manifest of their hashes. The same inputs give
the same bytes. Suites that were recorded with a TensorFlow are kept as they are where
the reference has none: TENSORFLOW_PYTHON names the interpreter that has it
(runners/diff/python/requirements-tensorflow.txt).

The exit code is 0 when the files are written or, with --check, as they would be, 1
when they are not, and 2 when what was asked for makes no sense.`,
		Example: `  MONOLITH_SRC=monolith monosim vectors record --python`,
		Args:    command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if other != "" {
				flags.commands = []string{other}
			}
			if flags.python == (other != "") {
				return command.BadInput(errors.New("found --python and --testee together or neither, want one"))
			}
			list, err := flags.start()
			if err != nil {
				return command.BadInput(err)
			}
			defer list[0].Close()
			hello, err := list[0].Greet()
			if err != nil {
				return command.BadInput(err)
			}
			files, err := golden.CaseFiles(os.DirFS(dir))
			if err != nil {
				return command.BadInput(err)
			}
			known, kept, err := keptSuites(cmd.ErrOrStderr(), dir, files, hello)
			if err != nil {
				return command.BadInput(err)
			}
			suites, err := conformance.Record(list[0], known)
			if err != nil {
				return err
			}
			suites = append(suites, kept...)
			slices.SortFunc(suites, func(a, b *golden.Suite) int { return strings.Compare(a.Name, b.Name) })
			return writeSuites(cmd.OutOrStdout(), dir, suites, hello, check)
		},
	}
	cmd.Flags().BoolVar(&flags.python, "python", false, pythonHelp)
	cmd.Flags().StringVar(&other, "testee", "", testeeHelp+", instead of the reference")
	cmd.Flags().StringVar(&dir, "dir", "vectors/golden", "directory with cases/*.jsonl, which the suites are written to")
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; fail when a file would change")
	return cmd
}

// keptSuites separates the case files that the testee can answer from those that need TensorFlow,
// which the testee lacks. known holds the files that it can answer. kept holds the suites that were
// recorded earlier for the other files.
func keptSuites(w io.Writer, dir string, files []golden.CaseFile, hello testee.Hello) (known []golden.CaseFile, kept []*golden.Suite, err error) {
	for _, f := range files {
		if len(f.Inputs) == 0 || !conformance.WantsTensorFlow(f.Suite) || hello.Knows(f.Inputs[0].Op) {
			known = append(known, f)
			continue
		}
		s, err := golden.ReadSuite(os.DirFS(dir), f.Suite)
		if err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(w, "kept %s: the testee has no TensorFlow to ask it with\n", f.Suite)
		kept = append(kept, s)
	}
	return known, kept, nil
}

// writeSuites writes the recorded files. With check it only reports which files would change.
func writeSuites(w io.Writer, dir string, suites []*golden.Suite, hello testee.Hello, check bool) error {
	files, err := golden.Files(suites)
	if err != nil {
		return err
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	changed := 0
	for _, name := range names {
		path := filepath.Join(dir, name)
		old, err := os.ReadFile(path)
		if err == nil && bytes.Equal(old, files[name]) {
			continue
		}
		changed++
		fmt.Fprintf(w, "%s: %d bytes\n", name, len(files[name]))
		if check {
			continue
		}
		if err := wholefile.Write(path, files[name]); err != nil {
			return err
		}
	}
	total := 0
	for _, s := range suites {
		total += len(s.Cases)
	}
	fmt.Fprintf(w, "%d cases in %d suites from %s %s, %d files changed\n", total, len(suites), hello.Name, hello.Version, changed)
	if check && changed > 0 {
		return &command.ExitError{Code: command.ExitFailed}
	}
	return nil
}

// newDrawCommand makes `monosim vectors draw`.
func newDrawCommand() *cobra.Command {
	var suites []string
	var count int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "draw",
		Short: "Print invented inputs as lines for a case file",
		Long: `Print inputs that the generators of the operations invent, a line for each, as the
case files have them. The same seed gives the same inputs.`,
		Example: `  monosim vectors draw --suite utils.ZKPath --count 20 --seed 7 >> vectors/golden/cases/utils.jsonl`,
		Args:    command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ops, err := conformance.Selection{Suites: suites}.GeneratedOps()
			if err != nil {
				return command.BadInput(err)
			}
			if len(ops) == 0 || count < 1 {
				return command.BadInput(fmt.Errorf("found %d operations for %q and count %d, want one of each at least", len(ops), suites, count))
			}
			inputs, err := conformance.Draw(ops, count, seed)
			if err != nil {
				return command.BadInput(err)
			}
			for _, in := range inputs {
				line, err := in.Line()
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), line)
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&suites, "suite", nil, suiteHelp)
	cmd.Flags().IntVar(&count, "count", 10, "how many inputs for each operation")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "what the invented inputs follow from")
	return cmd
}
