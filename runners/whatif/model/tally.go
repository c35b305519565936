package model

// tally counts what is in a queue or a system, two ways: the integral of the number over
// the window, and the sum of the times that each was there in it. Little's law says that
// they are equal, whatever the path.
type tally struct {
	n       int64
	since   int64
	area    int64 // integral of n within the window
	stay    int64 // times of those that have left
	entered int64 // sum of the entries, or of the window's begin, of those that are there
	begin   int64
	end     int64
}

func (t *tally) advance(now int64) {
	from, to := t.since, now
	if from < t.begin {
		from = t.begin
	}
	if to > t.end {
		to = t.end
	}
	if to > from {
		t.area += t.n * (to - from)
	}
	t.since = now
}

// clip is an instant within the window.
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

// set puts a number in the place of one that a death has changed; those which are gone
// have stayed until now.
func (t *tally) set(w *world, n, entered int64) {
	t.advance(w.now)
	gone := t.n - n
	t.stay += gone*t.clip(w.now) - (t.entered - entered)
	t.n, t.entered = n, entered
}

// residual is how far the two differ at the end, as a fraction.
func (t *tally) residual(now int64) float64 {
	t.advance(now)
	stay := t.stay + t.n*t.clip(now) - t.entered
	if t.area == 0 && stay == 0 {
		return 0
	}
	d := float64(t.area - stay)
	if d < 0 {
		d = -d
	}
	return d / max(float64(t.area), 1)
}
