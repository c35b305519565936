// Package barrierops blocks the workers of a training while the chief does something for which all
// have to stand still: the port of native_training/barrier_ops.py.
//
// Two things to use first:
//
//   - [NewBarrierOp] makes the barrier. Its state is in variables that all processes share.
//   - [NewBarrierHook] makes a worker wait at the barrier after the step in which it was placed.
//
// The races of the reference are kept. A worker that dies while it waits still counts as blocked. A
// barrier that is placed again within a worker's polling period keeps that worker waiting
// (TRN-2.7). To change how workers wait: [BarrierOp.WaitUntilBarrierRemoved].
//
// Cost: a look at all workers grows with the workers: it is one read with one element for each. A
// waiting worker reads one element a second.
//
// Unstable: any commit may change it.
package barrierops

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/session"
)

// ErrBarrierAlreadyPlaced is raised when a second barrier is placed (barrier_ops.py:26).
var ErrBarrierAlreadyPlaced = &pysem.Error{Type: "BarrierAlreadyPlacedError"}

// Callback is called with the barrier's action by the chief that places the barrier and by each
// worker that arrives. If it fails, the barrier or the worker's flag stays set (TRN-8.8). With
// Q237 repaired it is cleared.
type Callback func(action string, s session.Session) error

// Options configures a barrier. The zero value has the reference's defaults.
type Options struct {
	// Device is the device on which the variables are placed.
	Device string
	// Wait is the interval at which a waiting worker checks the barrier. Unset means 1 s.
	Wait pysem.Opt[time.Duration]
	// Callbacks are called in order.
	Callbacks []Callback
	// Quirks is the set of the reference's bugs to keep.
	Quirks jobquirks.Set
	// Alive reports whether a worker's process is running. It is used only with Q239 repaired and
	// may be nil. A worker that is not running does not count as blocked, and nobody waits for it.
	Alive func(worker int) bool
}

// BarrierOp is a barrier as one process sees it. Processes share a barrier if they keep its
// variables in the same session and use equal capacity and device. Its lock excludes only tasks
// that use the same BarrierOp, not other processes.
type BarrierOp struct {
	e        *env.Env
	capacity int
	options  Options
	// vars[0] is true while the barrier is placed, vars[i] while worker i is blocked.
	vars, action *session.Variable
	// placings counts how many times the barrier was placed. It exists only with Q238 repaired.
	placings *session.Variable
	lock     *threading.Lock
	waits    session.Seldom
}

// NewBarrierOp returns a barrier for a chief and capacity-1 workers. A barrier without a chief
// raises a ValueError, as there is no element 0 to read.
func NewBarrierOp(e *env.Env, capacity int, options Options) (*BarrierOp, error) {
	if capacity <= 0 {
		return nil, pysem.Raise("ValueError", "slice index 0 of dimension 0 out of bounds.")
	}
	options.Wait = pysem.Some(options.Wait.Or(time.Second))
	b := &BarrierOp{
		e: e, capacity: capacity, options: options, lock: threading.NewLock(e.Tasks, "barrier"),
		vars:   &session.Variable{Name: "barrier_var", Device: options.Device, First: make([]bool, capacity)},
		action: &session.Variable{Name: "barrier_op_action", Device: options.Device, First: []byte{}},
	}
	if !options.Quirks.Keeps(jobquirks.Q238) {
		b.placings = &session.Variable{Name: "barrier_placings", Device: options.Device, First: int64(0)}
	}
	return b, nil
}

// MustBarrierOp is [NewBarrierOp] for a capacity that is known to be positive. It panics for others.
func MustBarrierOp(e *env.Env, capacity int, options Options) *BarrierOp {
	b, err := NewBarrierOp(e, capacity, options)
	if err != nil {
		panic(err)
	}
	return b
}

