package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/deeds"
)

// measure runs a scenario on the first runner with as many seeds as are needed, and keeps the logs
// of its actions.
type measure struct {
	trial  *trial
	runner runners.Runner
	logs   []seen
	// seeds is how many seeds were run, including those that did not pass.
	seeds int
}

// seen is the log of the actions in one run on the first runner. seed is the number of the suite's
// seed, counted from 0. ends has the time at which each step of the scenario was over.
type seen struct {
	seed int
	log  *deeds.Log
	ends []time.Duration
}

func seenIn(seed int, r *steps.Result) seen {
	s, end := seen{seed: seed, log: deeds.Read(r.Log)}, time.Duration(0)
	for _, step := range r.Steps {
		end += step.Took
		s.ends = append(s.ends, end)
	}
	return s
}

// upTo returns the log of what was done until a step was over, without what the next step did at that
// moment. A step of which this is not known, such as -1, cuts nothing off.
func (s *seen) upTo(step int) *deeds.Log {
	if step < 0 || step >= len(s.ends) {
		return s.log
	}
	until := &deeds.Log{}
	for _, t := range s.log.Tracks {
		end := s.ends[step]
		if t.Topic() == "answer" {
			end++ // the answer that ended the step counts
		}
		kept := lists.Filter(t.Deeds, func(d deeds.Deed) bool { return d.First < end })
		if len(kept) > 0 {
			until.Tracks = append(until.Tracks, &deeds.Track{Name: t.Name, Deeds: kept})
		}
	}
	return until
}

// setSeeds is how many seeds are run for Cell.Seeds at first. More are run only if none of these
// does the same as the run in all tracks of the log.
const setSeeds = 30

// view compares one run with the runs of the first runner. It leaves out tracks of the log that the
// run's runner cannot observe.
type view struct {
	*measure
	got    *deeds.Log
	unseen []string
	slack  deeds.Slack
	// thrifty says that the run may read ZooKeeper less often than the first runner does.
	thrifty bool
	// until is a step of the scenario. What the first runner did after it is left out, unless it is -1.
	until int
}

// view prepares the comparison of a run's log with the logs of the first runner. late is how late
// the machine was during the run.
func (m *measure) view(r runners.Runner, got *deeds.Log, unseen []string, late time.Duration) *view {
	slack := m.trial.comparison.slack()
	slack.Late = late
	thrifty, ok := r.(runners.Thrifty)
	return &view{m, got.Without(unseen), unseen, slack, ok && thrifty.ReadsLess(), -1}
}

// did returns the run's log, for a comparison with the logs in open. If the run may read ZooKeeper
// less often than the first runner, did adds reads to each track: as many as it lacks against the
// log in open that has the fewest.
func (v *view) did(open deeds.Open) *deeds.Log {
	if v.thrifty {
		return readsAtLeast(v.got, open)
	}
	return v.got
}

// differences compares the run with the logs in open. What happened to processes comes first, as all else
// may follow from it. Then comes what shows first in the run. What is read and what agents answer follows
// from what was done, so it comes last.
func (v *view) differences(open deeds.Open, slack deeds.Slack) []deeds.Difference {
	found := periods(open, v.got, slack.Late)
	for _, d := range deeds.Compare(open, v.did(open), slack) {
		if !slices.ContainsFunc(found, func(p deeds.Difference) bool { return p.Track == d.Track && d.Kind == deeds.ByTime }) {
			found = append(found, d)
		}
	}
	slices.SortStableFunc(found, func(a, b deeds.Difference) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(shows(&a), shows(&b)))
	})
	return found
}

// Ranks of differences: causes come before what follows from them.
const (
	rankOfAgents = iota // their processes
	rankOfServers
	rankOfActs
	rankOfReads
	rankOfAnswers
)

func rank(d *deeds.Difference) int {
	switch topic, _, _ := strings.Cut(d.Track, " "); {
	case topic == "process" && strings.HasSuffix(d.Track, " "+runners.AgentProcess):
		return rankOfAgents
	case topic == "process", topic == "child":
		return rankOfServers
	case topic == deeds.ReadsTopic:
		return rankOfReads
	case topic == "answer":
		return rankOfAnswers
	}
	return rankOfActs
}

// shows returns the time at which a difference begins: of the deed that differs, on the side that has it
// earlier, or of the second act of a round that comes at another period.
func shows(d *deeds.Difference) time.Duration {
	first := time.Duration(math.MaxInt64)
	for _, list := range [][]deeds.Deed{d.Want, d.Got} {
		if d.At < len(list) {
			first = min(first, list[d.At].First+list[d.At].Every)
		}
	}
	return first
}

