package steps

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cucumber/godog"

	"github.com/monosim/monosim/runners"
)

// Suite is a choice of scenarios and of how to run them.
type Suite struct {
	Runner runners.Runner
	// FS holds the files; nil means the host's.
	FS fs.FS
	// Paths are files, directories, or file:line with any line of a scenario; that of a
	// row of an outline's examples takes this row alone.
	Paths []string
	// Tags is a tag expression as "@v3 and not (@slow or @outage)", where && and ~ may
	// stand for and and not; empty takes all.
	Tags string
	// Seed is the first seed, Seeds how many there are (0 means 1).
	Seed  uint64
	Seeds int
	// Quirks are those of scenarios that do not say theirs.
	Quirks string
	// Sentences are a caller's own, beside those of Vocabulary; a step that two
	// sentences fit is an *InputError.
	Sentences []*Sentence
	// Twice runs everything a second time and compares the traces. Choices are
	// fixed in the second run, which makes a difference on purpose.
	Twice   bool
	Choices []runners.Choice
	// Explain is how many lines a failure may have on what led to it; 0 means 20, less
	// none. The scenario is run again for them, with the same seed.
	Explain int
	// Traced, when set, is told of every run and of all that was observed in it, in the
	// order of scenarios and seeds; the cluster has Spec.Detail then.
	Traced func(Result, []runners.Observation)
	// FailFast ends the run with the first failure; the report has what comes before it
	// in the order of the files.
	FailFast bool
	// Workers is how many worlds run at the same time; 0 means one for each core.
	Workers int
	// Done, when set, is told of every result as it comes, one at a time.
	Done func(Result)

	// command, when set, is what repeats a run in place of monosim test.
	command string
}

// Run runs every scenario with every seed. The error is an [*InputError]; faults
// of scenarios are in the report.
func (s *Suite) Run() (*Report, error) {
	scenarios, err := s.plan()
	if err != nil {
		return nil, err
	}
	var jobs []job
	for _, sc := range scenarios {
		for i := range max(s.Seeds, 1) {
			jobs = append(jobs, job{sc, s.Seed + uint64(i)})
		}
	}
	results := make([][]Result, len(jobs))
	next := make(chan int)
	var failed atomic.Bool
	var wait sync.WaitGroup
	var done sync.Mutex
	traced := inTurn{tell: s.Traced, once: s.FailFast}
	workers := s.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for range min(workers, len(jobs)) {
		wait.Go(func() {
			for i := range next {
				var logs [][]runners.Observation
				results[i], logs = s.runOne(jobs[i].scenario, jobs[i].seed)
				done.Lock()
				traced.add(i, results[i], logs)
				for _, r := range results[i] {
					failed.Store(failed.Load() || r.Status == Failed)
					if s.Done != nil {
						s.Done(r)
					}
				}
				done.Unlock()
			}
		})
	}
	for i := range jobs {
		if s.FailFast && failed.Load() {
			break
		}
		next <- i
	}
	close(next)
	wait.Wait()
	s.explainAll(jobs, results)
	return s.report(results), nil
}

// report puts the results together, up to the first failure where that ends a run.
func (s *Suite) report(results [][]Result) *Report {
	report := &Report{}
	for _, list := range results {
		for _, r := range list {
			report.add(r)
			if s.FailFast && r.Status == Failed {
				return report
			}
		}
	}
	return report
}

// job is a scenario to run with a seed.
type job struct {
	scenario *scenario
	seed     uint64
}

// runOne runs the cases of a scenario with one seed. It returns their logs too when they
// are asked for.
func (s *Suite) runOne(sc *scenario, seed uint64) ([]Result, [][]runners.Observation) {
	var adjust func(*runners.Spec)
	if s.Traced != nil {
		adjust = detail
	}
	first := s.execute(sc, seed, adjust)
	defer first.close()
	if s.Twice {
		s.compare(first)
	}
	if s.Traced == nil {
		return first.results, nil
	}
	logs := make([][]runners.Observation, len(first.worlds))
	for i, w := range first.worlds {
		if w.cluster != nil {
			logs[i] = w.cluster.Log()
		}
	}
	return first.results, logs
}

// inTurn tells of runs in the order of jobs, in which they need not come; once ends with
// the first failure.
type inTurn struct {
	tell    func(Result, []runners.Observation)
	once    bool
	next    int
	waiting map[int]func()
}

