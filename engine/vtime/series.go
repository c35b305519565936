package vtime

// A series is a loop of a task that asks, waits in [Process.Park] for the answer
// and asks anew. Whoever gives the answers may make turns of the loop in the
// task's stead, while the task stays parked: that saves two switches of coroutines
// a turn and makes no other difference.

// InSeries says whether the caller, who would wake the task as the last thing that
// an event does, may instead do what the task would do until it parks again, and
// count that by [Task.Again]. When it is false the task is to be woken.
func (t *Task) InSeries() bool {
	w := t.proc.node.w
	u := &w.turn
	return t.parked && !t.killed && !t.stopping && w.running && w.current == nil && !w.cfg.NoLeaps &&
		w.failure == nil && u.head == len(u.ready) && len(u.reaps) == 0 && !t.timer.Pending()
}

// Again counts the end of the task's wait in Park and the beginning of the next,
// for a call on something else.
func (t *Task) Again(on string) {
	t.waitSeq++
	t.since, t.waitsOn = t.proc.node.w.now, on
}
