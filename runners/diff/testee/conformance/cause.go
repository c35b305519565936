package conformance

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/vectors/scope"
)

// Cause groups failures whose answers differ in the same way. If they differ only for certain
// inputs, the cause also says what these inputs have in common. A failure has one cause for each
// way in which its answer differs.
type Cause struct {
	What string
	// Input names what the inputs have in common, "" if the answers differ for any input.
	Input string
	// Failures lists the failed cases with this cause, in the order in which they were asked.
	Failures []Result
	// Alone is how many of the failures have no other cause. They would pass without this one.
	Alone int
	// Left is how many failures would be left in the report without this cause.
	Left int
	// Places lists the paths in answers at which they differ, the most frequent first. Ops lists
	// the operations. Kinds lists the ways in which answers differ. A cause that gathers rare
	// differences has several kinds.
	Places, Ops, Kinds []string
	// Instead lists the classes of the exceptions that were expected, the most frequent first.
	Instead []string
	// Example is the smallest failure with this cause.
	Example Result
	// Lines lists where the reference defines what the operations test, such as data_def.py:53.
	Lines []string
}

// String describes the cause in one line.
func (c Cause) String() string {
	if c.Input == "" {
		return c.What
	}
	return c.What + ", for " + c.Input
}

const (
	mostCauses = 20 // largest number of causes
	mostKinds  = 17 // largest number of causes that differ by kind of difference; the others differ by input
	leastShare = 10 // a kind of difference of more than one failure in so many keeps its name
	mostInputs = 2  // largest number of kinds of inputs into which one kind of difference is split
)

// CausesOf groups failures by cause, the largest groups first. It aims at twenty causes at most. If
// answers differ in too many ways, the rare ones form one cause for each operation, and those of a
// single case one cause together. If they differ in few ways, the largest groups are split by features of the inputs that separate these failures
// from cases that pass.
func CausesOf(results []Result) []Cause {
	failed := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Status != Failed })
	by := labels{rare: map[string]bool{}, inputs: map[string][]int{}}
	kinds := by.group(failed)
	causes := kinds
	for _, c := range slices.Backward(kinds) { // from the rarest on, and no further than it helps
		few := len(c.Failures)
		if len(causes) <= mostKinds || few > len(failed)/leastShare {
			break
		}
		gathered := labels{rare: rareOf(lists.Filter(kinds, func(c Cause) bool { return len(c.Failures) <= few })), inputs: by.inputs}
		gathered.single = gathered.singleOf(kinds)
		if fewer := gathered.group(failed); len(fewer) < len(causes) {
			by, causes = gathered, fewer
		}
	}
	for _, c := range causes {
		if len(c.Failures) > 1 && hangsOnInput(c.What) && !by.rare[c.What] {
			by.inputs[c.What] = separating(c, results, mostCauses-len(by.group(failed)))
		}
	}
	causes = by.group(failed)
	lines := definitions()
	for i := range causes { // in the order of the failures, as the operations
		causes[i].Lines = byCount(lists.Map(causes[i].Failures, func(r Result) string { return definedAt(lines, r.Op) }))
		causes[i].Lines = slices.DeleteFunc(causes[i].Lines, func(line string) bool { return line == "" })
	}
	return causes
}

// rareOf returns by name which of the rare kinds of differences to gather by operation. A kind that
// alone has some operation keeps its name, as gathering it would give no fewer causes.
func rareOf(kinds []Cause) map[string]bool {
	for {
		of := map[string]int{}
		for _, c := range kinds {
			for _, op := range c.Ops {
				of[op]++
			}
		}
		shared := lists.Filter(kinds, func(c Cause) bool {
			return !slices.ContainsFunc(c.Ops, func(op string) bool { return of[op] == 1 })
		})
		if len(shared) == len(kinds) {
			return lists.ToMap(kinds, func(c Cause) (string, bool) { return c.What, true })
		}
		kinds = shared
	}
}

// singleOf returns by name which kinds of differences have a single failure and keep their name among
// the rare ones. It returns none if there is only one, as gathering it would give no fewer causes.
func (l labels) singleOf(kinds []Cause) map[string]bool {
	kinds = lists.Filter(kinds, func(c Cause) bool { return len(c.Failures) == 1 && !l.rare[c.What] })
	if len(kinds) < 2 {
		return nil
	}
	return lists.ToMap(kinds, func(c Cause) (string, bool) { return c.What, true })
}

// labels determine to which cause a difference in a failure's answer belongs.
type labels struct {
	rare   map[string]bool  // kinds of difference that occur seldom; together they are one cause per operation
	single map[string]bool  // kinds of difference of a single case; together they are one cause
	inputs map[string][]int // for each kind of difference, indexes of features; the first that an input has names its cause
}

func (l labels) cause(r Result, p Parting) Cause {
	c := Cause{What: p.What, Places: []string{p.Path}, Kinds: []string{p.What}}
	if p.Instead != "" {
		c.Instead = []string{p.Instead}
	}
	if l.rare[p.What] {
		c.What = "other differences of " + r.Op
		return c
	}
	if l.single[p.What] {
		c.What = "differences of one case each"
		return c
	}
	if list := l.inputs[p.What]; len(list) > 0 {
		c.Input = "other inputs"
		if i := slices.IndexFunc(list, r.Features.has); i >= 0 {
			c.Input = features[list[i]].name
		}
	}
	return c
}

