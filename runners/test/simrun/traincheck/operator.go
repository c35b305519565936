package traincheck

import (
	"fmt"

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
func (c *Checker) Calls(method string) Call {
	return Call{c: c, method: method, placings: c.barrier.placings, step: c.life.step}
}

// Succeeded checks what the call has done (server_lib.py:32).
func (o Call) Succeeded() {
	c, b := o.c, &o.c.barrier
	key := fmt.Sprintf("%s %v", o.method, c.now)
	switch {
	case o.method == "StopTraining" && b.placings == o.placings:
		c.breaks(Obeys, key, "", "StopTraining has succeeded, and no barrier was placed, want one")
	case o.method == "ResumeTraining" && b.placed && b.placings == o.placings:
		c.breaks(Obeys, key, "", "ResumeTraining has succeeded, and the barrier of %v is there, want it removed", b.at)
	case o.method == "SaveCheckpoint" && c.saves.newest < o.step:
		c.breaks(Obeys, key, c.knownBy(jobquirks.Q243), "SaveCheckpoint has succeeded, and the newest checkpoint is that of step %d, want one of step %d or later", c.saves.newest, o.step)
	}
}
