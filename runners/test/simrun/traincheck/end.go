package traincheck

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/runners"
)

// Ends is the invariant that the chief ends soon after the last worker, and the PS with it.
const Ends = "ends"

// Fails is the invariant that a process does not fail if nothing has disturbed its job. It holds only
// for processes that have made steps. Before its first step, a process may fail because its settings
// or files are unusable.
const Fails = "fails"

// failed checks that something can have caused the error with which a process has failed: a recent
// disturbance, or files that an operator has written. Damaged files count as a cause for as long as the
// job lives. A fault that will fail writes counts until it has failed them, because the chief may write
// only after a long time.
func (c *Checker) failed(o runners.Observation) {
	if p := c.procs[o.Pod]; p.stepped > p.started && len(c.discovery.goesOn) == 0 && !c.spoiled && c.refusing == 0 && c.now > max(c.discovery.calm, c.wrote)+settled {
		c.breaks(Fails, o.Pod+" "+o.Note, "", "%s has failed by %s, and nothing disturbs the job since %v, want it to go on", o.Pod, o.Note, max(c.discovery.calm, c.wrote))
	}
}

// FilesWritten records that an operator has written a file of the job.
func (c *Checker) FilesWritten(at time.Duration) { c.now, c.wrote = max(c.now, at), at }

// endsWithin is how long the chief may take to end once no worker is left. Discovery lists a dead
// worker until its session is over, and the chief asks it every 30 s at most.
const endsWithin = 2 * time.Minute

// lookAtPS finds the PS that a chief has left behind: it ends them before it ends itself (cpu_training.py:2125).
func (c *Checker) lookAtPS() {
	chief := c.procs["chief"]
	if c.spec.KeepPS || chief.running || chief.code != wellEnded || len(c.discovery.goesOn) > 0 || c.now <= max(chief.ended, c.discovery.calm)+endsWithin {
		return
	}
	for _, name := range c.names {
		p := c.procs[name]
		if role, _ := cluster.TrainerRole(name); role == job.PS && p.running && p.started+endsWithin < chief.ended {
			c.breaks(Ends, name, "", "the chief has ended at %v, and %s runs, want it to have ended within %v", chief.ended, name, endsWithin)
		}
	}
}

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
