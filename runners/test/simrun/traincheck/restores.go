package traincheck

import (
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Resumes is the invariant that a job which is restored restores its current checkpoint, and goes on
// from the step of that.
const Resumes = "resumes"

// restores follows what the chief has restored.
type restores struct {
	// path is the checkpoint that was restored since the last look, "" for none.
	path string
	// step is the step that was restored at the time at. waits says that this is still to be checked.
	step  int64
	at    time.Duration
	waits bool
}

// restored handles an observation that variables were restored. Without the first PS the step stays as
// it is.
func (c *Checker) restored(o runners.Observation) {
	text, ok := strings.CutPrefix(o.Note, "step ")
	if step, err := strconv.ParseInt(text, 10, 64); ok && err == nil {
		c.restores = restores{path: o.Path, step: step, at: c.now, waits: true}
	}
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

// lookAtRestored checks that the checkpoint that was just restored is the current one of the model's
// directory.
func (c *Checker) lookAtRestored(current string) {
	if r := &c.restores; r.path != "" && r.path != current {
		c.breaks(Resumes, r.path, "", "%s was restored, want %s, which is the current checkpoint", r.path, current)
	}
}
