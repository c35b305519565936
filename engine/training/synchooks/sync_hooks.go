// Package synchooks lets the chief and the workers wait for each other at the beginning and at the
// end of a training: the port of native_training/sync_hooks.py.
//
// Two things to use first:
//
//   - [NewTrainingHooksHelper] makes the hooks of a process.
//   - [NewSyncHelper] makes the state that they share: a flag for the restore, and one for each
//     worker that is alive.
//
// A worker that dies leaves its flag set, and the chief waits for it until its time limit
// (TRN-2.11). To change the limit: [DefaultChiefTimeoutSeconds].
//
// Cost: at the end the chief reads all flags once a second, which grows with the workers. Each worker
// reads one flag a second until the chief has restored.
//
// Unstable: any commit may change it.
package synchooks

import (
	"fmt"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/session"
)

// DefaultChiefTimeoutSeconds is how long the chief waits until all workers have ended (sync_hooks.py:92).
const DefaultChiefTimeoutSeconds = 1800

// poll is how long chief and workers sleep between two checks of the flags.
const poll = time.Second

// chiefDevice is the device on which the flags of chief and workers are stored (sync_hooks.py:28).
const chiefDevice = "/job:chief/task:0"

// SyncHelper is the state that the hooks share (sync_hooks.py:22).
type SyncHelper struct {
	numWorkers int
	// flags[0] is true once the chief has restored. flags[i] is true while worker i is alive.
	flags *session.Variable
	// living, when set, reports whether the process of a worker runs. A worker whose process does
	// not run does not count as alive.
	living func(worker int) bool
}

// NewSyncHelper makes the state for numWorkers processes, including the chief.
func NewSyncHelper(numWorkers int) (*SyncHelper, error) {
	if numWorkers <= 0 {
		return nil, pysem.Raise("ValueError", "Initializer type '<dtype: 'float32'>' and explicit dtype '<dtype: 'bool'>' don't match.")
	}
	return &SyncHelper{numWorkers: numWorkers, flags: &session.Variable{
		Name: "monolith_sync_helper/control_var", Device: chiefDevice, First: make([]bool, numWorkers),
	}}, nil
}

// NumWorkers returns the number of processes, including the chief.
func (h *SyncHelper) NumWorkers() int { return h.numWorkers }

// MarkRestoreDone records that the chief has restored.
func (h *SyncHelper) MarkRestoreDone(s session.Session) error {
	return session.Do(s, session.AssignAt(h.flags, 0, true))
}

// RestoreStatus reports whether the chief has restored.
func (h *SyncHelper) RestoreStatus(s session.Session) (bool, error) {
	return session.Get[bool](s, session.ReadAt(h.flags, 0))
}

// StartWorker records that a worker is alive. The index is a number of Python, which loses its
// fraction only where it selects the flag. If no worker has it, it is an AssertionError.
func (h *SyncHelper) StartWorker(s session.Session, index any) error { return h.set(s, index, true) }

// FinishWorker records that a worker has ended.
func (h *SyncHelper) FinishWorker(s session.Session, index any) error { return h.set(s, index, false) }

func (h *SyncHelper) set(s session.Session, index any, alive bool) error {
	above, err := pysem.Compare(index, ">", 0)
	if err != nil {
		return err
	}
	if below, _ := pysem.Compare(index, "<", h.numWorkers); !above || !below {
		return pysem.Raise("AssertionError", "Index %s is out range ", pysem.Str(index))
	}
	worker, _ := pysem.ToInt(index)
	return session.Do(s, session.AssignAt(h.flags, pysem.Saturate(worker), alive))
}

// AliveWorkers returns the indices of the workers that are alive, ascending.
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

// NumAliveWorkers returns how many workers are alive.
func (h *SyncHelper) NumAliveWorkers(s session.Session) (int, error) {
	alive, err := h.AliveWorkers(s)
	return len(alive), err
}

// ChiefSyncHook lets the workers begin, and waits for them at the end (sync_hooks.py:95). It must
// come after the hooks that restore.
type ChiefSyncHook struct {
	session.NoHook
	// TimeoutSeconds limits how long the chief waits for the workers to end, a number of Python.
	TimeoutSeconds any

	e      *env.Env
	helper *SyncHelper
	waits  session.Seldom
}

