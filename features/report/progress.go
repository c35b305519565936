// Package report writes the results of scenarios, while they run, in forms for people and
// for programs.
//
// Two things to use first:
//
//   - [NewProgress] is the form for a terminal: a mark for each run, and the failures.
//   - [NewJUnit] is the form that CI servers read.
//
// A form is a [steps.Listener] for [steps.Suite.Stream]. It keeps no results, so memory
// does not grow with their number. Once End returns the report is complete, also when the
// run was interrupted.
//
// To change a form: the file of its name, as pretty.go or cucumber.go.
//
// Unstable: any commit may change it.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/show/colour"
)

// perLine is how many marks stand on a line, one for each run.
const perLine = 70

// progress is the listener of NewProgress and NewFailures.
type progress struct {
	out   io.Writer
	ink   colour.Ink
	quiet bool // no marks
	runs  int
}

// NewProgress makes a listener that writes a mark as soon as a run has ended. At the end it writes
// the failures, grouped by kind.
func NewProgress(w io.Writer) steps.Listener { return &progress{out: w, ink: colour.For(w)} }

// NewFailures makes a listener that writes only the failures, at the end and grouped by kind.
func NewFailures(w io.Writer) steps.Listener {
	return &progress{out: w, ink: colour.For(w), quiet: true}
}

func (p *progress) Begin(steps.Plan) error { return nil }

func (p *progress) Add(r *steps.Result) error {
	if p.quiet {
		return nil
	}
	if p.runs > 0 && p.runs%perLine == 0 {
		if _, err := fmt.Fprintf(p.out, " %d\n", p.runs); err != nil {
			return err
		}
	}
	p.runs++
	_, err := io.WriteString(p.out, mark(p.ink, r.Status, ".F-"))
	return err
}

func (p *progress) End(s *steps.Summary) error {
	var b strings.Builder
	if !p.quiet {
		fmt.Fprintf(&b, " %d\n", p.runs)
	}
	writeFailures(&b, p.ink, s)
	_, err := io.WriteString(p.out, b.String())
	return err
}

// maxFailures is the most kinds of failures that are written in full.
const maxFailures = 20

func writeFailures(b *strings.Builder, ink colour.Ink, s *steps.Summary) {
	for _, group := range s.Failures[:min(len(s.Failures), maxFailures)] {
		writeFailure(b, ink, group, s.Seeds())
	}
	if len(s.Failures) > maxFailures {
		more := 0
		for _, group := range s.Failures[maxFailures:] {
			more += group.Runs
		}
		fmt.Fprintf(b, "\nand %d more failures of %d kinds\n", more, len(s.Failures)-maxFailures)
	}
}

// writeFailure writes a group of failures: the failed step, the reason, the seeds, and the command
// that repeats the first run.
func writeFailure(b *strings.Builder, ink colour.Ink, group *steps.FailureGroup, seeds int) {
	r := &group.First
	fmt.Fprintf(b, "\n%s %s\n", ink.Bad("FAILED"), ink.Strong(fmt.Sprintf("%s:%d: %s", r.Path, r.Line, r.Name)))
	for _, s := range r.Steps {
		if s.Status == steps.Failed {
			fmt.Fprintf(b, "  %s:%d: %s %s\n%s", r.Path, s.Line, s.Keyword, s.Text, inRed(ink, s.Err, "    "))
		}
	}
	if r.Err != nil {
		b.WriteString(inRed(ink, r.Err, "    "))
	}
	writeExplanation(b, r, "  ")
	for _, line := range r.About() {
		fmt.Fprintf(b, "  about %s\n", line)
	}
	if group.Runs > 1 {
		fmt.Fprintf(b, "  so did %d of %d seeds: %s\n", group.Runs, seeds, firstSeeds(group))
	}
	fmt.Fprintf(b, "  seed %d, replay with: %s\n", r.Seed, ink.Command(r.Replay))
}

// firstSeeds writes the first seeds of a group, as "3, 7, 9, ...".
func firstSeeds(group *steps.FailureGroup) string {
	list := lists.MapOrNil(group.Seeds, func(seed uint64) string { return fmt.Sprint(seed) })
	if group.Runs > len(list) {
		list = append(list, "...")
	}
	return strings.Join(list, ", ")
}

// mark returns the sign of a status, in its colour. signs has one character for each of the three
// statuses.
func mark(ink colour.Ink, s steps.Status, signs string) string {
	sign := signs[s : s+1]
	switch s {
	case steps.Failed:
		return ink.Bad(sign)
	case steps.Skipped:
		return ink.Warn(sign)
	}
	return ink.Good(sign)
}

// inRed writes an error in red, and indents each line with the text in by.
func inRed(ink colour.Ink, err error, by string) string {
	var b strings.Builder
	for line := range strings.Lines(Indent(err.Error(), by)) {
		text := strings.TrimSuffix(line, "\n")
		b.WriteString(ink.Bad(text) + "\n")
	}
	return b.String()
}

// writeExplanation writes what led to a failure, and indents each line with the text in by.
func writeExplanation(b *strings.Builder, r *steps.Result, by string) {
	for i, line := range r.Explanation {
		if i == 1 {
			by += "  " // below the heading
		}
		b.WriteString(Indent(line, by))
	}
}

// why returns a text that says why a run failed: the error, what led to it, the quirks concerned,
// and the command that repeats the run.
func why(r *steps.Result, err error) string {
	about := lists.Map(r.About(), func(line string) string { return "about " + line })
	lines := slices.Concat([]string{err.Error()}, r.Explanation, about)
	return strings.Join(append(lines, "replay with: "+r.Replay), "\n")
}

// Indent puts the indentation by in front of every line, and ends the last line with a line break.
func Indent(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+by) + "\n"
}
