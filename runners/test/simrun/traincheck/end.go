package traincheck

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/job"
)

// Ends is the invariant that the chief ends soon after the last worker.
const Ends = "ends"

// endsWithin is how long the chief may take to end once no worker is left. Discovery lists a dead
// worker until its session is over, and the chief asks it every 30 s at most.
const endsWithin = 2 * time.Minute

// lookAtEnd finds a chief that still waits for workers although none is left. A chief that waits
// for something else is left to INV-8.
func (c *Checker) lookAtEnd() {
	chief := c.procs["chief"]
	if w, ok := c.present("chief"); !ok || w.In != "sync_hooks" || !c.life.finished || len(c.discovery.goesOn) > 0 || c.life.hopeless() || c.Unheard() {
		return
	}
	since, died, workers := max(chief.started, chief.retried, c.life.last, c.discovery.calm), false, 0
	for _, name := range c.names {
		p := c.procs[name]
		if role, _ := cluster.TrainerRole(name); role != job.Worker || name == "chief" {
			continue
		}
		if p.running || p.life == 0 || p.code != wellEnded && c.spec.RestartAfter > 0 {
			return
		}
		since, died, workers = max(since, p.ended), died || p.code != wellEnded, workers+1
	}
	limit := endsWithin + 2*c.barrier.slowest + slack
	if workers == 0 || c.now <= since+limit {
		return
	}
	known := ""
	if died && c.quirks.Keeps(jobquirks.Q239) {
		known = jobquirks.Q239.String()
	}
	c.breaks(Ends, fmt.Sprint(since), known, "no worker is left since %v, and the chief has not ended, want it to within %v: %s", since, limit, c.Waiting())
}
