package prefetch

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// portCapacity is the number of calls that a function of the Rust port may lag behind.
const portCapacity = 1024

// PortFunctionMgr runs functions later, as the Rust port does: each call is queued as a whole, and
// the next step runs the first one (TRN-5.21). In Python only one value is queued, and a hook that
// has seen it at the end of a step takes the next.
type PortFunctionMgr struct {
	tasks env.Tasks
	async bool
	hooks []*PortPushHook
}

// NewPortFunctionMgr makes a manager. async is the default for its functions.
func NewPortFunctionMgr(tasks env.Tasks, async bool) *PortFunctionMgr {
	return &PortFunctionMgr{tasks: tasks, async: async}
}

// Hooks returns the hooks that the asynchronous functions need, in the order of the functions.
func (m *PortFunctionMgr) Hooks() []*PortPushHook { return m.hooks }

// Add returns what to call for a function: the function itself, or for an asynchronous one a
// function that queues the call and waits while 1024 are queued.
func (m *PortFunctionMgr) Add(target func(), async pysem.Opt[bool]) (call func() error) {
	if !async.Or(m.async) {
		return func() error { target(); return nil }
	}
	h := &PortPushHook{queue: NewFIFOQueue(m.tasks, portCapacity, "async_queue"), run: target}
	m.hooks = append(m.hooks, h)
	return func() error {
		h.primed = true
		return h.queue.Enqueue(nil)
	}
}

// PortPushHook runs the calls of one function.
type PortPushHook struct {
	queue  *FIFOQueue
	run    func()
	primed bool
}

// BeforeStep runs one call, if there is any.
func (h *PortPushHook) BeforeStep() error {
	if !h.primed || h.queue.Size() == 0 {
		return nil
	}
	_, err := h.queue.Dequeue()
	if err == nil {
		h.run()
	}
	return err
}

// End runs all calls that are left.
func (h *PortPushHook) End() error {
	for h.queue.Size() > 0 {
		if err := h.BeforeStep(); err != nil {
			return err
		}
	}
	return nil
}
