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
	// Scenarios counts the selected scenarios, each row of an outline as one. Each runs
	// with Seeds seeds, Runs times in all.
	Scenarios, Seeds, Runs int
	// Files are those that the scenarios are in, in the order of the runs.
	Files []File
	// Glue is what the scenarios may say.
	Glue *Glue
}

// File is a .feature file of which something runs.
type File struct {
	Path, Text string
	// Lines has Result.Line of each scenario that runs.
	Lines []int
}

// These bound how many results may wait for an earlier one, for each job. Fewer would leave jobs
// idle when runs take unequal times; more would take memory, of which results with logs need much.
const (
	ahead         = 32
	aheadWithLogs = 2
)

// Stream runs every scenario with every seed and passes on each result as soon as all
// earlier ones are passed on; it keeps none. When ctx ends, the results so far are the
// whole run and Summary.Interrupted is set, or Summary.OutOfTime where its deadline has passed. Stream does not wait for runs that still go on
// then. The error is an [*InputError], or what the listener returned.
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

// Plan finds what Stream would run. Its error is as Stream's.
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

// jobs yields all runs in order: all scenarios with the first seed, then all with the next, so
// that a run that is broken off has met as many scenarios as it could.
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

// numbered is a job with its number in the order, and its result.
type numbered struct {
	n int
	job
	result Result
}

// stream runs jobs and passes on their results in order.
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
	window := make(chan struct{}, workers*waits) // a place for each job that has begun and whose result is not passed on yet
	results := make(chan numbered, cap(window))  // so that no worker waits, even if nobody receives any more
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

// finished passes on the results that waited for an earlier one when the suite was interrupted.
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

// tell counts a result, explains it if it is the first failure of its kind, and passes it on.
func (s *Suite) tell(one numbered, summary *Summary, listener Listener) error {
	r := &one.result
	if group := summary.add(r); group != nil && group.Runs == 1 && len(summary.Failures) <= explained {
		s.explainFailure(one.job, r)
		group.First.Explanation = r.Explanation
	}
	return listener.Add(r)
}
