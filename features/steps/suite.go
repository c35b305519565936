package steps

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"sync"

	"github.com/cucumber/godog"

	"github.com/monosim/monosim/runners"
)

// Suite is a choice of scenarios and of how to run them.
type Suite struct {
	Runner runners.Runner
	// FS holds the files; nil means the host's.
	FS fs.FS
	// Paths are files, directories, or file:line with the line on which a scenario
	// begins.
	Paths []string
	// Tags is a filter as "@v3 && ~@slow"; empty takes all.
	Tags string
	// Seed is the first seed, Seeds how many there are (0 means 1).
	Seed  uint64
	Seeds int
	// Quirks are those of scenarios that do not say theirs.
	Quirks string
	// Twice runs everything a second time and compares the traces. Choices are
	// fixed in the second run, which makes a difference on purpose.
	Twice   bool
	Choices []runners.Choice
	// Workers is how many worlds run at the same time; 0 means one for each core.
	Workers int
	// Done, when set, is told of every result as it comes, one at a time.
	Done func(Result)
}

// Run runs every scenario with every seed. The error is an [*InputError]; faults
// of scenarios are in the report.
func (s *Suite) Run() (*Report, error) {
	scenarios, err := s.plan()
	if err != nil {
		return nil, err
	}
	type job struct {
		scenario *scenario
		seed     uint64
	}
	var jobs []job
	for _, sc := range scenarios {
		for i := range max(s.Seeds, 1) {
			jobs = append(jobs, job{sc, s.Seed + uint64(i)})
		}
	}
	results := make([][]Result, len(jobs))
	next := make(chan int)
	var wait sync.WaitGroup
	var done sync.Mutex
	workers := s.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for range min(workers, len(jobs)) {
		wait.Go(func() {
			for i := range next {
				results[i] = s.runOne(jobs[i].scenario, jobs[i].seed)
				done.Lock()
				for _, r := range results[i] {
					if s.Done != nil {
						s.Done(r)
					}
				}
				done.Unlock()
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	wait.Wait()
	report := &Report{}
	for _, list := range results {
		for _, r := range list {
			report.add(r)
		}
	}
	return report, nil
}

// runOne runs the cases of a scenario with one seed.
func (s *Suite) runOne(sc *scenario, seed uint64) []Result {
	first := s.execute(sc, seed, nil)
	defer first.close()
	if s.Twice {
		s.compare(first)
	}
	return first.results
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
	replay := s.replay(sc, seed)
	suite := godog.TestSuite{
		ScenarioInitializer: func(ctx *godog.ScenarioContext) {
			w := &World{runner: s.Runner, adjust: adjust, spec: runners.Spec{Seed: seed, Quirks: s.Quirks, Replay: replay}}
			x.begin(w, replay)
			for _, said := range sc.sentences {
				ctx.Step(said.expr, said.handler(w))
			}
			ctx.StepContext().After(x.stepped)
		},
		Options: &godog.Options{
			FS: s.FS, Paths: []string{fmt.Sprintf("%s:%d", sc.path, sc.line)}, Tags: s.Tags,
			Strict: true, Format: "progress", NoColors: true, Output: io.Discard, Concurrency: 1,
		},
	}
	suite.Run()
	for i, w := range x.worlds {
		x.results[i].finish(w)
	}
	return x
}

// replay is the command that repeats a run.
func (s *Suite) replay(sc *scenario, seed uint64) string {
	text := fmt.Sprintf("monosim test %s:%d --seed %d", sc.path, sc.line, seed)
	if s.Quirks != "" {
		text += " --quirks " + s.Quirks
	}
	return text
}

// begin opens the next case with its world.
func (x *execution) begin(w *World, replay string) {
	c := x.scenario.cases[len(x.worlds)]
	x.worlds = append(x.worlds, w)
	x.results = append(x.results, Result{
		Feature: x.scenario.feature, Name: x.scenario.name, Path: x.scenario.path, Line: x.scenario.line,
		Tags: c.tags, Seed: x.seed, Replay: replay,
	})
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
