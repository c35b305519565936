package model

import "math"

// tally measures how many requests or calls are in a queue or in the whole system, in two ways: as
// the integral of their number over the window, and as the sum of the times that they stay. By
// Little's law the two are equal, so a difference shows a fault of the simulation.
type tally struct {
	n       int64 // number of requests or calls that are inside now
	since   int64 // time up to which area is complete
	area    int64 // integral of n within the window
	stay    int64 // time spent inside within the window, summed over those that have left
	entered int64 // sum of the entry times of those that are inside, each clipped to the window
	begin   int64 // start of the window
	end     int64 // end of the window
}

func (t *tally) advance(now int64) {
	t.area += t.n * (t.clip(now) - t.clip(t.since))
	t.since = now
}

// clip returns an instant clipped to the window.
func (t *tally) clip(at int64) int64 { return min(max(at, t.begin), t.end) }

func (t *tally) add(now int64) {
	t.advance(now)
	t.n++
	t.entered += t.clip(now)
}

func (t *tally) remove(w *world, entered int64) {
	t.advance(w.now)
	t.n--
	t.stay += t.clip(w.now) - t.clip(entered)
	t.entered -= t.clip(entered)
}

// set corrects the tally after the death of a container. n and entered describe what is still
// inside; everything else has been inside until now.
func (t *tally) set(w *world, n, entered int64) {
	t.advance(w.now)
	gone := t.n - n
	t.stay += gone*t.clip(w.now) - (t.entered - entered)
	t.n, t.entered = n, entered
}

// residual returns by how much area and stay differ at the end of the simulation, relative to area.
// By Little's law it should be 0.
func (t *tally) residual(now int64) float64 {
	t.advance(now)
	stay := t.stay + t.n*t.clip(now) - t.entered
	if t.area == 0 && stay == 0 {
		return 0
	}
	return math.Abs(float64(t.area-stay)) / max(float64(t.area), 1)
}
