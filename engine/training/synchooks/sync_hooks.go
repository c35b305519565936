// Package synchooks has chief and workers wait for one another at the beginning and at the
// end of a training: the port of native_training/sync_hooks.py.
//
// Two things to use first:
//
//   - [NewTrainingHooksHelper] makes the hooks of a process.
//   - [NewSyncHelper] is the state that they share: a flag for the restore, and one for each
//     worker that is alive.
//
// A worker that dies leaves its flag set, and the chief waits for it until its time is over
// (TRN-2.11). To change how long, look in [DefaultChiefTimeout].
//
// Cost: each worker reads a flag a second until the chief has restored; at the end the chief
// reads the flags of all workers once a second.
package synchooks

import (
	"fmt"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/session"
)

// DefaultChiefTimeout is how long the chief waits for the workers' end (sync_hooks.py:92).
const DefaultChiefTimeout = 1800 * time.Second

// poll is how often both look.
const poll = time.Second

// chiefDevice is where the flags live (sync_hooks.py:28).
const chiefDevice = "/job:chief/task:0"

// SyncHelper is the state (sync_hooks.py:22).
type SyncHelper struct {
	numWorkers int
	// flags has at 0 whether the chief has restored, and at i whether worker i is alive.
	flags *session.Variable
	// living, where it is set, reports whether the process of a worker is there: one that is
	// not does not count as alive.
	living func(worker int) bool
}

// NewSyncHelper makes the state of numWorkers processes, the chief included.
func NewSyncHelper(numWorkers int) *SyncHelper {
	return &SyncHelper{numWorkers: numWorkers, flags: &session.Variable{
		Name: "monolith_sync_helper/control_var", Device: chiefDevice, First: make([]bool, numWorkers),
	}}
}

// NumWorkers returns how many processes there are.
func (h *SyncHelper) NumWorkers() int { return h.numWorkers }

// MarkRestoreDone says that the chief has restored.
func (h *SyncHelper) MarkRestoreDone(s session.Session) error {
	return session.Do(s, session.AssignAt(h.flags, 0, true))
}

// RestoreStatus reports whether it has.
func (h *SyncHelper) RestoreStatus(s session.Session) (bool, error) {
	return session.Get[bool](s, session.ReadAt(h.flags, 0))
}

// StartWorker says that a worker is alive. An index that no worker has is an AssertionError.
func (h *SyncHelper) StartWorker(s session.Session, index int) error { return h.set(s, index, true) }

// FinishWorker says that it is done.
func (h *SyncHelper) FinishWorker(s session.Session, index int) error { return h.set(s, index, false) }

func (h *SyncHelper) set(s session.Session, index int, alive bool) error {
	if index <= 0 || index >= h.numWorkers {
		return pysem.Raise("AssertionError", "Index %d is out range ", index)
	}
	return session.Do(s, session.AssignAt(h.flags, index, alive))
}

// AliveWorkers returns the indices of those alive, ascending.
func (h *SyncHelper) AliveWorkers(s session.Session) ([]int, error) {
	flags, err := session.Get[[]bool](s, session.Read(h.flags))
	if err != nil {
		return nil, err
	}
	alive := []int{}
	for i, flag := range flags[1:] {
		if flag && (h.living == nil || h.living(i+1)) {
			alive = append(alive, i+1)
		}
	}
	return alive, nil
}

// NumAliveWorkers returns how many there are.
func (h *SyncHelper) NumAliveWorkers(s session.Session) (int, error) {
	alive, err := h.AliveWorkers(s)
	return len(alive), err
}

// ChiefSyncHook is the chief's hook (sync_hooks.py:95). Its place is after the hooks that
// restore.
type ChiefSyncHook struct {
	session.NoHook
	// Timeout is how long it waits for the workers' end.
	Timeout time.Duration

	e      *env.Env
	helper *SyncHelper
	waits  session.Seldom
}

// NewChiefSyncHook makes the hook; a timeout of 0 is none at all.
func NewChiefSyncHook(e *env.Env, helper *SyncHelper, timeout time.Duration) *ChiefSyncHook {
	return &ChiefSyncHook{Timeout: timeout, e: e, helper: helper}
}

