package traincheck

import (
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/runners"
)

// Resumes is the invariant that a restored job has restored its current checkpoint, and continues from
// that checkpoint's step.
const Resumes = "resumes"

// Keeps is the invariant that with partial recovery a PS that was not restarted keeps its values. Only
// the PS that have started since the last restore are restored.
const Keeps = "keeps"

// restores follows what the chief has restored.
type restores struct {
	// path is the checkpoint that was restored since the last look, "" for none.
	path string
	// step is the step that was restored at the time at. waits says that this is still to be checked.
	step  int64
	at    time.Duration
	waits bool
	// marked says in which life of the first PS (counted from 1) the chief has made a step; 0 if it has
	// made none. With partial recovery the chief has marked all PS by then (save_utils.py:1307).
	marked int
	// begun is when the variables were last initialized, and newest is the step of the checkpoint that
	// was current then; 0 without a checkpoint. Both are kept until the chief makes a step.
	newest int64
	begun  time.Duration
}

// restored handles an observation that variables were restored. Without the first PS the step stays as
// it is.
func (c *Checker) restored(o runners.Observation) {
	text, ok := strings.CutPrefix(o.Note, "step ")
	step, err := strconv.ParseInt(text, 10, 64)
	if !ok || err != nil {
		return
	}
	marked := c.restores.marked
	if first := c.procs["ps0"]; c.spec.PartialRecovery && c.spec.PS > 1 && marked > 0 && first.running && first.life == marked {
		c.breaks(Keeps, o.Path, "", "the chief has restored %s on ps0, which has run since it was marked, want it to keep its values", o.Path)
	}
	c.restores = restores{path: o.Path, step: step, at: c.now, waits: true, marked: marked, newest: c.restores.newest, begun: c.restores.begun}
}

// resumed checks the step counter before some steps. A worker whose session has outlived the restore may
// have made a step meanwhile, which is lost.
func (c *Checker) resumed(step int64) {
	r := &c.restores
	if !r.waits || c.now <= r.at+c.spec.StepTime+time.Second {
		return
	}
	r.waits = false
	if step < r.step {
		c.breaks(Resumes, strconv.FormatInt(r.step, 10), "", "the job has gone on from step %d, want it to from step %d, which was restored at %v", step, r.step, r.at)
	}
}

// initialized begins a session in which the current checkpoint has to be restored.
func (c *Checker) initialized() {
	c.restores = restores{marked: c.restores.marked, begun: c.now}
	if name := c.stored.current; c.spec.RestoreDir == "" && c.spec.RestoreCkpt == "" && !c.spec.ClearNN && !c.stored.checkpoint.torn && c.lag == 0 {
		c.restores.newest, _ = saveutils.SaveHelper{}.GlobalStep(name)
	}
}

// begins checks the first step of the chief in a session, which it makes once it has restored.
func (c *Checker) begins(from time.Duration) {
	r := &c.restores
	if r.newest == 0 || from <= r.begun {
		return
	}
	if c.life.step < r.newest {
		c.breaks(Resumes, "newest "+strconv.FormatInt(r.newest, 10), "", "the chief has begun with step %d, want it to go on from step %d, of the current checkpoint", c.life.step, r.newest)
	}
	r.newest = 0
}

// lookAtRestored checks that the checkpoint that was just restored is the current one of the model's
// directory.
func (c *Checker) lookAtRestored(current string) {
	if r := &c.restores; r.path != "" && r.path != current {
		c.breaks(Resumes, r.path, "", "%s was restored, want %s, which is the current checkpoint", r.path, current)
	}
}
