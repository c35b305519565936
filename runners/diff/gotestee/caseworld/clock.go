package caseworld

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Clock is the case's wall clock, which a step may set.
type Clock struct {
	env.Clock
	Fixed time.Time // the zero value leaves it to the world
}

func (c *Clock) Now() time.Time {
	if c.Fixed.IsZero() {
		return c.Clock.Now()
	}
	return c.Fixed
}

// maxSleeps is when a call that only sleeps is stopped.
const maxSleeps = 400

// Endless unwinds a call that sleeps for ever.
type Endless struct{}

// Sleeper notes sleeps instead of sleeping.
type Sleeper struct {
	env.Tasks
	SleptSec []any
	// During is called within the n-th sleep, counted from 1.
	During func(n int)
}

// Go starts nothing: a step runs a round of a loop that the reference runs in a thread.
func (s *Sleeper) Go(name string, _ func()) env.Task { return idleTask(name) }

// idleTask is a task that never runs; the value is its name.
type idleTask string

func (t idleTask) Name() string { return string(t) }
func (t idleTask) Done() bool   { return true }
func (t idleTask) Join()        {}

// Sleep notes whole seconds as ints and others as floats, as the reference's
// arguments are.
func (s *Sleeper) Sleep(d time.Duration) {
	NoteWait(s.Tasks, d)
	if len(s.SleptSec) == maxSleeps {
		panic(Endless{})
	}
	var sec any = d.Seconds()
	if d%time.Second == 0 {
		sec = int(d / time.Second)
	}
	s.SleptSec = append(s.SleptSec, sec)
	if s.During != nil {
		s.During(len(s.SleptSec))
	}
}
