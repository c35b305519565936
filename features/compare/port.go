package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/deeds"
)

// Verdicts on a scenario in a [Port], in addition to Explained, Differs and Busy.
const (
	// Agrees means that the scenario's expectations held, and that all actions were the same as on
	// the first runner.
	Agrees = "agrees"
	// Fails means that an expectation of the scenario did not hold.
	Fails = "fails"
)

// Port is a report on one implementation. It compares what the implementation did in each scenario
// with what the first runner did.
type Port struct {
	// Name names the implementation, for example by its command.
	Name string `json:"name"`
	// Badge sums up in one line how complete the implementation is, for example "231 of 279
	// scenarios, 96 % of deeds".
	Badge string `json:"badge"`
	// Agrees counts the scenarios in Scenarios that agree or whose differences are explained. Deeds
	// counts the actions in all scenarios, and Same those that were the same as on the first
	// runner.
	Agrees int `json:"agrees"`
	Same   int `json:"same"`
	Deeds  int `json:"deeds"`
	// Causes groups the scenarios that do not agree by cause, the largest group first.
	Causes []PortCause `json:"causes"`
	// Scenarios has a row for each scenario that ran. NotRun counts the others. Busy counts
	// scenarios without a verdict, because the machine was too late.
	Scenarios []PortRow `json:"scenarios"`
	NotRun    int       `json:"not_run"`
	Busy      int       `json:"too_busy_to_tell"`
}

// PortRow is the result of one scenario.
type PortRow struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
	Same    int    `json:"same"`
	Deeds   int    `json:"deeds"`
	// First is the first action that differs. If none does, it is the expectation that did not
	// hold.
	First string `json:"first,omitempty"`
	// Cause names the part of the agent that First is about, or the quirks that explain it.
	Cause string `json:"cause,omitempty"`
	// Failed is the expectation that did not hold.
	Failed string `json:"failed,omitempty"`
}

// PortCause is one cause of disagreement, with the lines of the reference and the first scenario
// that shows it.
type PortCause struct {
	Cause     string `json:"cause"`
	Reference string `json:"reference,omitempty"`
	Scenarios int    `json:"scenarios"`
	Example   string `json:"example"`
}

// Port makes a report, under a name, from a matrix that has just been computed. runner is one of
// m.Runners.
func (m *Matrix) Port(runner, name string) *Port {
	p := &Port{Name: name, Causes: []PortCause{}, Scenarios: []PortRow{}}
	i := slices.Index(m.Runners, runner)
	for _, r := range m.Scenarios {
		switch {
		case i >= len(r.Cells) || r.Cells[i].Verdict == NotRun || r.Cells[i].Verdict == Unfinished:
			p.NotRun++
			continue
		case r.Cells[i].Verdict == Busy:
			p.Busy++
			p.Scenarios = append(p.Scenarios, busyRow(&r, &r.Cells[i]))
			continue
		}
		p.add(&r, &r.Cells[i])
	}
	slices.SortStableFunc(p.Causes, func(a, b PortCause) int { return b.Scenarios - a.Scenarios })
	share := ""
	if p.Deeds > 0 {
		share = fmt.Sprintf(", %d %% of deeds", 100*p.Same/p.Deeds)
	}
	p.Badge = fmt.Sprintf("%d of %d scenarios%s", p.Agrees, len(p.Scenarios)-p.Busy, share)
	return p
}

// busyRow is the row of a scenario without a verdict. What differs there may be due to the agent or to
// the machine.
func busyRow(r *Row, c *Cell) PortRow {
	row := PortRow{Path: r.Path, Line: r.Line, Name: r.Name, Verdict: Busy, First: c.Why}
	if c.First != nil {
		cause, _ := causeOf(c.First)
		row.Cause, row.First = "perhaps "+cause, brief(c.First)+"; "+c.Why
	}
	return row
}

