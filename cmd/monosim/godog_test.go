package main

import (
	"io"
	"testing"

	"github.com/cucumber/godog"
	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/steps"
)

// outcome holds the results of a scenario that must be the same when godog and Suite.Run run it.
type outcome struct {
	Path   string
	Status steps.Status
	Steps  int
	Trace  uint64
}

func outcomeOf(r steps.Result) outcome {
	return outcome{r.Path, r.Status, len(r.Steps), r.Stats.TraceHash}
}

// Goal: godog runs the scenarios as Suite.Run does. Method: run all scenarios with both, and
// compare verdicts and traces.
func TestGodogRunsTheScenariosWithTheSameTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	suite := &steps.Suite{Runner: newSimulation(), FS: features.FS, Paths: []string{"."}, Seed: 7}
	report, err := suite.Run()
	if err != nil {
		t.Fatal(err)
	}
	var want, got []outcome
	for _, r := range report.Results {
		want = append(want, outcomeOf(r))
	}
	code := godog.TestSuite{
		ScenarioInitializer: func(ctx *godog.ScenarioContext) {
			suite.Register(ctx, func(r steps.Result) { got = append(got, outcomeOf(r)) })
		},
		Options: &godog.Options{Format: "progress", Output: io.Discard, Strict: true, FS: features.FS, Paths: suite.Paths, Concurrency: 1},
	}.Run()
	if code != 0 {
		t.Errorf("godog ended with %d, want 0", code)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Suite.Run and godog (- +):\n%s", diff)
	}
}
