package steps

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/timeline"
	"github.com/monosim/monosim/vectors/scope"
)

// Status is the outcome of a step or a scenario.
type Status uint8

// Skipped means that the runner cannot do something that the scenario asks for.
const (
	Passed Status = iota
	Failed
	Skipped
)

func (s Status) String() string { return [...]string{"passed", "failed", "skipped"}[s] }

// Result is one run of one scenario with one seed.
type Result struct {
	// Name is the scenario's title. For a row of an outline it includes the row's values.
	Feature, Name string
	// Written holds the scenario as its file has it. It is nil if another suite, such as godog's,
	// made the result.
	Written *Written
	// Path and Line are where the scenario, or the row of an outline, begins.
	Path string
	Line int
	Tags []string
	Seed uint64
	// Runner is the name of the runner.
	Runner string
	// Quirks holds the agents' choices of quirks, in the form of runners.Spec. A scenario about a
	// recorded case has one for each answer.
	Quirks []string
	// Replay is the command that repeats the run.
	Replay string
	Steps  []Step
	Status Status
	// Err is an error of the run as a whole: the cluster did not work, or two runs with one seed
	// differ.
	Err   error
	Stats runners.Stats
	// Wall is how long the run took in wall time, if Suite.Clock is set.
	Wall time.Duration
	// Known lists invariants that were broken in a way in which the reference breaks them, too.
	Known []runners.Broken
	// Explanation says what led to a failed step: a heading, and lines about the pods, znodes and
	// models that the step names (Suite.Explain).
	Explanation []string
	// Instants holds the times at which it was decided that the scenario fails, if the failure is
	// explained: those from Suite.Instants, and the time at which an invariant was broken.
	Instants []timeline.Instant
	// Log holds everything that was observed in the run, if Suite.Detail is set or there is an
	// Explanation.
	Log []runners.Observation

	// Unable is the error of the first step that the runner could not do, or ErrBusy if the machine
	// was too late for a verdict. In all other cases it is nil.
	Unable error
	// Late is how late the host was, in cluster time. Busy means that this is more than a scenario
	// can tolerate. A failed run is then skipped (TooBusy).
	Late time.Duration
	Busy bool

	narrated bool // whether the cluster can run again with a log of what happened
}

// Step is one step of a result. Took is cluster time.
type Step struct {
	// Keyword has no blank after it. KeywordAsWritten is the keyword as the file has it.
	Keyword, KeywordAsWritten string
	Text                      string
	Line                      int
	Status                    Status
	Err                       error
	Took                      time.Duration
}

// Failure returns the error of the first failed step. Without a failed step it returns the error of
// the run as a whole, which may be nil.
func (r *Result) Failure() error {
	for _, s := range r.Steps {
		if s.Status == Failed {
			return s.Err
		}
	}
	return r.Err
}

// About describes, in one line each, the quirks that the tags, the steps or the error mention.
func (r *Result) About() []string {
	text := strings.Join(r.Tags, " ")
	for _, s := range r.Steps {
		text += "\n" + s.Text
	}
	if err := r.Failure(); err != nil {
		text += "\n" + err.Error()
	}
	return scope.QuirkLines(text)
}

// finish copies the final state of the world into the result.
func (r *Result) finish(w *World) {
	r.Quirks = []string{w.spec.Quirks}
	if w.operation != nil {
		r.Quirks, r.Stats.TraceHash = w.operation.quirks, w.operation.hash
	}
	if w.cluster != nil {
		r.Stats = w.cluster.Stats()
		_, r.narrated = w.cluster.(runners.Narrator)
		if broken := w.cluster.Failure(); broken != "" {
			r.Err = errors.New(broken)
		}
		if watched, ok := w.cluster.(runners.Invariant); ok {
			for _, b := range watched.Invariants() {
				if b.Known != "" {
					r.Known = append(r.Known, b)
				}
			}
		}
		if d, ok := w.cluster.(runners.Delayed); ok {
			r.Late, r.Busy = d.Late()
		}
	}
	for _, s := range r.Steps {
		if s.Status == Skipped {
			r.Status = Skipped
		}
	}
	if r.Failure() != nil {
		r.Status = Failed
	}
}

