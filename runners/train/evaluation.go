package train

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/lists"
)

// Evaluation says how the evaluator kept up with the checkpoints.
type Evaluation struct {
	// Saved counts the checkpoints, Evaluated those of them that were evaluated, Skipped those that
	// were not although a later one was, and Left those that are later than all evaluated ones.
	Saved     int `json:"saved"`
	Evaluated int `json:"evaluated"`
	Skipped   int `json:"skipped"`
	Left      int `json:"left"`
	// LagSeconds is how long after its save a checkpoint was evaluated, in the mean, and
	// WorstLagSeconds at worst.
	LagSeconds      float64 `json:"lag_s"`
	WorstLagSeconds float64 `json:"worst_lag_s"`
}

// written is a checkpoint: when it was saved, and when evaluated first, or never for 0.
type written struct {
	path             string
	saved, evaluated time.Duration
}

// savedAt records a save. A checkpoint that is saved again counts from then on.
func (r *Report) savedAt(path string, at time.Duration) {
	r.written = append(lists.Filter(r.written, func(k written) bool { return k.path != path }), written{path: path, saved: at})
}

// evaluated records the end of an evaluation.
func (r *Report) evaluated(path string, at time.Duration) {
	if i := slices.IndexFunc(r.written, func(k written) bool { return k.path == path }); i >= 0 && r.written[i].evaluated == 0 {
		r.written[i].evaluated = at
	}
}

// evaluation sums up the evaluator's work.
func (r *Report) evaluation() *Evaluation {
	e := &Evaluation{Saved: len(r.written)}
	for _, k := range r.written {
		if k.evaluated == 0 {
			e.Left++
			continue
		}
		lag := (k.evaluated - k.saved).Seconds()
		e.Evaluated, e.Skipped, e.Left = e.Evaluated+1, e.Skipped+e.Left, 0
		e.LagSeconds, e.WorstLagSeconds = e.LagSeconds+lag, max(e.WorstLagSeconds, lag)
	}
	if e.Evaluated > 0 {
		e.LagSeconds /= float64(e.Evaluated)
	}
	return e
}

// print writes the report's line on the evaluator.
func (e *Evaluation) print(out io.Writer) {
	fmt.Fprintf(out, "  %-24s %d of %d, %d skipped, %d later than these; %.3fs after their saves in the mean, %.3fs at worst\n",
		"checkpoints evaluated", e.Evaluated, e.Saved, e.Skipped, e.Left, e.LagSeconds, e.WorstLagSeconds)
}
