package conformance

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// SubjectReport holds the results of one subject and the settings for printing them.
type SubjectReport struct {
	Name string
	*DiffReport
	Most int  // number of failures printed of each operation; 0 for all
	All  bool // whether all operations were to be asked
	// ByCause means that many failures are grouped by their causes, and not printed one by one.
	ByCause bool
	// Ignored counts the cases that passed only because --ignore hides their differences.
	Ignored int
}

// WriteTable writes the totals and then each subject: a line per operation, its causes, and its
// failures. After failures it writes the totals once more.
func WriteTable(w io.Writer, diffs []SubjectReport) error {
	var b bytes.Buffer
	total := totalOf(diffs)
	b.WriteString(total)
	listed := false
	for _, d := range diffs {
		d.writeOperations(&b)
		writeExplained(&b, d.Results)
		if d.Ignored > 0 {
			fmt.Fprintf(&b, "  passed because of what is ignored: %d\n", d.Ignored)
		}
		if d.ByCause && d.Counts().Failed > mostListed {
			d.writeCauses(&b)
		} else {
			d.writeFailures(&b)
		}
		listed = listed || d.Counts().Failed > 0
	}
	if listed { // the totals again, because those at the top are far away
		b.WriteString(total)
	}
	return writePainted(w, &b)
}

// totalOf returns one line with the summed counts of all subjects.
func totalOf(diffs []SubjectReport) string {
	total := Counts{}
	for _, d := range diffs {
		c := d.Counts()
		total.Passed, total.Failed = total.Passed+c.Passed, total.Failed+c.Failed
		total.Explained, total.Skipped = total.Explained+c.Explained, total.Skipped+c.Skipped
	}
	testees := "1 testee"
	if len(diffs) != 1 {
		testees = fmt.Sprintf("%d testees", len(diffs))
	}
	return fmt.Sprintf("%d cases for %s: %v\n", total.Total(), testees, total)
}

// writeOperations writes the table of operations. One further line counts the operations that the
// testee does not know. Another counts operations of its greeting that no case asks, since these
// may be misspelled.
func (d SubjectReport) writeOperations(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s\n  %-50s %7s %7s %9s %7s\n", d.Name, "operation", "passed", "failed", "explained", "skipped")
	asked := map[string]bool{}
	unknown, skipped := 0, 0
	for _, g := range d.By(ByOp) {
		asked[g.Name] = true
		if !d.Testee.Knows(g.Name) {
			unknown, skipped = unknown+1, skipped+g.Skipped
			continue
		}
		fmt.Fprintf(b, "  %-50s %7d %7d %9d %7d\n", g.Name, g.Passed, g.Failed, g.Explained, g.Skipped)
	}
	if unknown > 0 {
		name := fmt.Sprintf("%d operations that the greeting does not have", unknown)
		fmt.Fprintf(b, "  %-50s %7s %7s %9s %7d\n", name, "", "", "", skipped)
	}
	for _, op := range d.Testee.Ops {
		if d.All && !asked[op] {
			fmt.Fprintf(b, "  the greeting has %s, of which there is no case\n", op)
		}
	}
}

// writeExplained writes each quirk that explains cases, and the number of these cases.
func writeExplained(b *bytes.Buffer, results []Result) {
	of := map[string]int{}
	for _, result := range results {
		if result.Status == Explained && len(result.Quirks) > 0 {
			of[strings.Join(result.Quirks, ", ")]++
		}
	}
	for _, quirks := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(b, "  explained by %s: %d\n", quirks, of[quirks])
		for _, line := range scope.QuirkLines(quirks) {
			fmt.Fprintf(b, "    %s\n", line)
		}
	}
}

// writeFailures writes failed cases, at most Most of each operation.
func (d SubjectReport) writeFailures(b *bytes.Buffer) {
	limit := newLimiter(d.Most)
	for _, result := range d.Results {
		if result.Status == Failed && d.difference(result.ID) == nil && !d.Large[result.ID] && limit.takes(result.Op) {
			writeDifference(b, result)
			d.writeSmaller(b, result.ID)
		}
	}
	d.writeSmall(b)
	for _, result := range d.Results {
		if d.Large[result.ID] {
			limit.extra[result.Op]++
		}
	}
	limit.writeExtra(b)
}

// writeSmaller writes the smaller failing case that was found for the golden case with this id, if
// there is one.
func (d SubjectReport) writeSmaller(b *bytes.Buffer, id string) {
	small, ok := d.Smaller[id]
	if !ok {
		return
	}
	fmt.Fprintf(b, "    a smaller case that differs as well, as a line for a case file:\n%s", indent(lineOf(small.Vector), "      "))
	fmt.Fprintf(b, "    its answer (- expected, + the testee's):\n%s", indent(small.Text, "      "))
}

// writeSmall writes the random cases that were shrunk. Cases that became equal are written once.
func (d SubjectReport) writeSmall(b *bytes.Buffer) {
	seen := map[string]string{}
	for _, small := range d.Differences {
		key := small.Op + small.Text + strings.ReplaceAll(small.Asked, small.ID, "")
		if first, ok := seen[key]; ok {
			fmt.Fprintf(b, "\n  %s: as %s\n", small.ID, first)
			continue
		}
		seen[key] = small.ID
		writeDifference(b, small.Result)
		fmt.Fprintf(b, "    as a line for a case file:\n%s", indent(lineOf(small.Vector), "      "))
	}
}

// difference returns the shrunk form of the random case with this id, or nil if it was not shrunk.
func (d SubjectReport) difference(id string) *Difference {
	i := slices.IndexFunc(d.Differences, func(small Difference) bool { return small.ID == id })
	if i < 0 {
		return nil
	}
	return &d.Differences[i]
}

// lineOf formats a case as a line of a case file. An error becomes the text instead.
func lineOf(v golden.Case) string {
	line, err := v.Line()
	if err != nil {
		return err.Error()
	}
	return line
}

// text describes a failed case. For a random case it shows the smallest case that still differs, as
// a line of a case file.
func (d SubjectReport) text(r Result) string {
	if small := d.difference(r.ID); small != nil {
		return small.Text + "\nvector: " + lineOf(small.Vector)
	}
	if small, ok := d.Smaller[r.ID]; ok {
		return r.Text + "\nsmaller:\n" + small.Text + "\nvector: " + lineOf(small.Vector)
	}
	return r.Text
}

// WriteSuites writes a line for each suite, the quirks that explain differences, the failures, and
// the totals. most limits how many failures of each operation it writes; 0 means all.
func WriteSuites(w io.Writer, r *Report, most int) error {
	var b bytes.Buffer
	limit := newLimiter(most)
	for _, g := range r.By(BySuite) {
		fmt.Fprintf(&b, "%-20s %v\n", g.Name, g.Counts)
		suite := slices.DeleteFunc(slices.Clone(r.Results), func(result Result) bool { return result.Suite != g.Name })
		writeExplained(&b, suite)
		for _, result := range suite {
			if result.Status == Failed && limit.takes(result.Op) {
				writeDifference(&b, result)
			}
		}
	}
	limit.writeExtra(&b)
	fmt.Fprintf(&b, "%d cases: %v\n", r.Counts().Total(), r.Counts())
	return writePainted(w, &b)
}
