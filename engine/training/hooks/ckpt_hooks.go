package hooks

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	hookspb "github.com/monosim/monosim/engine/proto/monolith/native_training/hooks"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
)

// SaveAction is the action of a barrier placed for a save (ckpt_hooks.py:40).
const SaveAction = "Save"

// ckptInfo returns the variable in which the chief announces to the workers which step it saves.
func ckptInfo() *session.Variable {
	return &session.Variable{Name: "WorkerCkptMetaInfo", First: []byte{}}
}

// AssignCkptInfo sets the variable returned by ckptInfo (ckpt_hooks.py:60).
func AssignCkptInfo(s session.Session, info *hookspb.WorkerCkptInfo) error {
	data, err := proto.Marshal(info)
	if err != nil {
		return err
	}
	return session.Do(s, session.Assign(ckptInfo(), data))
}

// CkptInfo returns the value that AssignCkptInfo set last (ckpt_hooks.py:67).
func CkptInfo(s session.Session) (*hookspb.WorkerCkptInfo, error) {
	data, err := session.Get[[]byte](s, session.Read(ckptInfo()))
	if err != nil {
		return nil, err
	}
	info := &hookspb.WorkerCkptInfo{}
	if err := proto.Unmarshal(data, info); err != nil {
		return nil, pysem.Raise("DecodeError", "Error parsing message")
	}
	return info, nil
}

// BarrierSaverOptions limits how long a save waits for the workers.
type BarrierSaverOptions struct {
	// Wait is the interval between two checks.
	Wait time.Duration
	// MaxPending is the maximum time that a save waits.
	MaxPending time.Duration
}

// DefaultBarrierSaverOptions returns the reference's options (ckpt_hooks.py:76).
func DefaultBarrierSaverOptions() BarrierSaverOptions {
	return BarrierSaverOptions{Wait: time.Second, MaxPending: 30 * time.Second}
}

// BarrierSaverListener delays a save until all workers wait at the barrier or the time limit has
// passed (ckpt_hooks.py:73).
//
// Cost: the barrier is checked once a second. The time of a check grows with the number of workers.
type BarrierSaverListener struct {
	session.NoListener
	e       *env.Env
	barrier *barrierops.BarrierOp
	options BarrierSaverOptions
	release bool // whether this listener placed the barrier
}

// NewBarrierSaverListener returns a listener for a saving hook.
func NewBarrierSaverListener(e *env.Env, barrier *barrierops.BarrierOp, options BarrierSaverOptions) *BarrierSaverListener {
	return &BarrierSaverListener{e: e, barrier: barrier, options: options}
}

// BeforeSave places the barrier, unless it is already placed, and waits.
func (l *BarrierSaverListener) BeforeSave(s session.Session, globalStep int64) error {
	if err := AssignCkptInfo(s, &hookspb.WorkerCkptInfo{GlobalStep: proto.Int64(globalStep)}); err != nil {
		return err
	}
	l.e.Log.Logf(env.Info, "Place barrier for saving.")
	start := l.e.Clock.Now()
	err := l.barrier.PlaceBarrier(s, SaveAction)
	switch {
	case err == nil:
		l.release = true
	case errors.Is(err, barrierops.ErrBarrierAlreadyPlaced):
		l.e.Log.Logf(env.Info, "Barrier is placed by someone else already.")
	default:
		return err
	}
	if err := l.awaitWorkers(s, start); err != nil {
		return err
	}
	unblocked, err := l.barrier.UnblockedIndices(s)
	if err != nil {
		return err
	}
	if len(unblocked) > 0 {
		l.e.Log.Logf(env.Info, "Unblocked worker indices: %s.", listed(unblocked))
	} else {
		l.e.Log.Logf(env.Info, "All workers have been blocked.")
	}
	return nil
}

