package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/monosim/monosim/runners/whatif/engines"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

type options struct {
	plan, out, cache string
	seed             *uint64 // nil if the plan's seed is used
	runner           string
	attempts         int
}

// sweep simulates all points of a plan on Beam and returns the result. It restarts a run
// that fails. With a cache it skips points that were already simulated.
func sweep(ctx context.Context, o options) (*result.Result, error) {
	t, grid, err := o.task()
	if err != nil {
		return nil, err
	}
	var failures []error
	for n := 1; ; n++ {
		if err := awaitWorkers(ctx); err != nil {
			return nil, errors.Join(append(failures, err)...)
		}
		_, err := beam.Run(ctx, o.runner, pipeline(t, grid.Points()))
		if err == nil {
			break
		}
		failures = append(failures, fmt.Errorf("attempt %d of %d: %w", n, o.attempts, err))
		if n == o.attempts || ctx.Err() != nil {
			return nil, errors.Join(failures...)
		}
		fmt.Fprintln(os.Stderr, "monosim-beam:", failures[n-1])
	}
	samples, err := grid.Merge(o.out)
	if err != nil {
		return nil, err
	}
	return grid.Result(samples)
}

// mostAway is how long a pool of workers may be unreachable, for example while it is replaced.
const mostAway = time.Minute

// awaitWorkers waits until the external pool of workers, if there is one, can be reached. Without
// this wait prism would end the whole program if it could not reach the pool.
func awaitWorkers(ctx context.Context) error {
	if !strings.EqualFold(*jobopts.EnvironmentType, "EXTERNAL") {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, mostAway)
	defer stop()
	return await(ctx, *jobopts.EnvironmentConfig)
}

// await waits until a server listens on an address.
func await(ctx context.Context, address string) error {
	var dialer net.Dialer
	for {
		c, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: found nobody who listens: %w", address, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// task returns the task for workers and the plan's grid of points.
func (o *options) task() (task, *engines.Grid, error) {
	t := task{Version: judge.Version}
	for _, path := range []struct{ from, to *string }{{&o.plan, &t.Plan}, {&o.out, &t.Out}, {&o.cache, &t.Cache}} {
		if *path.from == "" {
			continue
		}
		absolute, err := filepath.Abs(*path.from)
		if err != nil {
			return t, nil, err
		}
		*path.to = absolute
	}
	source, p, warnings, err := plan.Read(o.plan)
	if err != nil {
		return t, nil, err
	}
	if o.seed != nil {
		p.Seed = *o.seed
	}
	t.Hash, t.Seed = p.Hash(), p.Seed
	grid, err := engines.Open(source, p, warnings)
	return t, grid, err
}
