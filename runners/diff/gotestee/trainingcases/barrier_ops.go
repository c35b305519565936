package trainingcases

import (
	"math"
	"time"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/message"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/synchooks"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// barrierOps holds the operations on barrier_ops.py and sync_hooks.py.
var barrierOps = caseworld.Table{
	"barrier_ops.BarrierOp.sequence": barrierSequence,
	"sync_hooks.sequence":            syncSequence,
	"sync_hooks.TrainingHooksHelper": trainingHooksHelper,
}

// barrierSteps runs the steps of a case on one barrier.
type barrierSteps struct {
	*lab
	barrier *barrierops.BarrierOp
	placed  map[string]any // values that hooks have read; later steps name them by index
	log     []any          // calls of the callbacks, in order
}

// callback makes a callback that logs the result of the function note. If kind is "raise", it then
// raises an error.
func (b *barrierSteps) callback(kind any, note func(action string, s session.Session) any) barrierops.Callback {
	return func(action string, s session.Session) error {
		b.log = append(b.log, note(action, s))
		if kind == "raise" {
			return pysem.Raise("ValueError", "callback failed")
		}
		return nil
	}
}

func (b *barrierSteps) blocked() []any {
	blocked, err := b.barrier.BlockedIndices(b.s)
	if err != nil {
		panic(err)
	}
	return caseworld.EncodeList(blocked)
}

// after adds the blocked workers, and the calls of callbacks, to a step's answer.
func (b *barrierSteps) after(out *pysem.Dict) {
	out.Set("blocked", b.blocked())
	if len(b.log) > 0 {
		out.Set("callbacks", b.log)
		b.log = nil
	}
}

// do returns the functions of the steps on the barrier, by name.
func (b *barrierSteps) do() caseworld.Do {
	return caseworld.Do{
		"place":           func(action string) error { return b.barrier.PlaceBarrier(b.s, action) },
		"remove":          func() error { return b.barrier.RemoveBarrier(b.s) },
		"is_placed":       func() (bool, error) { return b.barrier.IsBarrierPlaced(b.s) },
		"is_removed":      func() (bool, error) { return b.barrier.IsBarrierRemoved(b.s) },
		"wait":            func(s caseworld.Step) error { return b.barrier.WaitUntilBarrierRemoved(b.s, s.Value("index")) },
		"all_blocked":     func() (bool, error) { return b.barrier.IsAllBlocked(b.s) },
		"none_blocked":    func() (bool, error) { return b.barrier.IsNoneBlocked(b.s) },
		"blocked":         func() (any, error) { return b.barrier.BlockedIndices(b.s) },
		"unblocked":       func() (any, error) { return b.barrier.UnblockedIndices(b.s) },
		"capacity":        func() int { return b.barrier.Capacity() },
		"hook.before_run": b.beforeRun,
		"hook.after_run":  b.afterRun,
		"hook": func(s caseworld.Step) error {
			if _, err := b.beforeRun(s); err != nil {
				return err
			}
			return b.afterRun(s)
		},
	}
}

func (b *barrierSteps) beforeRun(s caseworld.Step) (any, error) {
	reads, err := barrierops.NewBarrierHook(0, b.barrier).BeforeRun(nil)
	if err != nil {
		return nil, err
	}
	values, err := b.s.Run(reads...)
	if err != nil {
		return nil, err
	}
	b.placed[pysem.Repr(s.Value("index"))] = values[0]
	return values[0], nil
}

func (b *barrierSteps) afterRun(s caseworld.Step) error {
	placed := b.placed[pysem.Repr(s.Value("index"))]
	return barrierops.NewBarrierHook(s.Value("index"), b.barrier).AfterRun(&session.RunContext{Session: b.s}, []any{placed})
}

// make makes the barrier with the capacity that the case gives.
func (b *barrierSteps) make(options barrierops.Options) error {
	if _, isBool := b.c.In.Value("capacity").(bool); isBool {
		b.c.In.Wrong("capacity", "no bool: errors would show it as a number")
	}
	capacity, err := listLength(b.c.In, "capacity")
	if err != nil {
		return err
	}
	b.barrier, err = barrierops.NewBarrierOp(b.e, capacity, options)
	return err
}

func newBarrierSteps(l *lab) *barrierSteps { return &barrierSteps{lab: l, placed: map[string]any{}} }

func barrierSequence(c *caseworld.Call) (any, error) {
	b := newBarrierSteps(newLab(c))
	options := barrierops.Options{Quirks: c.Quirks, Wait: pysem.Some(b.wait(c.In, "wait_seconds", time.Second))}
	for i, kind := range c.In.OptList("callbacks") {
		options.Callbacks = append(options.Callbacks, b.callback(kind, func(action string, _ session.Session) any { return []any{i, action} }))
	}
	if err := b.make(options); err != nil {
		return nil, err
	}
	return b.answer(b.do(), b.after)
}

func syncSequence(c *caseworld.Call) (any, error) {
	l := newLab(c)
	workers, err := listLength(c.In, "num_workers")
	if err != nil {
		return nil, err
	}
	helper, err := synchooks.NewSyncHelper(workers)
	if err != nil {
		return nil, err
	}
	timeout := any(synchooks.DefaultChiefTimeoutSeconds)
	if c.In.Has("timeout") {
		timeout = c.In.Value("timeout")
	}
	chief := synchooks.NewChiefSyncHook(l.e, helper, timeout)
	worker := func(s caseworld.Step) *synchooks.WorkerSyncHook {
		return synchooks.NewWorkerSyncHook(l.e, s.Value("index"), helper)
	}
	return l.answer(caseworld.Do{
		"chief.after_create_session":  func() error { return chief.AfterCreateSession(l.s, nil) },
		"chief.end":                   func() error { return chief.End(l.s) },
		"worker.after_create_session": func(s caseworld.Step) error { return worker(s).AfterCreateSession(l.s, nil) },
		"worker.end":                  func(s caseworld.Step) error { return worker(s).End(l.s) },
		"start_worker":                func(s caseworld.Step) error { return helper.StartWorker(l.s, s.Value("index")) },
		"finish_worker":               func(s caseworld.Step) error { return helper.FinishWorker(l.s, s.Value("index")) },
		"restore_status":              func() (any, error) { return helper.RestoreStatus(l.s) },
		"alive":                       func() (any, error) { return helper.AliveWorkers(l.s) },
		"num_alive":                   func() (any, error) { return helper.NumAliveWorkers(l.s) },
	}, nil)
}

func trainingHooksHelper(c *caseworld.Call) (any, error) {
	timeout := any(synchooks.DefaultChiefTimeoutSeconds)
	if given := c.In.Value("chief_timeout_seconds"); given != nil {
		timeout = given
	}
	sync, workers, err := pysem.Truth(c.In.Value("enable_sync")), 0, error(nil)
	if sync {
		workers, err = listLength(c.In, "num_workers")
	}
	if err != nil {
		return nil, err
	}
	h, err := synchooks.NewTrainingHooksHelper(c.Env, sync, workers, c.In.Value("worker_idx"), timeout)
	if err != nil {
		return nil, err
	}
	chief, all := []any{}, []any{}
	for _, hook := range h.TrainingChiefHooks() {
		chief = append(chief, []any{"ChiefSyncHook", hook.TimeoutSeconds})
	}
	for _, hook := range h.TrainingHooks() {
		all = append(all, []any{"WorkerSyncHook", hook.Index()})
	}
	return caseworld.Object("chief_hooks", chief, "hooks", all), nil
}

// saverListenerSequence runs the steps of a case on a ckpt_hooks.BarrierSaverListener.
func saverListenerSequence(c *caseworld.Call) (any, error) {
	b := newBarrierSteps(newLab(c))
	note := func(action string, s session.Session) any {
		info, err := hooks.CkptInfo(s)
		if err != nil {
			panic(err)
		}
		return []any{action, info.GetGlobalStep()}
	}
	if err := b.make(barrierops.Options{Quirks: c.Quirks, Callbacks: []barrierops.Callback{b.callback("log", note)}}); err != nil {
		return nil, err
	}
	options, wrong := b.saverListenerOptions()
	listener := hooks.NewBarrierSaverListener(b.e, b.barrier, options)
	return b.answer(b.do().WithPrefix("barrier.", caseworld.Do{
		"before_save": func(s caseworld.Step) error {
			step, err := int64(0), error(nil)
			if given := s.Value("step"); given != nil {
				step, err = message.Int(given, math.MinInt64, math.MaxInt64)
			}
			if err == nil {
				err = listener.BeforeSave(b.s, step)
			}
			if err == nil && len(b.time.Slept) > 0 {
				return wrong // the limit is looked at after a sleep
			}
			return err
		},
		"after_save": func(caseworld.Step) error {
			_, err := listener.AfterSave(b.s, 0)
			return err
		},
		"info": func() (int64, error) {
			info, err := hooks.CkptInfo(b.s)
			return info.GetGlobalStep(), err
		},
	}), b.after)
}

// saverListenerOptions returns the options of a case, and the TypeError of a limit that is no number.
func (b *barrierSteps) saverListenerOptions() (options hooks.BarrierSaverOptions, wrong error) {
	options = hooks.DefaultBarrierSaverOptions()
	options.Wait = b.wait(b.c.In, "wait_seconds", options.Wait)
	options.MaxPending, wrong = duration(b.c.In, "max_pending_seconds", options.MaxPending)
	return options, wrong
}

// unavailable returns the error of a session whose PS cannot be reached.
func unavailable() error { return session.Raise("UnavailableError", "u") }
