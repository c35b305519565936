package steps

import (
	"context"
	"errors"
	"iter"
	"maps"
	"runtime"
	"slices"
	"sync"
)

// Listener receives the results of a suite while it runs: Begin once, Add for every run of
// a scenario, in the order of seeds, files and scenarios, and End once. End follows every
// Begin, also when the run was interrupted, or when Begin or Add has failed. Calls come one
// at a time. After an error of Begin or Add the suite runs nothing more.
//
// There may be millions of results, so a listener that keeps them needs memory for them.
type Listener interface {
	Begin(Plan) error
	Add(*Result) error
	End(*Summary) error
}

// Plan counts what a suite is about to run.
type Plan struct {
	// Scenarios counts the selected scenarios, with each row of an outline as one. Each runs with
	// Seeds seeds, which makes Runs runs in all.
	Scenarios, Seeds, Runs int
	// Files lists the files that contain the scenarios, in the order of the runs.
	Files []File
	// Glue holds the sentences that scenarios may use.
	Glue *Glue
}

// File is a .feature file that contains selected scenarios.
type File struct {
	Path, Text string
	// Lines holds the line of each selected scenario, as in Result.Line.
	Lines []int
}

// These limit, per job, how many finished results may wait for an earlier one. If the limit is too
// low, jobs are idle when runs take unequal times. A higher limit needs more memory, above all for
// results with logs.
const (
	ahead         = 32
	aheadWithLogs = 2
)

// Stream runs every scenario with every seed. It passes each result on in order as soon as it can,
// and keeps none. When ctx ends, it returns without waiting for runs in progress, and sets
// Summary.Interrupted, or Summary.OutOfTime if the deadline of ctx has passed. The error is an
// [*InputError] or the listener's error.
func (s *Suite) Stream(ctx context.Context, listener Listener) (*Summary, error) {
	scenarios, err := s.plan()
	if err != nil {
		return nil, err
	}
	if s.Twice && len(s.Choices) > 0 {
		s.choosing = newChoosing()
	}
	summary := NewSummary(s.planOf(scenarios))
	err = listener.Begin(summary.Plan)
	if err == nil {
		err = s.stream(ctx, scenarios, summary, listener)
	}
	if err == nil && summary.Runs == summary.Plan.Runs {
		err = s.choosing.unmade(s.Choices)
	}
	return summary, errors.Join(err, listener.End(summary))
}

// Plan returns what Stream would run. Its errors are those of Stream.
func (s *Suite) Plan() (Plan, error) {
	scenarios, err := s.plan()
	if err != nil {
		return Plan{}, err
	}
	return s.planOf(scenarios), nil
}

// planOf counts what is to be run.
func (s *Suite) planOf(scenarios []*scenario) Plan {
	p := Plan{Seeds: max(s.Seeds, 1), Glue: newGlue(newVocabulary(s.Runner.Faults(), s.Sentences...))}
	for _, sc := range scenarios {
		p.Scenarios += len(sc.cases)
		i := slices.IndexFunc(p.Files, func(f File) bool { return f.Path == sc.path })
		if i < 0 {
			i = len(p.Files)
			p.Files = append(p.Files, File{Path: sc.path, Text: sc.text})
		}
		for k := range sc.cases {
			p.Files[i].Lines = append(p.Files[i].Lines, sc.cases[k].line(sc))
		}
	}
	p.Runs = p.Scenarios * p.Seeds
	return p
}

// job is a case of a scenario to run with a seed.
type job struct {
	scenario *scenario
	which    *scenarioCase
	seed     uint64
}

// jobs yields all runs in order: all scenarios with the first seed, then all with the next. So a
// run that is interrupted has run as many different scenarios as possible.
func (s *Suite) jobs(scenarios []*scenario) iter.Seq[job] {
	return func(yield func(job) bool) {
		for i := range max(s.Seeds, 1) {
			for _, sc := range scenarios {
				for k := range sc.cases {
					if !yield(job{sc, &sc.cases[k], s.Seed + uint64(i)}) {
						return
					}
				}
			}
		}
	}
}

// numbered is a job with its number in the order of runs, and its result.
type numbered struct {
	n int
	job
	result Result
}

// stream runs jobs in parallel and passes their results on in order.
func (s *Suite) stream(ctx context.Context, scenarios []*scenario, summary *Summary, listener Listener) error {
	work, stop := context.WithCancel(ctx)
	workers := s.Jobs
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	waits := ahead
	if s.Detail {
		waits = aheadWithLogs
	}
	// has room for each job that has begun and whose result has not been passed on yet
	window := make(chan struct{}, workers*waits)
	results := make(chan numbered, cap(window)) // is large enough that no worker blocks, even after the receiver has stopped
	var ended sync.WaitGroup
	s.work(work, scenarios, workers, window, results, &ended)
	defer func() {
		if stop(); !summary.Interrupted && !summary.OutOfTime {
			ended.Wait()
		}
	}()
	waiting := map[int]numbered{}
	for summary.Runs < summary.Plan.Runs {
		select {
		case <-ctx.Done():
			summary.OutOfTime = errors.Is(context.Cause(ctx), context.DeadlineExceeded)
			summary.Interrupted = !summary.OutOfTime
			return s.finished(results, waiting, summary, listener)
		case one := <-results:
			waiting[one.n] = one
		}
		for one, ok := waiting[summary.Runs]; ok; one, ok = waiting[summary.Runs] {
			delete(waiting, one.n)
			<-window
			if err := s.tell(one, summary, listener); err != nil {
				return err
			}
			if s.FailFast && summary.Failed > 0 {
				return nil
			}
		}
	}
	return nil
}

// finished is called after an interruption. It passes on the results that were waiting for an
// earlier one.
func (s *Suite) finished(results <-chan numbered, waiting map[int]numbered, summary *Summary, listener Listener) error {
	for more := true; more; {
		select {
		case one := <-results:
			waiting[one.n] = one
		default:
			more = false
		}
	}
	for _, n := range slices.Sorted(maps.Keys(waiting)) {
		r := waiting[n].result
		summary.add(&r)
		if err := listener.Add(&r); err != nil {
			return err
		}
	}
	return nil
}

// work starts workers that run jobs until all have run or ctx ends.
func (s *Suite) work(ctx context.Context, scenarios []*scenario, workers int, window chan<- struct{}, results chan<- numbered, ended *sync.WaitGroup) {
	todo := make(chan numbered)
	ended.Go(func() {
		defer close(todo)
		n := 0
		for j := range s.jobs(scenarios) {
			select {
			case window <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case todo <- numbered{n: n, job: j}:
			case <-ctx.Done():
				return
			}
			n++
		}
	})
	for range workers {
		ended.Go(func() {
			for one := range todo {
				one.result = s.runOne(one.job)
				results <- one
			}
		})
	}
}

// tell counts a result and passes it on. If it is the first failure of its kind, tell explains it.
func (s *Suite) tell(one numbered, summary *Summary, listener Listener) error {
	r := &one.result
	if group := summary.add(r); group != nil && group.Runs == 1 && len(summary.Failures) <= explained {
		s.explainFailure(one.job, r)
		group.First.Explanation = r.Explanation
	}
	return listener.Add(r)
}
