package traincheck

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/quirks/jobquirks"
)

// Health is the invariant that the workers stop once the chief has reported a PS as unhealthy.
const Health = "health"

// healthPeriod is how often the chief looks at the health of the PS (ps_check_hooks.py:65).
const healthPeriod = 30 * time.Second

// health follows what the chief does about PS that it has reported as unhealthy.
type health struct {
	// waits is set from a report until a barrier without an owner is placed. since is when the
	// latest report was made. A report that meets the barrier of a save has no effect, and the
	// chief's next look makes another report.
	waits bool
	since time.Duration
}

func (h *health) reported(now time.Duration) { h.waits, h.since = true, now }

// lookAtHealth finds a report that had no effect in time: the workers were not stopped, and the PS
// was not checked again (TRN-2.8).
func (c *Checker) lookAtHealth() {
	h, b := &c.health, &c.barrier
	if b.placed && b.action == "" {
		h.waits = false
	}
	if len(c.discovery.goesOn) > 0 {
		return
	}
	if limit := healthPeriod + b.limit(); h.waits && c.now > max(h.since, c.discovery.calm)+limit {
		c.breaks(Health, fmt.Sprint(h.since), c.knownBy(jobquirks.Q240), "a PS was reported as not healthy at %v, and neither was a barrier placed nor the PS looked at again, want that within %v", h.since, limit)
	}
}
