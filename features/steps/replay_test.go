package steps_test

import (
	"testing"
	"testing/fstest"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

const outline = `Feature: f
  Scenario Outline: o
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Then within 5s shard0-replica0 was started <n> times
    Examples:
      | n |
      | 1 |
      | 7 |
`

func TestReplayHasEverythingThatTheRunHad(t *testing.T) {
	suite := steps.Suite{
		Runner: &simrun.Runner{}, FS: fstest.MapFS{"it's so/o.feature": {Data: []byte(outline)}}, Paths: []string{"it's so"},
		Seed: 3, Quirks: "fixed", Twice: true, NoLeaps: true, Choices: []runners.Choice{{Node: "zookeeper", Site: "network.latency:shard0-replica0:1", K: 1, Value: 2}}, Explain: -1,
	}
	report, err := suite.Run()
	if err != nil {
		t.Fatal(err)
	}
	want := `monosim test 'it'\''s so/o.feature:9' --seed 3 --quirks fixed --check-determinism --no-leaps` + " --choice 'zookeeper/network.latency:shard0-replica0:1#1=2'"
	if got := report.Results[1].Replay; got != want {
		t.Errorf("replay:\nwant %s\ngot  %s", want, got)
	}
	if e := report.Results[1].Explanation; e != nil {
		t.Errorf("explanation with Explain -1: want none, got %q", e)
	}
}
