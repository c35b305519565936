package steps_test

import (
	"io"
	"testing"

	"github.com/cucumber/godog"
	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Goal: a step that fails, and a step that no sentence matches, also fail under godog. That all
// scenarios pass under godog, with the traces of Suite.Run, is tested in cmd/monosim.
func TestGodogIsToldOfFailures(t *testing.T) {
	for _, c := range []struct{ name, scenario string }{
		{"a failed step", "Feature: f\n  Scenario: s\n    Given a v3 cluster of 1 shard with 1 replica\n    When the cluster starts\n    Then within 10s shard0-replica0 has ended\n"},
		{"an unknown step", "Feature: f\n  Scenario: s\n    Given a v3 cluster of moons\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			suite := &steps.Suite{Runner: &simrun.Runner{}, Seed: 1}
			var got []steps.Status
			code := godog.TestSuite{
				ScenarioInitializer: func(ctx *godog.ScenarioContext) {
					suite.Register(ctx, func(r steps.Result) { got = append(got, r.Status) })
				},
				Options: &godog.Options{
					Format: "progress", Output: io.Discard, Strict: true,
					FeatureContents: []godog.Feature{{Name: "f.feature", Contents: []byte(c.scenario)}},
				},
			}.Run()
			if code == 0 {
				t.Error("godog ended with 0")
			}
			if diff := cmp.Diff([]steps.Status{steps.Failed}, got); diff != "" {
				t.Errorf("results (- want + got):\n%s", diff)
			}
		})
	}
}
