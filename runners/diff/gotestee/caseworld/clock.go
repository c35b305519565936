package caseworld

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Clock is the case's wall clock. A step may stop it at a fixed time.
type Clock struct {
	env.Clock
	Fixed time.Time // time that the clock always shows; if zero, it shows that of the world
}

func (c *Clock) Now() time.Time {
	if c.Fixed.IsZero() {
		return c.Clock.Now()
	}
	return c.Fixed
}

// maxSleeps is the most sleeps of one call. Without the limit, a call that sleeps in a loop would
// never end.
const maxSleeps = 400

// Endless is the panic value that unwinds a call which would sleep without end.
type Endless struct{}

// raised is the panic value that unwinds a call whose sleep raises an exception.
type raised struct{ err error }

// maxStepSleeps is the most sleeps of one step. Without the limit, a step that sleeps in a loop
// would never end.
const maxStepSleeps = 4000

// StepTime is a clock that advances only by sleeps, which it records. A sleep takes neither real
// nor virtual time.
type StepTime struct {
	env.Tasks
	env.Clock
	At    time.Time
	Slept []any
	// During, when set, is called during the n-th sleep, counted from 1. A sleep inside During
	// panics with Endless.
	During func(n int)
	within bool
	shown  map[time.Duration]any
}

// ShowAs makes each recorded sleep of duration d appear as value. value is what the case writes,
// because Python passes it to sleep unchanged.
func (t *StepTime) ShowAs(d time.Duration, value any) { t.shown = map[time.Duration]any{d: value} }

func (t *StepTime) Now() time.Time { return t.At }

// Elapsed returns the clock's time since the Unix epoch.
func (t *StepTime) Elapsed() time.Duration { return t.At.Sub(time.Unix(0, 0)) }

func (t *StepTime) Sleep(d time.Duration) {
	if t.within {
		panic(Endless{})
	}
	slept, said := t.shown[d]
	if !said {
		slept = Seconds(d)
	}
	if err := pysem.SleepError(slept); err != nil {
		panic(raised{err})
	}
	t.Slept = append(t.Slept, slept)
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

// Seconds encodes a duration in seconds: as an int if it is whole, otherwise as a float, as the
// reference does.
func Seconds(d time.Duration) any {
	if d%time.Second == 0 {
		return int(d / time.Second)
	}
	return d.Seconds()
}

// Sleeper records sleeps. A sleep returns at once.
type Sleeper struct {
	env.Tasks
	SleptSec []any
	// During is called during the n-th sleep, counted from 1.
	During func(n int)
}

// Go starts nothing. In the reference a thread runs the loop, but here steps run its rounds.
func (s *Sleeper) Go(name string, _ func()) env.Task { return idleTask(name) }

// idleTask is a task that never runs. Its value is its name.
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
