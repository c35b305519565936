package gotestee

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// clock is the case's wall clock, which a step may set.
type clock struct {
	env.Clock
	fixed time.Time // the zero value leaves it to the world
}

func (c *clock) Now() time.Time {
	if c.fixed.IsZero() {
		return c.Clock.Now()
	}
	return c.fixed
}

// maxSleeps is when a call that only sleeps is stopped.
const maxSleeps = 400

// endless unwinds a call that sleeps for ever.
type endless struct{}

// sleeper notes sleeps instead of sleeping.
type sleeper struct {
	env.Tasks
	sleptSec []any
	// during is called within the n-th sleep, counted from 1.
	during func(n int)
}

// Sleep notes whole seconds as ints and others as floats, as the reference's
// arguments are.
func (s *sleeper) Sleep(d time.Duration) {
	if len(s.sleptSec) == maxSleeps {
		panic(endless{})
	}
	var sec any = d.Seconds()
	if d%time.Second == 0 {
		sec = int(d / time.Second)
	}
	s.sleptSec = append(s.sleptSec, sec)
	if s.during != nil {
		s.during(len(s.sleptSec))
	}
}
