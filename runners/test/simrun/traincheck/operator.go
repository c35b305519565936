package traincheck

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/quirks/jobquirks"
)

// Obeys is the invariant that a call of the controller that has succeeded has done what it says.
const Obeys = "obeys"

// Call is a call of the controller, with what was there when it began.
type Call struct {
	c        *Checker
	method   string
	placings int
	step     int64
}

// Calls records that an operator begins a call of the controller.
func (c *Checker) Calls(at time.Duration, method string) Call {
	c.now = max(c.now, at)
	if b := &c.barrier; method == resumes {
		b.resumed, b.asked = true, c.now
		b.resuming++
	}
	step := c.life.step
	if r := &c.restores; r.waits {
		step = min(step, r.step) // no step was made after the restore, which may have gone back
	}
	return Call{c: c, method: method, placings: c.barrier.placings, step: step}
}

// resumes is the method that removes the barrier of StopTraining.
const resumes = "ResumeTraining"

// Answered records that the call has ended. If it has succeeded, what it has done is checked
// (server_lib.py:32).
func (o Call) Answered(succeeded bool) {
	c, b := o.c, &o.c.barrier
	if !succeeded {
		return // nothing is checked, because a failed call may still be carried out later
	}
	if o.method == resumes {
		b.resuming--
	}
	key := fmt.Sprintf("%s %v", o.method, c.now)
	switch {
	case o.method == "StopTraining" && b.placings == o.placings:
		c.breaks(Obeys, key, "", "StopTraining has succeeded, and no barrier was placed, want one")
	case o.method == resumes && b.placed && b.placings == o.placings:
		c.breaks(Obeys, key, "", "ResumeTraining has succeeded, and the barrier of %v is there, want it removed", b.at)
	case o.method == "SaveCheckpoint" && c.refusing == 0 && c.saves.newest < o.step:
		c.breaks(Obeys, key, c.knownBy(jobquirks.Q243), "SaveCheckpoint has succeeded, and the newest checkpoint is that of step %d, want one of step %d or later", c.saves.newest, o.step)
	}
}
