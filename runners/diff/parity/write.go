package parity

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/vectors/scope"
)

// text returns PARITY.md.
func (p *evidence) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Parity\n\nWritten by `make parity`; do not edit. The reference is %s.\n", Reference)
	p.writeQuestions(&b)
	p.writeSummary(&b)
	p.writeModules(&b)
	p.writeBoxes(&b)
	p.writeCases(&b)
	p.writeNames(&b)
	p.writeLines(&b)
	p.writeScenarios(&b)
	p.writeCompared(&b)
	p.writeNightly(&b)
	p.writeQuirks(&b)
	p.writeRows(&b)
	p.writeLegend(&b)
	return b.Bytes()
}

// These are the titles of the page's sections. The numbers in the summary link to them.
const (
	rowsTitle      = "Rows of the scope"
	modulesTitle   = "Modules of `monolith/agent_service`"
	boxesTitle     = "Boxes of the ported modules"
	casesTitle     = "Recorded cases"
	namesTitle     = "Public names of the reference"
	scenariosTitle = "Scenarios on the simulation"
	quirksTitle    = "Quirks of the reference"
)

// writeSummary writes the numbers of the summary. Each links to the section in which it can be
// counted.
func (p *evidence) writeSummary(b *bytes.Buffer) {
	rows, modules := stateCount{}, stateCount{}
	for _, r := range p.rows {
		rows[r.State]++
	}
	for _, m := range p.modules {
		modules[m.State]++
	}
	ticked, needed := p.countBoxes()
	fmt.Fprintf(b, "\n## Summary\n\n| what | how much |\n|---|---|\n")
	line := func(what, title string, numbers ...string) {
		for i, n := range numbers {
			numbers[i] = toSection(n, title)
		}
		fmt.Fprintf(b, "| %s | %s |\n", what, strings.Join(numbers, ", "))
	}
	line("rows of the scope", rowsTitle, append([]string{lists.Counted(len(p.rows), "row")}, rows.parts()...)...)
	line("modules of `monolith/agent_service`", modulesTitle, append([]string{lists.Counted(len(p.modules), "module")}, modules.parts()...)...)
	line("boxes of the ported modules", boxesTitle, fmt.Sprintf("%d boxes", needed), fmt.Sprintf("%d ticked", ticked))
	names := countNames(p.allNames())
	line("public names of the reference", namesTitle, lists.Counted(len(p.allNames()), "name"), fmt.Sprintf("%d ported", names.ported),
		fmt.Sprintf("%d later", len(names.later)), fmt.Sprintf("%d with nothing to do", names.none))
	golden, ofModules, others := p.countCases()
	line("cases, recorded from the reference", casesTitle, lists.Counted(golden, "golden case"), fmt.Sprintf("%d of these modules", ofModules),
		fmt.Sprintf("%d of other files", golden-ofModules), fmt.Sprintf("%d more of Python itself", others))
	line("scenarios", scenariosTitle, fmt.Sprintf("%d passed", p.report.Passed), fmt.Sprintf("%d failed", p.report.Failed), fmt.Sprintf("%d skipped", p.report.Skipped))
	p.summariseCompared(line)
	line("quirks of the reference", quirksTitle, append([]string{lists.Counted(len(p.quirks), "quirk")}, p.countQuirks()...)...)
}

// stateCount counts rows or modules by state. It prints the states in a fixed order.
type stateCount map[string]int

func (c stateCount) String() string { return strings.Join(c.parts(), ", ") }

func (c stateCount) parts() []string {
	return []string{
		fmt.Sprintf("%d done", c["done"]), fmt.Sprintf("%d in part", c["part"]),
		fmt.Sprintf("%d later", c["later"]), fmt.Sprintf("%d with nothing to do", c["none"]),
	}
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

// boxedModules returns the ported modules that have boxes: those of agent_service, and further ones
// with a checklist. A module of tests is included only if it has a checklist.
func (p *evidence) boxedModules() []scope.Module {
	return slices.DeleteFunc(slices.Concat(p.modules, p.boxed), func(m scope.Module) bool {
		return !isPorted(m) || isTestModule(m) && m.Tests == ""
	})
}

func (p *evidence) countQuirks() (parts []string) {
	for _, d := range []string{scope.Match, scope.Fix, scope.Diverge, scope.Later} {
		all, shown := 0, 0
		for _, q := range p.quirks {
			if q.Decision == d {
				all++
				shown += one(p.isShown(q))
			}
		}
		parts = append(parts, fmt.Sprintf("%d %s", all, d), fmt.Sprintf("%d %s shown", shown, d))
	}
	return parts
}

func (p *evidence) writeRows(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## %s\n", rowsTitle)
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
				fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", r.ID, cell(r.Title), r.State, toFile(r.Home), cell(r.Note))
			}
		}
	}
}

