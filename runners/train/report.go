package train

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun/traincheck"
)

// Report sums up a run. Times are in seconds, and virtual times count from the start.
type Report struct {
	Plan    string `json:"plan"`
	Seed    uint64 `json:"seed"`
	Quirks  string `json:"quirks"`
	Workers int    `json:"workers"`
	PS      int    `json:"ps"`
	// TensorFlow is the build of TensorFlow. FailFast says whether a call to a missing server
	// fails at once (TRN-8.12). MaxRetries is how often a process retries after the cluster
	// changed, and RetryWaitSeconds how long it waits before.
	TensorFlow       string  `json:"tensorflow"`
	FailFast         bool    `json:"fail_fast"`
	MaxRetries       int     `json:"max_retries"`
	RetryWaitSeconds float64 `json:"retry_wait_s"`
	// Notes are the notes of the Plan.
	Notes []string `json:"notes,omitempty"`
	// Timeline holds the first moments of the run, up to a limit. MomentsTotal counts all of them.
	Timeline     []Moment `json:"timeline"`
	MomentsTotal int      `json:"moments_total"`
	// Deeds counts the actions of the job's processes by kind, such as "saved".
	Deeds       map[string]int `json:"deeds"`
	Acts        []Done         `json:"acts"`
	GlobalStep  int64          `json:"global_step"`
	Checkpoints []string       `json:"checkpoints"`
	// Work says how many steps were made and lost. Processes says what each process does at the
	// end.
	Work Work `json:"work"`
	// Serving says what the plan's agents served, nil for a plan without.
	Serving   *Served `json:"serving,omitempty"`
	Processes []Doing `json:"processes"`
	// Invariants lists the broken invariants of TRN-6.5, Held those that were checked and did not
	// break, and Expected those that the plan expects to break. NotChecked lists those that the run
	// gave no occasion to check, with the reasons. Undecided says why INV-8 could not be decided, ""
	// if it was.
	Invariants []Broken `json:"invariants"`
	Held       []string `json:"held"`
	Expected   []string `json:"expected,omitempty"`
	NotChecked []string `json:"not_checked,omitempty"`
	Undecided  string   `json:"undecided,omitempty"`
	// Running lists the processes that run at the end.
	Running    []string       `json:"running"`
	Counts     runners.Counts `json:"counts"`
	Trace      string         `json:"trace"`
	VirtualSec float64        `json:"virtual_s"`
	WallSec    float64        `json:"wall_s"`
	Failure    string         `json:"failure,omitempty"`

	// Samples are taken at intervals of [Plan.Every]. Bars say when each process ran.
	Samples []Sample `json:"-"`
	Bars    []Bar    `json:"-"`

	over    bool
	why     func(process string) string // returns why a process that failed did not try again
	causes  []cause
	saves   []saving
	written []written     // checkpoints in the order in which they were saved
	due     time.Duration // the next sample
}

// Moment is an action of a process of the job.
type Moment struct {
	AtSeconds float64 `json:"at_s"`
	Who       string  `json:"who"`
	What      string  `json:"what"`
	About     string  `json:"about,omitempty"`
}

// Broken is an invariant that was broken.
type Broken struct {
	Invariant string  `json:"invariant"`
	AtSeconds float64 `json:"at_s"`
	What      string  `json:"what"`
	// Known is the quirk or rule by which the reference breaks the invariant as well, "" if
	// there is none.
	Known string `json:"known,omitempty"`
}

// Done is the outcome of a line of the script.
type Done struct {
	AtSeconds float64 `json:"at_s"`
	What      string  `json:"what"`
	Error     string  `json:"error,omitempty"`
}

// Failed returns the number of acts of the script that failed.
func (r *Report) Failed() (n int) {
	for _, a := range r.Acts {
		if a.Error != "" {
			n++
		}
	}
	return n
}

// Unknown counts the broken invariants that neither a known fault of the reference nor the
// plan explains. INV-8 is not counted.
func (r *Report) Unknown() (n int) {
	for _, b := range r.Invariants {
		if b.Known == "" && b.Invariant != traincheck.Liveness && !slices.Contains(r.Expected, b.Invariant) {
			n++
		}
	}
	return n
}

// Print writes the report as text for people.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%s: a chief, %s, %d PS, seed %d, quirks %s\n", r.Plan, lists.Counted(r.Workers, "worker"), r.PS, r.Seed, r.Quirks)
	calls := "wait for it"
	if r.FailFast {
		calls = "fail at once"
	}
	fmt.Fprintf(w, "TensorFlow %s, calls of a server that is gone %s; a changed cluster is tried %s, %gs after an error\n", r.TensorFlow, calls, lists.Counted(r.MaxRetries, "more time"), r.RetryWaitSeconds)
	for _, note := range r.Notes {
		fmt.Fprintln(w, note)
	}
	fmt.Fprintln(w, "\ntimeline")
	for _, m := range r.Timeline {
		fmt.Fprintf(w, "  %10.3fs  %-10s %s\n", m.AtSeconds, m.Who, strings.TrimSpace(m.What+" "+m.About))
	}
	if more := r.MomentsTotal - len(r.Timeline); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	if len(r.Acts) > 0 {
		fmt.Fprintln(w, "\nscript")
	}
	for _, a := range r.Acts {
		outcome := "done"
		if a.Error != "" {
			outcome = "FAILED: " + a.Error
		}
		fmt.Fprintf(w, "  %10.3fs  %s: %s\n", a.AtSeconds, a.What, outcome)
	}
	fmt.Fprintln(w, "\nthe job")
	for _, op := range slices.Sorted(maps.Keys(r.Deeds)) {
		fmt.Fprintf(w, "  %-24s %d\n", op, r.Deeds[op])
	}
	fmt.Fprintf(w, "  %-24s %d\n  %-24s %d\n  %-24s %d\n", "global step", r.GlobalStep, "checkpoints listed", len(r.Checkpoints), "processes at the end", len(r.Running))
	fmt.Fprintln(w, "\nthe work")
	r.Work.print(w)
	if r.Serving != nil {
		r.Serving.print(w)
	}
	fmt.Fprintln(w, "\nat the end")
	for _, d := range r.Processes {
		fmt.Fprintf(w, "  %s %s\n", d.who, d.What)
	}
	fmt.Fprintln(w, "\ninvariants")
	r.printInvariants(w)
	fmt.Fprintln(w, "\ncounts")
	for _, line := range r.Counts.Lines(func(n uint64) string { return fmt.Sprint(n) }) {
		fmt.Fprintf(w, "  %-24s %s\n", line.Name, line.Text)
	}
	fmt.Fprintf(w, "\n%.0fs virtual in %.3fs wall, trace %s\n", r.VirtualSec, r.WallSec, r.Trace)
	if r.Failure != "" {
		fmt.Fprintf(w, "broke off: %s\n", r.Failure)
	}
}
