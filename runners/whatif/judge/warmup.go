package judge

import (
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// newPool returns the pool of a window before any sample.
func newPool(w model.Window, limits int) *Pool {
	one := &Pool{Window: w, Conserved: true, after: make([]Known, 1)}
	if w.Steady {
		one.after = make([]Known, model.Segments)
	}
	for k := range one.after {
		one.after[k] = Known{PerModel: newPerModel("", limits), Never: map[string]int{}}
	}
	one.Known = one.after[0]
	return one
}

// cutWarmUps cuts the warm-up of each window anew.
func (e *Evaluation) cutWarmUps() {
	for _, w := range e.Windows {
		w.cutWarmUp()
	}
}

// cutWarmUp finds from when on the window is stationary, by the means of its bins over all
// replications, and leaves out what came before (CAP-5.3). It cuts nothing in a window with
// events or changing load, in one that is not stationary by its middle, and where a bin has
// no request.
func (w *Pool) cutWarmUp() {
	sum := &w.after[0].Sum // bins always cover the whole window
	var means []float64
	for b, n := range sum.BinCounts {
		if n > 0 {
			means = append(means, float64(sum.BinSums[b])/float64(n))
		}
	}
	cut, ok := stats.MSER5(means)
	w.Stationary, w.segments = ok, 0
	if ok && len(means) == model.Bins && w.Window.Steady {
		w.segments = cut / stats.Batch
	}
	w.Known = w.after[w.segments]
	w.Cut = int64(w.segments*stats.Batch) * int64(w.Window.End-w.Window.Start) / model.Bins
}

// seconds returns the length of the window without its cut warm-up, in nanoseconds.
func (w *Pool) seconds() int64 { return int64(w.Window.End-w.Window.Start) - w.Cut }