// AfterCreateSession lets the workers begin.
func (h *ChiefSyncHook) AfterCreateSession(s session.Session, _ *session.Coordinator) error {
	return h.helper.MarkRestoreDone(s)
}

// End waits until no worker is alive, or the time is over.
func (h *ChiefSyncHook) End(s session.Session) error {
	start := h.e.Clock.Now()
	for {
		alive, err := h.helper.AliveWorkers(s)
		if err != nil {
			return err
		}
		if h.e.Clock.Now().Sub(start) > h.Timeout || len(alive) == 0 {
			h.logEnd(len(alive))
			return nil
		}
		h.waits.Logf(h.e, "Total worker count: %d, remaining count: %d.\nRemaining workers: %s", h.helper.numWorkers, len(alive), array(alive))
		h.e.Tasks.Sleep(poll)
	}
}

func (h *ChiefSyncHook) logEnd(alive int) {
	if alive > 0 {
		h.e.Log.Logf(env.Info, "Reach timeout seconds! Remaining worker count: %d.", alive)
		return
	}
	h.e.Log.Logf(env.Info, "All other workers had been finished.")
}

// array returns a numpy array of ints as its str shows it, on one line.
func array(list []int) string {
	return "[" + strings.Trim(fmt.Sprint(list), "[]") + "]"
}

// WorkerSyncHook is a worker's hook, which does nothing for index 0 (sync_hooks.py:130).
type WorkerSyncHook struct {
	session.NoHook
	e      *env.Env
	index  int
	helper *SyncHelper
	waits  session.Seldom
}

// NewWorkerSyncHook makes the hook of a worker.
func NewWorkerSyncHook(e *env.Env, index int, helper *SyncHelper) *WorkerSyncHook {
	return &WorkerSyncHook{e: e, index: index, helper: helper}
}

// Index returns the worker's.
func (h *WorkerSyncHook) Index() int { return h.index }

// AfterCreateSession waits until the chief has restored, however long that takes.
func (h *WorkerSyncHook) AfterCreateSession(s session.Session, _ *session.Coordinator) error {
	if h.index <= 0 {
		return nil
	}
	if err := h.helper.StartWorker(s, h.index); err != nil {
		return err
	}
	for {
		restored, err := h.helper.RestoreStatus(s)
		if err != nil || restored {
			return err
		}
		h.waits.Logf(h.e, "The worker %d waits for start signal of chief.", h.index)
		h.e.Tasks.Sleep(poll)
	}
}

// Steady returns true: it does nothing with steps.
func (h *WorkerSyncHook) Steady() bool { return true }

// End says that the worker is done.
func (h *WorkerSyncHook) End(s session.Session) error {
	if h.index <= 0 {
		return nil
	}
	return h.helper.FinishWorker(s, h.index)
}

// TrainingHooksHelper has the hooks of a process (sync_hooks.py:154).
type TrainingHooksHelper struct {
	chief  []*ChiefSyncHook
	worker []*WorkerSyncHook
}

// NewTrainingHooksHelper makes them; without enableSync there are none.
func NewTrainingHooksHelper(e *env.Env, enableSync bool, numWorkers, index int, chiefTimeout time.Duration) *TrainingHooksHelper {
	if !enableSync {
		return &TrainingHooksHelper{}
	}
	helper := NewSyncHelper(numWorkers)
	return &TrainingHooksHelper{
		chief:  []*ChiefSyncHook{NewChiefSyncHook(e, helper, chiefTimeout)},
		worker: []*WorkerSyncHook{NewWorkerSyncHook(e, index, helper)},
	}
}

// AskLiving has the chief count as alive only those workers of which living says so. Without it
// one that died counts until the chief's time is over (Q239).
func (h *TrainingHooksHelper) AskLiving(living func(worker int) bool) {
	for _, c := range h.chief {
		c.helper.living = living
	}
}

// TrainingChiefHooks returns those for the chief alone.
func (h *TrainingHooksHelper) TrainingChiefHooks() []*ChiefSyncHook { return h.chief }

// TrainingHooks returns those for all.
func (h *TrainingHooksHelper) TrainingHooks() []*WorkerSyncHook { return h.worker }
