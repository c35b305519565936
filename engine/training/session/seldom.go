package session

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// seldomPeriod is how often lines about waiting are logged.
const seldomPeriod = 60 * time.Second

// Seldom logs a line of one place at most every 60 s (absl's log_every_n_seconds). The zero
// value has not logged yet.
type Seldom struct {
	last   time.Duration
	logged bool
}

// Logf writes the line, unless the last one is not yet 60 s old.
func (s *Seldom) Logf(e *env.Env, format string, args ...any) {
	now := e.Clock.Elapsed()
	if s.logged && now-s.last < seldomPeriod {
		return
	}
	s.last, s.logged = now, true
	e.Log.Logf(env.Info, format, args...)
}
