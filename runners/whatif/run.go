package whatif

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/simrun"
	"github.com/monosim/monosim/runners/timeline"
)

// Run builds the cluster, starts it, publishes the models, and lets virtual time pass
// to the end. progress, unless nil, is called with the virtual time now and then. An
// error without a report is a mistake in what the user asked for; an error with one
// says why the run broke off. It breaks off when ctx ends, too, with its cause; report
// and trace then have what was done.
func (c *Cluster) Run(ctx context.Context, progress func(now time.Duration)) (*Report, error) {
	story := newStory(c)
	trace, err := c.trace()
	if err != nil {
		return nil, err
	}
	if trace != nil {
		defer trace.Discard()
	}
	cluster, err := (&simrun.Runner{KeepLog: 1, OnObservation: func(o runners.Observation) {
		story.observe(o)
		if trace != nil {
			trace.Observe(o)
		}
	}}).Build(c.spec())
	if err != nil {
		return nil, err
	}
	defer cluster.Close()
	if progress == nil {
		progress = func(time.Duration) {}
	}
	begin := time.Now()
	failure := c.live(ctx, cluster, progress)
	report := story.report(cluster, time.Since(begin), failure)
	if trace != nil {
		failure = errors.Join(failure, trace.Close())
	}
	return report, failure
}

// trace begins the file of Options.Trace, if there is one.
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

// spec is the cluster as runners take it.
func (c *Cluster) spec() runners.Spec {
	o := c.options
	return runners.Spec{
		Seed: o.Seed, Conf: c.conf, ConfName: o.Conf, Shards: c.shards, Replicas: o.Replicas,
		Locations: c.locations, Models: c.models,
		ZooKeeper: o.ZooKeeper, ModelServer: o.ModelServer, Quirks: o.Quirks, RestartAfter: o.RestartAfter,
		Detail: o.Trace != "", Replay: o.Replay,
	}
}

// live starts the cluster, publishes and lets the rest of the time pass.
func (c *Cluster) live(ctx context.Context, cluster runners.Cluster, progress func(now time.Duration)) error {
	if err := cluster.Start(); err != nil {
		return err
	}
	if c.publishes() && c.options.PublishAfter < c.options.For {
		if err := c.pass(ctx, cluster, c.options.PublishAfter, progress); err != nil {
			return err
		}
		if err := c.publish(cluster); err != nil {
			return err
		}
	}
	return c.pass(ctx, cluster, c.options.For, progress)
}

// publish declares and publishes everything.
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

// pass lets time pass until an instant.
func (c *Cluster) pass(ctx context.Context, cluster runners.Cluster, until time.Duration, progress func(now time.Duration)) error {
	// Many small steps, so that progress shows; they do not change the run.
	step := max(c.options.For/500, time.Second)
	for now := cluster.Now(); now < until; now = cluster.Now() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := cluster.Pass(min(step, until-now), nil); err != nil {
			return err
		}
		progress(cluster.Now())
	}
	return nil
}
