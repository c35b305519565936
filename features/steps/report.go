package steps

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/vectors/scope"
)

// Status is how a step or a scenario went.
type Status uint8

// A scenario is skipped when the runner cannot do something that it asks for.
const (
	Passed Status = iota
	Failed
	Skipped
)

func (s Status) String() string { return [...]string{"passed", "failed", "skipped"}[s] }

// Result is one run of one scenario with one seed.
type Result struct {
	// Name is the scenario's; that of a row of an outline has the row's values.
	Feature, Name string
	// Path and Line are where the scenario begins, or where the row of an outline is.
	Path string
	Line int
	Tags []string
	Seed uint64
	// Runner is the name of that on which it ran.
	Runner string
	// Quirks are those that the agents had, as runners.Spec has them; a scenario
	// about a recorded case has an entry for each answer.
	Quirks []string
	// Replay is the command that repeats the run.
	Replay string
	Steps  []Step
	Status Status
	// Err is a failure of the run as a whole: a cluster that broke, or two runs that
	// differ.
	Err   error
	Stats runners.Stats
	// Explanation says, of a failed step, what led to it: a heading and lines of what
	// happened to the pods, znodes and models that the step names; see Suite.Explain.
	Explanation []string
	// Log is everything observed in the run: of all runs with Suite.Detail, else of those
	// that have an Explanation.
	Log []runners.Observation

	narrated bool // the cluster can be run again and say what happened
}

// Step is one step of a result. Took is cluster time.
type Step struct {
	Keyword, Text string
	Line          int
	Status        Status
	Err           error
	Took          time.Duration
}

// Failure returns what failed first, the run as a whole or a step; nil when nothing
// did.
func (r *Result) Failure() error {
	for _, s := range r.Steps {
		if s.Status == Failed {
			return s.Err
		}
	}
	return r.Err
}

// About has a line for each quirk of the reference that the tags, the steps or the
// failure name, as the register has it.
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

// finish takes what is known of the world at its end.
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

// Report is what a suite did, with every result. As a [Listener] it fills itself.
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

// Summary is what a suite did in all. Its size does not depend on the number of seeds.
type Summary struct {
	Plan Plan
	// Runs is how many results there are; less than those planned when the run was
	// interrupted or ended with the first failure.
	Runs, Passed, Failed, Skipped int
	Steps                         int
	Virtual                       time.Duration
	// Interrupted says that the run was broken off from outside.
	Interrupted bool
	// Failures are those of one kind together, in the order of their first.
	Failures []*FailureGroup

	groups map[failureKey]*FailureGroup
	trace  uint64
}

// FailureGroup is the failures of one step of a scenario with one message, whatever times
// and hashes are in it. A step that fails in many ways has a last group with all others.
type FailureGroup struct {
	// First is the first of them, with its explanation; its Log is not kept.
	First Result
	Runs  int
	// Seeds are the first few, in their order.
	Seeds []uint64
}

const (
	// groupSeeds is how many seeds of a group are kept.
	groupSeeds = 5
	// groupsPerStep is how many messages of a step are told apart.
	groupsPerStep = 5
)

// failureKey is what the failures of a group have in common: the scenario, the step, the
// runner and what it says.
type failureKey struct {
	path       string
	line, step int
	runner     string
	message    string
}

// NewSummary is a summary of nothing yet.
func NewSummary(p Plan) *Summary {
	return &Summary{Plan: p, groups: map[failureKey]*FailureGroup{}, trace: fnv.New64a().Sum64()}
}

// Add counts a result that was found elsewhere.
func (s *Summary) Add(r *Result) { s.add(r) }

// add counts a result and returns the group of a failure.
func (s *Summary) add(r *Result) *FailureGroup {
	s.Runs++
	s.Steps += len(r.Steps)
	s.Virtual += r.Stats.Virtual
	s.trace = fold(s.trace, r.Stats.TraceHash)
	switch r.Status {
	case Passed:
		s.Passed++
	case Skipped:
		s.Skipped++
	case Failed:
		s.Failed++
		return s.fail(r)
	}
	return nil
}

// fail puts a failure to those of its kind.
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

// varying is what differs between failures of one kind: times, and hashes of traces.
var varying = regexp.MustCompile(`(?:` + durationText + `|[0-9a-f]{16}|0x[0-9a-f]+)`)

// TraceHash folds the hashes of all runs in their order.
func (s *Summary) TraceHash() uint64 { return s.trace }

// fold is FNV-1a of 64 bits, gone on with the bytes of a number.
func fold(h, number uint64) uint64 {
	for _, b := range binary.BigEndian.AppendUint64(nil, number) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}
