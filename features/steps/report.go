package steps

import (
	"errors"
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
