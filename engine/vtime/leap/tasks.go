package leap

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// Tasks is the env.Tasks of a process whose loops may sleep.
type Tasks struct{ *vtime.Process }

// NewLoop returns env.Loops.NewLoop.
func (t Tasks) NewLoop(period time.Duration, state func() uint64, causes ...env.Cond) env.Loop {
	return NewTurns(t.Process, Config{Period: period, State: state, Causes: causes})
}

// NewBeat returns env.Loops.NewBeat.
func (t Tasks) NewBeat(name string, waits []time.Duration, usual func(part int) bool) env.Beat {
	return NewBeat(t.Process, name, waits, usual)
}

var (
	_ env.Tasks = Tasks{}
	_ env.Loops = Tasks{}
)

// Config says how a task goes round in a loop.
type Config struct {
	// Causes are told of changes of State that no task of the process makes.
	Causes []env.Cond
	// Call is how long the program takes before it asks; the zero value is no time.
	Call vtime.Delay
	// State is a number that differs whenever the program's own part of what a turn
	// depends on does.
	State func() uint64
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
	if t := TurnsOf(p); t != nil && !t.world.NoLeaps() {
		t.depend(on)
	}
}
