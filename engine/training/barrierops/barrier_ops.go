// Package barrierops holds the workers of a training up while the chief does something
// that wants all of them to stand still: the port of native_training/barrier_ops.py.
//
// Two things to use first:
//
//   - [NewBarrierOp] makes the barrier, whose state is variables that all processes share.
//   - [NewBarrierHook] has a worker wait at it after the step in which it was placed.
//
// The races of the reference are kept: a worker that dies while it waits stays blocked for
// all who look, and a barrier that is placed again within a worker's poll holds it on
// (TRN-2.7). To change how the waiting goes look in [BarrierOp.WaitUntilBarrierRemoved].
//
// Cost: a worker that waits reads one element a second; a look at all is one read of as many
// elements as there are workers.
package barrierops

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/threading"
	"github.com/monosim/monosim/engine/training/session"
)

// ErrBarrierAlreadyPlaced is what placing a second barrier raises (barrier_ops.py:26).
var ErrBarrierAlreadyPlaced = &pysem.Error{Type: "BarrierAlreadyPlacedError"}

// Callback is called with the barrier's action by the chief that places it, and by each
// worker that arrives. Its error ends what was begun: the barrier, or the worker's flag,
// stays set (TRN-8.8).
type Callback func(action string, s session.Session) error

// Options are the settings of a barrier; the zero value has the reference's defaults.
type Options struct {
	// Device is where the variables live.
	Device string
	// Wait is how often waiting workers look; 0 means 1 s.
	Wait time.Duration
	// Callbacks are called in order.
	Callbacks []Callback
}

// BarrierOp is a barrier as one process has it. Processes with barriers of equal capacity
// and device over one session's variables share it; what is exclusive is so for the tasks of
// one BarrierOp only.
type BarrierOp struct {
	e        *env.Env
	capacity int
	options  Options
	// vars has whether the barrier is placed at 0, and at i whether worker i is blocked.
	vars, action *session.Variable
	lock         *threading.Lock
	waits        session.Seldom
}

// NewBarrierOp makes a barrier for a chief and capacity-1 workers.
func NewBarrierOp(e *env.Env, capacity int, options Options) *BarrierOp {
	if options.Wait == 0 {
		options.Wait = time.Second
	}
	return &BarrierOp{
		e: e, capacity: capacity, options: options, lock: threading.NewLock(e.Tasks, "barrier"),
		vars:   &session.Variable{Name: "barrier_var", Device: options.Device, First: make([]bool, capacity)},
		action: &session.Variable{Name: "barrier_op_action", Device: options.Device, First: []byte{}},
	}
}

// PlaceBarrier places the barrier and calls the callbacks. Where it is placed already it
// raises [ErrBarrierAlreadyPlaced] (barrier_ops.py:71).
func (b *BarrierOp) PlaceBarrier(s session.Session, action string) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	placed, err := b.IsBarrierPlaced(s)
	if err != nil {
		return err
	}
	if placed {
		return ErrBarrierAlreadyPlaced
	}
	if err := session.Do(s, session.AssignAt(b.vars, 0, true), session.Assign(b.action, []byte(action))); err != nil {
		return err
	}
	return b.runCallbacks(action, s)
}

// RemoveBarrier removes it, also where there is none. The action stays (barrier_ops.py:82).
func (b *BarrierOp) RemoveBarrier(s session.Session) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	return session.Do(s, session.AssignAt(b.vars, 0, false))
}

// IsBarrierPlaced reports whether there is a barrier.
func (b *BarrierOp) IsBarrierPlaced(s session.Session) (bool, error) {
	return session.Get[bool](s, b.BarrierPlaced())
}

// BarrierPlaced is the reading by which steps see whether there is a barrier.
func (b *BarrierOp) BarrierPlaced() session.Op { return session.ReadAt(b.vars, 0) }

// Capacity is how many processes there are, the chief included.
func (b *BarrierOp) Capacity() int { return b.capacity }

