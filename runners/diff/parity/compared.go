package parity

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
)

// comparedFile has the results of the last run of monosim test --compare --record. Writing
// the page runs nothing.
const comparedFile = "vectors/compared.json"

const comparedTitle = "Scenarios on other runners"

// readCompared reads comparedFile; nil where it is missing.
func readCompared(sources fs.FS) (*compare.Matrix, error) {
	text, err := fs.ReadFile(sources, comparedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sources: %w", err)
	}
	m, err := compare.ParseMatrix(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", comparedFile, err)
	}
	return m, nil
}

// comparedTo returns the cells of a runner for the scenarios of this tree, in the order of
// the report. A scenario that was not recorded has an empty cell.
func (p *evidence) comparedTo(runner int) (rows []*steps.Result, cells []compare.Cell) {
	for i := range p.report.Results {
		r := &p.report.Results[i]
		k := slices.IndexFunc(p.compared.Scenarios, func(row compare.Row) bool { return row.Path == r.Path && row.Name == r.Name })
		cell := compare.Cell{}
		if k >= 0 {
			cell = p.compared.Scenarios[k].Cells[runner]
		}
		rows, cells = append(rows, r), append(cells, cell)
	}
	return rows, cells
}

// comparedColumns has the outcomes of a scenario on a runner.
var comparedColumns = []struct {
	name string
	is   func(c compare.Cell) bool
}{
	{"ran", func(c compare.Cell) bool {
		return c.Verdict == steps.Passed.String() || c.Verdict == steps.Failed.String()
	}},
	{"passed", func(c compare.Cell) bool { return c.Verdict == steps.Passed.String() }},
	{compare.Equal, func(c compare.Cell) bool { return c.Log == compare.Equal }},
	{compare.Open, func(c compare.Cell) bool { return c.Log == compare.Open }},
	{compare.Explained, func(c compare.Cell) bool { return c.Log == compare.Explained }},
	{compare.Differs, func(c compare.Cell) bool { return c.Log == compare.Differs }},
	{"not there", func(c compare.Cell) bool { return c.Verdict == compare.NotRun }},
	{"not recorded", func(c compare.Cell) bool { return c.Verdict == "" }},
}

// summariseCompared writes a line of the summary for each runner.
func (p *evidence) summariseCompared(line func(what, title string, numbers ...string)) {
	if p.compared == nil {
		return
	}
	for i, runner := range p.compared.Runners[1:] {
		_, cells := p.comparedTo(i + 1)
		var numbers []string
		for _, column := range comparedColumns {
			n := 0
			for _, c := range cells {
				n += one(column.is(c))
			}
			numbers = append(numbers, fmt.Sprintf("%d %s", n, column.name))
		}
		line("scenarios on "+runner, onTitle(runner), numbers...)
	}
}

// onTitle returns the heading of the section about a runner.
func onTitle(runner string) string { return "On " + runner }

// writeCompared writes, for each runner, a row for each feature, every difference, and the
// reasons of scenarios that do not run there.
func (p *evidence) writeCompared(b *bytes.Buffer) {
	if p.compared == nil {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\nWhat `monosim test --runner sim,... --compare --record` found, kept in %s. The log of what was done is equal to that of the simulation with one seed, open where it is as with several, each in another part, or explained by a quirk.\n",
		comparedTitle, toFile(comparedFile))
	for i, runner := range p.compared.Runners[1:] {
		fmt.Fprintf(b, "\n### %s\n\n| feature |", onTitle(runner))
		for _, c := range comparedColumns {
			fmt.Fprintf(b, " %s |", c.name)
		}
		fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("---|", len(comparedColumns)))
		rows, cells := p.comparedTo(i + 1)
		var features []string
		for _, r := range rows {
			if !slices.Contains(features, r.Path) {
				features = append(features, r.Path)
			}
		}
		slices.Sort(features)
		for _, f := range append(features, "") {
			writeComparedRow(b, f, rows, cells)
		}
		writeDifferences(b, rows, cells)
	}
}

// writeComparedRow counts the outcomes of a feature's scenarios, of all scenarios for "".
func writeComparedRow(b *bytes.Buffer, feature string, rows []*steps.Result, cells []compare.Cell) {
	name := "all"
	if feature != "" {
		name = toFile(feature)
	}
	fmt.Fprintf(b, "| %s |", name)
	for _, column := range comparedColumns {
		n := 0
		for i, r := range rows {
			n += one((feature == "" || r.Path == feature) && column.is(cells[i]))
		}
		fmt.Fprintf(b, " %d |", n)
	}
	b.WriteString("\n")
}

// writeDifferences lists the scenarios that fail or differ, and counts by reason those that
// do not run.
func writeDifferences(b *bytes.Buffer, rows []*steps.Result, cells []compare.Cell) {
	var list, reasons []string
	count := map[string]int{}
	for i, c := range cells {
		at := fmt.Sprintf("[%s](%s#L%d)", rows[i].Name, rows[i].Path, rows[i].Line)
		switch {
		case c.Verdict == steps.Failed.String():
			list = append(list, fmt.Sprintf("%s: failed: %s", at, c.Why))
		case c.Verdict == compare.NotRun:
			if count[c.Why]++; count[c.Why] == 1 {
				reasons = append(reasons, c.Why)
			}
		}
		for _, d := range c.Differences {
			text := fmt.Sprintf("%s: %s, in its %s", at, strings.ReplaceAll(d.Track, "|", `\|`), d.Kind)
			if d.Quirk != "" {
				text += ", explained by " + d.Quirk
			}
			list = append(list, text)
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(b, "\nDifferences:\n\n- %s\n", strings.Join(list, "\n- "))
	}
	if len(reasons) == 0 {
		return
	}
	b.WriteString("\nWhy scenarios are not there:\n\n")
	for _, why := range reasons {
		fmt.Fprintf(b, "- %s: %d\n", why, count[why])
	}
}