// undelayed is a failure that no delay of the host can cause.
type undelayed struct{ error }

// ErrBusy is why a failed run is skipped: the host was too busy for a verdict.
var ErrBusy = errors.New("too busy to tell")

// TooBusy turns a failure on a host that was too busy into a skipped result, unless no delay can be
// the cause of it. It reports whether it did.
func (r *Result) TooBusy() bool {
	if wrong := (undelayed{}); r.Status != Failed || !r.Busy || errors.As(r.Failure(), &wrong) {
		return false
	}
	r.Unable = fmt.Errorf("%w: the machine was late by %v of the cluster's time; it failed by: %w", ErrBusy, r.Late.Round(100*time.Millisecond), r.Failure())
	r.Status, r.Err = Skipped, nil
	for i := range r.Steps {
		if r.Steps[i].Status == Failed {
			r.Steps[i].Status, r.Steps[i].Err = Skipped, nil
		}
	}
	return true
}

// Report is a listener that keeps the summary and every result of a suite.
type Report struct {
	Summary
	Results []Result
}

// Begin does nothing.
func (r *Report) Begin(Plan) error { return nil }

// Add keeps a result.
func (r *Report) Add(result *Result) error {
	r.Results = append(r.Results, *result)
	return nil
}

// End takes the summary.
func (r *Report) End(s *Summary) error {
	r.Summary = *s
	return nil
}

var _ Listener = (*Report)(nil)

// Summary counts the results of a suite. Its size does not depend on the number of seeds.
type Summary struct {
	Plan Plan
	// Runs counts the results. It is less than planned if the run was interrupted, or ended at the
	// first failure.
	Runs, Passed, Failed, Skipped int
	// Busy counts those skipped runs whose host was too busy for a verdict.
	Busy    int
	Steps   int
	Virtual time.Duration
	// Interrupted means that somebody ended the run early.
	Interrupted bool
	// OutOfTime means that the run ended early because its deadline passed.
	OutOfTime bool
	// Failures groups the failures by kind, in the order in which each kind first occurred.
	Failures []*FailureGroup

	groups map[failureKey]*FailureGroup
	trace  uint64
	// verdicts counts, for each runner in the order of runners, what its runs came to.
	verdicts map[string]*verdicts
	runners  []string
}

// verdicts counts the runs on one runner: all, those that passed or failed, and those for which the
// host was too busy.
type verdicts struct{ runs, told, busy int }

// FailureGroup holds the failures of one step of a scenario whose messages differ only in times and
// hashes. If a step has very many different messages, one last group holds the rest.
type FailureGroup struct {
	// First is the first failure of the group, with its explanation but without its Log.
	First Result
	Runs  int
	// Seeds lists the first few seeds with a failure of this group, in order.
	Seeds []uint64
}

const (
	// groupSeeds is the most seeds that a group lists.
	groupSeeds = 5
	// groupsPerStep is the largest number of groups of one step. All failures with messages beyond
	// these go into one more group.
	groupsPerStep = 5
)

// failureKey is what all failures of a group have in common: the scenario, the step, the runner and
// the message.
type failureKey struct {
	path       string
	line, step int
	runner     string
	message    string
}

// NewSummary makes an empty summary.
func NewSummary(p Plan) *Summary {
	return &Summary{Plan: p, groups: map[failureKey]*FailureGroup{}, verdicts: map[string]*verdicts{}, trace: fnv.New64a().Sum64()}
}

// Add counts a result that another package has made.
func (s *Summary) Add(r *Result) { s.add(r) }

