package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/runners/gotestee"
	"github.com/monosim/monosim/runners/testee"
)

// diffOptions are the flags of `monosim diff`.
type diffOptions struct {
	testeeFlags
	vectorFlags
	fuzz    int
	jobs    int
	seed    uint64
	known   []string
	formats []string
}

// newDiffCommand makes `monosim diff`.
func newDiffCommand() *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Compare implementations case by case",
		Long: `Ask implementations the same cases and compare their answers: the golden cases,
and with --fuzz cases that are invented, the same for the same seed. The subjects
are the commands of --testee, or the engine when there is none. With --python the
answers to expect come from the reference itself; without it those to golden cases
come from the vectors, and those to invented cases from the engine.

A difference in an invented case is made as small as it goes and printed as a line
for a case file. Cases on a subject's list of known failures are asked too, and one
that passes is a failure.

The exit code is 0 when every difference is explained, 1 when one is not, and 2
when what was asked for makes no sense.`,
		Example: `  MONOLITH_SRC=monolith monosim diff --python --fuzz 10000
  monosim diff --testee 'java -jar port.jar' --known-failing known_failing.txt
  monosim diff --testee ./port --python --suite 'zk_mirror.*' --fuzz 1000 --seed 7`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.python, "python", false, pythonHelp)
	f.StringArrayVar(&o.commands, "testee", nil, "command of an implementation to compare; may be repeated")
	o.register(cmd)
	f.IntVar(&o.fuzz, "fuzz", 0, "how many cases to invent, spread over the operations; each is asked once")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "how many copies of each implementation answer invented cases side by side")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the invented cases")
	f.StringArrayVar(&o.known, "known-failing", nil, "file with ids of cases that the testee is known to fail, one for each --testee in their order")
	f.StringArrayVar(&o.formats, "format", nil, "table (default), junit or json, with :FILE into a file; may be repeated")
	return cmd
}

// subjectDiff is how one subject went.
type subjectDiff struct {
	name   string
	report *testee.DiffReport
}

