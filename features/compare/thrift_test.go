package compare_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/deeds"
	"github.com/monosim/monosim/runners/test/simrun"
)

// reader is the simulation, but what its agents read is changed. thrifty says whether it may be less.
type reader struct {
	simrun.Runner
	thrifty bool
	change  func(reads []runners.Observation) []runners.Observation
}

func (*reader) Name() string { return "reader" }

func (r *reader) ReadsLess() bool { return r.thrifty }

func (r *reader) Build(spec runners.Spec) (runners.Cluster, error) {
	c, err := r.Runner.Build(spec)
	return &readerCluster{c, r.change}, err
}

type readerCluster struct {
	runners.Cluster
	change func(reads []runners.Observation) []runners.Observation
}

func (c *readerCluster) Log() []runners.Observation {
	var reads, others []runners.Observation
	for _, o := range c.Cluster.Log() {
		if o.Op == "read" {
			reads = append(reads, o)
		} else {
			others = append(others, o)
		}
	}
	log := slices.Concat(others, c.change(reads))
	slices.SortStableFunc(log, func(a, b runners.Observation) int { return int(a.At - b.At) })
	return log
}

// delayed moves each read by what after returns for its time, and leaves it out if that is negative.
func delayed(after func(at time.Duration) time.Duration) func([]runners.Observation) []runners.Observation {
	return func(reads []runners.Observation) (list []runners.Observation) {
		for _, o := range reads {
			if d := after(o.At); d >= 0 {
				o.At += d
				list = append(list, o)
			}
		}
		return list
	}
}

// Goal: for a runner whose agents may read less, fewer reads than those of any seed are no
// difference, but more of them, or a poll at another period, are. For other runners fewer are one, too.
// Method: a scenario in which an agent of version 1 looks every 60 s; what it reads is changed.
func TestFewerReadsAreNoDifferenceWhereARunnerMayReadLess(t *testing.T) {
	const minute = time.Minute
	for _, c := range []struct {
		name   string
		change func([]runners.Observation) []runners.Observation
		// the first difference found with a runner that is thrifty (reads less of ZooKeeper), and
		// with one that is not
		thrifty, other string
	}{
		{"the same", delayed(func(time.Duration) time.Duration { return 0 }), "", ""},
		{"none at all", func([]runners.Observation) []runners.Observation { return nil }, "", ": comes 0 times, want "},
		{"the first minute alone", delayed(func(at time.Duration) time.Duration {
			if at > minute {
				return -1
			}
			return 0
		}), "", " times, want "},
		{"the last two minutes alone", delayed(func(at time.Duration) time.Duration {
			if at < 9*minute {
				return -1
			}
			return 0
		}), "", " times, want "},
		{"every two minutes", delayed(func(at time.Duration) time.Duration {
			if at/minute%2 == 1 {
				return -1
			}
			return 0
		}), ": comes every 120.0", " times, want "},
		{"twice as often", func(reads []runners.Observation) []runners.Observation {
			return slices.Concat(reads, delayed(func(time.Duration) time.Duration { return minute / 2 })(reads))
		}, " times, want ", " times, want "},
	} {
		for _, thrifty := range []bool{true, false} {
			want := map[bool]string{true: c.thrifty, false: c.other}[thrifty]
			m, _ := run(t, &reader{thrifty: thrifty, change: c.change}, "sessions.feature:124")
			cell, got := m.Scenarios[0].Cells[1], ""
			if cell.First != nil {
				got = cell.First.Brief()
			}
			if cell.Verdict != "passed" || (cell.Log == compare.Same) != (want == "") || !strings.Contains(got, want) || got != "" && cell.First.Track[:6] != "reads " {
				t.Errorf("%s, thrifty %v: got %s, %s, %q, want %q", c.name, thrifty, cell.Verdict, cell.Log, got, want)
			}
			if want == "" && cell.Alike != cell.Deeds {
				t.Errorf("%s, thrifty %v: %d of %d deeds are alike", c.name, thrifty, cell.Alike, cell.Deeds)
			}
			if got != "" && cell.First.Kind == deeds.ByCount && cell.First.TooOften() != (c.name == "twice as often") {
				t.Errorf("%s, thrifty %v: too often or not: %s", c.name, thrifty, got)
			}
		}
	}
}

// idle is a thrifty runner on which nothing happens.
type idle struct{ reader }

func (i *idle) Build(spec runners.Spec) (runners.Cluster, error) {
	c, err := i.Runner.Build(spec)
	return idleCluster{c}, err
}

type idleCluster struct{ runners.Cluster }

func (idleCluster) Start() error { return nil }

// Goal: an agent that does nothing shares no deed, and the first one missing is named, although its
// scenario fails before the slack ends. Method: a cluster that never starts, with reads that may be
// fewer.
func TestAnAgentThatDoesNothingSharesNothing(t *testing.T) {
	c := compare.Comparison{
		Suite:   steps.Suite{FS: fstest.MapFS{"f.feature": {Data: []byte(onePod)}}, Paths: []string{"."}, Seed: 1},
		Runners: []runners.Runner{&simrun.Runner{}, &idle{reader{thrifty: true}}}, Logs: true,
		Slack: deeds.Slack{Least: time.Minute, Part: 0.05},
	}
	m, _, err := c.Run(context.Background(), &steps.Report{})
	if err != nil {
		t.Fatal(err)
	}
	cell := m.Scenarios[0].Cells[1]
	if cell.Verdict != "failed" || cell.Alike != 0 || cell.Deeds == 0 || cell.First == nil || len(cell.First.Got) > 0 {
		t.Errorf("want a failure with none of the deeds and the first that is missing, got %+v", cell)
	}
}
