package steps_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/simrun"
)

// ZooKeeper that is down lets the time pass; ZooKeeper that goes down does not, and is
// back by itself. The method is to look at the cluster time that steps take: a
// write waits for a server that is down.
func TestAnOnsetLetsNoTimePass(t *testing.T) {
	text := `Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    And 10s pass
    And ZooKeeper goes down for 30s
    And 29s pass
    And znode /late is written with "x"
    And znode /soon is written with "x"
    Then znode /late exists
`
	s := &steps.Suite{Runner: &simrun.Runner{}, FS: fstest.MapFS{"x.feature": {Data: []byte(text)}}, Paths: []string{"x.feature"}, Seed: 1}
	report, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	r := &report.Results[0]
	if r.Failure() != nil {
		t.Fatal(r.Failure())
	}
	if took := r.Steps[3].Took; took != 0 {
		t.Errorf("ZooKeeper goes down: got %v of cluster time, want none", took)
	}
	if took := r.Steps[5].Took; took < time.Second {
		t.Errorf("a write 29 s into an outage of 30 s: got it done after %v, want 1s or more", took)
	}
	if took := r.Steps[6].Took; took > time.Second {
		t.Errorf("a write after the outage: got it done after %v, want less than 1s", took)
	}
}
