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

// Cause is what a number of failures have in common: how their answers part and, where that hangs
// on the input, what the input has. A failure has as many causes as its answer parts in ways.
type Cause struct {
	What string
	// Input names what the inputs have in common, "" where the answers part for any input.
	Input string
	// Failures are the failed cases with the cause, in the order of asking.
	Failures []Result
	// Alone is how many of them have no other cause, so would pass without it.
	Alone int
	// Left is how many failures of the report would be left without it.
	Left int
	// Places are the paths in the answers, most frequent first; Ops the operations; Kinds the ways
	// in which answers part, of which a cause of few failures has several.
	Places, Ops, Kinds []string
	// Example is the smallest of the failures.
	Example Result
	// Lines are those of the reference's definitions that the operations test, as data_def.py:53.
	Lines []string
}

// String returns what the cause is, on one line.
func (c Cause) String() string {
	if c.Input == "" {
		return c.What
	}
	return c.What + ", for " + c.Input
}

const (
	mostCauses = 20 // so many are told apart
	mostKinds  = 17 // of these by how answers part; the others by inputs
	mostInputs = 2  // kinds of inputs that one way of parting is told apart by
)

// CausesOf groups failures by their causes, those of most failures first: at most twenty, unless the
// failures are of more operations. Where answers part in more ways, those of few failures are one
// cause for each operation; where in fewer, the largest are told apart by their inputs.
func CausesOf(results []Result) []Cause {
	failed := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Status != Failed })
	by := labels{rare: map[string]bool{}, inputs: map[string]map[string]bool{}}
	kinds := by.group(failed)
	causes := kinds
	for few := 2; len(causes) > mostKinds && few < len(failed); few++ {
		for _, c := range kinds {
			by.rare[c.What] = len(c.Failures) <= few
		}
		causes = by.group(failed)
	}
	for _, c := range causes {
		if hangsOnInput(c.What) && !by.rare[c.What] {
			by.inputs[c.What] = frequentInputs(c.Failures, min(mostInputs, mostCauses-len(by.group(failed))))
		}
	}
	causes = by.group(failed)
	lines := definitions()
	for i := range causes {
		causes[i].Lines = byCount(lists.Map(causes[i].Ops, func(op string) string { return definedAt(lines, op) }))
		causes[i].Lines = slices.DeleteFunc(causes[i].Lines, func(line string) bool { return line == "" })
	}
	return causes
}

// frequentInputs returns what the inputs of most failures have, at most so many, where it tells
// some apart.
func frequentInputs(failures []Result, most int) map[string]bool {
	names := byCount(slices.DeleteFunc(lists.Map(failures, func(r Result) string { return featureOf(r.Asked) }),
		func(name string) bool { return name == "" }))
	return lists.ToMap(names[:min(max(most, 0), len(names))], func(name string) (string, bool) { return name, true })
}

// labels say to which cause a parting of a failure belongs.
type labels struct {
	rare   map[string]bool            // ways of parting that are one cause for each operation
	inputs map[string]map[string]bool // ways that are told apart by inputs, and the inputs
}

func (l labels) cause(r Result, p Parting) Cause {
	c := Cause{What: p.What, Places: []string{p.Path}, Kinds: []string{p.What}}
	if l.rare[p.What] {
		c.What = "other differences of " + r.Op
		return c
	}
	if inputs := l.inputs[p.What]; len(inputs) > 0 {
		if c.Input = featureOf(r.Asked); !inputs[c.Input] {
			c.Input = "other inputs"
		}
	}
	return c
}

// group returns the causes of failures, those of most failures first.
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
			all.Places, all.Kinds = append(all.Places, c.Places...), append(all.Kinds, c.Kinds...)
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

// causes returns the causes of one failure, each with the places in its answer.
func (l labels) causes(r Result) []Cause {
	parts := r.Partings
	if len(parts) == 0 { // a case of the list of known failures that passes
		parts = []Parting{{What: "other"}}
	}
	var causes []Cause
	for _, p := range parts {
		c := l.cause(r, p)
		i := slices.IndexFunc(causes, func(other Cause) bool { return other.String() == c.String() })
		if i < 0 {
			causes = append(causes, c)
			continue
		}
		causes[i].Places, causes[i].Kinds = append(causes[i].Places, p.Path), append(causes[i].Kinds, p.What)
	}
	return causes
}

// sum completes a cause whose failures are all there.
func (c *Cause) sum(failed int) {
	c.Left = failed - c.Alone
	c.Places = byCount(slices.DeleteFunc(c.Places, func(p string) bool { return p == "" }))
	c.Kinds = byCount(c.Kinds)
	c.Ops = byCount(lists.Map(c.Failures, ByOp))
	c.Example = slices.MinFunc(c.Failures, func(a, b Result) int {
		return cmp.Or(cmp.Compare(len(a.Partings), len(b.Partings)), cmp.Compare(len(a.Asked)+len(a.Text), len(b.Asked)+len(b.Text)))
	})
}

// byCount returns each text once, the most frequent first.
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

// definitions returns where the reference defines its public names, by operation.
func definitions() map[string]string {
	lines := map[string]string{}
	modules, err := scope.Names()
	if err != nil {
		return lines // without the register there are no lines, and all the rest
	}
	for _, m := range slices.Backward(modules) { // those of agent_service come first
		for _, n := range m.Names {
			lines[strings.TrimSuffix(path.Base(m.File), ".py")+"."+n.Name] = fmt.Sprintf("%s:%d", m.File, n.Line)
		}
	}
	return lines
}

// definedAt returns file and line of the definition that an operation tests: that of the longest
// name that begins the operation's, "" for none.
func definedAt(lines map[string]string, op string) string {
	for name := op; ; name = name[:strings.LastIndexByte(name, '.')] {
		if line := lines[name]; line != "" || !strings.Contains(name, ".") {
			return line
		}
	}
}

// Ignored are the kinds of differences that --ignore names.
func Ignored() []string { return []string{"logs", "texts", "blanks"} }

// Ignore has failures pass that differ in nothing but what the kinds name: logs (log lines), texts
// (the texts of exceptions), blanks (blanks in JSON, and all that leaves its values equal). It
// returns how many.
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

// ignoredAs returns the kind of --ignore that a parting is of, "" for none.
func (p Parting) ignoredAs() string {
	switch {
	case strings.HasPrefix(p.What, linesOfLogs):
		return "logs"
	case strings.HasPrefix(p.What, textOfErrors):
		return "texts"
	case p.What == blanksOfJSON, p.What == writingOfJSON, p.What == orderOfEntries && strings.Contains(p.Path, "{}"):
		return "blanks"
	}
	return ""
}
