package compare

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/deeds"
)

// Verdicts of a cell, in addition to those of steps.Status.
const (
	// NotRun means that a tag excludes the runner, or that the chosen backends cannot do the
	// scenario.
	NotRun = "not run"
	// Unfinished means that the comparison was interrupted before the scenario ended.
	Unfinished = "not finished"
	// Busy means that the run failed or differed on a machine that was late by more than scenarios
	// allow.
	Busy = "too busy to tell"
	// Kept means that the run was left out, because a record has its result.
	Kept = "kept"
)

// How the actions of a run compare with those of the first runner (the measure).
const (
	// Same means that, for each track of the log, there is a seed with which the first runner does
	// the same as the run. Cell.Seeds lists the seeds with which it does so in all tracks.
	Same = "same"
	// Explained means that the actions differ, but quirks explain all differences.
	Explained = "explained"
	// Differs means that no quirk explains one of the differences.
	Differs = "differs"
)

// Matrix is the result of a comparison: a row for each scenario, with a cell for each runner.
type Matrix struct {
	Runners   []string `json:"runners"`
	Scenarios []Row    `json:"scenarios"`
}

// Row holds the results of a scenario on all runners.
type Row struct {
	Feature string `json:"feature"`
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Name    string `json:"name"`
	Cells   []Cell `json:"cells"`
}

// Cell is the result of a scenario on one runner.
type Cell struct {
	Verdict string `json:"verdict"`
	// Log says how the actions of the run compare with those of the first runner, "" if they were
	// not compared.
	Log string `json:"log,omitempty"`
	// Why says why the scenario did not run, or failed.
	Why string `json:"why,omitempty"`
	// Differences lists the tracks in which the run differs, and how.
	Differences []Named `json:"differences,omitempty"`
	// Backend means that the scenario did not run because the chosen backends cannot do it.
	Backend bool `json:"backend,omitempty"`
	// Seeds tells with which seeds the first runner does the same as the run, if Comparison.Sets
	// asks for it.
	Seeds *Seeds `json:"seeds,omitempty"`
	// Scenario and Rooms are hashes of the scenario and of the code that the result depends on
	// ([Code]).
	Scenario string `json:"scenario,omitempty"`
	Rooms    string `json:"rooms,omitempty"`

	// First is the first difference that no quirk explains. Alike counts the actions that both the
	// run and the first runner did. Deeds counts all actions: for each track of the log those of
	// the runner that did more. A record does not contain these fields.
	First        *deeds.Difference `json:"-"`
	Deeds, Alike int               `json:"-"`
	// Timeless means that no delay of the machine causes the difference in First.
	Timeless bool `json:"-"`
}

// Seeds is the set of seeds with which the first runner does the same as a run. It does not depend
// on the seed that is tried first.
type Seeds struct {
	// Of is how many seeds were run, beginning with the suite's seed.
	Of int `json:"of"`
	// Whole lists the seeds with which all tracks of the log are the same, such as "1-3,7". It may
	// be empty although each single track is the same with some seed.
	Whole string `json:"whole,omitempty"`
}

// Named is a difference in one track, with the id of the quirk that explains it, if any.
type Named struct {
	Kind  string `json:"kind"`
	Track string `json:"track"`
	Quirk string `json:"quirk,omitempty"`
}

// Print writes a line for each feature with the results of its scenarios on each runner,
// and a line of totals.
func (m *Matrix) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "feature\t%s\n", strings.Join(m.Runners, "\t"))
	var features []string
	for _, r := range m.Scenarios {
		if !slices.Contains(features, r.Path) {
			features = append(features, r.Path)
		}
	}
	for _, f := range append(features, "") {
		name := f
		if f == "" {
			name = "all"
		}
		line := []string{name}
		for i := range m.Runners {
			line = append(line, m.count(f, i))
		}
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i, name := range m.Runners {
		if err := m.printBackends(out, i, name); err != nil {
			return err
		}
	}
	return nil
}

// printBackends writes one line for each reason why the chosen backends could not run scenarios,
// with their number.
func (m *Matrix) printBackends(out io.Writer, runner int, name string) error {
	counts := map[string]int{}
	for _, r := range m.Scenarios {
		if cell := r.Cells[runner]; cell.Backend {
			counts[cell.Why]++
		}
	}
	for _, why := range slices.Sorted(maps.Keys(counts)) {
		if _, err := fmt.Fprintf(out, "%d not run on %s: %s\n", counts[why], name, why); err != nil {
			return err
		}
	}
	return nil
}

// count describes how many scenarios of a feature had which result on a runner. The feature ""
// stands for all.
func (m *Matrix) count(feature string, runner int) string {
	counts := map[string]int{}
	for _, r := range m.Scenarios {
		if feature == "" || r.Path == feature {
			cell := r.Cells[runner]
			counts[cell.Verdict]++
			counts[cell.Log]++
		}
	}
	parts := lists.Select([]string{steps.Passed.String(), steps.Failed.String(), Same, Explained, Differs, NotRun, Unfinished, Busy, Kept}, func(name string) (string, bool) {
		return fmt.Sprintf("%d %s", counts[name], name), counts[name] > 0
	})
	return strings.Join(parts, ", ")
}
