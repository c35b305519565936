// Package compare runs scenarios on several runners and compares what the others did with
// what the first did.
//
// Two things to use first:
//
//   - [Comparison] says what to run and on which runners; [Comparison.Run] runs it, tells a
//     steps.Listener of every run and returns a [Matrix].
//   - [Matrix.Print] writes it for people; [Matrix] itself is data for programs.
//
// The first runner is the measure, as a rule the simulation. A run on another runner does the
// same when each track of its canonical log (runners/test/deeds) equals that of the measure with
// some seed. More seeds of the measure are run until each track has one, up to a limit. Otherwise
// the run differs. The register of quirks may say that a quirk explains the difference
// (vectors/quirks.yaml, differs); else the run has failed. A record also has the set of seeds that
// do the same in all tracks ([Seeds]), and says what code a result speaks of ([Code]).
//
// To change:
//
//   - what is compared: runners/test/deeds
//   - how seeds are sought, and which of them do the same: seeds.go
//   - at which period agents write the same again: cadence.go
//   - that a runner's agents may read less: thrift.go
//   - what is kept of it, and when a record is older than the code: record.go, code.go
//   - what explains a difference: explain.go
//   - what is printed: matrix.go
//
// Unstable: any commit may change it.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/deeds"
	"github.com/monosim/monosim/vectors/scope"
)

// Comparison describes what to run, and where.
type Comparison struct {
	// Suite has the scenarios. Its Runner and Seeds are ignored. Its Jobs is how many scenarios run
	// at the same time, 0 meaning one.
	Suite steps.Suite
	// Runners lists at least one runner. The first is the measure: the others are compared with it.
	Runners []runners.Runner
	// Logs compares what the runs did, in addition to whether they passed.
	Logs bool
	// Most limits how many seeds are run on the first runner (the measure), in search of one with
	// which it does the same as the compared runner. 0 means 200.
	Most int
	// Slack is by how much the time of an action may differ from its time on the first runner. The
	// zero value means DefaultSlack.
	Slack deeds.Slack
	// Flags holds, by a runner's name, further command-line flags that repeat a run on it.
	Flags map[string]string
	// Slower, when set, returns the runner with a slower clock, or nil. A run that failed is
	// repeated there, because with a slower clock the delays of a busy machine matter less. times
	// is the number of runs so far. flags are the Suite.Flags that repeat such a run.
	Slower func(name string, times int) (r runners.Runner, flags string)
	// Quirks lists quirks that may explain differences. nil means the quirks in the project's
	// register.
	Quirks []scope.Quirk
	// Verbose reports all differences of a run. Otherwise only the first is reported.
	Verbose bool
	// Sets makes each cell list the seeds with which the first runner does the same as the run
	// ([Cell.Seeds]). That takes more runs.
	Sets bool
	// Keep, when set, reports whether a run is left out because a record already has its result.
	Keep func(sc steps.Listed, runner string) bool
	// Takes, when set, estimates how long a scenario runs, in any unit. Long scenarios then begin
	// first, so that none runs alone at the end. The order of the results stays the same.
	Takes func(sc steps.Listed) time.Duration
}

// DefaultSlack is wide enough for the delays of real processes.
var DefaultSlack = deeds.Slack{Least: 5 * time.Second, Part: 0.05}

const mostSeeds = 200

