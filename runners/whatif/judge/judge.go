// Package judge simulates plans until enough is known, and says whether they hold.
//
// Two things to use first:
//
//   - [Judge.Evaluate] simulates one plan under one condition, in rounds that double,
//     until its objectives are decided and its estimates precise, or the budget ends.
//   - [Judge.Run] answers `monosim whatif run`.
//
// To change:
//
//   - when a simulation ends: judge.go
//   - which estimates there are: estimates.go
//   - what is cut of a warm-up: warmup.go
//   - quantiles of all replications together: quantiles.go
//   - what a result has of every replication: records.go
//   - how objectives are judged: verdicts.go
//   - which conditions there are: conditions.go, and what "any K" of them takes away, in
//     placements.go
//   - what is done with values that are not known for sure: worlds.go
//   - what a result has: report.go
//   - how saturated a fleet is: saturation.go
//   - closed forms: theory.go, and what requests take without any queue, in floor.go
//   - what is traced: trace.go
package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// Version names what the model computes. It is part of the key of every cached point.
const Version = "7"

// Judge simulates plans. The zero value uses all cores and has no progress and no budget
// of wall time.
type Judge struct {
	// Workers is how many replications run at once; 0 for one a core. Results do not
	// depend on it.
	Workers int
	// Progress, unless nil, is called with how far it is, by one goroutine at a time.
	Progress func(Far)
	// Deadline ends simulations, when set; results are then marked.
	Deadline time.Time
	// Cache, unless nil, keeps samples.
	Cache Cache

	mu       sync.Mutex
	taken    int64 // requests of samples, from the cache, too
	requests int64
	calls    int64
	events   uint64
	far      Far
}

// Far is how far simulations are.
type Far struct {
	Requests int64 // simulated in all
	// Done are the replications of windows that are simulated of what is asked for now,
	// Most how many it takes at most.
	Done, Most int
}

// Expect says how many replications of windows come next, at most.
func (j *Judge) Expect(most int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.far.Done, j.far.Most = 0, most
}

// Cache keeps samples by key.
type Cache interface {
	Get(key string) (*model.Sample, bool)
	Put(key string, s *model.Sample) error
}

// Simulated returns how many requests, calls and events were simulated so far.
func (j *Judge) Simulated() (requests, calls int64, events uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.requests, j.calls, j.events
}

// Goal says when an evaluation has enough.
type Goal struct {
	// Precise asks for the precision of the plan, and not only for verdicts.
	Precise bool
	// Reject ends a simulation as soon as one objective fails: a search asks no more of a
	// candidate (CAP-6.4).
	Reject bool
	// Confidence is that of each verdict; 0 for the plan's.
	Confidence float64
	// Replications, when set, is exactly how many to run.
	Replications int
	// Records asks for what every replication gave; see [Evaluation.Records].
	Records bool
}

// Evaluation is what is known of a plan under a condition.
type Evaluation struct {
	Plan      *plan.Plan
	Condition model.Condition
	Spec      *model.Spec
	Windows   []Pool
	Runs      int
	Stopped   string
	Marked    bool
	// Short says that the wall clock's budget ended before as many replications were whole as a
	// verdict takes: what they estimate is then undecided (CAP-5.6).
	Short bool
	Goal  Goal

	lives   []model.Life    // of each replication: they are the same in every window
	samples []*model.Sample // of which records are asked for, until it has stopped
	records []result.Record
}

// Pool is what is known of one window.
type Pool struct {
	Window model.Window
	// Known is what counts of it: without the warm-up that is cut.
	Known
	Little     int64
	Conserved  bool
	Hash       uint64
	Cut        int64 // ns from its begin
	Stationary bool

	segments int // that are cut
	// after is what is known without so many of its first segments; but for a steady
	// window nothing is cut, and there is one.
	after []Known
}