func (p *Port) add(r *Row, c *Cell) {
	row := PortRow{Path: r.Path, Line: r.Line, Name: r.Name, Verdict: Agrees, Same: c.Alike, Deeds: c.Deeds}
	p.Same, p.Deeds = p.Same+c.Alike, p.Deeds+c.Deeds
	var place string
	switch {
	case c.Verdict != steps.Passed.String():
		row.Verdict, row.Failed = Fails, c.Why
		row.First, row.Cause = c.Why, "no deed differs"
	case c.Log == Differs:
		row.Verdict = Differs
	case c.Log == Explained:
		row.Verdict, row.Cause = Explained, strings.Join(quirksOf(c), ", ")
	}
	if c.First != nil {
		row.Cause, place = causeOf(c.First)
		if row.Failed == "" || !unasked(c.First) {
			row.First = brief(c.First)
		}
	}
	if row.Verdict == Agrees || row.Verdict == Explained {
		p.Agrees++
	} else {
		p.because(row.Cause, place, fmt.Sprintf("%s:%d", r.Path, r.Line))
	}
	p.Scenarios = append(p.Scenarios, row)
}

// unasked reports whether a difference is that an agent was not asked, as the scenario failed before. What
// failed then says more.
func unasked(d *deeds.Difference) bool { return rank(d) == rankOfAnswers && d.At >= len(d.Got) }

// because counts a scenario under a cause. place names the lines of the reference that the cause is
// about.
func (p *Port) because(cause, place, scenario string) {
	i := slices.IndexFunc(p.Causes, func(c PortCause) bool { return c.Cause == cause })
	if i < 0 {
		i = len(p.Causes)
		p.Causes = append(p.Causes, PortCause{Cause: cause, Reference: place, Example: scenario})
	}
	p.Causes[i].Scenarios++
}

// quirksOf lists the quirks that explain a cell's differences, sorted and each once.
func quirksOf(c *Cell) []string {
	list := lists.MapOrNil(c.Differences, func(d Named) string { return d.Quirk })
	slices.Sort(list)
	return slices.Compact(list)
}

// longestCell limits a text in the table, in characters.
const longestCell = 240

// Print writes a table of the scenarios, a table of the causes, and the badge.
func (p *Port) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "scenario\tverdict\tdeeds\tcause\tfirst difference")
	for _, r := range p.Scenarios {
		fmt.Fprintf(w, "%s:%d\t%s\t%d/%d\t%s\t%s\n", r.Path, r.Line, r.Verdict, r.Same, r.Deeds, r.Cause, short(r.First))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(p.Causes) > 0 {
		fmt.Fprintln(w, "\nscenarios\tcause\tin the reference\tfirst seen in")
		for _, c := range p.Causes {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", c.Scenarios, c.Cause, c.Reference, c.Example)
		}
	}
	fmt.Fprintf(w, "\n%s: %s", p.Name, p.Badge)
	if p.Busy > 0 {
		fmt.Fprintf(w, " (on %d the machine was too busy to tell)", p.Busy)
	}
	if p.NotRun > 0 {
		fmt.Fprintf(w, " (%d more did not run)", p.NotRun)
	}
	fmt.Fprintln(w)
	return w.Flush()
}

// shownText is how many characters of a long text are shown on each side of the place where it differs
// from the other one.
const shownText = 24

// brief shows a difference in one line. Of two texts of which little differs it shows that part.
func brief(d *deeds.Difference) string {
	if d.Kind != deeds.ByDeed || d.At >= len(d.Got) || d.At >= len(d.Want) {
		return d.Brief()
	}
	got, want := []rune(d.Got[d.At].Text), []rune(d.Want[d.At].Text)
	from := 0
	for from < min(len(got), len(want)) && got[from] == want[from] {
		from++
	}
	return (&deeds.Difference{
		Kind: d.Kind, Track: d.Track,
		Got: []deeds.Deed{{Text: window(got, from)}}, Want: []deeds.Deed{{Text: window(want, from)}},
	}).Brief()
}

// window returns the part of a text around a place, if the text is long.
func window(text []rune, at int) string {
	if len(text) <= 3*shownText {
		return string(text)
	}
	verb, _, _ := strings.Cut(string(text), " ")
	from, until, after := max(at-shownText, 0), min(at+2*shownText, len(text)), "..."
	if until == len(text) {
		after = ""
	}
	if from > 0 {
		verb += " ..."
	} else {
		verb = ""
	}
	return verb + string(text[from:until]) + after
}

// short cuts a text to the length that the table allows.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > longestCell {
		return string(r[:longestCell-3]) + "..."
	}
	return text
}
