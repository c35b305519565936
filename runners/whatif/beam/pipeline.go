package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/monosim/monosim/runners/whatif/engines"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

func init() {
	register.DoFn3x1[context.Context, engines.Point, func(int, []byte), error](&simulate{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&keep{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// task is what workers have to do. It is sent as JSON within the pipeline. Its paths must be
// valid on every worker.
type task struct {
	Plan string // path of the plan's file
	Seed uint64
	// Hash is the hash of the plan, and Version the version of the capacity model, both in the
	// program that started the sweep. A worker fails if it reads another plan or has another
	// version.
	Hash, Version string
	Out           string // folder to which workers write one file of samples per cell
	Cache         string // folder in which simulated points are kept for reuse, "" for none
}

// open reads the plan and checks that it has the hash that the task names.
func (t *task) open() (*engines.Grid, error) {
	if t.Version != judge.Version {
		return nil, fmt.Errorf("worker: found version %s of the model, want %s: build workers and the program anew", judge.Version, t.Version)
	}
	source, p, warnings, err := plan.Read(t.Plan)
	if err != nil {
		return nil, err
	}
	p.Seed = t.Seed
	if p.Hash() != t.Hash {
		return nil, fmt.Errorf("%s: found scenario %.12s, want %.12s: the worker sees another file", t.Plan, p.Hash(), t.Hash)
	}
	grid, err := engines.Open(source, p, warnings)
	return grid, err
}

type sample struct {
	Point  engines.Point
	Sample *model.Sample
}

// simulate is the Beam function that simulates a point. It emits the sample with its cell as
// the key.
type simulate struct {
	Task task

	grid  *engines.Grid
	judge *judge.Judge
}

// Setup reads the plan, once for each worker.
func (s *simulate) Setup() (err error) {
	if s.grid, err = s.Task.open(); err != nil {
		return err
	}
	s.judge = &judge.Judge{}
	if s.Task.Cache != "" {
		s.judge.Cache, err = judge.OpenCache(s.Task.Cache)
	}
	return err
}

// ProcessElement simulates one point.
func (s *simulate) ProcessElement(ctx context.Context, p engines.Point, emit func(int, []byte)) error {
	one, err := s.grid.Simulate(ctx, s.judge, p)
	if err != nil {
		return err
	}
	text, err := json.Marshal(sample{p, one})
	if err != nil {
		return err
	}
	emit(p.Cell, text)
	return nil
}

// keep is the Beam function that writes the samples of a cell to a file. Beam may process a
// cell twice, which just writes the same file again.
type keep struct {
	Task task

	grid *engines.Grid
}

// Setup reads the plan.
func (k *keep) Setup() (err error) {
	k.grid, err = k.Task.open()
	return err
}

// ProcessElement writes the file of one cell.
func (k *keep) ProcessElement(_ context.Context, cell int, next func(*[]byte) bool) error {
	samples := engines.Samples{}
	var text []byte
	for next(&text) {
		var one sample
		if err := json.Unmarshal(text, &one); err != nil {
			return fmt.Errorf("cell %d: %w", cell, err)
		}
		samples[one.Point] = one.Sample
	}
	return k.grid.WriteCell(k.Task.Out, cell, samples)
}

// pipeline returns the Beam pipeline that simulates points and writes a file for each cell.
func pipeline(t task, points []engines.Point) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	// reshuffled, so that the points are spread over all workers
	list := beam.Reshuffle(s.Scope("points"), beam.CreateList(s, points))
	samples := beam.ParDo(s.Scope("simulate"), &simulate{Task: t}, list)
	beam.ParDo0(s.Scope("write cells"), &keep{Task: t}, beam.GroupByKey(s, samples))
	return p
}