// most returns the limit on the number of seeds to run.
func (m *measure) most() int { return cmp.Or(m.trial.comparison.Most, mostSeeds) }

// hold returns in what the run's log differs from all logs of the first runner. As long as it
// differs, more seeds are run, up to the limit.
func (v *view) hold(ctx context.Context) []deeds.Difference {
	for n := 1; ; n = min(4*n, v.most()) {
		complete := v.upTo(ctx, n)
		if found := v.differences(v.open(n), v.slack); len(found) == 0 || n == v.most() || !complete {
			return found
		}
	}
}

// set finds the seeds with which the first runner does the same as the run. It tries setSeeds
// seeds, and if none of these does, all seeds that may be run.
func (v *view) set(ctx context.Context) *Seeds {
	for _, n := range []int{min(setSeeds, v.most()), v.most()} {
		if !v.upTo(ctx, n) {
			break
		}
		same := lists.Select(v.logs, func(s seen) (int, bool) {
			return s.seed + int(v.trial.comparison.Suite.Seed), s.seed < n && len(v.differences(deeds.Open{s.log.Without(v.unseen)}, v.slack)) == 0
		})
		if len(same) > 0 || n == v.most() {
			return &Seeds{Of: n, Whole: ranges(same)}
		}
	}
	return nil // interrupted
}

// ranges writes sorted numbers as "1-3,7".
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		if k > i {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[k]))
		} else {
			parts = append(parts, fmt.Sprint(list[i]))
		}
		i = k + 1
	}
	return strings.Join(parts, ",")
}

// open returns the logs of the first runner with its first n seeds, without tracks that the run's
// runner cannot observe.
func (v *view) open(n int) (open deeds.Open) {
	for _, s := range v.logs {
		if s.seed < n {
			open = append(open, s.upTo(v.until).Without(v.unseen))
		}
	}
	return open
}

// punctual returns a view of a run that was cut off, in which every action that the first runner
// had done before the cut was due at once, without slack. With slack, an agent that does nothing
// would have missed nothing, because a scenario fails before the slack is over.
func (v *view) punctual() *view {
	p := *v
	// chosen so that, with the slack subtracted, it is Ended
	until := float64(v.got.Ended+v.slack.Least+v.slack.Late) / (1 - v.slack.Part)
	p.got = &deeds.Log{Tracks: v.got.Tracks, Ended: time.Duration(until)}
	return &p
}

// missing returns the first missing action of a run that ended with a step, against the seed of the first
// runner with which the fewest are missing but not none, or nil. With other seeds it may not have been due
// yet. What the first runner did after that step was not due either.
func (v *view) missing(step int) *deeds.Difference {
	var fewest []deeds.Difference
	p := v.punctual()
	p.until = step
	for _, l := range p.open(p.most()) {
		found := lists.Filter(p.differences(deeds.Open{l}, p.slack), lacks)
		if len(found) > 0 && (fewest == nil || len(found) < len(fewest)) {
			fewest = found
		}
	}
	if fewest == nil {
		return nil
	}
	return &fewest[0]
}

// lacks reports whether a difference is that an action is missing.
func lacks(d deeds.Difference) bool { return d.Kind == deeds.ByDeed && d.At >= len(d.Got) }

// agreement counts all actions in the logs of the run and of the first runner, and those that are
// the same in both. If the run may read ZooKeeper less often, tracks of reads that it lacks do not
// count.
func (v *view) agreement() (same, all int) {
	open := v.open(v.seeds)
	if v.thrifty {
		open = withoutUnread(open, v.got)
	}
	return deeds.Agreement(open, v.did(open), v.slack)
}

// slack returns by how much the time of an action may differ from its time on the first runner.
func (c *Comparison) slack() deeds.Slack { return cmp.Or(c.Slack, DefaultSlack) }

// upTo runs those of the first n seeds that have not run yet. It reports whether all n have run.
func (m *measure) upTo(ctx context.Context, n int) bool {
	if n <= m.seeds {
		return true
	}
	s := m.trial.comparison.suite(m.trial.scenario, m.runner)
	s.Seed, s.Seeds, s.Explain = s.Seed+uint64(m.seeds), n-m.seeds, -1
	k := &keep{m, m.seeds}
	_, err := s.Stream(ctx, k)
	m.seeds = k.next
	return err == nil && m.seeds == n
}

// keep is a listener that stores the logs of the runs that passed.
type keep struct {
	*measure
	next int
}

func (*keep) Begin(steps.Plan) error { return nil }

func (k *keep) Add(r *steps.Result) error {
	if r.Status == steps.Passed {
		k.logs = append(k.logs, seenIn(k.next, r))
	}
	k.next++
	return nil
}

func (*keep) End(*steps.Summary) error { return nil }
