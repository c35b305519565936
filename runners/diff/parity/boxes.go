package parity

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/vectors/scope"
)

// boxState is the state of a box of a module.
type boxState uint8

const (
	boxOpen boxState = iota
	boxTicked
	boxNotNeeded // the module has nothing that the box asks for
)

func (s boxState) String() string { return [...]string{"open", "x", "n/a"}[s] }

// boxEvidence says, for each box, which evidence ticks it.
var boxEvidence = [boxRows]string{
	"names that are all ported, or need no port for a reason.",
	"recorded cases with an answer.",
	"recorded cases with an error, as a whole or in a step.",
	"an input that is recorded with different answers under different environments, configuration files, flags or configurations, all else being the same.",
	"recorded cases with bytes or messages, or files, or texts in a form of their own, that are answered differently when nothing but their content differs.",
	"recorded sequences in which more than one call comes from a watch or a thread that runs, in their order; rounds that a step asks for, and threads that stand still, tick nothing.",
	"recorded log lines with level and text, or metrics by their names.",
	"a comment of the port of the form *Cost: ... grows with ...*",
	"tests that assert something and carry the module, one of its operations or quirks, or lie beside its port, and by passed scenarios that are tagged with it.",
	"a module that is done and whose cases are recorded.",
}

// box is one of the ten boxes of a module, G1 to G10 of the scope. text names the evidence that
// ticks it, or says why it is open.
type box struct {
	state boxState
	text  string
}

func tickIf(ticked bool, text, open string) box {
	if ticked {
		return box{boxTicked, text}
	}
	return box{boxOpen, open}
}

func isPorted(m scope.Module) bool { return m.State == "done" || m.State == "part" }

func isTestModule(m scope.Module) bool { return strings.HasSuffix(m.File, "_test.py") }

// boxesOf sets the boxes of a ported module by the evidence in the source tree.
func (p *evidence) boxesOf(m scope.Module) [10]box {
	if m.Tests != "" {
		return p.testBoxes(m)
	}
	c := p.tree.casesOf(m.File)
	tests := p.testsOf(m)
	scenarios := p.scenariosOf(m.File)
	where := " in " + toFiles(c.files)
	missing := cmp.Or(m.Note, "not all of it is ported")
	none := "no cases of it are recorded"
	if c.total > 0 {
		none = "none of its recorded cases has any"
	}
	boxes := [10]box{
		countNames(p.namesOf(m.File)).box(),
		tickIf(c.answers > 0, fmt.Sprintf("%s of %s%s", lists.Counted(c.answers, "case"), lists.Counted(len(c.ops), "operation"), where), none),
		tickIf(c.errors > 0, lists.Counted(c.errors, "case")+" with errors"+where, none),
		tickIf(c.settings.count() > 0, c.settings.String()+where, "no input of it is recorded under settings that change the answer"),
		tickIf(c.bytes > 0 || len(c.contents) > 0, c.formatsText()+where, none),
		tickIf(c.ordered > 0, fmt.Sprintf("%s with calls from watches or threads in their order (`%s` is the first)%s", lists.Counted(c.ordered, "sequence"), c.firstOrdered, where),
			"no recorded sequence shows callbacks or running threads in their order"),
		tickIf(c.logs+c.metrics > 0, c.shownText()+where, "no recorded case has log lines with their level, or metrics"),
		p.costBox(m),
		tickIf(len(tests)+len(scenarios) > 0, testsAndScenarios(tests, scenarios), "no test that asserts something carries it"),
		tickIf(m.State == "done" && c.total > 0, lists.Counted(c.total, "case")+where, comparisonIsOpen(m, missing)),
	}
	a := p.absence(m.File)
	for i, subjects := range boxSubjects {
		for _, asked := range subjects {
			if !slices.Contains(a.Without, asked) {
				continue
			}
			boxes[i] = box{boxNotNeeded, "the reference's module has no " + asked}
			if why := a.Why[asked]; why != "" {
				boxes[i].text += " to compare: " + why
			}
		}
	}
	return boxes
}

// testBoxes sets the boxes of a module of tests. The boxes for names and for normal inputs are
// judged by its own names and tests. All other boxes are copied from the module that the tests are
// about.
func (p *evidence) testBoxes(m scope.Module) [10]box {
	all := slices.Concat(p.modules, p.boxed)
	boxes := p.boxesOf(all[slices.IndexFunc(all, func(other scope.Module) bool { return other.File == m.Tests })])
	for i := range boxes {
		boxes[i].text = m.Tests + ": " + boxes[i].text
	}
	wanted, carried := p.testsWithNames(m.File)
	how := fmt.Sprintf("%d of %s carried: %s", len(carried), lists.Counted(wanted, "test"), strings.Join(carried, " "))
	boxes[0] = countNames(p.namesOf(m.File)).box()
	boxes[1] = tickIf(len(carried) == wanted, how+" in "+toFiles(m.Go), how)
	boxes[8] = tickIf(len(carried) > 0, toFiles(m.Go), "no test carries the name of one of its tests")
	return boxes
}

// testsWithNames counts the tests in a module of tests of the reference. It also lists the Go tests
// that are named after them.
func (p *evidence) testsWithNames(file string) (wanted int, carried []string) {
	for _, n := range p.namesOf(file) {
		_, method, _ := strings.Cut(n.Name, ".")
		if !strings.HasPrefix(method, "test") {
			continue
		}
		wanted++
		for _, port := range n.Go {
			name := port[strings.LastIndexByte(port, '.')+1:]
			if slices.ContainsFunc(p.tree.files, func(f goFile) bool { return slices.Contains(f.upstream, name) }) {
				carried = append(carried, name)
				break
			}
		}
	}
	return wanted, carried
}

