// Package report writes results of capacity questions for people: as a page of text, and
// as one HTML file with its plots.
//
// Two things to use first:
//
//   - [Text] writes the blocks that a terminal shows: ANSWER, WHY NOT LESS, BINDING and so
//     on to TRUST.
//   - [HTML] writes a page of one file, which asks for nothing elsewhere; [CSV], a table.
//
// Both follow from the result alone, so that equal results give equal bytes.
//
// To change:
//
//   - what a block says: text.go and blocks.go
//   - how numbers are written: numbers.go
//   - what TRUST says of calibration: calibration.go
//   - what the page draws: page.js
//   - traces of requests for Perfetto: trace.go
package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/whatif/result"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// block is a part of the text: its lines, or none where there is nothing to say.
type block struct {
	name  string
	lines func(*result.Result) []string
}

var blocks = []block{
	{"ANSWER", answer}, {"WHY NOT LESS", whyNotLess}, {"OR", alternatives}, {"LATENCY", latency}, {"VERDICTS", verdicts}, {"BREAKDOWN", breakdown}, {"ERRORS", causes}, {"UTILISATION", utilisation}, {"BINDING", binding}, {"CLOSED FORM", closedForm},
	{"COST", cost}, {"MEMORY", memory}, {"ROLLOUT", rollout}, {"FAILURES", failures}, {"ZOOKEEPER", zookeeper}, {"SENSITIVITY", sensitivity},
	{"WORLDS", worlds}, {"REGRET", regret}, {"SWEEP", sweep}, {"WARNINGS", warnings},
}

// Text writes the result for a terminal. again is the command that repeats it.
func Text(w io.Writer, r *result.Result, again string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", title(r))
	for _, one := range blocks {
		write(&b, one.name, one.lines(r))
	}
	write(&b, "REPRODUCE", reproduce(r, again))
	write(&b, "TRUST", trust(r))
	_, err := io.WriteString(w, b.String())
	return err
}

func title(r *result.Result) string {
	return fmt.Sprintf("%s: %s, seed %d, model version %s", r.Command, r.Plan, r.Seed, r.Version)
}

// write writes a block: its name stands before the first line.
func write(b *strings.Builder, name string, lines []string) {
	for i, line := range lines {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "%-13s%s\n", name, line)
	}
}

// reproduce says how to get the same result.
func reproduce(r *result.Result, again string) []string {
	lines := []string{
		again,
		fmt.Sprintf("scenario sha256 %s", r.ScenarioHash),
		fmt.Sprintf("result sha256 %s (on %s, whatever the number of cores and shards)", r.SHA256(), r.Architecture),
	}
	if r.Marked {
		lines = append(lines, "not reproducible: the wall-clock budget ended it; give budget.requests in its place")
	}
	return lines
}

// trust says what was checked.
func trust(r *result.Result) []string {
	var lines []string
	c := r.Checks
	if c.Arrivals > 0 {
		conservation := "exact"
		if !c.Conserved {
			conservation = "BROKEN"
		}
		lines = append(lines, fmt.Sprintf("checks: Little %s, conservation %s (%s requests, %s calls), busiest container %s",
			percent(c.Little), conservation, thousands(float64(c.Arrivals)), thousands(float64(c.Sent)), number("fraction", c.BusiestCore)))
	}
	if agreed, all := agreement(r); all > 0 {
		lines = append(lines, fmt.Sprintf("closed forms: %d of %d bounds hold", agreed, all))
	}
	if r.ZooKeeper != nil {
		for i := range r.ZooKeeper.Measured {
			m := &r.ZooKeeper.Measured[i]
			lines = append(lines, fmt.Sprintf("control plane: real agents of version %d in %d containers hold %s watches, the formula says %s; %s reads, the formula says %s",
				m.Load.Version, m.Load.Containers, thousands(m.Watches), thousands(m.Load.Watches), number("per_second", m.Reads), number("per_second", m.Load.Reads)),
				fmt.Sprintf("watches of their whole run, to the last one: %d set = %d fired + %d removed + %d held",
					m.Kept.Set, m.Kept.Fired, m.Kept.Removed, m.Kept.Held))
		}
	}
	lines = append(lines, beside(fidelity())...)
	return append(lines, calibration(r.Calibration)...)
}

// agreement counts the hard bounds that what was simulated keeps.
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
