package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/features/steps"
)

// perLine is how many marks stand on a line.
const perLine = 70

// writeProgress writes a mark for each run, then the failures.
func writeProgress(w io.Writer, r *steps.Report) error {
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
			fmt.Fprintf(b, "  %s:%d: %s %s\n%s", r.Path, s.Line, s.Keyword, s.Text, indent(s.Err.Error(), "    "))
		}
	}
	if r.Err != nil {
		b.WriteString(indent(r.Err.Error(), "    "))
	}
	fmt.Fprintf(b, "  seed %d, replay with: %s\n", r.Seed, r.Replay)
}

// indent sets every line off and ends the last one.
func indent(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+by) + "\n"
}
