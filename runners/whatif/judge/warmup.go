package judge

import (
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// newPool knows nothing of a window yet.
func newPool(w model.Window, limits int) Pool {
	one := Pool{Window: w, Conserved: true, after: make([]Known, 1)}
	if w.Steady {
		one.after = make([]Known, model.Segments)
	}
	for k := range one.after {
		one.after[k] = Known{Values: map[string][]float64{}, Never: map[string]int{}, Over: make([][]int64, limits)}
	}
	one.Known = one.after[0]
	return one
}

// cutWarmUps looks in each window at what is known by now.
func (e *Evaluation) cutWarmUps() {
	for i := range e.Windows {
		e.Windows[i].cutWarmUp()
	}
}

// cutWarmUp finds from when on the window is stationary, by the means of its bins over all
// replications, and leaves out what is before (CAP-5.3). Nothing is cut of a window in which
// something happens, for what it is worth then is what happens; nor of one that is not
// stationary at its half, nor where some bin has no request to say how it is.
func (w *Pool) cutWarmUp() {
	sum := &w.after[0].Sum // bins are those of the whole window
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

// seconds returns how long counts of the window, in nanoseconds.
func (w *Pool) seconds() int64 { return int64(w.Window.End-w.Window.Start) - w.Cut }
