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

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
)

// diffOptions holds the flags of `monosim diff`.
type diffOptions struct {
	testeeFlags
	vectorFlags
	fuzz    int
	jobs    int
	seed    uint64
	known   []string
	formats []string
	ignore  []string
	by      string
	grammar bool
	answerFlags
}

// newDiffCommand makes `monosim diff`.
func newDiffCommand() *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Compare implementations case by case",
		Long: `Ask implementations the same cases and compare their answers: the golden cases,
whose answers were recorded from the reference, and with --fuzz cases that are
invented, the same for the same seed, whose answers are the engine's. With --python
the answers to expect of invented cases come from the reference itself, run beside.
The implementations compared are the commands of --testee, or the engine when there
is none.

A testee is a program in any language that reads a case a line on standard input
and writes an answer a line on standard output; runners/diff/testee/PROTOCOL.md begins
with one of 25 lines. It is asked the operations that its greeting has; cases of
others, and those that it answers with "skipped", count as skipped. One that ends,
hangs or writes something else fails the case and is started again for the next.

Failures are counted by their causes: how the answers part (blanks of JSON, order,
missing log lines, the class of an error, another value) and, where that tells them
apart, what their inputs have. A cause has the number of its failures, of those that
would pass without it, of those that would be left, places in the answers, lines of
the reference, and the smallest failure. With five failures or fewer, or --by case,
each is printed: the question, and both answers as JSON, what is expected only with
-, what came only with +. A difference in an invented case is made as small as it
goes and printed as a line for a case file too; with a golden case stands a smaller one
that differs as well, with the engine's answer where that is the recorded one's too. Cases on a testee's list of known
failures are asked as well, and one that passes is a failure; a difference that a
documented quirk allows counts as explained.

The exit code is 0 when no case failed, 1 when one did or a testee ends badly, and
2 when what was asked for makes no sense: a testee that cannot be started, gives no
greeting, or has no operation that is asked.`,
		Example: `  monosim diff --testee 'python3 port.py'
  monosim diff --testee ./port --suite 'utils.*' --suite zk_mirror --most 1
  monosim diff --testee 'java -jar port.jar' --known-failing known_failing.txt
  monosim diff --testee ./port --fuzz 1000 --seed 7
  monosim diff --testee ./port --ignore logs,blanks --format table --format html:report.html
  MONOLITH_SRC=monolith monosim diff --python --fuzz 10000
  MONOLITH_SRC=monolith monosim diff --python --suite 'python.*' --fuzz 100000
  monosim diff --grammar`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.python, "python", false, pythonHelp)
	f.StringArrayVar(&o.commands, "testee", nil, testeeHelp+"; may be repeated")
	o.vectorFlags.register(cmd)
	o.answerFlags.register(cmd)
	f.IntVar(&o.fuzz, "fuzz", 0, "how many cases to invent, spread over the operations; each is asked once")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "how many copies of each implementation answer invented cases side by side")
	f.Uint64Var(&o.seed, "seed", 1, "what the invented cases follow from")
	f.StringArrayVar(&o.known, "known-failing", nil, "file with ids of cases that the testee is known to fail, one for each --testee in their order")
	f.StringArrayVar(&o.formats, "format", nil, "table (default), html, junit or json, with :FILE into a file; may be repeated")
	f.StringSliceVar(&o.ignore, "ignore", nil, "what makes no failure alone: logs (log lines), texts (of exceptions), blanks (of JSON, and all that leaves its values equal)")
	f.StringVar(&o.by, "by", "cause", "how many failures are printed: by cause, or each case, as --most asks for too")
	f.BoolVar(&o.grammar, "grammar", false, "print the grammar of invented expressions, regular expressions, filters and numbers, and compare nothing")
	completeFlags(cmd, map[string]func() []string{"format": func() []string { return slices.Sorted(maps.Keys(diffFormats)) },
		"ignore": conformance.Ignored, "by": func() []string { return []string{"cause", "case"} }})
	return cmd
}

