// Package engines distributes the points of sweeps over workers. A point is one replication
// of one window of one cell, and a pure function of plan, seed and point. Engines only
// distribute, retry and collect, so every engine gives the same bytes.
//
// Two things to use first:
//
//   - [Open] lists the points of a plan's sweeps; [Grid.Result] turns their samples into the answer.
//   - [Local] simulates them on all cores, [Shard] every N-th of them.
//
// To change:
//
//   - what a point is: grid.go
//   - local runs: engines.go
//   - shards and their files: shard.go
//   - the manifest for Kubernetes: job.go
//
// Unstable: any commit may change it.
package engines

import (
	"context"
	"runtime"
	"sync"

	"github.com/monosim/monosim/runners/whatif/model"
)

// Engine simulates points and passes each sample to sink. It may do so in any order, and may
// pass a point twice, but never calls sink concurrently.
type Engine interface {
	Name() string
	// Share returns how many of n points this engine simulates.
	Share(n int) int
	Run(ctx context.Context, points []Point, simulate func(Point) (*model.Sample, error), sink func(Point, *model.Sample) error) error
}

// Local runs points on goroutines.
type Local struct {
	Workers int // number of workers; 0 means one for each core
}

// Name returns "local".
func (Local) Name() string { return "local" }

// Share returns n: a local engine runs all points.
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
