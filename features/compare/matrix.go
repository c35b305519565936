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

// These verdicts stand beside those of steps.Status.
const (
	// NotRun: a tag excludes the runner, or the backends that were chosen cannot do it.
	NotRun = "not run"
	// Unfinished: the comparison was interrupted before.
	Unfinished = "not finished"
	// Busy: it failed or differed on a machine that was later than a scenario can allow for.
	Busy = "too busy to tell"
	// Kept: it was left out, because a record has it.
	Kept = "kept"
)

// These say how the log of a run compares with the measure's.
const (
	// Same: in each track as with some seed; Cell.Seeds has those that do the same in all tracks.
	Same = "same"
	// Explained: different, but quirks explain it.
	Explained = "explained"
	// Differs: different, and nothing explains it.
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
	// Log says how the logs compare, "" where they were not compared.
	Log string `json:"log,omitempty"`
	// Why is the reason why it did not run, or failed.
	Why string `json:"why,omitempty"`
	// Differences lists the places where the log differs.
	Differences []Named `json:"differences,omitempty"`
	// Backend: it did not run because of the backends that were chosen.
	Backend bool `json:"backend,omitempty"`
	// Seeds has the seeds that do the same, where they were asked for (Comparison.Sets).
	Seeds *Seeds `json:"seeds,omitempty"`
	// Scenario and Rooms are the hashes of what a recorded result speaks of ([Code]).
	Scenario string `json:"scenario,omitempty"`
	Rooms    string `json:"rooms,omitempty"`

	// First is the first difference that nothing explains. Deeds counts what both sides did, and
	// Alike what of it they did alike. A record has none of these.
	First        *deeds.Difference `json:"-"`
	Deeds, Alike int               `json:"-"`
}

// Seeds is the set of seeds with which the measure does the same as a run. Which of them comes
// first does not count.
type Seeds struct {
	// Of counts the seeds that were run, from that of the suite on.
	Of int `json:"of"`
	// Whole lists those that do the same in all tracks at once, as "1-3,7". Where it is empty there
	// is one for each track.
	Whole string `json:"whole,omitempty"`
}

// Named is a difference, with the id of the quirk that explains it.
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

// printBackends writes a line for each reason why the chosen backends could not do scenarios.
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

// count counts the results of a feature's scenarios, or of all for "", on a runner.
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