// shownText says how many cases show log lines, and how many show metrics.
func (m moduleCases) shownText() string {
	var parts []string
	if m.logs > 0 {
		parts = append(parts, lists.Counted(m.logs, "case")+" with log lines, level and text")
	}
	if m.metrics > 0 {
		parts = append(parts, lists.Counted(m.metrics, "case")+" with metrics by name")
	}
	return strings.Join(parts, ", ")
}

// formatsText says how many cases have bytes or messages. If none has, it counts the inputs whose
// answers depend on the content of a file.
func (m moduleCases) formatsText() string {
	if m.bytes > 0 {
		return lists.Counted(m.bytes, "case") + " with bytes or messages"
	}
	if len(m.contents) == 0 {
		return ""
	}
	return fmt.Sprintf("%s read in files of different content (`%s`, `%s`)", lists.Counted(len(m.contents), "input"), m.contents[0][0], m.contents[0][1])
}

// costBox sets box G8 of a module. A comment about cost in one of the files that port the module
// ticks it.
func (p *evidence) costBox(m scope.Module) box {
	for _, f := range p.tree.files {
		if !slices.Contains(m.Go, f.path) {
			continue
		}
		if notes := costNotes(f.text); len(notes) > 0 {
			return box{boxTicked, toFile(f.path) + ": " + notes[0]}
		}
	}
	return box{boxOpen, "no comment \"Cost: ... grows with ...\" where it is ported"}
}

// boxSubjects holds the subjects that a box asks about, by the box's index.
var boxSubjects = map[int][]string{
	1: {scope.Functions}, 2: {scope.Errors, scope.Functions}, 3: {scope.Settings}, 4: {scope.Formats}, 5: {scope.Threads}, 6: {scope.Logs}, 9: {scope.Functions},
}

// absence returns what a module of the reference does not have, such as settings or threads. The
// checklist of the module needs no box for these.
func (p *evidence) absence(file string) scope.Absence {
	i := slices.IndexFunc(p.absences, func(a scope.Absence) bool { return a.File == file })
	if i < 0 {
		return scope.Absence{File: file}
	}
	return p.absences[i]
}

func comparisonIsOpen(m scope.Module, missing string) string {
	if m.State != "done" {
		return missing
	}
	return "no cases of it are recorded"
}

func testsAndScenarios(tests []string, scenarios []featureCount) string {
	var parts []string
	if len(tests) > 0 {
		parts = append(parts, toFiles(tests))
	}
	if len(scenarios) > 0 {
		parts = append(parts, "scenarios of "+featureNames(scenarios))
	}
	return strings.Join(parts, "; ")
}

// featureCount counts those passed scenarios of a feature that show a certain thing.
type featureCount struct {
	feature string // path of the feature file
	passed  int
}

func featureNames(list []featureCount) string {
	names := lists.Map(list, func(f featureCount) string {
		return fmt.Sprintf("[%s](%s) (%d)", path.Base(f.feature), f.feature, f.passed)
	})
	return strings.Join(names, ", ")
}

// modulesOfTags maps tags that name no quirk to the Python files that they are about.
var modulesOfTags = map[string]string{
	"@v1": "agent_v1.py", "@v3": "agent_v3.py", "@kazoo-fake": "mocked_zkclient.py", "@python-fake": "mocked_tfserving.py",
}

// scenariosOf counts the passed scenarios with a tag that belongs to a Python file. That is the
// file's own tag, or the tag of a quirk of the file.
func (p *evidence) scenariosOf(file string) []featureCount {
	return p.passedWith(func(tag string) bool {
		return modulesOfTags[tag] == file || slices.Contains(p.filesOfQuirk(tag), file)
	})
}

// testsOf lists the files with tests that show a module.
func (p *evidence) testsOf(m scope.Module) []string {
	quirks := lists.Select(p.quirks, func(q scope.Quirk) (int, bool) {
		return q.Number(), slices.Contains(p.filesOfQuirk("@"+q.ID), m.File)
	})
	_, upstream := p.testsWithNames(strings.TrimSuffix(m.File, ".py") + "_test.py")
	return p.tree.testsOf(m.File, m.Go, quirks, upstream)
}

// filesOfQuirk lists the Python files that have the quirk of a tag such as @Q22.
func (p *evidence) filesOfQuirk(tag string) (files []string) {
	i := slices.IndexFunc(p.quirks, func(q scope.Quirk) bool { return "@"+q.ID == tag })
	if i < 0 {
		return nil
	}
	for _, where := range p.quirks[i].Where {
		file, _, _ := strings.Cut(where, ":")
		files = append(files, file)
	}
	return files
}

func (p *evidence) passedWith(wanted func(tag string) bool) []featureCount {
	var list []featureCount
	for _, r := range p.report.Results {
		if r.Status != steps.Passed || !slices.ContainsFunc(r.Tags, wanted) {
			continue
		}
		i := slices.IndexFunc(list, func(f featureCount) bool { return f.feature == r.Path })
		if i < 0 {
			i = len(list)
			list = append(list, featureCount{feature: r.Path})
		}
		list[i].passed++
	}
	slices.SortFunc(list, func(a, b featureCount) int { return strings.Compare(a.feature, b.feature) })
	return list
}
