package vtime

import "time"

// This file is the interface between the engine and engine/vtime/leap, the package that puts loops
// to sleep. It has the methods of that package that the engine calls, and the engine's methods that
// only that package may call.

// SleepingLoops computes what the idle loops of a process do, such as polls that get the same
// answers again and again. While such a loop sleeps, it has no events. The engine calls CatchUp
// before somebody looks at effects of these loops, and the other methods to wake loops that need
// events again.
type SleepingLoops interface {
	// CatchUp computes what the sleeping loops have done before the current event.
	CatchUp()
	// WakeMidTurn is called before a task of the process continues. It wakes the loops that are in
	// the middle of a turn, such as those that wait for an answer.
	WakeMidTurn()
	// WakeChanged is called when the memory of the process may have changed, which [Process.Runs]
	// counts.
	WakeChanged()
	// WakeAll is called before the process ends, and in a run without a time limit.
	WakeAll()
}

// TaskLoop is told what the task of a loop (such as a poll) does.
type TaskLoop interface {
	// Waits is called when the task begins to wait in a turn in which it has not called
	// [World.Acts].
	Waits()
	// Ends is called when the task has ended.
	Ends()
}

// SleepingLoops returns the value set by SetSleepingLoops, or nil if none was set.
func (p *Process) SleepingLoops() SleepingLoops { return p.loops }

// SetSleepingLoops sets the object that computes what the process's sleeping loops do.
func (p *Process) SetSleepingLoops(s SleepingLoops) { p.loops = s }

// SetAsleep sets whether any of the process's loops is asleep. It is called again whenever another
// loop falls asleep.
func (p *Process) SetAsleep(asleep bool) {
	w := p.w
	w.caughtUp = moment{}
	switch {
	case asleep == p.asleep:
		return
	case asleep:
		p.sleepPlace = len(w.sleeping)
		w.sleeping = append(w.sleeping, p)
	default:
		last := len(w.sleeping) - 1
		w.sleeping[p.sleepPlace] = w.sleeping[last]
		w.sleeping[p.sleepPlace].sleepPlace = p.sleepPlace
		w.sleeping[last] = nil
		w.sleeping = w.sleeping[:last]
	}
	p.asleep = asleep
}

// Runs counts events that may have changed the memory of the process's program: calls of Changes,
// and runs of tasks. A turn of a loop counts only if it called [World.Acts].
func (p *Process) Runs() uint64 { return p.runs }

// Changes must be called right before an event writes into the memory of the process's program
// without running one of its tasks.
func (p *Process) Changes() {
	if p.asleep {
		p.loops.WakeMidTurn()
	}
	p.runs++
	if p.asleep {
		p.loops.WakeChanged()
	}
}

// Ran counts a change of memory as Changes does, but wakes no loop. So it may be called only if no
// sleeping loop is in the middle of a turn.
func (p *Process) Ran() { p.runs++ }

// Enter begins a wait of the current task and returns the task, which must belong to the process.
func (p *Process) Enter() *Task { return p.enter() }

// Wait parks the task, after [Process.Enter], until its timer or another event wakes it.
func (t *Task) Wait(what string) { t.wait(what) }

// WaitNumber returns the number of the task's current wait. An event that is to end this wait must
// have the number as its argument.
func (t *Task) WaitNumber() uint64 { return t.waitSeq }

// SetTimer sets the event that will end the task's wait. The zero Timer means that there is none.
func (t *Task) SetTimer(timer Timer) { t.timer = timer }

// SetAsleep sets whether the task waits for an instant without a scheduled event, because its loop
// is asleep.
func (t *Task) SetAsleep(asleep bool) { t.asleep = asleep }

// Stopping reports whether the task has been asked to end.
func (t *Task) Stopping() bool { return t.stopping }

// Process returns the process that the task belongs to.
func (t *Task) Process() *Process { return t.proc }

// Loop returns the loop that the task runs, nil for none.
func (t *Task) Loop() TaskLoop { return t.loop }

// SetLoop sets the loop that the task runs.
func (t *Task) SetLoop(l TaskLoop) { t.loop = l }

// Acted reports whether the task has called [World.Acts] since ForgetActs.
func (t *Task) Acted() bool { return t.acted }

// ForgetActs makes Acted return false until the next call of Acts.
func (t *Task) ForgetActs() { t.acted = false }

// Leaps reports whether loops may sleep now, which means that their turns have no events. In a run
// without a time limit they may not, because such a run ends only when no event is left.
func (w *World) Leaps() bool {
	return w.running && w.run.limited && !w.cfg.NoLeaps && !w.closing && w.failure == nil
}

// Replay resumes a task whose loop was woken in the middle of a turn, and returns when the task
// waits again. Until then the task schedules no event, and no loop falls asleep.
func (w *World) Replay(t *Task) {
	w.replaying++
	w.switchTo(t)
	w.replaying--
}

// Replaying reports whether the current task runs inside Replay.
func (w *World) Replaying() bool { return w.replaying > 0 }

// Cause returns the cause that is recorded for events scheduled now.
func (w *World) Cause() uint64 { return w.cause }

// SwapCause sets the cause that is recorded for events from now on, and returns the previous cause.
func (w *World) SwapCause(cause uint64) (before uint64) {
	before, w.cause = w.cause, cause
	return before
}

// Unasked makes the run check its limits after the current step of a loop. After an event the run
// checks them in any case.
func (w *World) Unasked() { w.run.unasked = true }

// In returns the instant d from now, or the largest instant if that is earlier.
func (w *World) In(d time.Duration) time.Duration { return time.Duration(w.in(d)) }

// Intern returns the world's shared copy of a string.
func (w *World) Intern(s string) string { return w.text(s) }
