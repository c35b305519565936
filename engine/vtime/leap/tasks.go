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

// LockUsed tells the loop of the current task what that does with a lock.
func (t Tasks) LockUsed(lock any, use env.LockUse) {
	if turns := TurnsOf(t.Process); turns != nil {
		turns.useLock(lock, use)
	}
}

var (
	_ env.Tasks = Tasks{}
	_ env.Loops = Tasks{}
)

// Config says how a task goes round in a loop.
type Config struct {
	// Call is how long the program takes before it asks; the zero value is no time.
	Call vtime.Delay
	// Period is the time from the end of a turn to the beginning of the next.
	Period time.Duration
	// Late is drawn for each turn and added to the period; the zero value is no time.
	Late vtime.Delay
}

// TurnsOf returns the loop that the current task of the process goes round, nil for none.
func TurnsOf(p *vtime.Process) *Turns {
	if task := p.Current(); task != nil && task.Process() == p {
		t, _ := task.Loop().(*Turns)
		return t
	}
	return nil
}

// LoopOf returns the steps of the loop that the current task of the process goes round, nil for
// none. What the task asks in it, and changes nothing by it, are steps of the loop.
func LoopOf(p *vtime.Process) *vtime.Loop {
	if t := TurnsOf(p); t != nil {
		return &t.Loop
	}
	return nil
}

// Think lets the time pass that the program of a loop takes before a request. The current
// task must be a loop.
func Think(p *vtime.Process) { TurnsOf(p).think() }

// Depend notes that the present turn of the current task looks at something: the next one is the same
// only as long as that is. It does nothing for a task that is no loop.
func Depend(p *vtime.Process, on *Observed) {
	if t := TurnsOf(p); t != nil {
		t.depend(on)
	}
}
