package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
)

// Goal: a listener gets the results in one fixed order and as early as possible, however many run
// at the same time. It always hears of the end. Method: clusters whose building waits for that of
// others.

// gated is a runner that calls gate with the seed before it builds a cluster. gate may block.
type gated struct {
	fakeRunner
	gate func(seed uint64)
	mu   sync.Mutex
}

func (g *gated) Build(spec runners.Spec) (runners.Cluster, error) {
	if g.gate != nil {
		g.gate(spec.Seed)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fakeRunner.Build(spec)
}

// told is a listener that records its calls.
type told struct {
	lines []string
	// on, when set, is called with every result, and its error is returned.
	on func(*Result) error
}

func (l *told) Begin(p Plan) error {
	l.lines = append(l.lines, fmt.Sprintf("begin %d scenarios, %d seeds, %d runs", p.Scenarios, p.Seeds, p.Runs))
	return nil
}

func (l *told) Add(r *Result) error {
	l.lines = append(l.lines, fmt.Sprintf("%s, seed %d: %v", r.Name, r.Seed, r.Status))
	if l.on == nil {
		return nil
	}
	return l.on(r)
}

func (l *told) End(s *Summary) error {
	l.lines = append(l.lines, fmt.Sprintf("end %d runs, interrupted %v", s.Runs, s.Interrupted))
	return nil
}

const onePod = `Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    When 2s pass
    Then every pod runs
`

// seedsOf makes a suite of one scenario, with n seeds beginning at 1.
func seedsOf(r runners.Runner, n, jobs int) *Suite {
	return &Suite{Runner: r, FS: fstest.MapFS{"x.feature": {Data: []byte(onePod)}}, Paths: []string{"x.feature"}, Seed: 1, Seeds: n, Jobs: jobs, Explain: -1}
}

// stream runs a suite and returns the calls of its listener.
func stream(t *testing.T, ctx context.Context, s *Suite, on func(*Result) error) ([]string, *Summary, error) {
	t.Helper()
	l := &told{on: on}
	summary, err := s.Stream(ctx, l)
	return l.lines, summary, err
}

func TestResultsAreToldInOrder(t *testing.T) {
	second := make(chan struct{})
	r := &gated{gate: func(seed uint64) {
		switch seed {
		case 1:
			<-second // lets the first run end after the second
		case 2:
			close(second)
		}
	}}
	got, _, err := stream(t, t.Context(), seedsOf(r, 3, 2), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"begin 1 scenarios, 3 seeds, 3 runs", "s, seed 1: passed", "s, seed 2: passed", "s, seed 3: passed", "end 3 runs, interrupted false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestResultsAreToldAsTheyCome(t *testing.T) {
	heard := make(chan struct{})
	r := &gated{gate: func(seed uint64) {
		if seed == 3 {
			<-heard // of the first
		}
	}}
	_, _, err := stream(t, t.Context(), seedsOf(r, 3, 1), func(r *Result) error {
		if r.Seed == 1 {
			close(heard)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnInterruptedRunEndsWithWhatWasTold(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	forever := make(chan struct{})
	defer close(forever)
	heard := make(chan struct{})
	r := &gated{gate: func(seed uint64) {
		if seed == 3 {
			<-heard
			interrupt()
			<-forever // no run has to end before that
		}
	}}
	got, summary, err := stream(t, ctx, seedsOf(r, 1000, 1), func(r *Result) error {
		if r.Seed == 2 {
			close(heard)
		}
		return nil
	})
	if err != nil || summary.Runs != 2 || summary.Plan.Runs != 1000 || !summary.Interrupted {
		t.Errorf("want 2 of 1000 runs and interrupted, got %+v, %v", summary, err)
	}
	want := []string{"begin 1 scenarios, 1000 seeds, 1000 runs", "s, seed 1: passed", "s, seed 2: passed", "end 2 runs, interrupted true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestAnErrorOfTheListenerEndsTheRun(t *testing.T) {
	full := errors.New("no space left on device")
	got, _, err := stream(t, t.Context(), seedsOf(&gated{}, 1000, 2), func(r *Result) error {
		if r.Seed == 2 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) {
		t.Errorf("error: want %v, got %v", full, err)
	}
	if want := "end 2 runs, interrupted false"; got[len(got)-1] != want || len(got) != 4 {
		t.Errorf("told: want 4 lines and %q at the end, got %q", want, got)
	}
}

func TestFailFastEndsInTheOrderOfRuns(t *testing.T) {
	r := &gated{fakeRunner: fakeRunner{prepare: func(c *fakeCluster) {
		c.runs = func(string, time.Duration) bool { return c.spec.Seed < 5 }
	}}}
	s := seedsOf(r, 1000, 3)
	s.FailFast = true
	_, summary, err := stream(t, t.Context(), s, nil)
	if err != nil || summary.Runs != 5 || summary.Failed != 1 || summary.Interrupted {
		t.Errorf("want 5 runs with 1 failure, got %+v, %v", summary, err)
	}
}

func TestFailuresOfAKindAreOneGroup(t *testing.T) {
	r := &gated{fakeRunner: fakeRunner{prepare: func(c *fakeCluster) {
		c.runs = func(string, time.Duration) bool { return c.spec.Seed%10 != 0 }
		c.now = time.Duration(c.spec.Seed) * time.Second // in every message
		if c.spec.Seed > 100 {
			c.broken = "panic number " + strings.Repeat("I", int(c.spec.Seed-100))
		}
	}}}
	_, summary, err := stream(t, t.Context(), seedsOf(r, 120, 2), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range summary.Failures {
		got = append(got, fmt.Sprintf("%d runs, seeds %v: %v", g.Runs, g.Seeds, g.First.Failure()))
	}
	want := []string{
		"10 runs, seeds [10 20 30 40 50]: t+12.000s: agent of shard0-replica0, want running, got ended with 0",
		"1 runs, seeds [101]: t+103.000s: the run itself broke: panic number I",
		"1 runs, seeds [102]: t+104.000s: the run itself broke: panic number II",
		"1 runs, seeds [103]: t+105.000s: the run itself broke: panic number III",
		"1 runs, seeds [104]: t+106.000s: the run itself broke: panic number IIII",
		"1 runs, seeds [105]: t+107.000s: the run itself broke: panic number IIIII",
		"15 runs, seeds [106 107 108 109 110]: t+108.000s: the run itself broke: panic number IIIIII", // all others
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if summary.Failed != 30 {
		t.Errorf("failures: want 30, got %d", summary.Failed)
	}
}

func TestAPanicIsAFailureThatSaysWhere(t *testing.T) {
	s := seedsOf(&fakeRunner{prepare: func(c *fakeCluster) {
		c.runs = func(string, time.Duration) bool { panic("no lamp") }
	}}, 1, 1)
	got := failure(t, s)
	if !strings.HasPrefix(got, "panic: no lamp\n") || !strings.Contains(got, "features/steps.(*World).") || !strings.Contains(got, "stream_test.go:") {
		t.Errorf("failure: want the panic and where it was, got %s", got)
	}
}