// IsBarrierRemoved is the contrary of IsBarrierPlaced.
func (b *BarrierOp) IsBarrierRemoved(s session.Session) (bool, error) {
	placed, err := b.IsBarrierPlaced(s)
	return !placed, err
}

// WaitUntilBarrierRemoved blocks worker index, calls the callbacks with the action, and
// returns when the barrier is found removed: there is no limit. An index that no worker has
// is a ValueError (barrier_ops.py:102).
func (b *BarrierOp) WaitUntilBarrierRemoved(s session.Session, index int) error {
	if err := b.block(s, index); err != nil {
		return err
	}
	for {
		removed, err := b.IsBarrierRemoved(s)
		if err != nil {
			return err
		}
		if removed {
			break
		}
		b.waits.Logf(b.e, "The worker %d waits until barrier removed.", index)
		b.e.Tasks.Sleep(b.options.Wait)
	}
	return session.Do(s, session.AssignAt(b.vars, index, false))
}

// block sets the worker's flag, under the lock.
func (b *BarrierOp) block(s session.Session, index int) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if index <= 0 || index >= b.capacity {
		return pysem.Raise("ValueError", "Index [%d] must be non-negative and less than capacity [%d]. ", index, b.capacity)
	}
	if err := session.Do(s, session.AssignAt(b.vars, index, true)); err != nil {
		return err
	}
	action, err := session.Get[[]byte](s, session.Read(b.action))
	if err != nil {
		return err
	}
	return b.runCallbacks(string(action), s)
}

func (b *BarrierOp) runCallbacks(action string, s session.Session) error {
	for _, c := range b.options.Callbacks {
		if err := c(action, s); err != nil {
			return err
		}
	}
	return nil
}

// IsAllBlocked reports whether the barrier is placed and all workers wait.
func (b *BarrierOp) IsAllBlocked(s session.Session) (bool, error) {
	blocked, err := b.BlockedIndices(s)
	return len(blocked) == b.capacity, err
}

// IsNoneBlocked reports whether the barrier is removed and no worker waits.
func (b *BarrierOp) IsNoneBlocked(s session.Session) (bool, error) {
	blocked, err := b.BlockedIndices(s)
	return err == nil && len(blocked) == 0, err
}

// UnblockedIndices are those that do not wait, ascending.
func (b *BarrierOp) UnblockedIndices(s session.Session) ([]int, error) { return b.indices(s, false) }

// BlockedIndices are those that wait, ascending; 0 while the barrier is placed.
func (b *BarrierOp) BlockedIndices(s session.Session) ([]int, error) { return b.indices(s, true) }

func (b *BarrierOp) indices(s session.Session, blocked bool) ([]int, error) {
	flags, err := session.Get[[]bool](s, session.Read(b.vars))
	if err != nil {
		return nil, err
	}
	list := []int{}
	for i, flag := range flags {
		if flag == blocked {
			list = append(list, i)
		}
	}
	return list, nil
}

// BarrierHook looks at the barrier with each step of the process of an index
// (barrier_ops.py:143). The chief, 0, never waits.
type BarrierHook struct {
	session.NoHook
	index   int
	barrier *BarrierOp
}

// NewBarrierHook makes the hook of a process.
func NewBarrierHook(index int, barrier *BarrierOp) *BarrierHook {
	return &BarrierHook{index: index, barrier: barrier}
}

// BeforeRun reads the barrier together with the step.
func (h *BarrierHook) BeforeRun(*session.RunContext) ([]session.Op, error) {
	return []session.Op{h.barrier.BarrierPlaced()}, nil
}

// AfterRun waits where the step has seen the barrier.
func (h *BarrierHook) AfterRun(run *session.RunContext, values []any) error {
	if placed, _ := values[0].(bool); h.index > 0 && placed {
		return h.barrier.WaitUntilBarrierRemoved(run.Session, h.index)
	}
	return nil
}
