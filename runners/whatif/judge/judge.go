// Package judge simulates plans until enough is known, and decides whether they meet their
// objectives.
//
// Two things to use first:
//
//   - [Judge.Evaluate] simulates one plan under one condition, in rounds that double, until its
//     objectives are decided and its estimates precise, or the budget ends.
//   - [Judge.Run] answers "monosim whatif run".
//
// To change:
//
//   - when a simulation ends: judge.go
//   - which estimates there are: estimates.go
//   - how much warm-up is cut: warmup.go
//   - what is told over time: axis.go
//   - what an event cost: course.go
//   - quantiles of all replications together: quantiles.go
//   - their intervals: tails.go
//   - what a result holds of every replication: records.go
//   - how objectives are judged: verdicts.go
//   - which conditions there are: conditions.go
//   - the placements of "any K": placements.go
//   - how uncertain values are treated: worlds.go
//   - what a result holds: report.go
//   - how saturation is found: saturation.go
//   - closed forms: theory.go
//   - latencies without any queue: floor.go
//   - what is traced: trace.go
//   - which plans are too large: large.go
//   - samples that were simulated before: cache.go
//
// Unstable: any commit may change it.
package judge

import (
	"cmp"
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

// Version identifies the version of the model's computation. It is part of the key of every
// cached sample, so it must change whenever samples change.
const Version = "18"

// Judge simulates plans. The zero value uses all cores, reports no progress and has no
// deadline.
type Judge struct {
	// Workers is how many replications run in parallel. 0 means one per core. Results do not
	// depend on it.
	Workers int
	// Progress, unless nil, is called after each sample, and never concurrently.
	Progress func(Far)
	// Deadline, unless zero, is when simulations stop. Results are marked if they have fewer
	// replications because of the deadline.
	Deadline time.Time
	// Cache, unless nil, stores samples for later runs.
	Cache Cache
	// MaxMemory, if above 0, is the largest memory in bytes that simulations may take. A simulation
	// that needs more ends with a [model.TooLargeError].
	MaxMemory int64

	mu       sync.Mutex
	taken    int64 // number of requests in all samples, with those from the cache
	requests int64
	calls    int64
	events   uint64
	far      Far
}

// Far is the progress of simulations.
type Far struct {
	Requests int64 // simulated in all
	// Done is how many samples of the current evaluation are simulated. Most is the largest
	// number that it may need.
	Done, Most int
}

// Expect resets the progress for a new evaluation, which needs at most the given number of
// samples.
func (j *Judge) Expect(most int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.far.Done, j.far.Most = 0, most
}

// Cache stores samples by key.
type Cache interface {
	Get(key string) (*model.Sample, bool)
	Put(key string, s *model.Sample) error
}

// Simulated returns how many requests, calls and events have been simulated so far.
func (j *Judge) Simulated() (requests, calls int64, events uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.requests, j.calls, j.events
}

// Goal says when an evaluation has enough replications.
type Goal struct {
	// Precise demands the precision of the plan in addition to decided verdicts.
	Precise bool
	// Reject stops as soon as one objective fails. A search needs no more to reject a candidate
	// (CAP-6.4).
	Reject bool
	// Confidence is the confidence of each verdict; 0 means the plan's.
	Confidence float64
	// Replications, if not 0, is the exact number of replications to run.
	Replications int
	// Records keeps the outcome of every replication, see [Evaluation.Records].
	Records bool
}

// Evaluation holds the results of simulating a plan under a condition.
type Evaluation struct {
	Plan      *plan.Plan
	Condition model.Condition
	Spec      *model.Spec
	Windows   []*Pool
	Runs      int
	Stopped   string
	Marked    bool
	// Short says that the wall-clock budget ended before there were as many replications as a
	// verdict needs. Objectives on estimated values are then undecided (CAP-5.6).
	Short bool
	Goal  Goal

	lives   []model.Life    // what happened to containers in each replication, from the window that ends last
	samples []*model.Sample // kept for records until the evaluation stops
	records []result.Record
}

// Pool holds the results of one window, over all replications.
type Pool struct {
	Window model.Window
	// Known holds the results that count, without the warm-up that was cut.
	Known
	Little    int64
	Conserved bool
	Hash      uint64
	Cut       int64   // nanoseconds of warm-up that were cut
	axis      axis    // axis of the window's time series; zero if it has none
	tracks    []track // for each replication, its steps around an event
	// Stationary says that latencies are stable within the window and that the plan changes nothing
	// in it. even says only that latencies are stable.
	Stationary, even bool
	// Begun holds the shortest and the longest time, in nanoseconds, that replications simulated
	// before the window.
	Begun [2]int64
	// Refused says why the window is not simulated. Unsettled says why a window without events
	// has no steady state. Both are "" otherwise.
	Refused, Unsettled string

	related  model.Related // how many requests are delayed together, computed from the plan
	segments int           // number of segments that were cut
	thin     float64       // number of requests that each simulated request stands for
	// after[k] holds the results without the first k segments. A window that is not steady is
	// never cut and has a single entry.
	after []Known
	// drifts holds, at index k, a difference of mean latencies for each replication, in
	// nanoseconds. The first k segments are left out and the rest is split into halves. The
	// difference is the mean latency of the second half's requests minus that of the first half's.
	drifts [model.Segments][]float64
}

// Known holds the results of a window without some of its first segments.
type Known struct {
	Sum model.Sample // over all replications
	// Corrected holds the latencies of a closed loop, corrected for coordinated omission: latencies
	// that it would hide are added.
	Corrected model.Hist
	PerModel  // results of all requests, with the metrics that are not kept by model
	// Never counts, for each metric, the replications in which the state that the metric waits for
	// was never reached. The value of such a replication is only a lower bound.
	Never  map[string]int
	Models []PerModel // results of each model of a mix
}

// PerModel holds the results of the requests to one model of a plan with several models. The name
// "" stands for the requests to all models.
type PerModel struct {
	Name string
	// Values holds, by metric, the value of every replication.
	Values map[string][]float64
	// Over holds, for each limit and replication, how many requests exceed the limit.
	Over    [][]int64
	Arrived []int64 // number of requests that arrived, in every replication
	Bad     []int64 // number of requests that failed, in every replication
	// Open holds, for each replication, how many requests are unanswered at its end. Young
	// holds, for each limit, how many of these are not yet older than the limit.
	Open  []int64
	Young [][]int64
	// atLeast holds, for each replication, a lower bound of the mean latency. It treats open
	// requests as answered at the replication's end.
	atLeast []float64
	tails   map[string][]tail // tails of the latency in every replication, by scope
	// counts holds, by metric, the number of observations in each replication that has any. It has
	// only the metrics that are means of observations, and the key atLeast.
	counts map[string][]int64
	// completed holds, for each replication, the number of answered requests. above holds, for each
	// metric and replication, how many answered requests took longer than the metric's bound, which
	// is a bucket bound of a dashboard.
	completed []int64
	above     map[string][]int64
}

// atLeast is the key of PerModel.counts for PerModel.atLeast.
const atLeast = "at least"

// newPerModel returns empty results for a model with the given number of limits.
func newPerModel(name string, limits int) PerModel {
	return PerModel{Name: name, Values: map[string][]float64{}, Over: make([][]int64, limits), Young: make([][]int64, limits), tails: map[string][]tail{}, above: map[string][]int64{}, counts: map[string][]int64{}}
}

// Evaluate simulates replications of a plan under a condition until the goal is reached or a
// budget ends.
func (j *Judge) Evaluate(ctx context.Context, p *plan.Plan, c model.Condition, g Goal) (*Evaluation, error) {
	g.Confidence = cmp.Or(g.Confidence, float64(p.Precision.Verdict))
	e := newEvaluation(p, c, g)
	key := Key(p, c)
	want, most := p.Budget.MinReplications, p.Budget.MaxReplications
	if g.Replications > 0 {
		want, most = g.Replications, g.Replications
	}
	spent, twins := int64(0), e.Spec.Twins()
	j.Expect(most * len(e.Spec.Windows))
	for {
		samples, err := j.batch(ctx, e.Spec, key, e.Runs, want)
		if err != nil {
			return nil, err
		}
		for _, s := range samples {
			e.Windows[s.Window].add(e, s)
			if twins[s.Window] == s.Window {
				spent += s.Requests
			}
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
		if b := int64(p.Budget.Requests); b > 0 { // run no more replications than the budget's remaining requests allow
			want = min(want, e.Runs+int(max(1, (b-spent)*int64(e.Runs)/max(spent, 1))))
		}
	}
}

func newEvaluation(p *plan.Plan, c model.Condition, g Goal) *Evaluation {
	e := &Evaluation{Plan: p, Condition: c, Spec: model.Compile(p, c), Goal: g}
	for _, w := range e.Spec.Windows {
		e.Windows = append(e.Windows, newPool(w, len(e.Spec.Limits), e.Spec.Control.Thin, e.Spec.Related(w, model.Life{})))
	}
	return e
}

// Key returns a text with everything that a sample depends on, except its window and its
// replication.
func Key(p *plan.Plan, c model.Condition) string {
	return fmt.Sprintf("%s/%s/%s/%d", Version, p.Hash(), c.Name, p.Seed)
}

// Pooled evaluates samples that were simulated elsewhere. They must be ordered by
// replication and window.
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

// Point simulates one replication of one window of a plan. It ignores the deadline.
func (j *Judge) Point(ctx context.Context, p *plan.Plan, window, replication int) (*model.Sample, error) {
	spec := model.Compile(p, Normal)
	spec.MostBytes = j.MaxMemory / int64(j.workers())
	s, err := j.one(func() bool { return ctx.Err() != nil }, spec, Key(p, Normal), window, replication)
	if errors.Is(err, model.ErrHalted) {
		err = context.Cause(ctx)
	}
	return s, err
}

// Reasons why an evaluation stopped.
const (
	stoppedPrecise  = "precision reached"
	stoppedDecided  = "verdicts decided"
	stoppedMax      = "max_replications"
	stoppedRequests = "budget requests"
	stoppedWall     = "budget wall"
	stoppedAsked    = "replications asked for"
	stoppedRefused  = "no window within the budget"
)

// enough returns the reason why the evaluation can stop, or "" if it has to continue.
func (e *Evaluation) enough(spent int64, late, cut bool) string {
	e.cutWarmUps()
	verdicts := e.Verdicts()
	decided := len(verdicts) > 0
	for _, v := range verdicts {
		decided = decided && (v.Outcome != "UNDECIDED" || e.refused(v.Scope.Window) != "")
	}
	b := e.Plan.Budget
	switch {
	case cut && e.Short:
		return stoppedWall
	case !slices.ContainsFunc(e.Windows, func(w *Pool) bool { return w.Refused == "" }):
		return stoppedRefused
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

// precise reports whether all confidence intervals are as narrow as the plan demands.
func (e *Evaluation) precise() bool {
	p := e.Plan.Precision
	for _, w := range e.Windows {
		if w.Refused != "" {
			continue
		}
		for _, m := range []struct {
			metric string
			want   float64
		}{{"mean(request)", float64(p.Mean)}, {"p99(request)", float64(p.P99)}, {"errors", float64(p.Errors)}} {
			if m.want == 0 {
				continue
			}
			if _, few := w.tooFew(m.metric, "", float64(p.Level)); few {
				return false
			}
			value, low, high := w.interval(m.metric, "", float64(p.Level))
			if !((high-low)/2 <= m.want*math.Abs(value)) {
				return false
			}
		}
	}
	return true
}

// batch simulates the replications n with from <= n < to, all windows in parallel, and returns the
// samples in order. At the deadline it returns only the replications before the first incomplete
// one.
func (j *Judge) batch(ctx context.Context, spec *model.Spec, key string, from, to int) ([]*model.Sample, error) {
	windows, twins := len(spec.Windows), spec.Twins()
	spec.MostBytes = j.MaxMemory / int64(j.workers())
	samples := make([]*model.Sample, (to-from)*windows)
	errs := make([]error, len(samples))
	next := make(chan int)
	halt := func() bool { return ctx.Err() != nil || j.Late() }
	var wait sync.WaitGroup
	for range j.workers() {
		wait.Go(func() {
			for k := range next {
				samples[k], errs[k] = j.one(halt, spec, key, k%windows, from+k/windows)
			}
		})
	}
feed:
	for k := range samples {
		if twins[k%windows] != k%windows {
			continue
		}
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
	for k := range samples {
		if of := k - k%windows + twins[k%windows]; of != k && samples[of] != nil {
			samples[k] = j.again(samples[of], k%windows)
		}
	}
	if k := slices.Index(samples, nil); k >= 0 {
		samples = samples[:k-k%windows]
	}
	return samples, nil
}

// again returns a copy of a sample for another window that has the same sample (see
// [model.Spec.Twins]). It adds to the progress only, because the sample was simulated once.
func (j *Judge) again(s *model.Sample, window int) *model.Sample {
	one := *s
	one.Window = window
	j.mu.Lock()
	defer j.mu.Unlock()
	j.far.Done++
	return &one
}

// workers returns how many replications run at once.
func (j *Judge) workers() int { return cmp.Or(j.Workers, runtime.GOMAXPROCS(0)) }

// one returns the sample of one replication of one window, from the cache if possible. It
// stops with [model.ErrHalted] when halt returns true.
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
	if !s.Fits() {
		return nil, fmt.Errorf("replication %d of window %d: found a container that is busy for more than its cores have time, want at most 100 %%: the model has a fault (seed %d)", replication, window, spec.Seed)
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

// Taken returns how many requests the samples so far contain, whether cached or simulated.
// Budgets and certificates use this number, so results do not depend on the cache.
func (j *Judge) Taken() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.taken
}

// Late reports whether the deadline has passed.
func (j *Judge) Late() bool { return !j.Deadline.IsZero() && time.Now().After(j.Deadline) }