// add counts a result. If it is a failure, add returns its group.
func (s *Summary) add(r *Result) *FailureGroup {
	s.Runs++
	s.Steps += len(r.Steps)
	s.Virtual += r.Stats.Virtual
	s.trace = fold(s.trace, r.Stats.TraceHash)
	on := s.verdicts[r.Runner]
	if on == nil {
		on = &verdicts{}
		s.verdicts[r.Runner], s.runners = on, append(s.runners, r.Runner)
	}
	on.runs++
	switch r.Status {
	case Passed:
		s.Passed++
		on.told++
	case Skipped:
		s.Skipped++
		if errors.Is(r.Unable, ErrBusy) {
			s.Busy++
			on.busy++
		}
	case Failed:
		s.Failed++
		on.told++
		return s.fail(r)
	}
	return nil
}

// Undecided returns a line for each runner on which runs were made, but none passed or failed. Such
// a suite has no failure and yet says nothing about that runner.
func (s *Summary) Undecided() []string {
	return lists.Select(s.runners, func(name string) (string, bool) {
		on := s.verdicts[name]
		line := fmt.Sprintf("no verdict on %s: of %d runs none passed or failed, %d skipped, %d too busy to tell", name, on.runs, on.runs-on.busy, on.busy)
		if on.busy > 0 {
			line += "; a quieter machine or a slower clock can tell"
		}
		return line, on.told == 0
	})
}

// fail adds a failure to its group, and returns the group.
func (s *Summary) fail(r *Result) *FailureGroup {
	step := slices.IndexFunc(r.Steps, func(st Step) bool { return st.Status == Failed })
	key := failureKey{r.Path, r.Line, step, r.Runner, varying.ReplaceAllString(r.Failure().Error(), "…")}
	if s.groups[key] == nil {
		ofStep := 0
		for other := range s.groups {
			if other.path == key.path && other.line == key.line && other.step == key.step && other.runner == key.runner {
				ofStep++
			}
		}
		if ofStep >= groupsPerStep {
			key.message = ""
		}
	}
	group := s.groups[key]
	if group == nil {
		group = &FailureGroup{First: *r}
		group.First.Log = nil
		s.groups[key] = group
		s.Failures = append(s.Failures, group)
	}
	group.Runs++
	if len(group.Seeds) < groupSeeds {
		group.Seeds = append(group.Seeds, r.Seed)
	}
	return group
}

// varying matches what differs between failures of one kind: times, and hashes of traces.
var varying = regexp.MustCompile(`(?:` + durationText + `|[0-9a-f]{16}|0x[0-9a-f]+)`)

// Seeds returns how many seeds have at least one result.
func (s *Summary) Seeds() int {
	all := max(s.Plan.Scenarios, 1)
	return min(s.Plan.Seeds, (s.Runs+all-1)/all)
}

// Remark says how far an incomplete run came. For a complete run it returns "".
func (s *Summary) Remark() string {
	switch {
	case s.Interrupted:
		return fmt.Sprintf("interrupted after %d of %d runs", s.Runs, s.Plan.Runs)
	case s.OutOfTime:
		text := fmt.Sprintf("out of time after %d runs", s.Runs)
		if s.Plan.Seeds != Endless {
			text = fmt.Sprintf("out of time after %d of %d runs", s.Runs, s.Plan.Runs)
		}
		if s.Runs < s.Plan.Scenarios {
			return fmt.Sprintf("%s: only %d of %d scenarios were met", text, s.Runs, s.Plan.Scenarios)
		}
		return fmt.Sprintf("%s: each of %d scenarios with %d seeds or more", text, s.Plan.Scenarios, s.Runs/max(s.Plan.Scenarios, 1))
	}
	return ""
}

// TraceHash returns a hash of the trace hashes of all runs, in order.
func (s *Summary) TraceHash() uint64 { return s.trace }

// fold continues an FNV-1a hash of 64 bits with the bytes of a number.
func fold(h, number uint64) uint64 {
	for _, b := range binary.BigEndian.AppendUint64(nil, number) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}
