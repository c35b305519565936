package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/runners/gotestee"
	"github.com/monosim/monosim/runners/testee"
	"github.com/monosim/monosim/vectors"
)

// newVectorsCommand makes `monosim vectors` and what is below it.
func newVectorsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vectors",
		Short: "Look at, replay and record the golden cases",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newVerifyCommand(), newRecordCommand(), newListCommand(), newShowCommand(), newVectorsLintCommand(), newDrawCommand())
	return cmd
}

// vectorFlags say where the vectors are and which to take.
type vectorFlags struct {
	dir    string
	suites []string
}

func (f *vectorFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dir, "dir", "", "directory with the suites (default: those of this binary)")
	cmd.Flags().StringArrayVar(&f.suites, "suite", nil, "take only suites or operations that the glob matches; may be repeated")
}

func (f *vectorFlags) fs() (fs.FS, error) {
	if f.dir == "" {
		return vectors.FS(), nil
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

func (f *vectorFlags) read() ([]*vectors.Suite, error) {
	fsys, err := f.fs()
	if err != nil {
		return nil, err
	}
	return vectors.Suites(fsys)
}

func newVerifyCommand() *cobra.Command {
	var flags vectorFlags
	var asJSON bool
	var known, command string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Replay the golden cases on the engine, without the reference",
		Long: `Replay the golden cases on the engine, or on another testee, and compare the
answers with those of the reference. There is a line for each suite, the
difference (-want +got) for each case that fails, and a line of totals.

The exit code is 0 when no case failed, 1 when one did, and 2 when what was asked
for makes no sense.`,
		Example: `  monosim vectors verify
  monosim vectors verify --suite 'utils.ZKPath' --json
  monosim vectors verify --testee 'java -jar port.jar' --known-failing known_failing.txt`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			suites, err := flags.read()
			if err != nil {
				return badInput(err)
			}
			failing, err := readKnown(known)
			if known == "" && command == "" {
				failing, err = engineKnown()
			}
			if err != nil {
				return badInput(err)
			}
			subject := namedTestee{"monosim", gotestee.New(version)}
			if command != "" {
				process, err := testee.StartProcess(command)
				if err != nil {
					return badInput(err)
				}
				defer process.Close()
				subject = namedTestee{command, process}
			}
			if _, err := checkHello(subject); err != nil {
				return badInput(err)
			}
			report, err := testee.Verify(subject, suites, testee.Selection{Suites: flags.suites}, failing)
			if err != nil {
				return badInput(err)
			}
			if len(report.Results) == 0 {
				return badInput(fmt.Errorf("--suite: found no case for %q, want a glob of suites or operations; see monosim vectors list", flags.suites))
			}
			return writeVerified(cmd.OutOrStdout(), report, asJSON)
		},
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object instead")
	cmd.Flags().StringVar(&known, "known-failing", "", "file with ids of cases that the testee is known to fail")
	cmd.Flags().StringVar(&command, "testee", "", "command of a testee to ask instead of the engine")
	return cmd
}

// writeVerified writes the report; a failed case is the program's failure.
func writeVerified(w io.Writer, r *testee.Report, asJSON bool) error {
	write := writeReport
	if asJSON {
		write = testee.WriteJSON
	}
	if err := write(w, r); err != nil {
		return err
	}
	if r.Counts().Failed > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

func writeReport(w io.Writer, r *testee.Report) error {
	var b bytes.Buffer
	for _, g := range r.By(testee.BySuite) {
		fmt.Fprintf(&b, "%-20s %v\n", g.Name, g.Counts)
		for _, result := range r.Results {
			if result.Suite == g.Name && result.Status == testee.Failed {
				fmt.Fprintf(&b, "  %s\n%s", result.ID, indent(result.Text, "    "))
			}
		}
	}
	fmt.Fprintf(&b, "%d cases: %v\n", r.Counts().Total(), r.Counts())
	_, err := w.Write(b.Bytes())
	return err
}

// readKnown reads a list of ids, one a line; # begins a comment.
func readKnown(name string) (map[string]bool, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("known failures: %w", err)
	}
	return parseKnown(string(text)), nil
}

func parseKnown(text string) map[string]bool {
	known := map[string]bool{}
	for line := range strings.Lines(text) {
		id, _, _ := strings.Cut(line, "#")
		if id = strings.TrimSpace(id); id != "" {
			known[id] = true
		}
	}
	return known
}

// engineKnown is the engine's own list, which is part of the vectors.
func engineKnown() (map[string]bool, error) {
	text, err := fs.ReadFile(vectors.FS(), vectors.KnownFailing)
	return parseKnown(string(text)), err
}

func newListCommand() *cobra.Command {
	var flags vectorFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the ids of the golden cases",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.each(func(_ *vectors.Suite, c *vectors.Case) error {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\n", c.ID, strings.Join(c.Flags, " "))
				return err
			})
		},
	}
	flags.register(cmd)
	return cmd
}

