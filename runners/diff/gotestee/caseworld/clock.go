package caseworld

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Clock is the case's wall clock, which a step may stop at a time.
type Clock struct {
	env.Clock
	Fixed time.Time // the zero value leaves the time to the world
}

func (c *Clock) Now() time.Time {
	if c.Fixed.IsZero() {
		return c.Clock.Now()
	}
	return c.Fixed
}

// maxSleeps bounds the sleeps of a call; a call that only sleeps would never end.
const maxSleeps = 400

// Endless is the panic that unwinds a call that would sleep for ever.
type Endless struct{}

// maxStepSleeps bounds the sleeps of a step; a step that only sleeps would never end.
const maxStepSleeps = 4000

// StepTime is a clock that only sleeps move, and that notes them. A sleep takes neither
// real nor virtual time.
type StepTime struct {
	env.Tasks
	env.Clock
	At    time.Time
	Slept []any
	// During, when set, is called within the n-th sleep, counted from 1. A call that sleeps
	// within During is unwound.
	During func(n int)
	within bool
}

func (t *StepTime) Now() time.Time { return t.At }

// Elapsed returns the time that sleeps have moved the clock by, on top of its start.
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

// Seconds encodes whole seconds as an int and others as a float, as the reference passes them.
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

// Go starts nothing: a step itself runs the rounds of a loop that the reference runs in a thread.
func (s *Sleeper) Go(name string, _ func()) env.Task { return idleTask(name) }

// idleTask is a task that never runs; its value is its name.
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