func (o *diffOptions) run(cmd *cobra.Command) error {
	if o.grammar {
		_, err := io.WriteString(cmd.OutOrStdout(), catalogue.Grammar())
		return err
	}
	outputs, err := parseDiffFormats(o.formats)
	if err != nil {
		return command.BadInput(err)
	}
	if o.fuzz < 0 {
		return command.BadInput(fmt.Errorf("--fuzz: found %d, want 0 or more", o.fuzz))
	}
	if o.jobs < 1 {
		return command.BadInput(fmt.Errorf("--jobs: found %d, want 1 or more", o.jobs))
	}
	if err := o.check(); err != nil {
		return command.BadInput(err)
	}
	if err := o.checkCauses(); err != nil {
		return command.BadInput(err)
	}
	reference, subjects, err := o.testees()
	defer conformance.CloseAll(append(subjects, reference))
	if err != nil {
		return command.BadInput(err)
	}
	var diffs []conformance.SubjectReport
	for i, s := range subjects {
		report, err := o.compare(cmd, reference, s, i)
		if err == nil {
			err = report.CheckAnswered(o.suites)
		}
		if err != nil {
			return command.BadInput(err)
		}
		ignored := report.Ignore(o.ignore)
		diffs = append(diffs, conformance.SubjectReport{Name: s.Name, DiffReport: report, Most: o.most, All: len(o.suites) == 0,
			ByCause: o.by == "cause" && !cmd.Flags().Changed("most"), Ignored: ignored})
	}
	ending := conformance.CloseAll(append(subjects, reference))
	failed := 0
	for _, d := range diffs {
		failed += d.Counts().Failed
	}
	for _, out := range outputs {
		if err := out.write(cmd.OutOrStdout(), diffs); err != nil {
			return err
		}
	}
	if failed > 0 && ending == nil {
		return &command.ExitError{Code: command.ExitFailed}
	}
	return ending
}

// checkCauses returns an error if --ignore or the output options name something unknown.
func (o *diffOptions) checkCauses() error {
	for _, kind := range o.ignore {
		if !slices.Contains(conformance.Ignored(), kind) {
			return fmt.Errorf("--ignore: found %q, want %s", kind, strings.Join(conformance.Ignored(), ", "))
		}
	}
	if o.by != "cause" && o.by != "case" {
		return fmt.Errorf("--by: found %q, want cause or case", o.by)
	}
	return nil
}

// testees returns the reference and the subjects to compare with it. The reference has no Testee
// when recorded vectors stand in for it.
func (o *diffOptions) testees() (reference conformance.Subject, subjects []conformance.Subject, err error) {
	engine := engineSubject()
	if o.python {
		if reference, err = conformance.Python(); err != nil {
			return reference, nil, err
		}
		if _, err := reference.Greet(); err != nil {
			return reference, nil, err
		}
	}
	if len(o.known) > max(len(o.commands), 1) {
		return reference, nil, fmt.Errorf("--known-failing: found %d lists, want one for each testee at most", len(o.known))
	}
	commands := testeeFlags{commands: o.commands, timeout: o.answerFlags.timeout}
	if subjects, err = commands.start(); err != nil {
		return reference, nil, err
	}
	for _, s := range subjects {
		if _, err := s.Greet(); err != nil {
			return reference, subjects, err
		}
	}
	switch {
	case len(subjects) == 0:
		subjects = []conformance.Subject{engine}
		if o.fuzz > 0 && !o.python {
			return reference, subjects, fmt.Errorf("--fuzz: found neither --python nor --testee, want something to compare the engine with")
		}
	case !o.python && o.fuzz > 0:
		reference = engine
	}
	return reference, subjects, nil
}

