package session

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pylog"
)

// seldomPeriod is the least time between two lines that one [Seldom] logs.
const seldomPeriod = 60 * time.Second

// Seldom logs a line at most every 60 s (absl's log_every_n_seconds). Each place in the code that
// logs has a Seldom of its own. The first call always logs.
type Seldom struct{ once pylog.Seldom }

// Logf logs the line, unless this Seldom has logged one in the last 60 s.
func (s *Seldom) Logf(e *env.Env, format string, args ...any) {
	if s.once.Due(e.Clock, seldomPeriod) {
		e.Log.Logf(env.Info, format, args...)
	}
}