// group returns the causes of failures, those with the most failures first.
func (l labels) group(failed []Result) []Cause {
	var causes []Cause
	index := map[string]int{}
	for _, r := range failed {
		own := l.causes(r)
		for _, c := range own {
			i, known := index[c.String()]
			if !known {
				i = len(causes)
				index[c.String()] = i
				causes = append(causes, Cause{What: c.What, Input: c.Input})
			}
			all := &causes[i]
			all.Failures = append(all.Failures, r)
			all.add(c)
			if len(own) == 1 {
				all.Alone++
			}
		}
	}
	for i := range causes {
		causes[i].sum(len(failed))
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(len(b.Failures), len(a.Failures)) })
	return causes
}

// causes returns the causes of one failure. Each has the places in the answer that belong to it.
func (l labels) causes(r Result) []Cause {
	parts := r.Partings
	if len(parts) == 0 { // the case passes, although it is in the list of known failures
		parts = []Parting{{What: "a known failure that passes"}}
	}
	var causes []Cause
	for _, p := range parts {
		c := l.cause(r, p)
		i := slices.IndexFunc(causes, func(other Cause) bool { return other.String() == c.String() })
		if i < 0 {
			causes = append(causes, c)
			continue
		}
		causes[i].add(c)
	}
	return causes
}

// add adds what another difference with this cause has.
func (c *Cause) add(other Cause) {
	c.Places, c.Kinds, c.Instead = append(c.Places, other.Places...), append(c.Kinds, other.Kinds...), append(c.Instead, other.Instead...)
}

// sum computes the totals of a cause, once all its failures are added.
func (c *Cause) sum(failed int) {
	c.Left = failed - c.Alone
	c.Places = byCount(slices.DeleteFunc(c.Places, func(p string) bool { return p == "" }))
	c.Kinds, c.Instead = byCount(c.Kinds), byCount(c.Instead)
	c.Ops = byCount(lists.Map(c.Failures, ByOp))
	c.Example = slices.MinFunc(c.Failures, func(a, b Result) int {
		return cmp.Or(cmp.Compare(len(a.Partings), len(b.Partings)), cmp.Compare(len(a.Asked)+len(a.Text), len(b.Asked)+len(b.Text)))
	})
}

// byCount returns each text once, the most frequent text first.
func byCount(texts []string) []string {
	n := map[string]int{}
	var once []string
	for _, s := range texts {
		if n[s]++; n[s] == 1 {
			once = append(once, s)
		}
	}
	slices.SortStableFunc(once, func(a, b string) int { return cmp.Compare(n[b], n[a]) })
	return once
}

// definitions returns, by name, where the reference defines its public names.
func definitions() map[string]string {
	lines := map[string]string{}
	modules, err := scope.Names()
	if err != nil {
		return lines // without the register, only these lines are missing
	}
	for _, m := range slices.Backward(modules) { // in reverse order, so that the modules of agent_service, which come first, win
		for _, n := range m.Names {
			lines[strings.TrimSuffix(path.Base(m.File), ".py")+"."+n.Name] = fmt.Sprintf("%s:%d", m.File, n.Line)
		}
	}
	return lines
}

// definedAt returns the file and line of the definition that an operation tests. It looks up the
// longest public name that is a prefix of the operation's name, part by part. If there is none, it
// returns "".
func definedAt(lines map[string]string, op string) string {
	for name := op; ; name = name[:strings.LastIndexByte(name, '.')] {
		if line := lines[name]; line != "" || !strings.Contains(name, ".") {
			return line
		}
	}
}

// Ignored lists the kinds of differences that the flag --ignore accepts.
func Ignored() []string { return []string{"logs", "texts", "blanks"} }

// Ignore turns failures into passes if each of their differences is of one of the given kinds, which
// are logs (log lines), texts (texts of exceptions) and blanks (JSON with equal values that is
// written differently). It returns how many failures it turned.
func (r *Report) Ignore(kinds []string) int {
	n := 0
	for i := range r.Results {
		result := &r.Results[i]
		if result.Status != Failed || len(result.Partings) == 0 {
			continue
		}
		result.Partings = slices.DeleteFunc(result.Partings, func(p Parting) bool { return slices.Contains(kinds, p.ignoredAs()) })
		if len(result.Partings) == 0 {
			result.Status, result.Text = Passed, ""
			n++
		}
	}
	return n
}

// ignoredAs returns the kind of --ignore to which a difference belongs, "" for none.
func (p Parting) ignoredAs() string {
	switch {
	case strings.HasPrefix(p.What, linesOfLogs):
		return "logs"
	case strings.HasPrefix(p.What, textOfErrors):
		return "texts"
	case p.What == blanksOfJSON, p.What == writingOfJSON, p.What == orderOfKeys:
		return "blanks"
	}
	return ""
}