func (l *BarrierSaverListener) awaitWorkers(s session.Session, start time.Time) error {
	for {
		all, err := l.barrier.IsAllBlocked(s)
		if err != nil || all {
			return err
		}
		l.e.Tasks.Sleep(l.options.Wait)
		if l.e.Clock.Now().Sub(start) > l.options.MaxPending {
			return nil
		}
	}
}

// AfterSave removes the barrier if this listener placed it.
func (l *BarrierSaverListener) AfterSave(s session.Session, _ int64) (bool, error) {
	if !l.release {
		return false, nil
	}
	l.e.Log.Logf(env.Info, "Remove barrier for saving.")
	if err := l.barrier.RemoveBarrier(s); err != nil {
		return false, err
	}
	l.release = false
	return false, nil
}

// listed formats a list of ints as Python does.
func listed(list []int) string {
	return "[" + strings.Join(lists.MapOrNil(list, func(n int) string { return fmt.Sprint(n) }), ", ") + "]"
}

// Iterators represents the iterators over a worker's input, whose positions are saved with the
// checkpoints.
type Iterators interface {
	saveutils.Data
	// Restore restores the positions from a checkpoint.
	Restore(s session.Session, prefix string) error
}

// maxWorkerCkpts is the number of iterator checkpoints that a worker keeps, which is the default of
// TensorFlow's saver.
const maxWorkerCkpts = 5

// WorkerCkptHelper saves the positions of a worker's iterators each time the chief saves
// (ckpt_hooks.py:141).
type WorkerCkptHelper struct {
	e                 *env.Env
	dir, base, latest string
	iterators         Iterators
	saver             *saveutils.PartialRecoverySaver
}

// NewWorkerCkptHelper returns the helper of a worker. iterators is nil if there are none or if they
// should not be saved.
func NewWorkerCkptHelper(e *env.Env, modelDir string, index int, iterators Iterators) *WorkerCkptHelper {
	prefix := fmt.Sprintf("input_worker_%d", index)
	h := &WorkerCkptHelper{e: e, dir: modelDir, base: prefix + ".ckpt", latest: "checkpoint_" + prefix, iterators: iterators}
	if iterators == nil {
		e.Log.Logf(env.Info, "The iterator save is disabled.")
		return h
	}
	h.saver = saveutils.NewPartialRecoverySaver(e, iterators, saveutils.SaverOptions{MaxToKeep: maxWorkerCkpts, LatestFilename: h.latest})
	return h
}

// SaveIteratorCallback returns a barrier callback that saves if the action is Save.
func (h *WorkerCkptHelper) SaveIteratorCallback() barrierops.Callback {
	return func(action string, s session.Session) error {
		if action != SaveAction {
			return nil
		}
		info, err := CkptInfo(s)
		if err != nil || h.saver == nil {
			return err
		}
		err = h.saver.Save(s, pysem.JoinStrings(h.dir, h.base), info.GetGlobalStep(), false)
		if pysem.TypeOf(err) == "UnimplementedError" {
			h.e.Log.Logf(env.Warning, "Current dataset iterators don't support save. This might be expected. %v", err)
			return nil
		}
		return err
	}
}

// RestorerHook returns a hook that restores the positions from the latest checkpoint, if there is
// one.
func (h *WorkerCkptHelper) RestorerHook() session.Hook { return &workerCkptRestorer{helper: h} }

type workerCkptRestorer struct {
	session.NoHook
	helper *WorkerCkptHelper
}

// Steady returns true, because the hook does nothing during steps.
func (r *workerCkptRestorer) Steady() bool { return true }

func (r *workerCkptRestorer) AfterCreateSession(s session.Session, _ *session.Coordinator) error {
	h := r.helper
	latest, err := checkpoints.Latest(h.e, h.dir, h.latest)
	if err != nil {
		return err
	}
	if latest == "" || h.saver == nil {
		h.e.Log.Logf(env.Info, "Skipped worker ckpt restore.")
		return nil
	}
	h.e.Log.Logf(env.Info, "Restoring parameters from %s", latest)
	return h.iterators.Restore(s, latest)
}
