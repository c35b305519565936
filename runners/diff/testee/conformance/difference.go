package conformance

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/vectors/scope"
)

// writeDifference writes a failed case: the question, and how the answer differs, or why there is
// no answer.
func writeDifference(b *bytes.Buffer, r Result) {
	fmt.Fprintf(b, "\n  %s\n", r.ID)
	for _, line := range scope.QuirkLines(strings.Join(r.Quirks, " ") + " " + r.Text) {
		fmt.Fprintf(b, "    %s\n", line)
	}
	if r.Asked == "" {
		b.WriteString(indent(r.Text, "    "))
		return
	}
	fmt.Fprintf(b, "    asked:\n%s", indent(ReadableCase(r.Asked), "      "))
	if r.Broken {
		fmt.Fprintf(b, "    no answer:\n%s", indent(r.Text, "      "))
		return
	}
	fmt.Fprintf(b, "    answer (- expected, + the testee's):\n%s", indent(r.Text, "      "))
}

// limiter limits how many failures of each operation are printed.
type limiter struct {
	most         int // number of differences kept of each operation; 0 for all
	shown, extra map[string]int
}

func newLimiter(most int) *limiter {
	return &limiter{most: most, shown: map[string]int{}, extra: map[string]int{}}
}

// takes counts a failure of an operation, and reports whether to print it.
func (l *limiter) takes(op string) bool {
	if l.most > 0 && l.shown[op] >= l.most {
		l.extra[op]++
		return false
	}
	l.shown[op]++
	return true
}

// writeExtra writes, for each operation, how many failures were not printed.
func (l *limiter) writeExtra(b *bytes.Buffer) {
	for _, op := range slices.Sorted(maps.Keys(l.extra)) {
		fmt.Fprintf(b, "\n  %s: %d more differ\n", op, l.extra[op])
	}
}

// indent begins each line with the text in by, and ends the last line with a line break.
func indent(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+by) + "\n"
}
