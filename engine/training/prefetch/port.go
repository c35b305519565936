package prefetch

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// portCapacity is the number of calls that a function of the Rust port may lag behind.
const portCapacity = 1024

// PortFunctionMgr runs functions later, as the Rust port does. It queues whole calls, and the next
// step runs the oldest one (TRN-5.21). Python instead queues the argument values of one call. Its
// hook first sees them at the end of a step, and takes them in the step after that.
type PortFunctionMgr struct {
	tasks env.Tasks
	async bool
	hooks []*PortPushHook
}

// NewPortFunctionMgr makes a manager. async is the default for calls of Add that do not say whether
// the function runs later.
func NewPortFunctionMgr(tasks env.Tasks, async bool) *PortFunctionMgr {
	return &PortFunctionMgr{tasks: tasks, async: async}
}

// Hooks returns the hooks of the functions that run later, in the order in which Add was called.
func (m *PortFunctionMgr) Hooks() []*PortPushHook { return m.hooks }

// Add returns the function to call in place of target. If target is to run later, the returned
// function queues the call, and waits while 1024 calls are queued.
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

// PortPushHook runs the queued calls of one function.
type PortPushHook struct {
	queue  *FIFOQueue
	run    func()
	primed bool
}

// BeforeStep runs the oldest queued call, if there is one.
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
