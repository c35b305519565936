package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/timeline"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/runners/whatif/outlook"
)

// Run builds and starts the cluster, publishes the models, and passes virtual time until the
// end. progress, unless nil, is called from time to time, and its error ends the run. An
// error without a report is a mistake of the user. An error with a report says why the run
// ended early, as when ctx was cancelled. Report and trace then cover the run until that
// moment.
func (c *Cluster) Run(ctx context.Context, progress func(outlook.Far) error) (*Report, error) {
	trace, err := c.trace()
	if err != nil {
		return nil, err
	}
	if trace != nil {
		defer trace.Discard()
	}
	var r *run
	built, err := (&simrun.Runner{KeepLog: 1, Traffic: true, OnObservation: func(o runners.Observation) {
		r.observe(o)
		if trace != nil {
			trace.Observe(o)
		}
	}}).Build(c.Spec())
	if err != nil {
		return nil, err
	}
	r = &run{Cluster: built.(*simrun.Cluster), story: newStory(c), samples: newSamples(c.every())}
	defer r.Close()
	r.pace = newPace(c, r, progress)
	begin := time.Now()
	failure := r.live(ctx, c.acts(), c.options.For)
	if broken := r.Failure(); failure == nil && broken != "" {
		failure = errors.New(broken)
	}
	r.samples.look(r, r.Now())
	report := r.report(time.Since(begin), failure)
	if trace != nil {
		failure = errors.Join(failure, trace.Close())
	}
	return report, failure
}

// every returns the virtual time between two samples. Without an option it is a 500th of the
// run, in whole seconds and at least one second.
func (c *Cluster) every() time.Duration {
	if c.options.Every > 0 {
		return c.options.Every
	}
	return max((c.options.For / 500).Truncate(time.Second), time.Second)
}

// trace creates the trace file. It returns nil if Options.Trace names none.
func (c *Cluster) trace() (*timeline.File, error) {
	if c.options.Trace == "" {
		return nil, nil
	}
	file, err := timeline.Create(c.options.Trace)
	if err != nil {
		return nil, err
	}
	file.Begin(timeline.Run{Name: c.options.Conf, Seed: c.options.Seed})
	return file, nil
}

// Spec returns the cluster as a runners.Spec.
func (c *Cluster) Spec() runners.Spec {
	o := c.options
	return runners.Spec{
		Seed: o.Seed, Conf: c.conf, ConfName: o.Conf, Shards: c.shards, Replicas: o.Replicas, Groups: c.groups,
		Locations: c.locations, Models: c.models,
		ZooKeeper: o.ZooKeeper, ModelServer: o.ModelServer, Quirks: o.Quirks, RestartAfter: o.RestartAfter,
		Serving: runners.ServingSpec{MemoryLimitBytes: o.MemoryLimitBytes, LoadBytesPerSecond: o.LoadBytesPerSecond},
		Detail:  o.Trace != "", Replay: o.Replay, NoLeaps: o.NoLeaps,
	}
}

func (c *Cluster) publish(cluster runners.Cluster) error {
	for _, m := range c.models {
		for _, g := range m.SubGraphs {
			if err := cluster.Declare(m.Name, g.Name, m.BasePath+"/"+g.Name, c.options.Policy); err != nil {
				return fmt.Errorf("declare %s:%s: %w", m.Name, g.Name, err)
			}
		}
	}
	for _, m := range c.models {
		if err := cluster.Publish("", m.Name, m.SubGraphNames()...); err != nil {
			return fmt.Errorf("publish %s: %w", m.Name, err)
		}
	}
	return nil
}
