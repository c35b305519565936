package sim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Done is the result of an act.
type Done struct {
	AtSeconds float64 `json:"at_s"`
	// TookSeconds is the cluster time that the act took.
	TookSeconds float64 `json:"took_s"`
	What        string  `json:"what"`
	Error       string  `json:"error,omitempty"`
}

// Script makes the run do acts at given times, in order. A failed act is in the report, and
// the run goes on.
func (c *Cluster) Script(acts []runners.Act) { c.script = acts }

// acts returns the acts of the script, and those that publish the models.
func (c *Cluster) acts() []runners.Act {
	acts := slices.Clone(c.script)
	if c.publishes() && c.options.PublishAfter < c.options.For {
		acts = append(acts, runners.Act{At: c.options.PublishAfter, Text: "every model is declared and published", Do: c.publish})
	}
	slices.SortStableFunc(acts, func(a, b runners.Act) int { return int(a.At - b.At) })
	return acts
}

// run is a running cluster, with what watches it.
type run struct {
	*simrun.Cluster
	options *Options
	story   *story
	pace    *pace
	samples *samples
}

// live starts the cluster, does the acts, and lets the rest of the time pass.
func (r *run) live(ctx context.Context, acts []runners.Act, until time.Duration) error {
	if err := r.Start(); err != nil {
		return err
	}
	for _, act := range acts {
		if err := r.pass(ctx, act.At); err != nil {
			return err
		}
		if err := r.do(act); err != nil {
			return err
		}
	}
	return r.pass(ctx, until)
}

// do does an act. The error is about a cluster that broke.
func (r *run) do(act runners.Act) error {
	began := r.Now()
	err := act.Do(r)
	done := Done{AtSeconds: began.Seconds(), TookSeconds: (r.Now() - began).Seconds(), What: act.Text}
	if broken := r.Failure(); broken != "" {
		return fmt.Errorf("%s: %s", act.Text, broken)
	}
	if err != nil {
		done.Error = err.Error()
	}
	r.story.done = append(r.story.done, done)
	return nil
}

// pass lets time pass until an instant, and takes the samples that are due.
func (r *run) pass(ctx context.Context, until time.Duration) error {
	for now := r.Now(); now < until; now = r.Now() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.pace.step(min(until, r.samples.next) - now); err != nil {
			return err
		}
		r.samples.take(r)
	}
	return nil
}

// ExportVersion exports a version in the cluster, where a roll-out may begin with it.
func (r *run) ExportVersion(basePath string, version, sizeBytes int64) error {
	r.story.exported[fmt.Sprintf("%s/%d", basePath, version)] = r.Now()
	return r.Cluster.ExportVersion(basePath, version, sizeBytes)
}

// Publish publishes a model in the cluster, where a roll-out may begin with it.
func (r *run) Publish(layout, model string, subGraphs ...string) error {
	for _, g := range subGraphs {
		if _, before := r.story.published[model+":"+g]; !before {
			r.story.published[model+":"+g] = r.Now()
		}
	}
	return r.Cluster.Publish(layout, model, subGraphs...)
}
