// Package engines distributes the points of sweeps: one replication of one window of one
// cell each, a pure function of plan, seed and point. An engine only distributes, tries
// again and collects; the answer is the same bytes by each.
//
// Two things to use first:
//
//   - [Open] lists the points of a plan's sweeps; [Grid.Result] makes the answer of their
//     samples.
//   - [Local] simulates them on all cores, [Shard] every N-th of them.
//
// To change what a point is look in grid.go; local runs are in engines.go, shards and
// their files in shard.go, the manifest for Kubernetes in job.go.
package engines

import (
	"context"
	"runtime"
	"sync"

	"github.com/monosim/monosim/runners/whatif/model"
)

// Engine runs points and hands each sample to sink, in any order, from one goroutine at a
// time. A point may be handed over twice.
type Engine interface {
	Name() string
	// Share is how many of n points it runs.
	Share(n int) int
	Run(ctx context.Context, points []Point, simulate func(Point) (*model.Sample, error), sink func(Point, *model.Sample) error) error
}

// Local runs points on goroutines.
type Local struct {
	Workers int // 0 for one a core
}

// Name returns local.
func (Local) Name() string { return "local" }

// Share returns all.
func (Local) Share(n int) int { return n }

// Run runs all points.
func (l Local) Run(ctx context.Context, points []Point, simulate func(Point) (*model.Sample, error), sink func(Point, *model.Sample) error) error {
	workers := l.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan Point)
	var lock sync.Mutex
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for p := range next {
				s, err := simulate(p)
				if err == nil {
					lock.Lock()
					err = sink(p, s)
					lock.Unlock()
				}
				if err != nil {
					stop(err)
				}
			}
		})
	}
	for _, p := range points {
		select {
		case next <- p:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	wait.Wait()
	return context.Cause(ctx)
}
