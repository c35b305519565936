package report_test

import (
	"io"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/monosim/monosim/features/report"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Goal: memory does not grow with the number of runs. Method: compare the heap after some runs and
// after many more, with all forms of report. Half of the runs fail, at different times.

var everySecondFails = fstest.MapFS{"pods.feature": {Data: []byte(`Feature: Pods
  Scenario Outline: Pods are started
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    And 200ms pass
    Then shard0-replica0 <is so>
    Examples:
      | is so     |
      | runs      |
      | has ended |
`)}}

// heap is a listener that measures the heap after certain numbers of runs.
type heap struct {
	runs    int
	at      []int
	measure []uint64 // bytes
}

func (h *heap) Begin(steps.Plan) error { return nil }

func (h *heap) Add(*steps.Result) error {
	h.runs++
	if len(h.at) > 0 && h.runs == h.at[0] {
		h.at = h.at[1:]
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.measure = append(h.measure, m.HeapAlloc)
	}
	return nil
}

func (h *heap) End(*steps.Summary) error { return nil }

// all tells several listeners.
type all []steps.Listener

func (l all) Begin(p steps.Plan) error {
	return l.each(func(one steps.Listener) error { return one.Begin(p) })
}

func (l all) Add(r *steps.Result) error {
	return l.each(func(one steps.Listener) error { return one.Add(r) })
}

func (l all) End(s *steps.Summary) error {
	return l.each(func(one steps.Listener) error { return one.End(s) })
}

func (l all) each(tell func(steps.Listener) error) error {
	for _, one := range l {
		if err := tell(one); err != nil {
			return err
		}
	}
	return nil
}

func TestMemoryDoesNotGrowWithRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs 10,000 clusters")
	}
	h := &heap{at: []int{2_000, 10_000}}
	suite := &steps.Suite{Runner: &simrun.Runner{KeepLog: 1}, FS: everySecondFails, Paths: []string{"."}, Seed: 1, Seeds: 5_000}
	summary, err := suite.Stream(t.Context(), all{h, report.NewProgress(io.Discard), report.NewPretty(io.Discard), report.NewJUnit(io.Discard), report.NewCucumber(io.Discard), report.NewMessages(io.Discard, ""), report.NewHTML(io.Discard)})
	if err != nil || summary.Runs != 10_000 || summary.Failed != 5_000 {
		t.Fatalf("want 10,000 runs with 5,000 failures, got %d with %d, %v", summary.Runs, summary.Failed, err)
	}
	t.Logf("heap after 2,000 runs %d kB, after 10,000 %d kB; %d kinds of failures", h.measure[0]>>10, h.measure[1]>>10, len(summary.Failures))
	// For comparison: keeping 100 bytes of each run would need 800 kB.
	if grown := int64(h.measure[1]) - int64(h.measure[0]); grown > 1<<19 {
		t.Errorf("heap: want no growth from 2,000 to 10,000 runs, got %d kB", grown>>10)
	}
}