// each calls fn for each selected case.
func (f *vectorFlags) each(fn func(*vectors.Suite, *vectors.Case) error) error {
	suites, err := f.read()
	if err != nil {
		return badInput(err)
	}
	selection := testee.Selection{Suites: f.suites}
	for _, s := range suites {
		for i := range s.Cases {
			ok, err := selection.Takes(s.Name, s.Cases[i].Op)
			if err != nil {
				return badInput(err)
			}
			if !ok {
				continue
			}
			if err := fn(s, &s.Cases[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func newShowCommand() *cobra.Command {
	var flags vectorFlags
	cmd := &cobra.Command{
		Use:   "show ID...",
		Short: "Print golden cases with what the engine answers",
		RunE: func(cmd *cobra.Command, ids []string) error {
			if len(ids) == 0 {
				return badInput(errors.New("found no id; see monosim vectors list"))
			}
			shown := map[string]bool{}
			err := flags.each(func(s *vectors.Suite, c *vectors.Case) error {
				if !slices.Contains(ids, c.ID) {
					return nil
				}
				shown[c.ID] = true
				return testee.Show(cmd.OutOrStdout(), s, c, gotestee.New(version))
			})
			for _, id := range ids {
				if err == nil && !shown[id] {
					err = badInput(fmt.Errorf("found no case %q; see monosim vectors list", id))
				}
			}
			return err
		},
	}
	flags.register(cmd)
	return cmd
}

func newVectorsLintCommand() *cobra.Command {
	var flags vectorFlags
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Check ids, flags, hashes and inputs of the golden cases",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fsys, err := flags.fs()
			if err != nil {
				return badInput(err)
			}
			findings, err := vectors.Lint(fsys)
			if err != nil {
				return badInput(err)
			}
			for _, f := range findings {
				fmt.Fprintln(cmd.OutOrStdout(), f)
			}
			if len(findings) > 0 {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&flags.dir, "dir", "", "directory with the suites (default: those of this binary)")
	return cmd
}

func newDrawCommand() *cobra.Command {
	var suites []string
	var count int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "draw",
		Short: "Print invented inputs as lines for a case file",
		Long: `Print inputs that the generators of the operations invent, a line for each, as the
case files have them. The same seed gives the same inputs.`,
		Example: `  monosim vectors draw --suite utils.ZKPath --count 20 --seed 7 >> vectors/cases/utils.jsonl`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			selection, ops := testee.Selection{Suites: suites}, []string{}
			for _, op := range testee.GeneratedOps() {
				ok, err := selection.Takes(vectors.SuiteOf(op), op)
				if err != nil {
					return badInput(err)
				}
				if ok {
					ops = append(ops, op)
				}
			}
			if len(ops) == 0 || count < 1 {
				return badInput(fmt.Errorf("found %d operations for %q and count %d, want one of each at least", len(ops), suites, count))
			}
			inputs, err := testee.Draw(ops, count, seed)
			if err != nil {
				return badInput(err)
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
	cmd.Flags().StringArrayVar(&suites, "suite", nil, "take only suites or operations that the glob matches; may be repeated")
	cmd.Flags().IntVar(&count, "count", 10, "how many inputs for each operation")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed")
	return cmd
}

func newRecordCommand() *cobra.Command {
	var flags testeeFlags
	var dir, command string
	var check bool
	cmd := &cobra.Command{
		Use:   "record",
		Short: "Record the golden cases from the reference",
		Long: `Ask the reference all inputs of the case files (cases/*.jsonl in the directory) and
write its answers as suites, with a manifest of their hashes. The same inputs give
the same bytes.`,
		Example: `  MONOLITH_SRC=monolith monosim vectors record --python`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if command != "" {
				flags.commands = []string{command}
			}
			if flags.python == (command != "") {
				return badInput(errors.New("found --python and --testee together or neither, want one"))
			}
			list, err := flags.start()
			if err != nil {
				return badInput(err)
			}
			defer list[0].Close()
			hello, err := checkHello(list[0])
			if err != nil {
				return badInput(err)
			}
			files, err := vectors.CaseFiles(os.DirFS(dir))
			if err != nil {
				return badInput(err)
			}
			suites, err := testee.Record(list[0], files)
			if err != nil {
				return err
			}
			return writeSuites(cmd.OutOrStdout(), dir, suites, hello, check)
		},
	}
	cmd.Flags().BoolVar(&flags.python, "python", false, pythonHelp)
	cmd.Flags().StringVar(&command, "testee", "", "ask this command instead")
	cmd.Flags().StringVar(&dir, "dir", "vectors", "directory with cases/*.jsonl, which the suites are written to")
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; fail when a file would change")
	return cmd
}

// writeSuites writes the files, or says whether they are as they would be
// written.
func writeSuites(w io.Writer, dir string, suites []*vectors.Suite, hello testee.Hello, check bool) error {
	files, err := vectors.Files(suites)
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
		if err := writeFile(path, files[name]); err != nil {
			return err
		}
	}
	total := 0
	for _, s := range suites {
		total += len(s.Cases)
	}
	fmt.Fprintf(w, "%d cases in %d suites from %s %s, %d files changed\n", total, len(suites), hello.Name, hello.Version, changed)
	if check && changed > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}
