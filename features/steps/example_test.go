package steps_test

import (
	"fmt"
	"testing/fstest"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

// scenarios holds a user's own scenario files. Usually it would be an embed.FS.
var scenarios = fstest.MapFS{"pods.feature": {Data: []byte(`Feature: Pods
  Background:
    Given a v3 cluster of 1 shard with 2 replicas

  @kill
  Scenario: A killed pod stays away
    When the cluster starts
    And 10s pass
    And the agent of shard0-replica1 is killed
    Then for 1h shard0-replica1 has ended

  Scenario: A pod that nobody kills ends
    When the cluster starts
    Then within 5m shard0-replica0 has ended
`)}}

// This is how a program runs a suite and gets a report. In a Go test,
// steps.Run(t, scenarios, steps.Suite{Runner: &simrun.Runner{}}) makes a subtest of each scenario.
func Example() {
	suite := &steps.Suite{Runner: &simrun.Runner{}, FS: scenarios, Paths: []string{"."}, Seed: 1}
	report, err := suite.Run()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Results {
		fmt.Println(r.Name+":", r.Status)
		if r.Status == steps.Failed {
			fmt.Println("  ", r.Failure())
		}
	}

	// Output:
	// A killed pod stays away: passed
	// A pod that nobody kills ends: failed
	//    t+300.000s: agent of shard0-replica0, want ended, got running (waited 5m0s)
}

// A suite may have its own sentences, which act on the cluster and check it.
func ExampleAction() {
	own := []*steps.Sentence{
		steps.Action("the note {text} is left", func(w *steps.World, note string) error {
			return w.Cluster().WriteZnode("/notes/"+note, nil)
		}),
		steps.Assertion("the note {text} is there", func(w *steps.World, note string) func() error {
			return func() error {
				_, ok, err := w.Cluster().Znode("/notes/" + note)
				if err == nil && !ok {
					err = fmt.Errorf("note %q, want it, got none", note)
				}
				return err
			}
		}),
	}
	report, err := (&steps.Suite{Runner: &simrun.Runner{}, Sentences: own, Paths: []string{"."}, FS: fstest.MapFS{
		"notes.feature": {Data: []byte(`Feature: Notes
  Scenario: Notes stay
    Given a v3 cluster of 1 shard with 1 replica
    When the note "milk" is left
    Then for 10s the note "milk" is there
    And within 5s the note "bread" is there
`)}}}).Run()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Results[0].Failure())

	// Output:
	// t+15.007s: note "bread", want it, got none (waited 5s)
}
