package judge

import (
	"fmt"
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/quantity"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// newPool returns the pool of a window, still without samples.
func newPool(w model.Window, limits, thin int, related model.Related) *Pool {
	one := &Pool{Window: w, Conserved: true, thin: float64(max(thin, 1)), related: related}
	one.forget(limits)
	return one
}

// forget forgets all samples.
func (w *Pool) forget(limits int) {
	w.after = make([]Known, 1)
	if w.Window.Steady {
		w.after = make([]Known, model.Segments)
	}
	for k := range w.after {
		w.after[k] = Known{PerModel: newPerModel("", limits), Never: map[string]int{}}
	}
	w.Known, w.drifts, w.axis, w.tracks = w.after[0], [model.Segments][]float64{}, nil, nil
}

// refuse marks a window as not simulated, with the reason, and drops its results.
func (w *Pool) refuse(why string, limits int) {
	w.Refused = why
	w.forget(limits)
}

// refused says why the window with the given name is not simulated. It returns "" if the window is
// simulated.
func (e *Evaluation) refused(name string) string {
	for _, w := range e.Windows {
		if w.Window.Name == name {
			return w.Refused
		}
	}
	return ""
}

// Refused names the first window that is not simulated, with the reason. It returns "" if all
// windows are simulated.
func (e *Evaluation) Refused() string {
	for _, w := range e.Windows {
		if w.Refused != "" {
			return fmt.Sprintf("window %s is %s", w.Window.Name, w.Refused)
		}
	}
	return ""
}

// drift records by how much the mean latencies of the two halves of a steady window differ
// in a replication.
func (w *Pool) drift(s *model.Sample) {
	if !w.Window.Steady {
		return
	}
	for k := range w.drifts {
		from := k * stats.Batch
		middle := (from + model.Bins) / 2
		if a, b := meanOf(s, from, middle), meanOf(s, middle, model.Bins); a > 0 && b > 0 {
			w.drifts[k] = append(w.drifts[k], b-a)
		}
	}
}

// meanOf returns the mean latency in the bins b with from <= b < to, in nanoseconds. It is 0 if no
// request falls into them.
func meanOf(s *model.Sample, from, to int) float64 {
	ns, n := int64(0), int64(0)
	for b := from; b < to; b++ {
		ns, n = ns+s.BinSums[b], n+s.BinCounts[b]
	}
	return float64(ns) / float64(max(n, 1))
}

// settles is the confidence at which the mean latencies of the two halves of a steady window count
// as different. They must also differ by more than the plan's precision of means. If they differ,
// the time simulated before the window was too short.
const settles = 0.9999

// unsettled says by how much the halves of a steady window differ. It returns "" if they do
// not differ significantly.
func (e *Evaluation) unsettled(w *Pool) string {
	drifts := w.drifts[w.segments]
	if len(drifts) < 5 || w.Sum.Completed == 0 || e.overloaded() {
		return ""
	}
	drift, half := stats.Interval(drifts, settles)
	mean := float64(w.Sum.SumNs) / float64(w.Sum.Completed)
	if math.Abs(drift) <= half || math.Abs(drift)-half < float64(e.Plan.Precision.Mean)*mean {
		return ""
	}
	return fmt.Sprintf("requests of its second half take %s more than those of its first, of %s in the mean, though nothing happens: it is not settled",
		measured(quantity.Duration, drift), measured(quantity.Duration, mean))
}

// cutWarmUps computes how much warm-up to cut from each window, from all replications so far.
// Earlier results, from fewer replications, are replaced.
func (e *Evaluation) cutWarmUps() {
	for _, w := range e.Windows {
		w.cutWarmUp(e.changes(w))
		if len(e.lives) > 0 && !e.Plan.Random.Any() { // random failures differ from replication to replication
			w.related = e.Spec.Related(w.Window, e.lives[0])
		}
		w.recovers(e)
		if w.Unsettled = e.unsettled(w); w.Unsettled != "" {
			w.Stationary, w.even = false, false
		}
	}
}

// changes reports whether the load or the fleet changes within a window. It does if the plan says
// so, if a restart, a roll-out or a return of sessions goes on in the window, or if the number of
// running containers changes. In a plan with random failures, changes of this number do not count,
// because they happen all the time.
func (e *Evaluation) changes(w *Pool) bool {
	if e.Plan.Changes(w.Window.Window) {
		return true
	}
	from, to := int64(w.Window.Start), int64(w.Window.End)
	for i := range e.Plan.Events {
		at := int64(e.Plan.Events[i].At)
		if ns := e.listed(i); ns > 0 && at < to && at+ns > from {
			return true
		}
		for k := range e.lives {
			if r := rolloutOf(&e.lives[k], i); r != nil && r.Within(from-at, to-at) {
				return true
			}
		}
	}
	for i := range e.lives {
		for _, steps := range e.lives[i].Live {
			if !e.Plan.Random.Any() && slices.ContainsFunc(steps, func(s model.Step) bool { return s.At > from && s.At < to }) {
				return true
			}
		}
	}
	return false
}

// cutWarmUp finds when the window becomes stationary, from its bins' means over all
// replications, and drops what came before (CAP-5.3). It cuts nothing in a window with
// events or changing load. It also cuts nothing if a bin has no request, or if the window is
// not stationary by its middle.
func (w *Pool) cutWarmUp(changes bool) {
	sum := &w.after[0].Sum // bins always cover the whole window
	var means []float64
	for b, n := range sum.BinCounts {
		if n > 0 {
			means = append(means, float64(sum.BinSums[b])/float64(n))
		}
	}
	cut, ok := stats.MSER5(means)
	w.even, w.segments = ok, 0
	w.Stationary = ok && !changes
	if ok && len(means) == model.Bins && w.Window.Steady {
		w.segments = cut / stats.Batch
	}
	w.Known = w.after[w.segments]
	w.Cut = int64(w.segments*stats.Batch) * int64(w.Window.End-w.Window.Start) / model.Bins
}

// seconds returns the length of the window without the cut warm-up, in nanoseconds despite
// its name.
func (w *Pool) seconds() int64 { return int64(w.Window.End-w.Window.Start) - w.Cut }

// overloaded reports whether the peak rate exceeds the capacity of a tier, so that no window
// can be expected to settle.
func (e *Evaluation) overloaded() bool {
	return slices.ContainsFunc(plan.TierNames, func(name string) bool {
		return e.Plan.Fleet.Tier(name) != nil && e.Plan.Fullest(name, e.Plan.PeakRate()) >= 1
	})
}
