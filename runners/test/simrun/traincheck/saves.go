package traincheck

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/job"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/runners"
)

// The ids of the invariants of saves.
const (
	Once   = "once"   // the chief does not save the same step twice in a row
	Oldest = "oldest" // of the checkpoints that are not exempt, the oldest goes first
	Last   = "last"   // a chief that has made its last step has saved it
	Still  = "still"  // a checkpoint is written while the workers stand still
)

// saves follows the checkpoints that the chief saves in one session.
type saves struct {
	// mine lists the checkpoints that were saved in the session, by the times of their last saves.
	mine []string
	// listed has those of them that were in the list of checkpoints right after the previous save.
	listed []string
	// fresh says that the chief has saved since the last look, and so has written the list itself.
	fresh bool
	// newest is the step of the checkpoint that was saved last, in any session.
	newest int64
}

// saved handles an observation of a save.
func (c *Checker) saved(o runners.Observation) {
	s := &c.saves
	if n := len(s.mine); n > 0 && s.mine[n-1] == o.Path {
		c.breaks(Once, o.Path, c.knownBy(jobquirks.Q242), "%s was saved twice in a row, want each step saved once", o.Path)
	}
	c.lookAtStill(o.Path)
	if c.now-c.barrier.writes >= c.refusing {
		c.refusing = 0
	}
	s.newest, _ = saveutils.SaveHelper{}.GlobalStep(o.Path)
	s.fresh = true
	s.mine = append(slices.DeleteFunc(s.mine, func(p string) bool { return p == o.Path }), o.Path)
}

// finished checks that a chief that has made its last step has saved it (save_utils.py:419).
func (c *Checker) finished(o runners.Observation) {
	text, _ := strings.CutPrefix(o.Note, "step ")
	if last, err := strconv.ParseInt(text, 10, 64); err == nil && c.saves.newest < last {
		c.breaks(Last, text, "", "the chief has ended its training with step %d, and the newest checkpoint is that of step %d, want the last step saved", last, c.saves.newest)
	}
}

// settled is the time without a disturbance after which a save has to wait for a worker. The worker
// must also have been in its session for that time.
const settled = 2 * time.Minute

// lookAtStill finds the workers that were not waiting at the barrier yet when the write of a checkpoint
// began, although the save could have waited for them longer (TRN-2.3).
func (c *Checker) lookAtStill(path string) {
	b := &c.barrier
	if c.now-b.slowest <= b.changed {
		return // the duration of a write has just changed, so it is unknown when this write began
	}
	began := c.now - b.writes
	if len(c.discovery.goesOn) > 0 || began < max(c.discovery.calm, b.asked)+settled || b.placed && began >= b.at+c.spec.MaxPending {
		return
	}
	for _, who := range c.names {
		p := c.procs[who]
		role, _ := cluster.TrainerRole(who)
		if role != job.Worker || who == "chief" || !p.running || p.stepped < began-c.spec.StepTime-settled || began < max(p.started, p.served, p.retried)+settled {
			continue
		}
		if !c.quirks.Keeps(jobquirks.Q239) && !c.discovery.has(who, began) {
			continue // the repaired chief does not wait for a worker that it does not find
		}
		if _, waits := b.flags[who]; !b.placed || !waits || b.since[who] > began {
			c.breaks(Still, path+" "+who, "", "%s was written from %v on, when %s did not wait at a barrier, want the save to wait for it", path, began, who)
		}
	}
}

// lookAtOldest compares the list of checkpoints right after a save with that after the one before.
// exempt lists the checkpoints that must not be deleted. If known is false, the chief may go by another
// such list.
func (c *Checker) lookAtOldest(listed, exempt []string, known bool) {
	s := &c.saves
	if !s.fresh {
		return
	}
	s.fresh = false
	now := lists.Filter(s.mine, func(p string) bool { return slices.Contains(listed, p) })
	left := ""
	for _, p := range s.mine {
		switch {
		case !slices.Contains(s.listed, p):
		case !slices.Contains(now, p):
			if left != "" && known {
				c.breaks(Oldest, left+" "+p, c.knownBy(jobquirks.Q247), "%s was deleted, and the older %s, which is not exempt, was not: want that first", p, left)
			}
		case left == "" && !slices.ContainsFunc(exempt, func(e string) bool { return path.Base(e) == path.Base(p) }):
			left = p
		}
	}
	s.listed = now
}

// knownBy returns the id of a quirk that explains a broken invariant if the job keeps the quirk, and
// else "".
func (c *Checker) knownBy(q quirks.Quirk) string {
	if c.quirks.Keeps(q) {
		return q.String()
	}
	return ""
}
