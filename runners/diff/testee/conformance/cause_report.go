package conformance

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// mostListed is the most failures that a report of causes prints one by one.
const mostListed = 5

// mostNamed is the most places, operations or lines that the report of a cause names.
const mostNamed = 3

// writeCauses writes one line with counts for each cause, and then a small example of each.
func (d SubjectReport) writeCauses(b *bytes.Buffer) {
	causes := CausesOf(d.Results)
	plural := "s"
	if len(causes) == 1 {
		plural = ""
	}
	fmt.Fprintf(b, "  %d failures have %d cause%s; alone: would pass without it; left: would fail all the same\n", d.Counts().Failed, len(causes), plural)
	fmt.Fprintf(b, "  %8s %6s %6s  %s\n", "failures", "alone", "left", "cause")
	for _, c := range causes {
		fmt.Fprintf(b, "  %8d %6d %6d  %s\n", len(c.Failures), c.Alone, c.Left, c)
		for _, line := range c.details() {
			fmt.Fprintf(b, "  %8s %6s %6s    %s\n", "", "", "", line)
		}
	}
	for i, c := range causes {
		fmt.Fprintf(b, "\n  cause %d, %s, in", i+1, c)
		example := c.Example
		small := d.difference(example.ID)
		if small != nil {
			example = small.Result
		}
		var text bytes.Buffer
		writeDifference(&text, example)
		b.WriteString(strings.TrimPrefix(text.String(), "\n "))
		if small != nil {
			fmt.Fprintf(b, "    as a line for a case file:\n%s", indent(lineOf(small.Vector), "      "))
		}
		d.writeSmaller(b, example.ID)
	}
	b.WriteString("\n  each failed case: --by case\n")
}

// details describes a cause in several lines: the ways in which answers differ, the places, the
// operations, and lines of the reference.
func (c Cause) details() []string {
	var details []string
	for _, part := range []struct {
		name  string
		texts []string
	}{
		{"differ by", c.otherKinds()},
		{"in place of", c.otherInstead()},
		{"at", lists.Map(c.Places, func(p string) string { return strings.TrimPrefix(p, ".") })},
		{"of", c.Ops},
		{"see", c.Lines},
	} {
		if len(part.texts) > 0 {
			details = append(details, part.name+" "+named(part.texts))
		}
	}
	return details
}

// otherKinds returns the ways in which answers differ, unless the name of the cause already says
// it.
func (c Cause) otherKinds() []string {
	if len(c.Kinds) == 1 && c.Kinds[0] == c.What {
		return nil
	}
	return c.Kinds
}

// otherInstead returns the classes of the exceptions that were expected, unless the name of the
// cause already has them.
func (c Cause) otherInstead() []string {
	if strings.HasPrefix(c.What, answerInPlaceOf) {
		return nil
	}
	return c.Instead
}

func named(texts []string) string {
	if extra := len(texts) - mostNamed; extra > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:mostNamed], ", "), extra)
	}
	return strings.Join(texts, ", ")
}
