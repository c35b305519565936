package tfserving

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// wait is a reload that waits until each of its models has a version that is AVAILABLE or at its
// END (TFS-8.3). It has no time limit.
type wait struct {
	models []string // models is sorted
	fresh  *monitor // fresh holds the states since listen; nil if all known states count
	noun   string   // noun is what error texts call a model
	done   func(*env.RPCError)
	begun  bool
}

// listen makes the wait record the states of later events. There is at most one wait, because a
// reload holds a lock.
func (c *core) listen(w *wait) { c.waiting = w }

// await calls w.done when all models of the wait have settled, which may be now.
func (c *core) await(w *wait) {
	if w.settled(c) {
		c.waiting = nil
		w.done(w.result(c))
		return
	}
	c.waiting, w.begun = w, true
}

// heard passes an event to the wait, and ends the wait if all its models have settled.
func (c *core) heard(event Event) {
	w := c.waiting
	if w == nil {
		return
	}
	if w.fresh != nil {
		w.fresh.handle(event)
	}
	settles := event.State == env.StateAvailable || event.State == env.StateEnd
	if !w.begun || !settles || !w.settled(c) {
		return
	}
	c.waiting = nil
	err := w.result(c)
	c.server.timers.Soon(func() { w.done(err) })
}

func (w *wait) states(c *core) *monitor {
	if w.fresh != nil {
		return w.fresh
	}
	return &c.server.states
}

func (w *wait) settled(c *core) bool {
	for _, model := range w.models {
		if _, _, _, ok := w.states(c).settled(model); !ok {
			return false
		}
	}
	return true
}

// result returns an error that lists the models at END; nil if there are none
// (model_servers/server_core.cc:340-363, core/load_servables_fast.cc:98-116).
func (w *wait) result(c *core) *env.RPCError {
	failed := 0
	var entries strings.Builder
	for _, model := range w.models {
		version, state, err, _ := w.states(c).settled(model)
		if state == env.StateAvailable {
			continue
		}
		failed++
		fmt.Fprintf(&entries, "{%s", servable{model, version})
		if err != nil {
			fmt.Fprintf(&entries, " due to error: %s", c.server.profile.StatusString(err))
		}
		entries.WriteString("}, ")
	}
	if failed == 0 {
		return nil
	}
	return statusf(rpcerrors.Unknown, "%d %s(s) did not become available: {%s}", failed, w.noun, entries.String())
}