// LocalVariables returns the variables that each new session of a process initializes
// (barrier_ops.py:46). A worker initializes only the action (Q332), because the flags belong to the
// chief. With Q332 repaired it initializes nothing.
func (b *BarrierOp) LocalVariables(chief bool) []*session.Variable {
	switch {
	case !chief && b.options.Quirks.Keeps(jobquirks.Q332):
		return []*session.Variable{b.action}
	case !chief:
		return nil
	}
	list := []*session.Variable{b.vars, b.action}
	if b.placings != nil {
		list = append(list, b.placings)
	}
	return list
}

// PlaceBarrier places the barrier and calls the callbacks. It raises [ErrBarrierAlreadyPlaced] if
// the barrier is already placed (barrier_ops.py:71).
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

// takenBack clears the element at index after a callback's error, with Q237 repaired. It returns
// that error.
func (b *BarrierOp) takenBack(s session.Session, index int, err error) error {
	if err != nil && !b.options.Quirks.Keeps(jobquirks.Q237) {
		if err := session.Do(s, session.AssignAt(b.vars, index, false)); err != nil {
			b.e.Log.Logf(env.Warning, "barrier: index %d cannot be taken back: %v", index, err)
		}
	}
	return err
}

// RemoveBarrier removes the barrier if it is placed. Its action is kept (barrier_ops.py:82).
func (b *BarrierOp) RemoveBarrier(s session.Session) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	return session.Do(s, session.AssignAt(b.vars, 0, false))
}

// IsBarrierPlaced reports whether the barrier is placed.
func (b *BarrierOp) IsBarrierPlaced(s session.Session) (bool, error) {
	return session.Get[bool](s, b.BarrierPlaced())
}

// BarrierPlaced returns the operation that reads in a step whether the barrier is placed.
func (b *BarrierOp) BarrierPlaced() session.Op { return session.ReadAt(b.vars, 0) }

// Capacity returns the number of processes, including the chief.
func (b *BarrierOp) Capacity() int { return b.capacity }

// IsBarrierRemoved reports whether the barrier is not placed.
func (b *BarrierOp) IsBarrierRemoved(s session.Session) (bool, error) {
	placed, err := b.IsBarrierPlaced(s)
	return !placed, err
}

// WaitUntilBarrierRemoved marks worker index as blocked, calls the callbacks with the action, and
// returns once it sees that the barrier was removed. It has no timeout. The index is a number of
// Python, which loses its fraction only where it selects the flag. An index of no worker raises a
// ValueError (barrier_ops.py:102). If the barrier is placed again before the worker
// checks, the worker keeps waiting and calls no callbacks (Q238).
func (b *BarrierOp) WaitUntilBarrierRemoved(s session.Session, index any) error {
	if b.placings != nil {
		return b.waitEach(s, index)
	}
	worker, err := b.block(s, index)
	if err != nil {
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
		b.waits.Logf(b.e, "The worker %s waits until barrier removed.", pysem.Str(index))
		b.e.Tasks.Sleep(b.options.Wait.V)
	}
	return session.Do(s, session.AssignAt(b.vars, worker, false))
}

// waitEach waits until no barrier is placed. It marks the worker as blocked again for each barrier
// placed meanwhile. It calls no callbacks for a barrier that is already removed.
func (b *BarrierOp) waitEach(s session.Session, index any) error {
	worker, err := b.check(index)
	if err != nil {
		return err
	}
	for joined := int64(0); ; b.e.Tasks.Sleep(b.options.Wait.V) {
		now, err := s.Run(b.BarrierPlaced(), session.Read(b.placings))
		if err != nil {
			return err
		}
		placed, _ := now[0].(bool)
		placing, _ := now[1].(int64)
		switch {
		case !placed:
			return session.Do(s, session.AssignAt(b.vars, worker, false))
		case placing != joined:
			if _, err := b.block(s, index); err != nil {
				return err
			}
			joined = placing
		}
	}
}