// cell escapes the bars in a text, which would otherwise end a cell of a Markdown table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func (p *evidence) writeModules(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## %s\n\n", modulesTitle)
	fmt.Fprintf(b, "| row | module | state | ported by | recorded cases | tests | note |\n|---|---|---|---|---|---|---|\n")
	for _, m := range p.modules {
		tests := unlessZero(len(p.testsOf(m)))
		cases := unlessZero(p.tree.casesOf(m.File).total)
		if isTestModule(m) {
			tests = strings.Join(p.tree.upstreamOf(m.File), " ")
		} else if isPorted(m) {
			tests, cases = toSection(tests, boxHeading(m)), toSection(cases, casesTitle)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", m.ID, m.File, m.State, toFiles(m.Go), cases, tests, cell(m.Note))
	}
	fmt.Fprintf(b, "\nTests are the Go files with a test that asserts something and carries the module, one of its operations or quirks, or that lie beside its port; for the reference's own tests, those that carry their names.\n")
}

// unlessZero writes a number. For 0 it returns "".
func unlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// boxHeading returns the heading of the section about a module's boxes.
func boxHeading(m scope.Module) string { return strings.TrimSpace(m.ID + " " + m.File) }

func (p *evidence) writeBoxes(b *bytes.Buffer) {
	boxes := p.rows[:boxRows]
	fmt.Fprintf(b, "\n## %s\n\n", boxesTitle)
	for i, r := range boxes {
		fmt.Fprintf(b, "- %s: %s. Ticked by %s\n", r.ID, r.Title, boxEvidence[i])
	}
	fmt.Fprintf(b, "\nThe evidence of each box is in the section of the module.\n\n| module |")
	for _, r := range boxes {
		fmt.Fprintf(b, " %s |", r.ID)
	}
	fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("---|", len(boxes)))
	for _, m := range p.boxedModules() {
		fmt.Fprintf(b, "| %s |", toSection(m.File, boxHeading(m)))
		for _, x := range p.boxesOf(m) {
			fmt.Fprintf(b, " %s |", x.state)
		}
		b.WriteString("\n")
	}
	for _, m := range p.boxedModules() {
		fmt.Fprintf(b, "\n### %s\n\n", boxHeading(m))
		for i, x := range p.boxesOf(m) {
			fmt.Fprintf(b, "- %s %s: %s\n", listMark(x), boxes[i].ID, x.text)
		}
	}
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

// countCases counts three sorts of cases: all golden cases, those of them that are about modules of
// agent_service, and cases in other packages' testdata. `monosim vectors verify` does not replay
// cases of the last sort.
func (p *evidence) countCases() (golden, ofModules, others int) {
	for _, f := range p.tree.cases {
		if !isGolden(f) {
			others += len(f.cases)
			continue
		}
		golden += len(f.cases)
		for _, c := range f.cases {
			ofModules += one(p.isModule(c.module))
		}
	}
	return golden, ofModules, others
}

// isGolden reports whether a file is in vectors, so that `monosim vectors verify` replays it.
func isGolden(f caseFile) bool { return strings.HasPrefix(f.path, "vectors/golden/") }

func (p *evidence) isModule(file string) bool {
	return slices.ContainsFunc(p.modules, func(m scope.Module) bool { return m.File == file })
}

func (p *evidence) writeCases(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## %s\n\nBy the file that they are in and the module that they are about. monosim vectors verify replays those of vectors, a test beside them the others.\n\n", casesTitle)
	fmt.Fprintf(b, "| file | about | cases | answers | errors | of agent_service |\n|---|---|---|---|---|---|\n")
	for _, f := range p.tree.cases {
		var modules []string
		for _, c := range f.cases {
			modules = addName(modules, c.module)
		}
		for _, module := range modules {
			var m moduleCases
			for _, c := range f.cases {
				if c.module == module {
					m.add(c)
				}
			}
			of := "no"
			switch {
			case !isGolden(f):
				of = "Python itself"
			case p.isModule(module):
				of = "yes"
			}
			fmt.Fprintf(b, "| %s | %s | %d | %d | %d | %s |\n", toFile(f.path), module, m.total, m.answers, m.errors, of)
		}
	}
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
	fmt.Fprintf(b, "\n## %s\n\n| feature | passed | failed | skipped |\n|---|---|---|---|\n", scenariosTitle)
	for _, name := range names {
		c := counts[name]
		fmt.Fprintf(b, "| %s | %d | %d | %d |\n", toFile(name), c[steps.Passed], c[steps.Failed], c[steps.Skipped])
	}
}