// compare asks one subject the golden cases, and then the randomly generated ones.
func (o *diffOptions) compare(cmd *cobra.Command, reference, subject conformance.Subject, i int) (*conformance.DiffReport, error) {
	known := map[string]bool{}
	suites, err := o.read()
	if err != nil {
		return nil, err
	}
	if _, ok := subject.Testee.(*gotestee.Testee); ok && len(o.known) == 0 {
		list, err := engineKnown()
		if err != nil {
			return nil, err
		}
		maps.Copy(known, list)
	}
	if i < len(o.known) {
		list, err := readKnown(o.known[i])
		if err == nil {
			err = checkKnown(o.known[i], list, suites)
		}
		if err != nil {
			return nil, err
		}
		maps.Copy(known, list)
	}
	selection := conformance.Selection{Suites: o.suites}
	golden, err := o.golden(cmd, subject, suites, known)
	if err != nil {
		return nil, err
	}
	report := &conformance.DiffReport{Report: *golden}
	if engine := engineSubject(); subject.Testee != engine.Testee && len(o.commands) > 0 {
		report.ShrinkGolden(conformance.Pair{Reference: engine.Testee, Subject: subject.Testee}, suites)
	}
	if o.fuzz == 0 {
		return report, nil
	}
	progress := command.NewProgress(cmd.ErrOrStderr(), int64(o.fuzz), "invented cases", func(done int64) string {
		return fmt.Sprintf("%d of %d invented cases", done, o.fuzz)
	})
	defer progress.Done()
	differ := conformance.Differ{
		Selection: selection, Cases: o.fuzz, Seed: o.seed, Known: known,
		Answered: func(done, _ int) { progress.At(int64(done)) },
	}
	invented, err := differ.RunCopies(reference, subject, o.jobs)
	if err != nil {
		return nil, err
	}
	report.Results = append(report.Results, invented.Results...)
	report.Differences, report.Large = invented.Differences, invented.Large
	return report, nil
}

// checkKnown returns an error if a list of known failures has an id that is not the id of a golden
// case. Ids of randomly generated cases, which contain "/seed-", are not checked.
func checkKnown(name string, known map[string]bool, suites []*golden.Suite) error {
	there := map[string]bool{}
	for _, s := range suites {
		for _, c := range s.Cases {
			there[c.ID] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		if !there[id] && !strings.Contains(id, "/seed-") {
			return fmt.Errorf("--known-failing: found %q in %s, want ids of cases, as monosim vectors list prints them", id, name)
		}
	}
	return nil
}

// golden asks one subject the golden cases and shows how far it is.
func (o *diffOptions) golden(cmd *cobra.Command, subject conformance.Subject, suites []*golden.Suite, known map[string]bool) (*conformance.Report, error) {
	total := 0
	for _, s := range suites {
		total += len(s.Cases)
	}
	progress := command.NewProgress(cmd.ErrOrStderr(), int64(total), "golden cases", func(done int64) string {
		return fmt.Sprintf("%d golden cases answered, %d at most to ask", done, total)
	})
	defer progress.Done()
	counted := &conformance.Counted{Testee: subject, Answered: func(done int) { progress.At(int64(done)) }}
	return conformance.Verify(counted, suites, conformance.Selection{Suites: o.suites}, known)
}

// diffFormats maps the names of formats to the functions that write a comparison.
var diffFormats = map[string]func(io.Writer, []conformance.SubjectReport) error{
	"table": conformance.WriteTable,
	"html":  conformance.WriteHTML,
	"junit": conformance.WriteJUnit,
	"json":  conformance.WriteSubjectsJSON,
}

// diffOutput says in which format a comparison is written, and to which file.
type diffOutput struct {
	format string
	file   string // path of the file; "" for standard output
}

// parseDiffFormats parses output specifications such as "table" or "junit:report.xml". Without any
// it returns a table on standard output.
func parseDiffFormats(texts []string) ([]diffOutput, error) {
	if len(texts) == 0 {
		texts = []string{"table"}
	}
	var list []diffOutput
	for _, text := range texts {
		format, file, toFile := strings.Cut(text, ":")
		if diffFormats[format] == nil || toFile && file == "" {
			return nil, fmt.Errorf("--format: found %q, want table, html, junit or json, or one of them with :FILE", text)
		}
		list = append(list, diffOutput{format: format, file: file})
	}
	return list, nil
}

func (o diffOutput) write(stdout io.Writer, diffs []conformance.SubjectReport) error {
	if o.file == "" {
		return diffFormats[o.format](stdout, diffs)
	}
	var b bytes.Buffer
	if err := diffFormats[o.format](&b, diffs); err != nil {
		return err
	}
	return wholefile.Write(o.file, b.Bytes())
}
