package compare

import (
	"cmp"
	"context"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/deeds"
)

// measure runs a scenario on the first runner, with more and more seeds, and keeps the logs.
type measure struct {
	trial  *trial
	runner runners.Runner
	logs   deeds.Open
	// seeds counts the seeds that were run; some may not have passed.
	seeds int
}

// hold compares a log with those of the measure. While it differs, more seeds are run. late is by
// how much the machine was late.
func (m *measure) hold(ctx context.Context, got *deeds.Log, unseen []string, late time.Duration) (verdict string, found []deeds.Difference) {
	c := m.trial.comparison
	slack, most := c.slack(), cmp.Or(c.Most, mostSeeds)
	slack.Late = late
	got = got.Without(unseen)
	m.seeds = max(m.seeds, 1)
	for {
		open := m.seen(unseen)
		found = deeds.Compare(open, got, slack)
		switch {
		case len(found) == 0 && deeds.EqualTo(open[:1], got) == 0:
			return Equal, nil
		case len(found) == 0:
			return Open, nil
		case m.seeds >= most || !m.more(ctx, min(m.seeds*3, most-m.seeds)):
			return Differs, found
		}
	}
}

// seen returns the logs of the measure without what a runner cannot see.
func (m *measure) seen(unseen []string) deeds.Open {
	return lists.Map(m.logs, func(l *deeds.Log) *deeds.Log { return l.Without(unseen) })
}

// agreement counts the deeds of a log and of the measure, and those that both have. late is by how
// much the machine was late.
func (m *measure) agreement(got *deeds.Log, unseen []string, late time.Duration) (same, all int) {
	slack := m.trial.comparison.slack()
	slack.Late = late
	return deeds.Agreement(m.seen(unseen), got.Without(unseen), slack)
}

// slack returns how far the time of a deed may be off.
func (c *Comparison) slack() deeds.Slack { return cmp.Or(c.Slack, DefaultSlack) }

// more runs n more seeds, and reports whether that gave more logs.
func (m *measure) more(ctx context.Context, n int) bool {
	s := m.trial.comparison.suite(m.trial.scenario, m.runner)
	s.Seed, s.Seeds, s.Explain = s.Seed+uint64(m.seeds), n, -1
	m.seeds += n
	before := len(m.logs)
	_, err := s.Stream(ctx, keep{m})
	return err == nil && len(m.logs) > before
}

// keep reads the logs of runs that passed.
type keep struct{ *measure }

func (keep) Begin(steps.Plan) error { return nil }

func (k keep) Add(r *steps.Result) error {
	if r.Status == steps.Passed {
		k.logs = append(k.logs, deeds.Read(r.Log))
	}
	return nil
}

func (keep) End(*steps.Summary) error { return nil }
