package parity

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/vectors/scope"
)

// text is PARITY.md.
func (p *evidence) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Parity\n\nWritten by `make parity`; do not edit. The reference is %s.\n", Reference)
	p.writeQuestions(&b)
	p.writeSummary(&b)
	p.writeModules(&b)
	p.writeBoxes(&b)
	p.writeNames(&b)
	p.writeScenarios(&b)
	p.writeQuirks(&b)
	p.writeRows(&b)
	p.writeLegend(&b)
	return b.Bytes()
}

func (p *evidence) writeSummary(b *bytes.Buffer) {
	rows, modules := stateCount{}, stateCount{}
	for _, r := range p.rows {
		rows[r.State]++
	}
	for _, m := range p.modules {
		modules[m.State]++
	}
	ticked, needed := p.countBoxes()
	cases := 0
	for _, m := range p.modules {
		cases += p.tree.casesOf(m.File).total
	}
	fmt.Fprintf(b, "\n## Summary\n\n| | |\n|---|---|\n")
	fmt.Fprintf(b, "| [rows of the scope](#rows-of-the-scope) | %d: %s |\n", len(p.rows), rows)
	fmt.Fprintf(b, "| [modules](#modules-of-monolithagent_service) of `monolith/agent_service` | %d: %s |\n", len(p.modules), modules)
	fmt.Fprintf(b, "| [boxes](#boxes-of-the-ported-modules) of the ported modules | %d of %d ticked |\n", ticked, needed)
	names := countNames(p.allNames())
	fmt.Fprintf(b, "| [public names](#public-names-of-the-reference) | %d: %d ported, %d later, %d with nothing to do |\n", len(p.allNames()), names.ported, len(names.later), names.none)
	fmt.Fprintf(b, "| cases of the modules, recorded from the reference | %d |\n", cases)
	fmt.Fprintf(b, "| [scenarios](#scenarios-on-the-simulation) | %d passed, %d failed, %d skipped |\n", p.report.Passed, p.report.Failed, p.report.Skipped)
	fmt.Fprintf(b, "| [quirks](#quirks-of-the-reference) | %d: %s |\n", len(p.quirks), p.countQuirks())
}

// stateCount counts states; it prints them in a fixed order.
type stateCount map[string]int

func (c stateCount) String() string {
	return fmt.Sprintf("%d done, %d in part, %d later, %d with nothing to do", c["done"], c["part"], c["later"], c["none"])
}

func (p *evidence) countBoxes() (ticked, needed int) {
	for _, m := range p.boxedModules() {
		for _, x := range p.boxesOf(m) {
			ticked += one(x.state == boxTicked)
			needed += one(x.state != boxNotNeeded)
		}
	}
	return ticked, needed
}

// boxedModules are the ported modules that are not tests.
func (p *evidence) boxedModules() []scope.Module {
	return slices.DeleteFunc(slices.Clone(p.modules), func(m scope.Module) bool { return !isPorted(m) || isTestModule(m) })
}

func (p *evidence) countQuirks() string {
	var parts []string
	for _, d := range []string{scope.Match, scope.Fix, scope.Diverge, scope.Later} {
		all, shown := 0, 0
		for i, q := range p.quirks {
			if q.Decision == d {
				all++
				shown += one(p.isShown(i + 1))
			}
		}
		parts = append(parts, fmt.Sprintf("%d %s (%d shown)", all, d, shown))
	}
	return strings.Join(parts, ", ")
}

func (p *evidence) writeRows(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## Rows of the scope\n")
	for _, g := range scope.RowGroups() {
		states := stateCount{}
		for _, r := range p.rows {
			if r.Group() == g.Letter {
				states[r.State]++
			}
		}
		fmt.Fprintf(b, "\n### %s: %s\n\n%d rows: %s.\n\n| row | what | state | home | note |\n|---|---|---|---|---|\n", g.Letter, g.Title, g.Rows, states)
		for _, r := range p.rows {
			if r.Group() == g.Letter {
				fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", r.ID, cell(r.Title), r.State, r.Home, cell(r.Note))
			}
		}
	}
}

// cell keeps a text from ending its cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func (p *evidence) writeModules(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## Modules of `monolith/agent_service`\n\n")
	fmt.Fprintf(b, "| row | module | state | ported by | recorded cases | tests | note |\n|---|---|---|---|---|---|---|\n")
	for _, m := range p.modules {
		tests := len(p.testsOf(m))
		said := unlessZero(tests)
		if isTestModule(m) {
			said = strings.Join(p.tree.upstreamOf(m.File), " ")
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n",
			m.ID, m.File, m.State, fileNames(m.Go), unlessZero(p.tree.casesOf(m.File).total), said, cell(m.Note))
	}
	fmt.Fprintf(b, "\nTests are the Go files that name the module or its operations; for the reference's own tests, those that carry their names.\n")
}

// unlessZero leaves a nought out.
func unlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (p *evidence) writeBoxes(b *bytes.Buffer) {
	boxes := p.rows[:len([10]box{})]
	fmt.Fprintf(b, "\n## Boxes of the ported modules\n\n")
	for _, r := range boxes {
		fmt.Fprintf(b, "- %s: %s\n", r.ID, r.Title)
	}
	fmt.Fprintf(b, "\nA box is ticked by what was found in the sources and is named with it.\n\n| module |")
	for _, r := range boxes {
		fmt.Fprintf(b, " %s |", r.ID)
	}
	fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("---|", len(boxes)))
	for _, m := range p.boxedModules() {
		fmt.Fprintf(b, "| %s |", m.File)
		for _, x := range p.boxesOf(m) {
			fmt.Fprintf(b, " %s |", tableMark(x))
		}
		b.WriteString("\n")
	}
	for _, m := range p.boxedModules() {
		fmt.Fprintf(b, "\n### %s %s: %s\n\n", m.ID, m.File, m.State)
		for i, x := range p.boxesOf(m) {
			fmt.Fprintf(b, "- %s %s: %s\n", listMark(x), boxes[i].ID, x.text)
		}
	}
}

func tableMark(x box) string {
	if x.state == boxOpen {
		return ""
	}
	return x.state.String()
}

func listMark(x box) string {
	switch x.state {
	case boxTicked:
		return "[x]"
	case boxNotNeeded:
		return "(n/a)"
	}
	return "[ ]"
}

func (p *evidence) writeScenarios(b *bytes.Buffer) {
	counts := map[string]*[3]int{}
	var names []string
	for _, r := range p.report.Results {
		if counts[r.Path] == nil {
			counts[r.Path] = &[3]int{}
			names = append(names, r.Path)
		}
		counts[r.Path][r.Status]++
	}
	slices.Sort(names)
	fmt.Fprintf(b, "\n## Scenarios on the simulation\n\n| feature | passed | failed | skipped |\n|---|---|---|---|\n")
	for _, name := range names {
		c := counts[name]
		fmt.Fprintf(b, "| %s | %d | %d | %d |\n", path.Base(name), c[steps.Passed], c[steps.Failed], c[steps.Skipped])
	}
}
