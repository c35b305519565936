package main

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
)

// newVectorsCommand makes `monosim vectors` with its subcommands.
func newVectorsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vectors",
		Short: "Look at, replay and record the golden cases",
		Long: `Look at, replay and record the golden cases: what the reference was asked, and what
it answered, in a suite for each of its modules. An operation is a function or a
sequence of steps; runners/diff/testee/PROTOCOL.md describes all of them.`,
		Example: `  monosim vectors list --ops
  monosim vectors list --suite utils.isabs
  monosim vectors show utils.isabs/hdfs
  monosim vectors verify --testee 'python3 port.py'`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newVerifyCommand(), newRecordCommand(), newListCommand(), newShowCommand(), newVectorsLintCommand(), newDrawCommand())
	return cmd
}

// vectorFlags holds the flags that choose vectors.
type vectorFlags struct {
	dir    string
	suites []string
}

const suiteHelp = "take only suites (utils) or operations (utils.isabs) that the glob matches; may be repeated"

func (f *vectorFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dir, "dir", "", "directory with the suites (default: those of this binary)")
	cmd.Flags().StringArrayVar(&f.suites, "suite", nil, suiteHelp)
}

func (f *vectorFlags) fs() (fs.FS, error) {
	if f.dir == "" {
		return golden.FS(), nil
	}
	info, err := os.Stat(f.dir)
	if err != nil {
		return nil, fmt.Errorf("--dir: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("--dir %s: found a file, want a directory", f.dir)
	}
	return os.DirFS(f.dir), nil
}

func (f *vectorFlags) read() ([]*golden.Suite, error) {
	fsys, err := f.fs()
	if err != nil {
		return nil, err
	}
	return golden.Suites(fsys)
}

// readKnown reads the list of cases that are known to fail, one id a line. # begins a comment.
func readKnown(name string) (map[string]bool, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("known failures: %w", err)
	}
	return conformance.ParseKnown(string(text)), nil
}

// engineKnown reads the list of cases that the engine itself is known to fail. The list is stored
// with the golden cases.
func engineKnown() (map[string]bool, error) {
	text, err := fs.ReadFile(golden.FS(), golden.KnownFailing)
	return conformance.ParseKnown(string(text)), err
}

// each calls fn for each selected case. It returns an error if no case is selected.
func (f *vectorFlags) each(fn func(*golden.Suite, *golden.Case) error) error {
	taken := 0
	suites, err := f.read()
	if err != nil {
		return command.BadInput(err)
	}
	selection := conformance.Selection{Suites: f.suites}
	for _, s := range suites {
		for i := range s.Cases {
			ok, err := selection.Takes(s.Name, s.Cases[i].Op)
			if err != nil {
				return command.BadInput(err)
			}
			if !ok {
				continue
			}
			taken++
			if err := fn(s, &s.Cases[i]); err != nil {
				return err
			}
		}
	}
	if taken == 0 {
		return command.BadInput(fmt.Errorf("--suite: found no case for %q, want a glob of suites or operations; see monosim vectors list --ops", f.suites))
	}
	return nil
}
