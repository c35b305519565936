package steps_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

var lasted = regexp.MustCompile(` for \S+$`)

// Goal: "ZooKeeper is down for 10m" lets that time pass. "ZooKeeper goes down for 10m" lets no time
// pass, and ends by itself. Method: measure the cluster time of the steps. A write waits for a
// server that is down.
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

// anyPS matches the names of PS.
var anyPS = regexp.MustCompile(`\bps\d+\b`)

// Goal: every fault that lasts also has a sentence for its onset, which lets no time pass and ends
// by itself. Method: run the example of each, and look at when the fault began and ended.
func TestEveryLastingFaultHasAnOnset(t *testing.T) {
	runner := &simrun.Runner{}
	examples := map[string]string{}
	for _, d := range steps.Describe(runner.Faults()) {
		if strings.HasPrefix(d.Passes, "never: ") {
			examples[strings.TrimSuffix(d.Sentence, "( for {duration})")] = d.Example
		}
	}
	for _, k := range runner.Faults() {
		if k.Lasts == "" {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			example := examples[k.Onset]
			if example == "" {
				t.Fatalf("onset %q: found no description that says that no time passes", k.Onset)
			}
			example = strings.ReplaceAll(lasted.ReplaceAllString(example, ""), "predict_ctr:ps_0", "ctr:entry") // of this cluster
			example = anyPS.ReplaceAllString(example, "ps0") + " for 10m"
			text := `Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And a training job with 1 worker and 1 PS
    And the job setting application_master is "true"
    And the job setting discovery is "consul"
    And model ctr is declared and published to layout main
    When the cluster starts
    And the training starts
    And 10s pass
    ` + example + `
    And 15m pass
    Then every pod runs
`
			s := &steps.Suite{Runner: runner, FS: fstest.MapFS{"x.feature": {Data: []byte(text)}}, Paths: []string{"x.feature"}, Seed: 1, Detail: true}
			report, err := s.Run()
			if err != nil {
				t.Fatal(err)
			}
			r := &report.Results[0]
			onset, rest := r.Steps[9], r.Steps[10]
			if onset.Status != steps.Passed || rest.Status != steps.Passed || onset.Took != 0 {
				t.Fatalf("%s: got %v, %v and %v of cluster time, want it done in no time", example, onset.Err, rest.Err, onset.Took)
			}
			at := map[string][]time.Duration{}
			for _, o := range r.Log {
				if o.Path == k.Name {
					at[o.Op] = append(at[o.Op], o.At)
				}
			}
			begun, ended := at["fault.begin"], at["fault.end"]
			if len(begun) != 1 || len(ended) != 1 || ended[0]-begun[0] != 10*time.Minute {
				t.Errorf("%s: got it begun at %v and ended at %v, want 10m between", example, begun, ended)
			}
		})
	}
}

// Goal: a fault that a step ends before its time does not end a second time.
func TestAnOnsetCanBeTakenBack(t *testing.T) {
	text := `Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    And 10s pass
    And ZooKeeper goes down for 30s
    And 10s pass
    And ZooKeeper is back
    And ZooKeeper is down for 5s
    And 40s pass
    Then every pod runs
`
	s := &steps.Suite{Runner: &simrun.Runner{}, FS: fstest.MapFS{"x.feature": {Data: []byte(text)}}, Paths: []string{"x.feature"}, Seed: 1, Detail: true}
	report, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Results[0].Failure(); err != nil {
		t.Fatal(err)
	}
	ends := 0
	for _, o := range report.Results[0].Log {
		if o.Op == "fault.end" {
			ends++
		}
	}
	if ends != 2 {
		t.Errorf("ends: want 2, both that were asked for, got %d", ends)
	}
}
