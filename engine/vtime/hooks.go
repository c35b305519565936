package vtime

import "time"

// This file is the interface between the engine and engine/vtime/leap, the package that puts loops
// to sleep: what the engine calls, and what that package may change. No other package needs it.

// SleepingLoops makes the steps of one process's loops without events. The engine calls it while
// one of the loops is asleep.
type SleepingLoops interface {
	// CatchUp makes all steps that precede the present event.
	CatchUp()
	// WakeMidTurn is called before a task of the process continues.
	WakeMidTurn()
	// WakeChanged is called after Runs has grown.
	WakeChanged()
	// WakeAll is called before the process ends, and in a run without a time limit.
	WakeAll()
}

// TaskLoop is told what the task of a loop does.
type TaskLoop interface {
	// Waits is called when the task begins to wait and has not acted.
	Waits()
	// Ends is called when the task has ended.
	Ends()
}

// SleepingLoops returns the value of SetSleepingLoops, nil before it was called.
func (p *Process) SleepingLoops() SleepingLoops { return p.loops }

// SetSleepingLoops sets who makes the steps of the process's sleeping loops.
func (p *Process) SetSleepingLoops(s SleepingLoops) { p.loops = s }

// SetAsleep sets whether any of the process's loops is asleep. It is also called when a further
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

// Runs counts what may have changed the memory of the process's program: the runs of its tasks, except in a
// turn of a loop that has not called [World.Acts], and the calls of Changes.
func (p *Process) Runs() uint64 { return p.runs }

// Changes is called right before an event that is no run of a task writes into the memory of the process's
// program.
func (p *Process) Changes() {
	if p.asleep {
		p.loops.WakeMidTurn()
	}
	p.runs++
	if p.asleep {
		p.loops.WakeChanged()
	}
}

// Ran does what Changes does while no turn of the process is asleep, so that nothing has to be woken.
func (p *Process) Ran() { p.runs++ }

// Enter begins a wait of the current task, which must belong to the process, and returns the task.
func (p *Process) Enter() *Task { return p.enter() }

// Wait parks the task, after [Process.Enter], until its timer or another event wakes it.
func (t *Task) Wait(what string) { t.wait(what) }

// WaitNumber returns the number of the present wait. An event that ends the wait has this number as
// its argument.
func (t *Task) WaitNumber() uint64 { return t.waitSeq }

// SetTimer sets the event that ends the wait; the zero Timer means none.
func (t *Task) SetTimer(timer Timer) { t.timer = timer }

// SetAsleep sets whether the task waits for an instant for which no event is scheduled.
func (t *Task) SetAsleep(asleep bool) { t.asleep = asleep }

// Stopping reports whether the task has been asked to end.
func (t *Task) Stopping() bool { return t.stopping }

// Process returns the process that the task belongs to.
func (t *Task) Process() *Process { return t.proc }

// Loop returns the loop of the task, nil for none.
func (t *Task) Loop() TaskLoop { return t.loop }

// SetLoop sets the loop that the task runs.
func (t *Task) SetLoop(l TaskLoop) { t.loop = l }

// Acted reports whether the task has called [World.Acts] since ForgetActs.
func (t *Task) Acted() bool { return t.acted }

// ForgetActs makes Acted return false until the next call of Acts.
func (t *Task) ForgetActs() { t.acted = false }

// Leaps reports whether loops may fall asleep now. They may not in a run without a time limit,
// which ends only when nothing happens any more.
func (w *World) Leaps() bool {
	return w.running && w.run.limited && !w.cfg.NoLeaps && !w.closing && w.failure == nil
}

// Replay resumes a task whose loop was woken in the middle of a turn, and returns when the task
// waits again. Meanwhile the task schedules nothing, and no loop falls asleep.
func (w *World) Replay(t *Task) {
	w.replaying++
	w.switchTo(t)
	w.replaying--
}

// Replaying reports whether the current task runs inside Replay.
func (w *World) Replaying() bool { return w.replaying > 0 }

// Cause returns the cause that events scheduled now are given.
func (w *World) Cause() uint64 { return w.cause }

// SwapCause sets the cause that events are given from now on, and returns the one before.
func (w *World) SwapCause(cause uint64) (before uint64) {
	before, w.cause = w.cause, cause
	return before
}

// Unasked makes the run check its limits after the present step, as it does after every event.
func (w *World) Unasked() { w.run.unasked = true }

// In returns the instant d from now, at most the end of time.
func (w *World) In(d time.Duration) time.Duration { return time.Duration(w.in(d)) }

// Intern returns the world's shared copy of a string.
func (w *World) Intern(s string) string { return w.text(s) }