func (o *inTurn) add(i int, results []Result, logs [][]runners.Observation) {
	if o.tell == nil {
		return
	}
	if o.waiting == nil {
		o.waiting = map[int]func(){}
	}
	o.waiting[i] = func() {
		for k, r := range results {
			if o.tell == nil {
				return
			}
			if o.tell(r, logs[k]); o.once && r.Status == Failed {
				o.tell = nil
			}
		}
	}
	for o.waiting[o.next] != nil {
		o.waiting[o.next]()
		delete(o.waiting, o.next)
		o.next++
	}
}

// execution is one run of the cases of a scenario; its worlds are still there.
type execution struct {
	scenario *scenario
	seed     uint64
	worlds   []*World
	results  []Result
}

func (x *execution) close() {
	for _, w := range x.worlds {
		w.close()
	}
}

// execute runs the cases; adjust has the last word on what is built.
func (s *Suite) execute(sc *scenario, seed uint64, adjust func(*runners.Spec)) *execution {
	x := &execution{scenario: sc, seed: seed}
	suite := godog.TestSuite{
		ScenarioInitializer: func(ctx *godog.ScenarioContext) {
			replay := s.replay(sc, &sc.cases[len(x.worlds)], seed)
			w := &World{runner: s.Runner, adjust: adjust, spec: runners.Spec{Seed: seed, Quirks: s.Quirks, Replay: replay}}
			x.begin(w, replay)
			for _, said := range sc.sentences {
				ctx.Step(said.expr, said.handler(w))
			}
			ctx.StepContext().Before(x.begins)
			ctx.StepContext().After(x.stepped)
		},
		Options: &godog.Options{
			FS: without{s.FS, sc.path, sc.hidden}, Paths: []string{fmt.Sprintf("%s:%d", sc.path, sc.line)},
			Strict: true, Format: "progress", NoColors: true, Output: io.Discard, Concurrency: 1,
		},
	}
	suite.Run()
	for i, w := range x.worlds {
		x.results[i].finish(w)
	}
	return x
}

// replay is the command that repeats a run of one case.
func (s *Suite) replay(sc *scenario, c *scenarioCase, seed uint64) string {
	if s.command != "" {
		return s.command
	}
	text := fmt.Sprintf("monosim test %s:%d --seed %d", sc.path, c.line(sc), seed)
	if s.Quirks != "" {
		text += " --quirks " + s.Quirks
	}
	if s.Twice {
		text += " --check-determinism"
	}
	for _, choice := range s.Choices {
		text += fmt.Sprintf(" --choice '%v'", choice)
	}
	return text
}

// begin opens the next case with its world.
func (x *execution) begin(w *World, replay string) {
	c := x.scenario.cases[len(x.worlds)]
	x.worlds = append(x.worlds, w)
	x.results = append(x.results, Result{
		Feature: x.scenario.feature, Name: c.name, Path: x.scenario.path, Line: c.line(x.scenario),
		Tags: c.tags, Seed: x.seed, Replay: replay,
	})
}

// begins is told of every step before it runs, and of those that a failure skips.
func (x *execution) begins(ctx context.Context, st *godog.Step) (context.Context, error) {
	i := len(x.results) - 1
	if !slices.ContainsFunc(x.results[i].Steps, func(s Step) bool { return s.Status != Passed }) {
		x.worlds[i].say(st.Text)
	}
	return ctx, nil
}

// stepped takes down how a step went; godog calls it for every step in order,
// those that a failure skips included.
func (x *execution) stepped(ctx context.Context, _ *godog.Step, status godog.StepResultStatus, err error) (context.Context, error) {
	i := len(x.results) - 1
	r := &x.results[i]
	source := x.scenario.cases[i].steps[len(r.Steps)]
	st := Step{Keyword: source.keyword, Text: source.text, Line: source.line, Status: Failed, Err: err}
	switch status {
	case godog.StepPassed:
		st.Status = Passed
	case godog.StepSkipped:
		st.Status, st.Err = Skipped, nil
	}
	if w := x.worlds[i]; w.cluster != nil {
		now := w.cluster.Now()
		st.Took, w.seen = now-w.seen, now
	}
	r.Steps = append(r.Steps, st)
	return ctx, nil
}
