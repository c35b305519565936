package vtime

// A series is a loop of a task that asks, waits in [Process.Park] for the answer
// and asks anew. Whoever gives the answers may run turns of the loop in the task's
// stead, while the task stays parked: that saves two switches of coroutines a turn and
// makes no other difference.

// InSeries reports whether the caller may run the next turn of the task's loop itself.
// The caller is a handler that would now wake the task and do nothing after it; in
// place of that it does what the task would do up to its next Park, and then calls
// [Task.Again]. When InSeries reports false, wake the task.
func (t *Task) InSeries() bool {
	w := t.proc.node.w
	u := &w.run
	return t.parked && !t.killed && !t.stopping && w.running && w.current == nil && !w.cfg.NoLeaps &&
		w.failure == nil && u.head == len(u.ready) && len(u.reaps) == 0 && !t.timer.Pending()
}

// Again ends the task's wait in Park, and begins that of the next turn of its loop, by
// whoever ran the turn. on is what the next call is about, as with [Process.ParkOn].
func (t *Task) Again(on string) {
	t.waitSeq++
	t.since, t.waitsOn = t.proc.node.w.now, on
}
