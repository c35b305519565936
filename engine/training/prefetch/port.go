package prefetch

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// portCapacity is how many calls a function of the Rust port may be behind.
const portCapacity = 1024

// PortFunctionMgr has functions work later, as the Rust port has them: a call is queued whole, and
// the first one is run by the next step (TRN-5.21). In Python one value is queued, and a hook that
// has seen it at the end of a step takes the next.
type PortFunctionMgr struct {
	tasks env.Tasks
	async bool
	hooks []*PortPushHook
}

// NewPortFunctionMgr makes a manager whose functions are asynchronous unless told otherwise.
func NewPortFunctionMgr(tasks env.Tasks, async bool) *PortFunctionMgr {
	return &PortFunctionMgr{tasks: tasks, async: async}
}

// Hooks are those that the asynchronous functions need, in the order of their functions.
func (m *PortFunctionMgr) Hooks() []*PortPushHook { return m.hooks }

// Add answers what to call for a function: itself, or, for an asynchronous one, what queues a call
// and waits where 1024 are queued.
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

// End runs all that are left.
func (h *PortPushHook) End() error {
	for h.queue.Size() > 0 {
		if err := h.BeforeStep(); err != nil {
			return err
		}
	}
	return nil
}
