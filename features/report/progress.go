// Package report writes what a run of scenarios found, in the forms that people and
// programs read.
//
// Two things to use first:
//
//   - [WriteProgress] is the form for a terminal: what failed, and the totals.
//   - [WriteJUnit] is the one that CI servers read.
//
// Each form has a file of its own: progress.go, pretty.go, junit.go, cucumber.go.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/vectors/scope"
)

// perLine is how many marks stand on a line.
const perLine = 70

// WriteProgress writes a mark for each run, then the failures.
func WriteProgress(w io.Writer, r *steps.Report) error {
	var b strings.Builder
	for i, result := range r.Results {
		b.WriteByte(".F-"[result.Status])
		if (i+1)%perLine == 0 && i+1 < len(r.Results) {
			fmt.Fprintf(&b, " %d\n", i+1)
		}
	}
	fmt.Fprintf(&b, " %d\n", len(r.Results))
	writeFailures(&b, r)
	_, err := io.WriteString(w, b.String())
	return err
}

// maxFailures is how many failures are written in full: with many seeds one
// fault fails often.
const maxFailures = 20

func writeFailures(b *strings.Builder, r *steps.Report) {
	written := 0
	for _, result := range r.Results {
		if result.Status != steps.Failed {
			continue
		}
		if written++; written <= maxFailures {
			writeFailure(b, &result)
		}
	}
	if written > maxFailures {
		fmt.Fprintf(b, "\nand %d more failures\n", written-maxFailures)
	}
}

// writeFailure writes the step that failed, why, the seed, and the command that
// repeats it.
func writeFailure(b *strings.Builder, r *steps.Result) {
	fmt.Fprintf(b, "\nFAILED %s:%d: %s\n", r.Path, r.Line, r.Name)
	for _, s := range r.Steps {
		if s.Status == steps.Failed {
			fmt.Fprintf(b, "  %s:%d: %s %s\n%s", r.Path, s.Line, s.Keyword, s.Text, Indent(s.Err.Error(), "    "))
		}
	}
	if r.Err != nil {
		b.WriteString(Indent(r.Err.Error(), "    "))
	}
	writeExplanation(b, r, "  ")
	for _, line := range scope.QuirkLines(strings.Join(r.Tags, " ")) {
		fmt.Fprintf(b, "  about %s\n", line)
	}
	fmt.Fprintf(b, "  seed %d, replay with: %s\n", r.Seed, r.Replay)
}

// writeExplanation writes what led to a failure.
func writeExplanation(b *strings.Builder, r *steps.Result, by string) {
	for i, line := range r.Explanation {
		if i == 1 {
			by += "  " // below the heading
		}
		b.WriteString(Indent(line, by))
	}
}

// Indent sets every line off and ends the last one.
func Indent(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+by) + "\n"
}