// check returns the element of a worker's flag.
func (b *BarrierOp) check(index any) (int, error) {
	low, err := pysem.Compare(index, "<=", 0)
	if err != nil {
		return 0, err
	}
	if high, _ := pysem.Compare(index, ">=", b.capacity); low || high {
		return 0, pysem.Raise("ValueError", "Index [%s] must be non-negative and less than capacity [%d]. ", pysem.Str(index), b.capacity)
	}
	worker, err := pysem.ToInt(index)
	return pysem.Saturate(worker), err
}

// block sets the worker's flag under the lock, and returns its element.
func (b *BarrierOp) block(s session.Session, index any) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	worker, err := b.check(index)
	if err != nil {
		return 0, err
	}
	if err := session.Do(s, session.AssignAt(b.vars, worker, true)); err != nil {
		return 0, err
	}
	action, err := session.Get[[]byte](s, session.Read(b.action))
	if err != nil {
		return 0, err
	}
	return worker, b.takenBack(s, worker, b.runCallbacks(string(action), s))
}

func (b *BarrierOp) runCallbacks(action string, s session.Session) error {
	for _, c := range b.options.Callbacks {
		if err := c(action, s); err != nil {
			return err
		}
	}
	return nil
}

// IsAllBlocked reports whether the barrier is placed and all workers are waiting.
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

// alive reports whether a worker counts. Without Alive every worker counts.
func (b *BarrierOp) alive(worker int) bool {
	return b.options.Alive == nil || b.options.Quirks.Keeps(jobquirks.Q239) || b.options.Alive(worker)
}

// IsNoneBlocked reports whether the barrier is removed and no worker is waiting.
func (b *BarrierOp) IsNoneBlocked(s session.Session) (bool, error) {
	blocked, err := b.BlockedIndices(s)
	return err == nil && len(blocked) == 0, err
}

// UnblockedIndices returns the indices of the workers that are not waiting, in ascending order.
func (b *BarrierOp) UnblockedIndices(s session.Session) ([]int, error) { return b.indices(s, false) }

// BlockedIndices returns the indices of the waiting workers, in ascending order. It includes 0
// while the barrier is placed.
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

// BarrierHook checks the barrier in each step of a process (barrier_ops.py:143). The chief, which
// has index 0, never waits.
type BarrierHook struct {
	session.NoHook
	index   any
	barrier *BarrierOp
	reads   []session.Op
	placed  bool // whether the last step found the barrier placed
}

// NewBarrierHook returns the hook for the process with the given index, a number of Python.
func NewBarrierHook(index any, barrier *BarrierOp) *BarrierHook {
	return &BarrierHook{index: index, barrier: barrier, reads: []session.Op{barrier.BarrierPlaced()}}
}

// BeforeRun requests the barrier's state together with the step.
func (h *BarrierHook) BeforeRun(*session.RunContext) ([]session.Op, error) {
	return h.reads, nil
}

// AfterCreateSession clears the worker's blocked flag, with Q324 repaired. The flag may still be
// set if the worker lost its previous session at the barrier.
func (h *BarrierHook) AfterCreateSession(s session.Session, _ *session.Coordinator) error {
	worker, err := h.barrier.check(h.index)
	if err != nil || h.barrier.options.Quirks.Keeps(jobquirks.Q324) {
		return nil // the chief has no flag
	}
	return session.Do(s, session.AssignAt(h.barrier.vars, worker, false))
}

// Steady reports whether the hook has nothing to do, because the last step saw no barrier or the
// process is the chief.
func (h *BarrierHook) Steady() bool { return !h.placed || h.index == 0 }

// AfterRun waits if the barrier was placed during the step.
func (h *BarrierHook) AfterRun(run *session.RunContext, values []any) error {
	h.placed, _ = values[0].(bool)
	isWorker, err := pysem.Compare(h.index, ">", 0)
	if err != nil {
		return err
	}
	if isWorker && h.placed {
		return h.barrier.WaitUntilBarrierRemoved(run.Session, h.index)
	}
	return nil
}
