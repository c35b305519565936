package prefetch

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/session"
)

// Op is an operation that a training step, or a task of its own, runs in a session.
type Op func(s session.Session) error

// EnqueueHook fills a queue from a background task, as long as the session lasts
// (prefetch_queue.py:278).
type EnqueueHook struct {
	session.NoHook
	Queue *MultiFIFOQueue
	// Log receives the error that ends the filling, unless it is the end of the input.
	Log env.Log
}

// AfterCreateSession starts the task that fills the queue. The task ends, and closes the queue,
// when the input ends or training stops.
func (h *EnqueueHook) AfterCreateSession(s session.Session, coord *session.Coordinator) error {
	coord.Go("prefetch", func() {
		for !coord.ShouldStop() {
			err := h.Queue.Enqueue(s)
			if err == nil {
				continue
			}
			h.Queue.Close(false)
			if class := pysem.TypeOf(err); class != "OutOfRangeError" && class != "CancelledError" {
				h.Log.Logf(env.Error, "Exception in QueueRunner: %s", err)
				coord.RequestStop()
			}
			return
		}
	})
	coord.Go("prefetch close", func() {
		coord.WaitForStop(-1)
		h.Queue.Close(true)
	})
	return nil
}

// AsyncPushHook lets each step work on values that an earlier step put into a queue
// (prefetch_queue.py:308).
type AsyncPushHook struct {
	session.NoHook
	queue  *MultiFIFOQueue
	run    Op
	primed bool
	late   bool
}

// NewAsyncPushHook makes a hook that takes from the queue and runs an operation on it.
func NewAsyncPushHook(queue *MultiFIFOQueue, run Op) *AsyncPushHook {
	return &AsyncPushHook{queue: queue, run: run}
}

// Primed reports whether the hook has found the queue filled after a step. Only then does it
// begin to take rows.
func (h *AsyncPushHook) Primed() bool { return h.primed }

func (h *AsyncPushHook) push(s session.Session) error {
	if err := h.queue.Dequeue(); err != nil {
		return err
	}
	return h.run(s)
}

// BeforeRun runs the operation once the hook is primed. If the queue is empty, the operation runs
// after the step instead.
func (h *AsyncPushHook) BeforeRun(run *session.RunContext) ([]session.Op, error) {
	if h.late = h.primed && h.queue.Size() == 0; h.primed && !h.late {
		return nil, h.push(run.Session)
	}
	return nil, nil
}

// AfterRun runs the operation if the queue was empty before the step. It primes the hook once the
// queue is not empty.
func (h *AsyncPushHook) AfterRun(run *session.RunContext, _ []any) error {
	if h.late {
		return h.push(run.Session)
	}
	h.primed = h.primed || h.queue.Size() > 0
	return nil
}

// End runs the operation once for each row that is left in the queue.
func (h *AsyncPushHook) End(s session.Session) error {
	for h.queue.Size() > 0 {
		if err := h.push(s); err != nil {
			return err
		}
	}
	return nil
}

// Function makes an operation from arguments, which may be nested lists, tuples and dicts.
type Function func(args []any, kwargs *pysem.Dict) (Op, error)

// AsyncFunctionMgr runs functions one step after they are called (prefetch_queue.py:331).
type AsyncFunctionMgr struct {
	// Quirks is the set of the reference's faults that are kept.
	Quirks quirks.Set

	tasks env.Tasks
	async bool
	hooks []session.Hook
}

// NewAsyncFunctionMgr makes a manager. async is the default for calls of Add that do not say
// whether the function runs later.
func NewAsyncFunctionMgr(tasks env.Tasks, async bool) *AsyncFunctionMgr {
	return &AsyncFunctionMgr{tasks: tasks, async: async}
}

// Hooks returns the hooks of the functions that run later. A session has to call them.
func (m *AsyncFunctionMgr) Hooks() []session.Hook { return m.hooks }

// asyncCapacity is the number of steps that a function may lag behind.
const asyncCapacity = 1

// Add adds a function and returns what a step has to run for it: the function's own operation, or
// for an asynchronous function an operation that puts its arguments into a queue.
func (m *AsyncFunctionMgr) Add(target Function, args []any, kwargs *pysem.Dict, async pysem.Opt[bool]) (Op, error) {
	if kwargs == nil {
		kwargs = &pysem.Dict{}
	}
	if async.Set && !async.V || !async.Set && !m.async {
		return target(args, kwargs)
	}
	// The constant 0 is added so that the queue has a tensor even if no argument is one.
	all := append(append(Tuple{}, args...), Constant(0))
	value, queue, err := EnqueueDicts(m.tasks, m.Quirks, Tuple{all, kwargs}, asyncCapacity, "async_queue")
	if err != nil {
		return nil, err
	}
	taken := value.(Tuple)
	op, err := target(taken[0].(Tuple)[:len(args)], taken[1].(*pysem.Dict))
	if err != nil {
		return nil, err
	}
	m.hooks = append(m.hooks, NewAsyncPushHook(queue, op))
	return queue.Enqueue, nil
}