func (o *diffOptions) run(cmd *cobra.Command) error {
	outputs, err := parseDiffFormats(o.formats)
	if err != nil {
		return badInput(err)
	}
	if o.fuzz < 0 {
		return badInput(fmt.Errorf("--fuzz: found %d, want 0 or more", o.fuzz))
	}
	if o.jobs < 1 {
		return badInput(fmt.Errorf("--jobs: found %d, want 1 or more", o.jobs))
	}
	reference, subjects, err := o.testees()
	for _, t := range append(subjects, reference) {
		if t.Testee != nil {
			defer t.Close()
		}
	}
	if err != nil {
		return badInput(err)
	}
	var diffs []subjectDiff
	for i, s := range subjects {
		report, err := o.compare(cmd, reference, s, i)
		if err != nil {
			return badInput(err)
		}
		if len(report.Results) == 0 {
			return badInput(fmt.Errorf("--suite: found no case for %q, want a glob of suites or operations; see monosim vectors list", o.suites))
		}
		diffs = append(diffs, subjectDiff{name: s.name, report: report})
	}
	failed := 0
	for _, d := range diffs {
		failed += d.report.Counts().Failed
	}
	for _, out := range outputs {
		if err := out.write(cmd.OutOrStdout(), diffs); err != nil {
			return err
		}
	}
	if failed > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// testees are the reference, with no Testee when the vectors are, and the
// subjects.
func (o *diffOptions) testees() (reference namedTestee, subjects []namedTestee, err error) {
	engine := namedTestee{"monosim", gotestee.New(version)}
	if o.python {
		p, err := startPython()
		if err != nil {
			return reference, nil, err
		}
		reference = namedTestee{"python", p}
		if _, err := checkHello(reference); err != nil {
			return reference, nil, err
		}
	}
	if len(o.known) > max(len(o.commands), 1) {
		return reference, nil, fmt.Errorf("--known-failing: found %d lists, want one for each testee at most", len(o.known))
	}
	commands := testeeFlags{commands: o.commands}
	if subjects, err = commands.start(); err != nil {
		return reference, nil, err
	}
	for _, s := range subjects {
		if _, err := checkHello(s); err != nil {
			return reference, subjects, err
		}
	}
	switch {
	case len(subjects) == 0:
		subjects = []namedTestee{engine}
		if o.fuzz > 0 && !o.python {
			return reference, subjects, fmt.Errorf("--fuzz: found neither --python nor --testee, want something to compare the engine with")
		}
	case !o.python && o.fuzz > 0:
		reference = engine
	}
	return reference, subjects, nil
}

// compare asks one subject the golden cases, and the invented ones.
func (o *diffOptions) compare(cmd *cobra.Command, reference, subject namedTestee, i int) (*testee.DiffReport, error) {
	known := map[string]bool{}
	if _, ok := subject.Testee.(*gotestee.Testee); ok && len(o.known) == 0 {
		list, err := engineKnown()
		if err != nil {
			return nil, err
		}
		maps.Copy(known, list)
	}
	if i < len(o.known) {
		list, err := readKnown(o.known[i])
		if err != nil {
			return nil, err
		}
		maps.Copy(known, list)
	}
	selection := testee.Selection{Suites: o.suites}
	suites, err := o.read()
	if err != nil {
		return nil, err
	}
	golden, err := testee.Verify(subject, suites, selection, known)
	if err != nil {
		return nil, err
	}
	report := &testee.DiffReport{Report: *golden}
	if o.fuzz == 0 {
		return report, nil
	}
	progress := newProgress(cmd.ErrOrStderr(), int64(o.fuzz), "invented cases", func(done int64) string {
		return fmt.Sprintf("%d of %d invented cases", done, o.fuzz)
	})
	defer progress.done()
	differ := testee.Differ{
		Selection: selection, Cases: o.fuzz, Seed: o.seed, Known: known,
		Answered: func(done, _ int) { progress.at(int64(done)) },
	}
	pairs := []testee.Pair{{Reference: reference.Testee, Subject: subject.Testee}}
	for range o.jobs - 1 {
		copied := testee.Pair{Reference: again(reference), Subject: again(subject)}
		defer copied.Reference.Close()
		defer copied.Subject.Close()
		pairs = append(pairs, copied)
	}
	invented, err := differ.Run(pairs...)
	if err != nil {
		return nil, err
	}
	report.Results = append(report.Results, invented.Results...)
	report.Differences, report.Large = invented.Differences, invented.Large
	return report, nil
}

// again is another one of a testee: a process of its own, or the engine, which
// answers any number of callers.
func again(t namedTestee) testee.Testee {
	if p, ok := t.Testee.(*testee.Process); ok {
		return &testee.Process{Command: p.Command, Timeout: p.Timeout}
	}
	return t.Testee
}

// writeDiffTable writes a line for each operation, the differences, and the
// totals.
func writeDiffTable(w io.Writer, diffs []subjectDiff) error {
	var b bytes.Buffer
	total := testee.Counts{}
	for _, d := range diffs {
		fmt.Fprintf(&b, "%s\n  %-50s %7s %7s %9s %7s\n", d.name, "operation", "passed", "failed", "explained", "skipped")
		for _, g := range d.report.By(testee.ByOp) {
			fmt.Fprintf(&b, "  %-50s %7d %7d %9d %7d\n", g.Name, g.Passed, g.Failed, g.Explained, g.Skipped)
		}
		d.writeExplained(&b)
		d.writeFailures(&b)
		c := d.report.Counts()
		total.Passed, total.Failed = total.Passed+c.Passed, total.Failed+c.Failed
		total.Explained, total.Skipped = total.Explained+c.Explained, total.Skipped+c.Skipped
	}
	fmt.Fprintf(&b, "%d cases for %d testees: %v\n", total.Total(), len(diffs), total)
	_, err := w.Write(b.Bytes())
	return err
}

// writeExplained says which quirks explain how many cases.
func (d subjectDiff) writeExplained(b *bytes.Buffer) {
	of := map[string]int{}
	for _, result := range d.report.Results {
		if quirks, _, ok := strings.Cut(result.Text, "\n"); ok && result.Status == testee.Explained && strings.HasPrefix(quirks, "Q") {
			of[quirks]++
		}
	}
	for _, quirks := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(b, "  explained by %s: %d\n", quirks, of[quirks])
	}
}

// writeFailures writes what failed. Invented cases of which the same is left when
// they are made small are written once; those that were not made small are only
// counted.
func (d subjectDiff) writeFailures(b *bytes.Buffer) {
	seen, more := map[string]string{}, map[string]int{}
	for _, result := range d.report.Results {
		if result.Status != testee.Failed {
			continue
		}
		if d.report.Large[result.ID] {
			more[result.Op]++
			continue
		}
		text := d.text(result)
		key := result.Op + strings.ReplaceAll(text, result.ID, "")
		if first, ok := seen[key]; ok {
			fmt.Fprintf(b, "\n  %s: as %s\n", result.ID, first)
			continue
		}
		seen[key] = result.ID
		fmt.Fprintf(b, "\n  %s\n%s", result.ID, indent(text, "    "))
	}
	for _, op := range slices.Sorted(maps.Keys(more)) {
		fmt.Fprintf(b, "\n  %s: %d more differ\n", op, more[op])
	}
}

// text is what there is to say of a failed case: for an invented one the smallest
// that still differs, as a line for a case file.
func (d subjectDiff) text(r testee.Result) string {
	for _, difference := range d.report.Differences {
		if difference.ID != r.ID {
			continue
		}
		line, err := difference.Vector.Line()
		if err != nil {
			return err.Error()
		}
		return difference.Text + "\nvector: " + line
	}
	return r.Text
}
