package train

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/test/simrun/traincheck"
)

// Work says what the job made and what it lost.
type Work struct {
	// StepsMade counts all steps, StepsLost those that a restore or a restart took back. Goodput is
	// the share of StepsMade that counts in the end.
	StepsMade int64   `json:"steps_made"`
	StepsLost int64   `json:"steps_lost"`
	Goodput   float64 `json:"goodput"`
	// LastStepSeconds is when the last step ended. PausedSeconds adds up the times, longer than two
	// steps and a second, in which nobody made one. SavesSeconds is how long saves held the workers.
	LastStepSeconds float64 `json:"last_step_s"`
	PausedSeconds   float64 `json:"paused_s"`
	SavesSeconds    float64 `json:"saves_s"`
	// Failures are what took steps or time, in the order of time.
	Failures []Failure `json:"failures"`
}

// Failure is something that failed or was done to the job, and what that took.
type Failure struct {
	AtSeconds float64 `json:"at_s"`
	What      string  `json:"what"`
	// PausedSeconds is the time without a step, StepsLost the steps that were made twice.
	PausedSeconds float64 `json:"paused_s"`
	StepsLost     int64   `json:"steps_lost"`
}

// cause is what may have led to a pause or a loss.
type cause struct {
	at   time.Duration
	what string
	// of is the cause that it follows from, as the end of a process of which another one needed
	// something; nil for none.
	of *cause
	Failure
}

// Doing is what some processes do at the end.
type Doing struct {
	Processes []string `json:"processes"`
	// What says it in words. Of a wait, For is for whom or what, In the module of the reference that
	// waits, EverySeconds the pause between two looks and SinceSeconds when it began.
	What         string  `json:"what"`
	For          string  `json:"for,omitempty"`
	In           string  `json:"in,omitempty"`
	EverySeconds float64 `json:"every_s,omitempty"`
	SinceSeconds float64 `json:"since_s,omitempty"`

	who string
}

// account adds up what was made and lost. causes are in the order of time.
func account(check *traincheck.Checker, causes []cause, saves []time.Duration) Work {
	made, last := check.Steps()
	w := Work{StepsMade: made, LastStepSeconds: last.Seconds(), SavesSeconds: check.Saves().Seconds(), Goodput: 1, Failures: []Failure{}}
	start := &cause{what: "the start"}
	for _, p := range check.Pauses() {
		if first := causeOf(causes, p.From, p.To); p.From > 0 && first != nil {
			for i := range causes {
				if c := &causes[i]; c.at > first.at && c.at <= p.To {
					c.of = first
				}
			}
		}
	}
	for _, p := range check.Pauses() {
		took := (p.To - p.From).Seconds()
		w.PausedSeconds += took
		of := start
		if p.From > 0 {
			of = causeOf(causes, p.From, p.To)
		}
		saving := slices.ContainsFunc(saves, func(at time.Duration) bool { return p.From <= at && at <= p.To })
		if of != nil && (of.at >= p.From || !saving) {
			of.PausedSeconds += took
		}
	}
	for _, l := range check.Losses() {
		w.StepsLost += l.Steps
		if of := causeOf(causes, 0, l.At); of != nil {
			of.StepsLost += l.Steps
		}
	}
	if made > 0 {
		w.Goodput = float64(made-w.StepsLost) / float64(made)
	}
	for _, c := range append([]cause{*start}, causes...) {
		if c.PausedSeconds > 0 || c.StepsLost > 0 {
			c.AtSeconds, c.What = c.at.Seconds(), c.what
			w.Failures = append(w.Failures, c.Failure)
		}
	}
	return w
}

// causeOf returns the first cause between two times, or the last one before.
func causeOf(causes []cause, from, to time.Duration) *cause {
	var before *cause
	for i := range causes {
		switch c := &causes[i]; {
		case c.at > to:
			return before
		case from > 0 && c.at >= from && c.of == nil:
			return c
		case c.of == nil:
			before = c
		}
	}
	return before
}

