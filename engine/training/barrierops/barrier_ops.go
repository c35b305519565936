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
	"cmp"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/session"
)

// ErrBarrierAlreadyPlaced is what placing a second barrier raises (barrier_ops.py:26).
var ErrBarrierAlreadyPlaced = &pysem.Error{Type: "BarrierAlreadyPlacedError"}

// Callback is called with the barrier's action by the chief that places it, and by each
// worker that arrives. Its error ends what was begun: the barrier, or the worker's flag,
// stays set (TRN-8.8); with Q237 repaired it is taken back.
type Callback func(action string, s session.Session) error

// Options are the settings of a barrier; the zero value has the reference's defaults.
type Options struct {
	// Device is where the variables live.
	Device string
	// Wait is how often waiting workers look; 0 means 1 s.
	Wait time.Duration
	// Callbacks are called in order.
	Callbacks []Callback
	// Quirks are those that are kept.
	Quirks quirks.Set
	// Alive reports whether the process of a worker is there. It is asked with Q239 repaired
	// only, where it is set: a worker that is not there does not count as blocked, nor is it
	// waited for.
	Alive func(worker int) bool
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
	// placings counts how often the barrier was placed; it is there with Q238 repaired only.
	placings *session.Variable
	lock     *threading.Lock
	waits    session.Seldom
}

// NewBarrierOp makes a barrier for a chief and capacity-1 workers.
func NewBarrierOp(e *env.Env, capacity int, options Options) *BarrierOp {
	options.Wait = cmp.Or(options.Wait, time.Second)
	b := &BarrierOp{
		e: e, capacity: capacity, options: options, lock: threading.NewLock(e.Tasks, "barrier"),
		vars:   &session.Variable{Name: "barrier_var", Device: options.Device, First: make([]bool, capacity)},
		action: &session.Variable{Name: "barrier_op_action", Device: options.Device, First: []byte{}},
	}
	if !options.Quirks.Keeps(quirks.Q238) {
		b.placings = &session.Variable{Name: "barrier_placings", Device: options.Device, First: int64(0)}
	}
	return b
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
	place := []session.Op{session.AssignAt(b.vars, 0, true), session.Assign(b.action, []byte(action))}
	if b.placings != nil {
		n, err := session.Get[int64](s, session.Read(b.placings))
		if err != nil {
			return err
		}
		place = append(place, session.Assign(b.placings, n+1))
	}
	if err := session.Do(s, place...); err != nil {
		return err
	}
	return b.takenBack(s, 0, b.runCallbacks(action, s))
}

// takenBack takes an element back after an error of a callback, where Q237 is repaired.
func (b *BarrierOp) takenBack(s session.Session, index int, err error) error {
	if err != nil && !b.options.Quirks.Keeps(quirks.Q237) {
		if err := session.Do(s, session.AssignAt(b.vars, index, false)); err != nil {
			b.e.Log.Logf(env.Warning, "barrier: index %d cannot be taken back: %v", index, err)
		}
	}
	return err
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

// BarrierPlaced returns the reading by which steps see whether there is a barrier.
func (b *BarrierOp) BarrierPlaced() session.Op { return session.ReadAt(b.vars, 0) }

// Capacity returns how many processes there are, the chief included.
func (b *BarrierOp) Capacity() int { return b.capacity }

// IsBarrierRemoved returns the contrary of IsBarrierPlaced.
func (b *BarrierOp) IsBarrierRemoved(s session.Session) (bool, error) {
	placed, err := b.IsBarrierPlaced(s)
	return !placed, err
}

// WaitUntilBarrierRemoved blocks worker index, calls the callbacks with the action, and
// returns when the barrier is found removed: there is no limit. An index that no worker has
// is a ValueError (barrier_ops.py:102). A barrier that is placed again before the worker
// looks holds it on without another call of the callbacks (Q238).
func (b *BarrierOp) WaitUntilBarrierRemoved(s session.Session, index int) error {
	if b.placings != nil {
		return b.waitEach(s, index)
	}
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

// waitEach waits until no barrier is placed, and blocks anew for each that was placed
// meanwhile. A barrier that is gone already has no callbacks called.
func (b *BarrierOp) waitEach(s session.Session, index int) error {
	if err := b.check(index); err != nil {
		return err
	}
	for joined := int64(0); ; b.e.Tasks.Sleep(b.options.Wait) {
		now, err := s.Run(b.BarrierPlaced(), session.Read(b.placings))
		if err != nil {
			return err
		}
		placed, _ := now[0].(bool)
		placing, _ := now[1].(int64)
		switch {
		case !placed:
			return session.Do(s, session.AssignAt(b.vars, index, false))
		case placing != joined:
			if err := b.block(s, index); err != nil {
				return err
			}
			joined = placing
		}
	}
}

func (b *BarrierOp) check(index int) error {
	if index <= 0 || index >= b.capacity {
		return pysem.Raise("ValueError", "Index [%d] must be non-negative and less than capacity [%d]. ", index, b.capacity)
	}
	return nil
}

// block sets the worker's flag, under the lock.
func (b *BarrierOp) block(s session.Session, index int) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if err := b.check(index); err != nil {
		return err
	}
	if err := session.Do(s, session.AssignAt(b.vars, index, true)); err != nil {
		return err
	}
	action, err := session.Get[[]byte](s, session.Read(b.action))
	if err != nil {
		return err
	}
	return b.takenBack(s, index, b.runCallbacks(string(action), s))
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
	if err != nil || len(blocked) == 0 || blocked[0] != 0 {
		return false, err
	}
	waitedFor := b.capacity
	for i := 1; i < b.capacity; i++ {
		if !b.alive(i) {
			waitedFor--
		}
	}
	return len(blocked) == waitedFor, nil
}

// alive reports whether a worker counts.
func (b *BarrierOp) alive(worker int) bool {
	return b.options.Alive == nil || b.options.Quirks.Keeps(quirks.Q239) || b.options.Alive(worker)
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
		if flag = flag && (i == 0 || b.alive(i)); flag == blocked {
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
	reads   []session.Op
	placed  bool // as the last step has seen
}

// NewBarrierHook makes the hook of a process.
func NewBarrierHook(index int, barrier *BarrierOp) *BarrierHook {
	return &BarrierHook{index: index, barrier: barrier, reads: []session.Op{barrier.BarrierPlaced()}}
}

// BeforeRun reads the barrier together with the step.
func (h *BarrierHook) BeforeRun(*session.RunContext) ([]session.Op, error) {
	return h.reads, nil
}

// Steady reports whether the last step has seen no barrier, or it is the chief's.
func (h *BarrierHook) Steady() bool { return !h.placed || h.index == 0 }

// AfterRun waits where the step has seen the barrier.
func (h *BarrierHook) AfterRun(run *session.RunContext, values []any) error {
	h.placed, _ = values[0].(bool)
	if h.index > 0 && h.placed {
		return h.barrier.WaitUntilBarrierRemoved(run.Session, h.index)
	}
	return nil
}
