package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

// otherwise names, for a scenario that asserts a fault of its tags, repairs of other faults that also
// change what happens there.
var otherwise = map[string][]string{
	// With Q29, an agent whose start failed starts again, or ends.
	"A malformed child keeps an agent from all of its layout":                   {"Q29", "Q209", "Q323"},
	"A v3 agent whose layout is not answered tells of itself and loads nothing": {"Q29", "Q209", "Q323"},
	// When a declaration changes, the layout is read again, too.
	"A change of the layout is lost for good with the connection on which it is read": {"Q42"},
	// Bindings are read again every 30 s.
	"A model that was published again before its bindings changed is listed nowhere": {"Q43"},
	"A model published again before its bindings changed stays out of discovery":     {"Q43"},
	// The cut ends the session, and after that everything is bound again.
	"A binding whose creation failed once is not tried again": {"Q208"},
	// The service information is written again with the next binding.
	"What a v3 agent tells after a quick restart goes with the session of the one before": {"Q206"},
}

// asksForACase reports whether a step is about a recorded case, whose scenarios say what they repair.
func asksForACase(s steps.Step) bool { return strings.HasPrefix(s.Text, "the recorded case ") }

// Goal: a repair of one fault breaks nothing else. Where a scenario fails with all faults repaired,
// it asserts a fault that its tags name: it passes once these alone are kept.
func TestScenariosThatRepairsFailNameTheFault(t *testing.T) {
	all, err := repairable()
	if err != nil {
		t.Fatal(err)
	}
	runner := &simrun.Runner{Warm: &simrun.Warm{}, KeepLog: 1}
	run := func(path, quirks string) *steps.Report {
		s := &steps.Suite{Runner: runner, FS: features.FS, Paths: []string{path}, Quirks: quirks, Seed: 1, Explain: -1}
		report, err := s.Run()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return report
	}
	seen := map[string]bool{}
	for _, r := range run(".", "fixed").Results {
		if r.Status != steps.Failed || slices.ContainsFunc(r.Steps, asksForACase) {
			continue
		}
		at := fmt.Sprintf("%s:%d", r.Path, r.Line)
		keeps := func(some []string) bool {
			gone := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(some, id) })
			return run(at, repaired("python", all, gone)).Failed == 0
		}
		tagged := lists.Select(r.Tags, func(tag string) (string, bool) { return tag[1:], slices.Contains(all, tag[1:]) })
		if keeps(tagged) {
			continue
		}
		if other := otherwise[r.Name]; other != nil && keeps(append(tagged, other...)) {
			seen[r.Name] = true
			continue
		}
		cause, _ := minimize(all, func(some []string) bool {
			return !slices.ContainsFunc(some, func(id string) bool { return slices.Contains(tagged, id) }) && run(at, repaired("python", all, some)).Failed > 0
		}, 200)
		t.Errorf("%s: %s: fails with %v repaired (%v), want a tag of the fault it asserts, or that repair mended", at, r.Name, cause, r.Failure())
	}
	for name := range otherwise {
		if !seen[name] {
			t.Errorf("%s: passes with the faults of its tags kept, or not at all, want it out of otherwise", name)
		}
	}
}
