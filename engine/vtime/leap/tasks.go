package leap

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// Tasks is the env.Tasks of a process whose loops may sleep.
type Tasks struct{ *vtime.Process }

// NewLoop returns env.Loops.NewLoop.
func (t Tasks) NewLoop(period time.Duration) env.Loop {
	return NewTurns(t.Process, Config{Period: period})
}

// NewBeat returns env.Loops.NewBeat.
func (t Tasks) NewBeat(name string, waits []time.Duration, usual func(part int) bool) env.Beat {
	return NewBeat(t.Process, name, waits, usual)
}

// LockUsed tells the loop of the current task that the task uses a lock, and how.
func (t Tasks) LockUsed(lock any, use env.LockUse) {
	if turns := TurnsOf(t.Process); turns != nil {
		turns.useLock(lock, use)
	}
}

var (
	_ env.Tasks = Tasks{}
	_ env.Loops = Tasks{}
)

// Config says how the turns of a loop are timed.
type Config struct {
	// Call is how long the program takes before each request. The zero value means no time.
	Call vtime.Delay
	// Period is the time from the end of a turn to the beginning of the next.
	Period time.Duration
	// Late is drawn for each turn and added to the period. The zero value means no time.
	Late vtime.Delay
}

// TurnsOf returns the loop of the process's current task, nil if the task runs no loop.
func TurnsOf(p *vtime.Process) *Turns {
	if task := p.Current(); task != nil && task.Process() == p {
		t, _ := task.Loop().(*Turns)
		return t
	}
	return nil
}

// LoopOf returns the steps of the loop of the process's current task, nil if the task runs no loop.
// Requests of the task that change nothing are steps of this loop.
func LoopOf(p *vtime.Process) *vtime.Loop {
	if t := TurnsOf(p); t != nil {
		return &t.Loop
	}
	return nil
}

// Think waits for the time that the program takes before it sends a request. The time is drawn at
// random. The current task must run a loop.
func Think(p *vtime.Process) { TurnsOf(p).think() }

// Depend records that the current turn reads what the given Observed stands for. While this does
// not change, later turns may be skipped. If the task runs no loop, Depend does nothing.
func Depend(p *vtime.Process, on *Observed) {
	if t := TurnsOf(p); t != nil {
		t.depend(on)
	}
}