// NewChiefSyncHook makes the chief's hook. With a timeout below 0 it does not wait for the workers.
// One that is no number is a TypeError of End.
func NewChiefSyncHook(e *env.Env, helper *SyncHelper, timeoutSeconds any) *ChiefSyncHook {
	return &ChiefSyncHook{TimeoutSeconds: timeoutSeconds, e: e, helper: helper}
}

// AfterCreateSession records that the chief has restored, which lets the workers begin.
func (h *ChiefSyncHook) AfterCreateSession(s session.Session, _ *session.Coordinator) error {
	return h.helper.MarkRestoreDone(s)
}

// End waits until no worker is alive, or until the timeout.
func (h *ChiefSyncHook) End(s session.Session) error {
	start := h.e.Clock.Now()
	for {
		alive, err := h.helper.AliveWorkers(s)
		if err != nil {
			return err
		}
		late, err := pysem.Compare(h.e.Clock.Now().Sub(start).Seconds(), ">", h.TimeoutSeconds)
		if err != nil {
			return err
		}
		if late || len(alive) == 0 {
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

// array formats ints as Python's str of a numpy array does, but always on one line.
func array(list []int) string {
	return "[" + strings.Trim(fmt.Sprint(list), "[]") + "]"
}

// WorkerSyncHook makes a worker wait for the chief at its start (sync_hooks.py:130). For index 0,
// the chief, it does nothing.
type WorkerSyncHook struct {
	session.NoHook
	e      *env.Env
	index  any
	helper *SyncHelper
	waits  session.Seldom
}

// NewWorkerSyncHook makes the hook of a worker, whose index is a number of Python.
func NewWorkerSyncHook(e *env.Env, index any, helper *SyncHelper) *WorkerSyncHook {
	return &WorkerSyncHook{e: e, index: index, helper: helper}
}

// Index returns the worker's index.
func (h *WorkerSyncHook) Index() any { return h.index }

// AfterCreateSession waits without limit until the chief has restored.
func (h *WorkerSyncHook) AfterCreateSession(s session.Session, _ *session.Coordinator) error {
	isWorker, err := pysem.Compare(h.index, ">", 0)
	if err != nil || !isWorker {
		return err
	}
	if err := h.helper.StartWorker(s, h.index); err != nil {
		return err
	}
	for {
		restored, err := h.helper.RestoreStatus(s)
		if err != nil || restored {
			return err
		}
		h.waits.Logf(h.e, "The worker %s waits for start signal of chief.", pysem.Str(h.index))
		h.e.Tasks.Sleep(poll)
	}
}

// Steady returns true, because the hook does nothing during steps.
func (h *WorkerSyncHook) Steady() bool { return true }

// End records that the worker is done.
func (h *WorkerSyncHook) End(s session.Session) error {
	isWorker, err := pysem.Compare(h.index, ">", 0)
	if err != nil || !isWorker {
		return err
	}
	return h.helper.FinishWorker(s, h.index)
}

// TrainingHooksHelper holds the hooks of a process (sync_hooks.py:154).
type TrainingHooksHelper struct {
	chief  []*ChiefSyncHook
	worker []*WorkerSyncHook
}

// NewTrainingHooksHelper makes the hooks of a process. If enableSync is false, there are none.
func NewTrainingHooksHelper(e *env.Env, enableSync bool, numWorkers int, index, chiefTimeoutSeconds any) (*TrainingHooksHelper, error) {
	if !enableSync {
		return &TrainingHooksHelper{}, nil
	}
	helper, err := NewSyncHelper(numWorkers)
	if err != nil {
		return nil, err
	}
	return &TrainingHooksHelper{
		chief:  []*ChiefSyncHook{NewChiefSyncHook(e, helper, chiefTimeoutSeconds)},
		worker: []*WorkerSyncHook{NewWorkerSyncHook(e, index, helper)},
	}, nil
}

// AskLiving makes the chief count only workers for which living reports true. Without it a dead
// worker counts until the chief's timeout (Q239).
func (h *TrainingHooksHelper) AskLiving(living func(worker int) bool) {
	for _, c := range h.chief {
		c.helper.living = living
	}
}

// TrainingChiefHooks returns the hooks that only the chief has.
func (h *TrainingHooksHelper) TrainingChiefHooks() []*ChiefSyncHook { return h.chief }

// TrainingHooks returns the hooks that all processes have.
func (h *TrainingHooksHelper) TrainingHooks() []*WorkerSyncHook { return h.worker }
