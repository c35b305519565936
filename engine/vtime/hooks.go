package vtime

import "time"

// This file is what engine/vtime/leap, the room of loops that sleep, has of the engine: whom the
// engine calls, and what it lets be done to it. Nobody else needs it.

// SleepingLoops leaps over the steps of the loops of one process. The engine calls it while one of them
// is asleep.
type SleepingLoops interface {
	// CatchUp makes all steps that come before what is happening now.
	CatchUp()
	// WakeMidTurn is called before a task of the process goes on.
	WakeMidTurn()
	// WakeChanged is called when a task of the process has done something.
	WakeChanged()
	// WakeAll is called before the process ends, and in a run without an end.
	WakeAll()
}

// TaskLoop is told what the task of a loop does.
type TaskLoop interface {
	// Waits is called when the task begins to wait, and GoesOn when it goes on.
	Waits()
	GoesOn()
	// Ends is called when the task has ended.
	Ends()
}

// SleepingLoops returns what SetSleepingLoops was given, nil for nothing.
func (p *Process) SleepingLoops() SleepingLoops { return p.loops }

// SetSleepingLoops has s leap over the steps of the process's loops.
func (p *Process) SetSleepingLoops(s SleepingLoops) { p.loops = s }

// SetAsleep says whether one of the process's loops is asleep. It is called each time one falls asleep, too.
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

// Enter begins a wait of the current task, which must be one of the process, and returns it.
func (p *Process) Enter() *Task { return p.enter() }

// Wait parks the task, after [Process.Enter], until its timer or something else that it waits for.
func (t *Task) Wait(what string) { t.wait(what) }

// WaitNumber numbers the wait that goes on: the argument of an event that ends it.
func (t *Task) WaitNumber() uint64 { return t.waitSeq }

// SetTimer says which event ends the wait; the zero Timer is none.
func (t *Task) SetTimer(timer Timer) { t.timer = timer }

// SetAsleep says whether the task waits for an instant that has no event.
func (t *Task) SetAsleep(asleep bool) { t.asleep = asleep }

// Stopping reports whether the task has been asked to end.
func (t *Task) Stopping() bool { return t.stopping }

// Process returns the process that the task is one of.
func (t *Task) Process() *Process { return t.proc }

// Loop returns the loop of the task, nil for none.
func (t *Task) Loop() TaskLoop { return t.loop }

// SetLoop makes the task that of a loop.
func (t *Task) SetLoop(l TaskLoop) { t.loop = l }

// Acted reports whether the task has called [World.Acts] since ForgetActs.
func (t *Task) Acted() bool { return t.acted }

// ForgetActs makes Acted false.
func (t *Task) ForgetActs() { t.acted = false }

// Leaps reports whether loops may fall asleep now: not in a run without an end, which goes
// on as long as something happens.
func (w *World) Leaps() bool {
	return w.running && w.run.limited && !w.cfg.NoLeaps && !w.closing && w.failure == nil
}

// Replay has a task go on at once, whose loop was woken in the middle of a turn, and returns when it waits
// again. Meanwhile nothing is scheduled by it and no loop falls asleep.
func (w *World) Replay(t *Task) {
	w.replaying++
	w.switchTo(t)
	w.replaying--
}

// Replaying reports whether the task that runs does so in Replay.
func (w *World) Replaying() bool { return w.replaying > 0 }

// Cause returns what is the cause of what is scheduled now.
func (w *World) Cause() uint64 { return w.cause }

// SwapCause sets the cause of what is scheduled from now on, and returns the one before.
func (w *World) SwapCause(cause uint64) (before uint64) {
	before, w.cause = w.cause, cause
	return before
}

// Unasked has a run look whether it is done after the step that is happening, as after an event.
func (w *World) Unasked() { w.run.unasked = true }

// In returns the instant d from now, or the end of time.
func (w *World) In(d time.Duration) time.Duration { return time.Duration(w.in(d)) }

// Intern returns an equal text, the same for all who ask.
func (w *World) Intern(s string) string { return w.text(s) }
