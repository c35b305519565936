package train

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/test/simrun/traincheck"
)

// Work says what steps and time the job used and lost.
type Work struct {
	// StepsMade counts all steps made. StepsLost counts those that a restore or restart undid, and
	// those that no checkpoint has after the PS have gone. Goodput is the share of StepsMade that was
	// not lost, 0 if none was made.
	StepsMade int64   `json:"steps_made"`
	StepsLost int64   `json:"steps_lost"`
	Goodput   float64 `json:"goodput"`
	// LastStepSeconds is when the last step ended. PausedSeconds sums the periods without a step
	// that are longer than two steps and a second. SavesSeconds is how long saves held the
	// workers.
	LastStepSeconds float64 `json:"last_step_s"`
	PausedSeconds   float64 `json:"paused_s"`
	SavesSeconds    float64 `json:"saves_s"`
	// WritesFailed counts writes of checkpoints that failed. The chief tries each save twice.
	WritesFailed int `json:"writes_failed"`
	// Evaluated says how the evaluator kept up, nil without one.
	Evaluated *Evaluation `json:"evaluation,omitempty"`
	// Failures lists, in order of time, what cost steps or time.
	Failures []Failure `json:"failures"`
}

// Failure is a failure or an act of the script, with its cost.
type Failure struct {
	AtSeconds float64 `json:"at_s"`
	What      string  `json:"what"`
	// PausedSeconds is the time without a step. StepsLost is how many steps had to be made again.
	PausedSeconds float64 `json:"paused_s"`
	StepsLost     int64   `json:"steps_lost"`
}

// cause is an event that may have led to a pause or to lost steps.
type cause struct {
	at   time.Duration
	what string
	// of is the earlier cause that led to this one, as when a process ended because another one
	// was missing. nil means none.
	of *cause
	Failure
}

// Doing says what a group of processes does at the end of the run.
type Doing struct {
	Processes []string `json:"processes"`
	// What describes in words what the processes do. The other fields describe a wait. For says for
	// whom or what the processes wait, and In is the module of the reference that waits.
	// EverySeconds is the time between its polls, and SinceSeconds is when the wait began.
	What         string  `json:"what"`
	For          string  `json:"for,omitempty"`
	In           string  `json:"in,omitempty"`
	EverySeconds float64 `json:"every_s,omitempty"`
	SinceSeconds float64 `json:"since_s,omitempty"`

	who string
}

// saving is a save of the chief, from its barrier until the checkpoint is written or the chief ends.
type saving struct{ from, to time.Duration }

// account attributes pauses and lost steps to causes, and sums them up. causes are in order
// of time. gone is how many steps have gone with the PS at the end of the run.
func account(check *traincheck.Checker, causes []cause, saves []saving, gone int64) Work {
	made, last := check.Steps()
	w := Work{StepsMade: made, LastStepSeconds: last.Seconds(), SavesSeconds: check.Saves().Seconds(), StepsLost: gone, Failures: []Failure{}}
	start := &cause{what: "the start"}
	for _, p := range check.Pauses() {
		if first := causeOf(causes, p.From, p.To); p.From > 0 && first != nil {
			for i := range causes {
				switch c := &causes[i]; {
				case c == first:
				case c.at == first.at && c.of == nil: // two parts of the same failure
					c.of, first.what = first, first.what+"; "+c.what
				case c.at > first.at && c.at <= p.To:
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
		saved := slices.ContainsFunc(saves, func(s saving) bool { return s.from <= p.To && p.From <= s.to })
		if of != nil && (of.at >= p.From || !saved) {
			of.PausedSeconds += took
		}
	}
	if of := causeOf(causes, last, math.MaxInt64); of != nil {
		of.StepsLost += gone
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

// causeOf returns the first cause between two times, or else the latest one before them.
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

// print writes the report's section on steps and failures.
func (w *Work) print(out io.Writer) {
	fmt.Fprintf(out, "  %-24s %d, %d of them lost, goodput %.1f %%\n", "steps made", w.StepsMade, w.StepsLost, 100*w.Goodput)
	fmt.Fprintf(out, "  %-24s %.3fs, the last one at %.3fs; saves held the workers %.3fs\n", "without a step", w.PausedSeconds, w.LastStepSeconds, w.SavesSeconds)
	if w.WritesFailed > 0 {
		fmt.Fprintf(out, "  %-24s %d, each save is tried twice\n", "writes that failed", w.WritesFailed)
	}
	if w.Evaluated != nil {
		w.Evaluated.print(out)
	}
	for _, f := range w.Failures {
		fmt.Fprintf(out, "  %10.3fs  %s: %.3fs without a step, %d steps lost\n", f.AtSeconds, f.What, f.PausedSeconds, f.StepsLost)
	}
}

// doings lists the groups of processes and what each group does.
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

// printInvariants writes a line for each invariant that was broken: where, and whether the plan
// expects it.
func (r *Report) printInvariants(w io.Writer) {
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
	if len(r.Held) > 0 {
		fmt.Fprintf(w, "  %s hold\n", strings.Join(r.Held, ", "))
	}
	if len(r.NotChecked) > 0 {
		fmt.Fprintf(w, "  not checked: %s\n", strings.Join(r.NotChecked, ", "))
	}
}

// held lists the invariants that were checked and did not break.
func (r *Report) held() []string {
	return slices.DeleteFunc(slices.Clone(invariants), func(name string) bool {
		return strings.Contains(strings.Join(r.NotChecked, " "), name) || name == traincheck.Liveness && r.Undecided != "" ||
			slices.ContainsFunc(r.Invariants, func(b Broken) bool { return b.Invariant == name })
	})
}

// kept lists the invariants that the plan expects to break but that held.
func (r *Report) kept() (list []string) {
	return lists.Filter(r.Expected, func(name string) bool {
		return !slices.ContainsFunc(r.Invariants, func(b Broken) bool { return b.Invariant == name })
	})
}

// Wrong says why the invariants make the run a failure, "" if they do not. The reasons are a
// broken invariant that neither the reference nor the plan explains, a job that makes no
// steps although the plan does not expect that, and an invariant that held although the plan
// expects it to break.
func (r *Report) Wrong() string {
	var parts []string
	if n := r.Unknown(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d invariants broke that the reference holds", n))
	}
	for _, b := range r.Invariants {
		if b.Invariant == traincheck.Liveness && !slices.Contains(r.Expected, b.Invariant) {
			who := "the job stands still: "
			switch {
			case strings.HasPrefix(b.What, "no save"):
				who = "the chief stands still: "
			case strings.HasPrefix(b.What, "the training is over"):
				who = ""
			}
			parts = append(parts, who+cmp.Or(b.What, b.Invariant))
		}
	}
	if kept := r.kept(); len(kept) > 0 {
		parts = append(parts, fmt.Sprintf("the plan expects %s to break, found it to hold", strings.Join(kept, ", ")))
	}
	return strings.Join(parts, "; ")
}
