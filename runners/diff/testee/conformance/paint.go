package conformance

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/monosim/monosim/runners/show/colour"
)

// These patterns find the parts of a report that are printed in color: compared lines, counts,
// and table rows with failures.
var (
	expectedLine = regexp.MustCompile(`^\s+- `)
	gotLine      = regexp.MustCompile(`^\s+\+ `)
	failedCount  = regexp.MustCompile(`\b[1-9]\d* failed\b`)
	noneFailed   = regexp.MustCompile(`\b\d+ passed, 0 failed\b`)
	failedRow    = regexp.MustCompile(`^  \S+ +\d+ +[1-9]\d* +\d+ +\d+\n$`)
)

// writePainted writes a report, in colour if w is a terminal that shows colours.
func writePainted(w io.Writer, report *bytes.Buffer) error {
	ink := colour.For(w)
	if !ink.On() {
		_, err := w.Write(report.Bytes())
		return err
	}
	var b strings.Builder
	for line := range strings.Lines(report.String()) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case expectedLine.MatchString(line), failedRow.MatchString(line):
			text = ink.Bad(text)
		case gotLine.MatchString(line):
			text = ink.Good(text)
		default:
			text = failedCount.ReplaceAllStringFunc(text, ink.Bad)
			text = noneFailed.ReplaceAllStringFunc(text, ink.Good)
		}
		b.WriteString(text + strings.Repeat("\n", len(line)-len(strings.TrimSuffix(line, "\n"))))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
