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

// maxStepSleeps is when a step that only sleeps is stopped.
const maxStepSleeps = 4000

// StepTime is a clock that only sleeps move, and that notes them. No sleep takes real or virtual time.
type StepTime struct {
	env.Tasks
	env.Clock
	At    time.Time
	Slept []any
	// During, when set, is called within the n-th sleep, counted from 1. Who sleeps within it
	// is stopped.
	During func(n int)
	within bool
}

func (t *StepTime) Now() time.Time { return t.At }

// Elapsed stands still with the clock.
func (t *StepTime) Elapsed() time.Duration { return t.At.Sub(time.Unix(0, 0)) }

func (t *StepTime) Sleep(d time.Duration) {
	if t.within {
		panic(Endless{})
	}
	t.Slept = append(t.Slept, Seconds(d))
	if len(t.Slept) > maxStepSleeps {
		panic(Endless{})
	}
	t.At = t.At.Add(d)
	if t.During != nil {
		t.within = true
		defer func() { t.within = false }()
		t.During(len(t.Slept))
	}
}

// Seconds writes whole seconds as ints and others as floats, as the reference's arguments are.
func Seconds(d time.Duration) any {
	if d%time.Second == 0 {
		return int(d / time.Second)
	}
	return d.Seconds()
}

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

func (s *Sleeper) Sleep(d time.Duration) {
	NoteWait(s.Tasks, d)
	if len(s.SleptSec) == maxSleeps {
		panic(Endless{})
	}
	s.SleptSec = append(s.SleptSec, Seconds(d))
	if s.During != nil {
		s.During(len(s.SleptSec))
	}
}
