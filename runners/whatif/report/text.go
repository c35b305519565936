// Package report writes the results of capacity questions for people: as text, as an HTML page
// with plots, and as a table. Equal results give equal bytes.
//
// Two things to use first:
//
//   - [Text] writes the blocks that a terminal shows, from ANSWER to TRUST.
//   - [HTML] writes a page that needs no other file.
//
// To change:
//
//   - what a block says: blocks.go
//   - AUTOSCALER: autoscale.go
//   - REPRODUCE and TRUST: text.go
//   - how numbers are formatted: numbers.go
//   - what TRUST says of calibration: calibration.go
//   - what the page draws: page.js
//   - the table of estimates: csv.go
//   - traces of requests for Perfetto: trace.go
//
// Unstable: any commit may change it.
package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/result"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// block is a named part of the report. write adds its lines, or none when it has nothing to
// say.
type block struct {
	name  string
	write func(*lines, *result.Result)
}

// of returns the lines that the block writes for a result, nil if it writes none.
func (b *block) of(r *result.Result) []string {
	var l lines
	b.write(&l, r)
	return l
}

var blocks = []block{
	{"ANSWER", answer}, {"WHY NOT LESS", whyNotLess}, {"OR", alternatives}, {"LATENCY", latency}, {"VERDICTS", verdicts}, {"BREAKDOWN", breakdown}, {"ERRORS", causes}, {"UTILISATION", utilisation}, {"BINDING", binding}, {"CLOSED FORM", closedForm},
	{"AUTOSCALER", autoscalers}, {"COST", cost}, {"MEMORY", memory}, {"ROLLOUT", rollout}, {"FAILURES", failures}, {"ZOOKEEPER", zookeeper}, {"SENSITIVITY", sensitivity},
	{"WORLDS", worlds}, {"REGRET", regret}, {"SWEEP", sweep}, {"WARNINGS", warnings},
}

// lines collects the lines of a block, without the name of the block.
type lines []string

// add adds a line.
func (l *lines) add(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

// addIf adds a line if a condition holds.
func (l *lines) addIf(is bool, format string, args ...any) {
	if is {
		l.add(format, args...)
	}
}

// extend appends text to the last line. There must be one.
func (l lines) extend(format string, args ...any) { l[len(l)-1] += fmt.Sprintf(format, args...) }

// extendIf appends text to the last line if a condition holds.
func (l lines) extendIf(is bool, format string, args ...any) {
	if is {
		l.extend(format, args...)
	}
}

// Text writes the result for a terminal. again is the command that reproduces it.
func Text(w io.Writer, r *result.Result, again string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", title(r))
	for _, one := range allBlocks(r, again) {
		write(&b, one.Name, one.Lines)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func title(r *result.Result) string {
	return fmt.Sprintf("%s: %s, seed %d, model version %s", r.Command, r.Plan, r.Seed, r.Version)
}

// write writes a block, with its name in front of the first line.
func write(b *strings.Builder, name string, lines []string) {
	for i, line := range lines {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "%-13s%s\n", name, line)
	}
}

// reproduce prints the command that reproduces the result, with the hashes of plan and result.
func reproduce(l *lines, r *result.Result, again string) {
	l.add("%s", again)
	l.add("scenario sha256 %s", r.ScenarioHash)
	l.add("result sha256 %s (on %s, whatever the number of cores and shards)", r.SHA256(), r.Architecture)
	l.addIf(r.Marked, "not reproducible: the wall-clock budget ended it; give budget.requests in its place")
}

// trust reports the checks of the run, such as Little's law, and how far the model was
// compared with measurements.
func trust(l *lines, r *result.Result) {
	c := r.Checks
	l.addIf(c.Arrivals > 0, "checks: Little %s, conservation %s (%s requests of windows, %s simulated with %s calls), busiest container %s",
		percent(c.Little), either(c.Conserved, "exact", "BROKEN"), thousands(c.Arrivals), thousands(c.Simulated), thousands(c.Sent), share(c.BusiestCore))
	agreed, all := agreement(r)
	l.addIf(all > 0, "closed forms: %d of %d bounds hold", agreed, all)
	for _, m := range measuredAgents(r) {
		l.add("control plane: real agents of version %d in a lab of %d containers, each entry and PS in one, hold %s watches, the formula for this lab says %s; %s reads, the formula says %s",
			m.Load.Version, m.Load.Containers, thousands(m.Watches), thousands(m.Load.Watches), rate(m.Reads), rate(m.Load.Reads))
		l.addIf(m.Load.Watches != r.ZooKeeper.Now.Watches || m.Load.Containers != planned(r), "  the lab is not the plan's fleet, for which ZOOKEEPER has the same formula with %s %s", lists.Counted(planned(r), "container"),
			either(len(r.Tiers) > 1, "in tiers of their own", "of its own processes and places"))
		l.add("watches of their whole run, to the last one: %d set = %d fired + %d removed + %d held", m.Kept.Set, m.Kept.Fired, m.Kept.Removed, m.Kept.Held)
	}
	*l = append(*l, beside(fidelity())...)
	*l = append(*l, calibration(r.Calibration)...)
	if d := r.Device; d != nil {
		line := fmt.Sprintf("batches of dense are as measured on %s: %s, %s, %s", d.On, d.Device, d.Versions, d.Model)
		if d.Besides != "" {
			line += "; " + d.Besides
		}
		*l = append(*l, line)
	}
}

// planned returns how many containers the plan's fleet has over all tiers.
func planned(r *result.Result) int {
	n := 0
	for _, t := range r.Tiers {
		n += t.Containers
	}
	return n
}

// agreement compares simulated latencies with the theoretical lower bounds. all is the number of
// bounds, and agreed is the number of bounds that the simulated latency does not fall below.
func agreement(r *result.Result) (agreed, all int) {
	for _, f := range r.Theory {
		if !f.Bound || f.Sim == nil || f.Unit != "ns" {
			continue
		}
		all++
		if *f.Sim >= f.Theory*0.999 {
			agreed++
		}
	}
	return agreed, all
}