// print writes the section on the work.
func (w *Work) print(out io.Writer) {
	fmt.Fprintf(out, "  %-24s %d, %d of them lost, goodput %.1f %%\n", "steps made", w.StepsMade, w.StepsLost, 100*w.Goodput)
	fmt.Fprintf(out, "  %-24s %.3fs, the last one at %.3fs; saves held the workers %.3fs\n", "without a step", w.PausedSeconds, w.LastStepSeconds, w.SavesSeconds)
	for _, f := range w.Failures {
		fmt.Fprintf(out, "  %10.3fs  %s: %.3fs without a step, %d steps lost\n", f.AtSeconds, f.What, f.PausedSeconds, f.StepsLost)
	}
}

// doings lists what the processes do.
func doings(check *traincheck.Checker) (list []Doing) {
	for _, g := range traincheck.Grouped(check.Activities()) {
		d := Doing{Processes: g.Names, What: g.What(), who: g.Who()}
		if g.Running && !g.Stepping {
			d.For, d.In, d.EverySeconds, d.SinceSeconds = g.Waits.For, g.Waits.In, g.Waits.Every.Seconds(), g.Waits.Since.Seconds()
		}
		list = append(list, d)
	}
	return list
}

// printInvariants writes the section on the invariants.
func (r *Report) printInvariants(w io.Writer) {
	held := slices.DeleteFunc(slices.Clone(invariants), func(name string) bool {
		return strings.Contains(strings.Join(r.NotChecked, " "), name) || name == traincheck.Liveness && r.Undecided != "" ||
			slices.ContainsFunc(r.Invariants, func(b Broken) bool { return b.Invariant == name })
	})
	for _, b := range r.Invariants {
		verdict := "BROKEN"
		switch {
		case slices.Contains(r.Expected, b.Invariant):
			verdict = "broken, as the plan expects"
		case b.Known != "" && b.Invariant != traincheck.Liveness:
			verdict = "broken, as in the reference (" + b.Known + ")"
		case b.Known != "":
			verdict += ", as in the reference (" + b.Known + ")"
		}
		fmt.Fprintf(w, "  %10.3fs  %s %s: %s\n", b.AtSeconds, b.Invariant, verdict, b.What)
	}
	if r.Undecided != "" {
		fmt.Fprintf(w, "  %s not decided: %s\n", traincheck.Liveness, r.Undecided)
	}
	for _, name := range r.kept() {
		fmt.Fprintf(w, "  %s holds, which the plan expects to break\n", name)
	}
	if len(held) > 0 {
		fmt.Fprintf(w, "  %s hold\n", strings.Join(held, ", "))
	}
	if len(r.NotChecked) > 0 {
		fmt.Fprintf(w, "  not checked: %s\n", strings.Join(r.NotChecked, ", "))
	}
}

// kept lists the invariants that the plan expects to break and that did not.
func (r *Report) kept() (list []string) {
	return lists.Filter(r.Expected, func(name string) bool {
		return !slices.ContainsFunc(r.Invariants, func(b Broken) bool { return b.Invariant == name })
	})
}

// Wrong says what of the invariants makes the run a failure, "" if nothing: one that broke and that
// neither the reference breaks nor the plan expects to break, a job that stands still, which nobody
// may but by the plan, and one that the plan expects to break and that held.
func (r *Report) Wrong() string {
	var parts []string
	if n := r.Unknown(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d invariants broke that the reference holds", n))
	}
	for _, b := range r.Invariants {
		if b.Invariant == traincheck.Liveness && !slices.Contains(r.Expected, b.Invariant) {
			parts = append(parts, "the job stands still: "+cmp.Or(b.What, b.Invariant))
		}
	}
	if kept := r.kept(); len(kept) > 0 {
		parts = append(parts, fmt.Sprintf("the plan expects %s to break, found it to hold", strings.Join(kept, ", ")))
	}
	return strings.Join(parts, "; ")
}