// Known is what is known of a window from an instant on.
type Known struct {
	Sum model.Sample // of all replications
	// Corrected are the latencies of a closed loop with those that were not asked for.
	Corrected model.Hist
	// Values are those of each replication, by metric.
	Values map[string][]float64
	// Never counts by metric the replications in which what it times did not come: the
	// value is then what it took at least.
	Never map[string]int
	// Over are for each limit the requests that exceed it, by replication.
	Over    [][]int64
	Arrived []int64
	Bad     []int64
	Models  []PerModel // of a mix
}

// Evaluate simulates a plan under a condition.
func (j *Judge) Evaluate(ctx context.Context, p *plan.Plan, c model.Condition, g Goal) (*Evaluation, error) {
	if g.Confidence == 0 {
		g.Confidence = float64(p.Precision.Verdict)
	}
	e := newEvaluation(p, c, g)
	key := Key(p, c)
	want, most := p.Budget.MinReplications, p.Budget.MaxReplications
	if g.Replications > 0 {
		want, most = g.Replications, g.Replications
	}
	spent := int64(0)
	j.Expect(most * len(e.Spec.Windows))
	for {
		samples, err := j.batch(ctx, e.Spec, key, e.Runs, want)
		if err != nil {
			return nil, err
		}
		for _, s := range samples {
			e.Windows[s.Window].add(e, s)
			spent += s.Requests
		}
		cut := e.Runs+len(samples)/len(e.Spec.Windows) < want
		e.Runs += len(samples) / len(e.Spec.Windows)
		e.Short = cut && e.Runs < most && (g.Replications > 0 || e.Runs < p.Budget.MinReplications)
		if e.Stopped = e.enough(spent, cut || j.Late(), cut); e.Stopped != "" {
			e.Marked = e.Stopped == stoppedWall
			e.keepRecords()
			return e, nil
		}
		want = min(2*want, p.Budget.MaxReplications)
		if b := int64(p.Budget.Requests); b > 0 { // no more than what is left, by what a replication took
			want = min(want, e.Runs+int(max(1, (b-spent)*int64(e.Runs)/max(spent, 1))))
		}
	}
}

func newEvaluation(p *plan.Plan, c model.Condition, g Goal) *Evaluation {
	e := &Evaluation{Plan: p, Condition: c, Spec: model.Compile(p, c), Goal: g}
	for _, w := range e.Spec.Windows {
		e.Windows = append(e.Windows, newPool(w, len(e.Spec.Limits)))
	}
	return e
}

// Key names what a sample depends on, beside its window and its replication.
func Key(p *plan.Plan, c model.Condition) string {
	return fmt.Sprintf("%s/%s/%s/%d", Version, p.Hash(), c.Name, p.Seed)
}

// Pooled returns the evaluation of samples that were simulated elsewhere, in order of
// replications and windows.
func Pooled(p *plan.Plan, samples []*model.Sample) *Evaluation {
	e := newEvaluation(p, Normal, Goal{Confidence: float64(p.Precision.Verdict), Replications: p.Budget.MinReplications, Records: true})
	for _, s := range samples {
		e.Windows[s.Window].add(e, s)
	}
	e.Runs, e.Stopped = e.Goal.Replications, stoppedAsked
	e.cutWarmUps()
	e.keepRecords()
	return e
}

// Point simulates one replication of one window of a plan, however long it takes.
func (j *Judge) Point(ctx context.Context, p *plan.Plan, window, replication int) (*model.Sample, error) {
	s, err := j.one(func() bool { return ctx.Err() != nil }, model.Compile(p, Normal), Key(p, Normal), window, replication)
	if errors.Is(err, model.ErrHalted) {
		err = context.Cause(ctx)
	}
	return s, err
}

// Why an evaluation stopped.
const (
	stoppedPrecise  = "precision reached"
	stoppedDecided  = "verdicts decided"
	stoppedMax      = "max_replications"
	stoppedRequests = "budget requests"
	stoppedWall     = "budget wall"
	stoppedAsked    = "replications asked for"
)