// Run runs every scenario on every runner that no tag excludes, and reports each run. Results of
// runners after the first have the runner's name appended. A run fails if it did something that the
// first runner does with no seed and no quirk explains. It also fails if its runner cannot do a
// step and no tag says so. The error is an *steps.InputError or the listener's.
func (c *Comparison) Run(ctx context.Context, listener steps.Listener) (*Matrix, *steps.Summary, error) {
	s := c.selection()
	list, err := s.List()
	if err != nil {
		return nil, nil, err
	}
	plan, err := s.Plan()
	if err != nil {
		return nil, nil, err
	}
	if err := c.nothing(list); err != nil {
		return nil, nil, err
	}
	plan.Seeds, plan.Runs = 1, 0
	for _, sc := range list {
		for _, r := range c.Runners {
			if sc.Not[r.Name()] == "" && !c.keeps(sc, r.Name()) {
				plan.Runs++
			}
		}
	}
	summary := steps.NewSummary(plan)
	m := &Matrix{Scenarios: []Row{}, Runners: lists.MapOrNil(c.Runners, runners.Runner.Name)}
	if err = listener.Begin(plan); err == nil {
		err = c.all(ctx, list, func(t *trial) error {
			for len(t.row.Cells) < len(c.Runners) {
				t.row.Cells = append(t.row.Cells, Cell{Verdict: Unfinished})
			}
			m.Scenarios = append(m.Scenarios, t.row)
			for i := range t.results {
				summary.Add(&t.results[i])
				if err := listener.Add(&t.results[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if ctx.Err() != nil {
		summary.Interrupted = true
	}
	return m, summary, errors.Join(err, listener.End(summary))
}

// nothing returns an error if a tag keeps every scenario from every runner but the first, so that
// there is nothing to compare.
func (c *Comparison) nothing(list []steps.Listed) error {
	others, why := c.Runners[1:], ""
	if !c.Logs || len(others) == 0 {
		return nil
	}
	for _, sc := range list {
		for _, r := range others {
			if sc.Not[r.Name()] == "" {
				return nil
			}
			why = cmp.Or(why, sc.Not[r.Name()])
		}
	}
	names := strings.Join(lists.Map(others, runners.Runner.Name), " or ")
	return &steps.InputError{Where: strings.Join(c.Suite.Paths, ", "), Text: "found no scenario that runs on " + names + ": " + why}
}

// keeps reports whether a run is left out because its result is recorded already.
func (c *Comparison) keeps(sc steps.Listed, runner string) bool {
	return c.Keep != nil && c.Keep(sc, runner)
}

// selection returns the suite of the scenarios that run on the first runner or on any other.
func (c *Comparison) selection() *steps.Suite {
	s := c.Suite
	s.Runner = everywhere{c.Runners[0]}
	return &s
}

// everywhere is a runner without a name. Tags exclude runners by name, so no tag excludes this one.
type everywhere struct{ runners.Runner }

func (everywhere) Name() string { return "" }

// order returns the indices of scenarios in the order in which they should begin. First come those
// that take more than twice as long as the mean, the longest first. The others stay in the order of
// the list, because results are reported in that order and progress should show early.
func (c *Comparison) order(list []steps.Listed) []int {
	takes, sum := make([]time.Duration, len(list)), time.Duration(0)
	order := make([]int, len(list))
	for i := range list {
		if order[i] = i; c.Takes != nil {
			takes[i] = c.Takes(list[i])
			sum += takes[i]
		}
	}
	for i := range takes {
		if takes[i]*time.Duration(len(list)) <= 2*sum {
			takes[i] = 0
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(takes[b], takes[a]) })
	return order
}

// all runs a trial for each scenario, some at the same time, and reports them in the order of list.
func (c *Comparison) all(ctx context.Context, list []steps.Listed, tell func(*trial) error) error {
	jobs := max(c.Suite.Jobs, 1)
	done := make([]chan *trial, len(list))
	places := make(chan struct{}, jobs)
	work, stop := context.WithCancel(ctx)
	defer stop()
	for i := range done {
		done[i] = make(chan *trial, 1)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for _, i := range c.order(list) {
			select {
			case places <- struct{}{}:
			case <-work.Done():
				return
			}
			running.Go(func() {
				done[i] <- c.try(work, list[i])
				<-places
			})
		}
	})
	for i := range list {
		select {
		case t := <-done[i]:
			if err := errors.Join(t.err, tell(t)); err != nil {
				return err
			}
		case <-ctx.Done():
			running.Wait() // trials that are running end early, with their results so far
			return finished(done[i:], tell)
		}
	}
	return nil
}

// finished reports the trials that were complete when the comparison was interrupted.
func finished(done []chan *trial, tell func(*trial) error) error {
	for _, d := range done {
		select {
		case t := <-d:
			if len(t.results) == 0 {
				continue
			}
			if err := tell(t); err != nil {
				return err
			}
		default: // the trial has no result, because it was not begun
		}
	}
	return nil
}

// trial runs one scenario on all runners.
type trial struct {
	comparison *Comparison
	scenario   steps.Listed
	row        Row
	results    []steps.Result
	measure    *measure
	err        error
}

func (c *Comparison) try(ctx context.Context, sc steps.Listed) *trial {
	t := &trial{comparison: c, scenario: sc, row: Row{Feature: sc.Feature, Path: sc.Path, Line: sc.Line, Name: sc.Name}}
	for i, r := range c.Runners {
		if why := sc.Not[r.Name()]; why != "" {
			t.row.Cells = append(t.row.Cells, Cell{Verdict: NotRun, Why: why})
			continue
		}
		if c.keeps(sc, r.Name()) {
			t.row.Cells = append(t.row.Cells, Cell{Verdict: Kept})
			continue
		}
		if ctx.Err() != nil || t.err != nil {
			return t
		}
		t.on(ctx, i, r)
	}
	return t
}

// on runs the scenario on a runner. If the scenario fails, on runs it again on slower clocks.
func (t *trial) on(ctx context.Context, i int, r runners.Runner) {
	cell, result, ok := t.once(ctx, i, r, t.comparison.Suite.Flags)
	for times := 1; ok && i > 0 && (result.Status == steps.Failed || cell.Verdict == Busy) && t.comparison.Slower != nil; times++ {
		slower, flags := t.comparison.Slower(r.Name(), times)
		if slower == nil || ctx.Err() != nil {
			break
		}
		cell, result, ok = t.once(ctx, i, slower, flags)
	}
	if ok {
		t.row.Cells = append(t.row.Cells, cell)
		t.results = append(t.results, result)
	}
}

// once runs the scenario on a runner. flags are further command-line flags that repeat the run.
func (t *trial) once(ctx context.Context, i int, r runners.Runner, flags string) (cell Cell, result steps.Result, ok bool) {
	c := t.comparison
	report := &steps.Report{}
	suite := c.suite(t.scenario, r)
	if i > 0 {
		suite.Explain = -1 // not explained, because that would run the scenario again
		suite.Flags = strings.Join(strings.Fields("--runner "+r.Name()+" "+flags), " ")
		suite.Flags = strings.TrimSpace(suite.Flags + " " + c.Flags[r.Name()])
	}
	if _, err := suite.Stream(ctx, report); err != nil || len(report.Results) == 0 {
		t.err = err
		return cell, result, false
	}
	result = report.Results[0]
	if backend := (*runners.BackendError)(nil); i > 0 && result.Status == steps.Skipped && errors.As(result.Unable, &backend) {
		result.Name += " on " + r.Name()
		result.Log = nil
		return Cell{Verdict: NotRun, Why: backend.Reason, Backend: true}, result, true
	}
	busy := errors.Is(result.Unable, steps.ErrBusy)
	switch {
	case i == 0 && !busy:
		if c.Logs && result.Status == steps.Passed {
			t.measure = &measure{trial: t, runner: r, seeds: 1, logs: []seen{seenIn(0, &result)}}
		}
	case result.Status == steps.Skipped && !busy:
		result.Status, result.Err = steps.Failed, fmt.Errorf("%s cannot do this, and no tag @not-%s says so", r.Name(), r.Name())
	case t.measure != nil && result.Status == steps.Passed:
		cell = t.compare(ctx, r, &result)
		if ctx.Err() != nil && cell.Log == Differs {
			return cell, result, false // a seed that was not run might have shown the same
		}
		busy = !cell.Timeless && result.TooBusy()
	case t.measure != nil:
		cell = t.until(ctx, r, &result)
		if busy && cell.Timeless {
			busy, result.Unable, result.Status = false, nil, steps.Failed
			result.Err = t.failure(result.Runner, []deeds.Difference{*cell.First})
		}
	}
	if i > 0 {
		result.Name += " on " + r.Name()
	}
	cell.Verdict = result.Status.String()
	if cell.Log == Differs {
		cell.Verdict = steps.Passed.String() // the runner's own checks have passed
	}
	if err := result.Failure(); err != nil && cell.Log != Differs {
		cell.Why, _, _ = strings.Cut(err.Error(), "\n")
	}
	if busy {
		cell.Verdict, cell.Log, cell.Differences, cell.Seeds = Busy, "", nil, nil
		cell.Why, _, _ = strings.Cut(result.Unable.Error(), "\n")
	}
	result.Log = nil
	return cell, result, true
}

// suite returns a suite with one scenario for one runner.
func (c *Comparison) suite(sc steps.Listed, r runners.Runner) *steps.Suite {
	s := c.Suite
	s.Runner, s.Paths, s.Tags, s.Seeds, s.Jobs, s.Flags = r, []string{fmt.Sprintf("%s:%d", sc.Path, sc.Line)}, "", 1, 1, ""
	if c.Logs {
		s.Runner, s.Detail = deeds.Watch(r), true
	}
	return &s
}

// compare compares what a run did with what the first runner did with several seeds. If it finds a
// difference that no quirk explains, the run has failed.
func (t *trial) compare(ctx context.Context, r runners.Runner, result *steps.Result) Cell {
	got := deeds.Read(result.Log)
	v := t.measure.view(r, got, unseen(result.Log), result.Late)
	differences := v.hold(ctx)
	cell := Cell{Log: Same}
	cell.Alike, cell.Deeds = v.agreement()
	if len(differences) == 0 && t.comparison.Sets {
		cell.Seeds = v.set(ctx)
	}
	var left []deeds.Difference
	explanations, err := t.comparison.explanations()
	if err != nil {
		t.err = err
	}
	for _, d := range differences {
		id := explains(explanations, result.Runner, &d)
		cell.Differences = append(cell.Differences, Named{Kind: string(d.Kind), Track: d.Track, Quirk: id})
		if id == "" {
			left = append(left, d)
		}
	}
	switch {
	case len(left) > 0:
		cell.first(left)
		cell.Log = Differs
		result.Status, result.Err = steps.Failed, t.failure(result.Runner, left)
	case len(differences) > 0:
		cell.Log = Explained
	}
	return cell
}

// until compares a failed run, up to the failure, with the runs of the first runner. If nothing but
// answers differs by more than the slack, the first difference is an action that the first runner
// had done by then and the failed run had not.
func (t *trial) until(ctx context.Context, r runners.Runner, result *steps.Result) (cell Cell) {
	got := deeds.Read(result.Log)
	got.Ended = result.Stats.Virtual // an agent that hangs leaves no trace of the time until then
	if n := len(result.Log); n > 0 {
		got.Ended = max(got.Ended, result.Log[n-1].At)
	}
	// the topic file is left out, because files are read only at the end of a run
	v := t.measure.view(r, got, append(unseen(result.Log), "file"), result.Late)
	cell.Alike, cell.Deeds = v.punctual().agreement()
	cell.first(lists.Filter(v.hold(ctx), func(d deeds.Difference) bool { return !lacks(d) }))
	if cell.First == nil || rank(cell.First) > rankOfActs {
		failed := slices.IndexFunc(result.Steps, func(s steps.Step) bool { return s.Status != steps.Passed })
		if missing := v.missing(failed); missing != nil && (cell.First == nil || rank(missing) < rank(cell.First)) {
			cell.First = missing
		}
	}
	return cell
}

// first keeps the first of the differences that no delay causes or, without one, the first.
func (c *Cell) first(found []deeds.Difference) {
	if i := slices.IndexFunc(found, timeless); i >= 0 {
		c.First, c.Timeless = &found[i], true
	} else if len(found) > 0 {
		c.First = &found[0]
	}
}

// lasting matches tracks whose deeds have the same texts at any time: what a pod of version 3 tells of
// itself, and how its processes are started.
var lasting = regexp.MustCompile(`^(znode \S+/(container_service|binding)/\S|process |child )`)

// timeless reports whether no delay of the machine causes a difference: the pod did the same kind of
// deed to the same thing as the first runner, with another text.
func timeless(d deeds.Difference) bool {
	if d.Kind != deeds.ByDeed || !lasting.MatchString(d.Track) || d.At >= len(d.Got) || d.At >= len(d.Want) {
		return false
	}
	got, want := d.Got[d.At], d.Want[d.At]
	verb, _, _ := strings.Cut(got.Text, " ")
	return got.Who == want.Who && slices.Contains([]string{"creates", "writes", "starts"}, verb) && strings.HasPrefix(want.Text, verb+" ") &&
		!slices.ContainsFunc(d.Want, func(w deeds.Deed) bool { return w.Text == got.Text })
}

func (t *trial) failure(runner string, left []deeds.Difference) error {
	name := t.comparison.Runners[0].Name()
	lines := []string{fmt.Sprintf("%s did what %s does with none of %d seeds, in %d tracks", runner, name, len(t.measure.logs), len(left))}
	if !t.comparison.Verbose {
		left = left[:1]
	}
	for _, d := range left {
		lines = append(lines, d.Lines(name, runner)...)
	}
	return errors.New(strings.Join(lines, "\n"))
}

// unseen returns the kinds of tracks that a runner says it cannot observe.
func unseen(log []runners.Observation) []string {
	i := slices.IndexFunc(log, func(o runners.Observation) bool { return o.Op == deeds.OpUnseen })
	if i < 0 {
		return nil
	}
	return strings.Fields(log[i].Note)
}
