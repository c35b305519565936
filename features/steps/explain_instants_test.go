package steps_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/show/timeline"
	"github.com/monosim/monosim/runners/test/simrun"
)

const lostFeature = `Feature: Lost
  Scenario: The bindings of a session that expired
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    When model ctr is declared and published to layout main
    And the cluster starts
    And 110s pass
    And the ZooKeeper session of shard0-replica0 expires
    And 150s pass
    Then the cluster is whole
`

// Goal: an explanation begins where the failure was lost, and that and the invariant that broke are
// instants of the result.
func TestAnExplanationBeginsWhereItWasLost(t *testing.T) {
	lost := timeline.Instant{At: 110 * time.Second, Who: "shard0-replica0", Text: "the session was gone"}
	s := &steps.Suite{
		Runner: &simrun.Runner{KeepLog: 1}, FS: fstest.MapFS{"x.feature": {Data: []byte(lostFeature)}}, Paths: []string{"x.feature"}, Seed: 1,
		Instants: func(string) []timeline.Instant { return []timeline.Instant{lost} },
	}
	report, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	r := report.Results[0]
	if len(r.Explanation) < 3 || r.Explanation[0] != "lost at t+110.000s: the session was gone" || !strings.HasPrefix(r.Explanation[2], "[1]  t+110.") {
		t.Errorf("explanation:\n%s\nwant it to say when it was lost, and what happened from then on", strings.Join(r.Explanation, "\n"))
	}
	if len(r.Instants) != 2 || r.Instants[0] != lost || r.Instants[1].At < 4*time.Minute || !strings.HasPrefix(r.Instants[1].Text, "bound is broken: ") {
		t.Errorf("instants: got %+v, want that, and when bound broke", r.Instants)
	}
	chart := timeline.NewChart(r.Log, r.Stats.Virtual, r.Instants...)
	marked := 0
	for i, m := range chart.Marks {
		if m.Op == "instant" {
			marked++
		}
		if i > 0 && m.AtNs < chart.Marks[i-1].AtNs {
			t.Errorf("mark %d of the chart is not in order", i)
		}
	}
	if marked != 2 {
		t.Errorf("the chart has %d marks of instants, want 2", marked)
	}
}