// enough says why no more has to be simulated, "" when more has.
func (e *Evaluation) enough(spent int64, late, cut bool) string {
	e.cutWarmUps()
	verdicts := e.Verdicts()
	decided := len(verdicts) > 0
	for _, v := range verdicts {
		decided = decided && v.Outcome != "UNDECIDED"
	}
	b := e.Plan.Budget
	switch {
	case cut && e.Short:
		return stoppedWall
	case e.Goal.Replications > 0:
		return stoppedAsked
	case !e.Goal.Precise && (decided || e.Goal.Reject && Worst(verdicts) == result.Fail):
		return stoppedDecided
	case e.Goal.Precise && e.precise() && (decided || len(verdicts) == 0):
		return stoppedPrecise
	case e.Runs >= b.MaxReplications:
		return stoppedMax
	case b.Requests > 0 && spent >= int64(b.Requests):
		return stoppedRequests
	case late:
		return stoppedWall
	}
	return ""
}

// precise reports whether the half-widths of the plan are reached.
func (e *Evaluation) precise() bool {
	p := e.Plan.Precision
	for i := range e.Windows {
		w := &e.Windows[i]
		for _, m := range []struct {
			metric string
			want   float64
		}{{"mean(request)", float64(p.Mean)}, {"p99(request)", float64(p.P99)}, {"errors", float64(p.Errors)}} {
			if m.want == 0 {
				continue
			}
			value, half := w.interval(m.metric, "", float64(p.Level))
			if !(half <= m.want*math.Abs(value)) {
				return false
			}
		}
	}
	return true
}

// batch runs the replications from..to of all windows, in parallel, and gives their
// samples in order. What is not whole when the deadline passes is left out: then it gives those
// before the first replication of which a window is missing.
func (j *Judge) batch(ctx context.Context, spec *model.Spec, key string, from, to int) ([]*model.Sample, error) {
	windows := len(spec.Windows)
	samples := make([]*model.Sample, (to-from)*windows)
	errs := make([]error, len(samples))
	next := make(chan int)
	workers := j.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	halt := func() bool { return ctx.Err() != nil || j.Late() }
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for k := range next {
				samples[k], errs[k] = j.one(halt, spec, key, k%windows, from+k/windows)
			}
		})
	}
feed:
	for k := range samples {
		select {
		case next <- k:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wait.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, model.ErrHalted) {
			return nil, err
		}
	}
	if k := slices.Index(samples, nil); k >= 0 {
		samples = samples[:k-k%windows]
	}
	return samples, nil
}

// one returns one replication of one window, from the cache where it is there. It ends with
// [model.ErrHalted] when halt says so.
func (j *Judge) one(halt func() bool, spec *model.Spec, key string, window, replication int) (*model.Sample, error) {
	key = fmt.Sprintf("%s/%d/%d", key, window, replication)
	if j.Cache != nil {
		if s, ok := j.Cache.Get(key); ok {
			j.mu.Lock()
			j.far.Done++
			j.taken += s.Requests
			j.mu.Unlock()
			return s, nil
		}
	}
	s, err := spec.RunUnless(halt, window, replication)
	if err != nil {
		return nil, err
	}
	if !s.Conserved || float64(s.Little)/1e12 >= 1e-3 {
		return nil, fmt.Errorf("replication %d of window %d: conservation %v, Little's residual %.2g %%, want true and less than 0.1 %%: the model has a fault (seed %d): %+v",
			replication, window, s.Conserved, float64(s.Little)/1e10, spec.Seed, s.Calls)
	}
	j.mu.Lock()
	j.far.Done++
	j.taken += s.Requests
	j.requests += s.Requests
	j.calls += s.Calls.Sent
	j.events += s.Events
	if j.Progress != nil {
		j.far.Requests = j.requests
		j.Progress(j.far)
	}
	j.mu.Unlock()
	if j.Cache != nil {
		if err := j.Cache.Put(key, s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Taken returns how many requests the samples have that were asked for. Whether they were in the cache
// makes no difference: budgets and certificates go by it, so that results do not depend on what
// was simulated before.
func (j *Judge) Taken() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.taken
}

// Late reports whether the deadline has passed.
func (j *Judge) Late() bool { return !j.Deadline.IsZero() && time.Now().After(j.Deadline) }
