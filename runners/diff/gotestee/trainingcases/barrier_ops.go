package trainingcases

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/synchooks"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// barrierOps are those of barrier_ops.py and sync_hooks.py.
var barrierOps = map[string]Operation{
	"barrier_ops.BarrierOp.sequence": barrierSequence,
	"sync_hooks.sequence":            syncSequence,
	"sync_hooks.TrainingHooksHelper": trainingHooksHelper,
}

// barrierSteps are the steps on one barrier.
type barrierSteps struct {
	*lab
	barrier *barrierops.BarrierOp
	placed  map[int]any // what hooks have read
	log     []any       // of the callbacks
}

// callback notes and, when it is to, fails.
func (b *barrierSteps) callback(kind any, note func(action string, s session.Session) any) barrierops.Callback {
	return func(action string, s session.Session) error {
		b.log = append(b.log, note(action, s))
		if kind == "raise" {
			return pysem.Raise("ValueError", "callback failed")
		}
		return nil
	}
}

// blocked are the indices, read past the barrier's lock.
func (b *barrierSteps) blocked() []any {
	blocked, err := b.barrier.BlockedIndices(b.s)
	if err != nil {
		panic(err)
	}
	return caseworld.EncodeList(blocked)
}

// after adds who is blocked, and what callbacks noted.
func (b *barrierSteps) after(_ caseworld.Step, out *pysem.Dict) {
	out.Set("blocked", b.blocked())
	if len(b.log) > 0 {
		out.Set("callbacks", b.log)
		b.log = nil
	}
}

func (b *barrierSteps) do(s caseworld.Step) (any, error) {
	switch s.Name {
	case "place":
		return nil, b.barrier.PlaceBarrier(b.s, s.StrOr("action", ""))
	case "remove":
		return nil, b.barrier.RemoveBarrier(b.s)
	case "is_placed":
		return b.barrier.IsBarrierPlaced(b.s)
	case "is_removed":
		return b.barrier.IsBarrierRemoved(b.s)
	case "wait":
		return nil, b.barrier.WaitUntilBarrierRemoved(b.s, s.Integer("index"))
	case "all_blocked":
		return b.barrier.IsAllBlocked(b.s)
	case "none_blocked":
		return b.barrier.IsNoneBlocked(b.s)
	case "blocked":
		return b.barrier.BlockedIndices(b.s)
	case "unblocked":
		return b.barrier.UnblockedIndices(b.s)
	case "capacity":
		return b.barrier.Capacity(), nil
	case "hook.before_run":
		return b.beforeRun(s.Integer("index"))
	case "hook.after_run":
		return nil, b.afterRun(s.Integer("index"))
	case "hook":
		if _, err := b.beforeRun(s.Integer("index")); err != nil {
			return nil, err
		}
		return nil, b.afterRun(s.Integer("index"))
	}
	caseworld.UnknownStep(s)
	return nil, nil
}

func (b *barrierSteps) beforeRun(index int) (any, error) {
	reads, err := barrierops.NewBarrierHook(index, b.barrier).BeforeRun(nil)
	if err != nil {
		return nil, err
	}
	values, err := b.s.Run(reads...)
	if err != nil {
		return nil, err
	}
	b.placed[index] = values[0]
	return values[0], nil
}

func (b *barrierSteps) afterRun(index int) error {
	return barrierops.NewBarrierHook(index, b.barrier).AfterRun(&session.RunContext{Session: b.s}, []any{b.placed[index]})
}

func newBarrierSteps(l *lab) *barrierSteps { return &barrierSteps{lab: l, placed: map[int]any{}} }

// prefixed does a step "barrier.<step>"; ok is false for any other.
func (b *barrierSteps) prefixed(s caseworld.Step) (v any, err error, ok bool) {
	name, ok := strings.CutPrefix(s.Name, "barrier.")
	if !ok {
		return nil, nil, false
	}
	v, err = b.do(caseworld.Step{Name: name, Arguments: s.Arguments})
	return v, err, true
}

func barrierSequence(c *caseworld.Call) (any, error) {
	b := newBarrierSteps(newLab(c))
	options := barrierops.Options{Quirks: c.Quirks, Wait: time.Duration(c.In.IntegerOr("wait_seconds", 1)) * time.Second}
	if c.In.Value("callbacks") != nil {
		for i, kind := range c.In.List("callbacks") {
			options.Callbacks = append(options.Callbacks, b.callback(kind, func(action string, _ session.Session) any { return []any{i, action} }))
		}
	}
	b.barrier = barrierops.NewBarrierOp(b.e, c.In.Integer("capacity"), options)
	return caseworld.Object("steps", b.steps(b.do, b.after)), nil
}

func syncSequence(c *caseworld.Call) (any, error) {
	l := newLab(c)
	helper := synchooks.NewSyncHelper(c.In.Integer("num_workers"))
	timeout := time.Duration(c.In.IntegerOr("timeout", int(synchooks.DefaultChiefTimeout/time.Second))) * time.Second
	chief := synchooks.NewChiefSyncHook(l.e, helper, timeout)
	worker := func(s caseworld.Step) *synchooks.WorkerSyncHook {
		return synchooks.NewWorkerSyncHook(l.e, s.Integer("index"), helper)
	}
	return caseworld.Object("steps", l.steps(func(s caseworld.Step) (any, error) {
		switch s.Name {
		case "chief.after_create_session":
			return nil, chief.AfterCreateSession(l.s, nil)
		case "chief.end":
			return nil, chief.End(l.s)
		case "worker.after_create_session":
			return nil, worker(s).AfterCreateSession(l.s, nil)
		case "worker.end":
			return nil, worker(s).End(l.s)
		case "start_worker":
			return nil, helper.StartWorker(l.s, s.Integer("index"))
		case "finish_worker":
			return nil, helper.FinishWorker(l.s, s.Integer("index"))
		case "restore_status":
			return helper.RestoreStatus(l.s)
		case "alive":
			return helper.AliveWorkers(l.s)
		case "num_alive":
			return helper.NumAliveWorkers(l.s)
		}
		caseworld.UnknownStep(s)
		return nil, nil
	}, nil)), nil
}

func trainingHooksHelper(c *caseworld.Call) (any, error) {
	timeout := time.Duration(c.In.IntegerOr("chief_timeout_seconds", int(synchooks.DefaultChiefTimeout/time.Second))) * time.Second
	h := synchooks.NewTrainingHooksHelper(c.Env, c.In.Flag("enable_sync"), c.In.Integer("num_workers"), c.In.Integer("worker_idx"), timeout)
	chief, all := []any{}, []any{}
	for _, hook := range h.TrainingChiefHooks() {
		chief = append(chief, []any{"ChiefSyncHook", seconds(hook.Timeout)})
	}
	for _, hook := range h.TrainingHooks() {
		all = append(all, []any{"WorkerSyncHook", hook.Index()})
	}
	return caseworld.Object("chief_hooks", chief, "hooks", all), nil
}

// saverListenerSequence is that of ckpt_hooks.BarrierSaverListener.
func saverListenerSequence(c *caseworld.Call) (any, error) {
	b := newBarrierSteps(newLab(c))
	note := func(action string, s session.Session) any {
		info, err := hooks.CkptInfo(s)
		if err != nil {
			panic(err)
		}
		return []any{action, info.GetGlobalStep()}
	}
	b.barrier = barrierops.NewBarrierOp(b.e, c.In.Integer("capacity"), barrierops.Options{Quirks: c.Quirks, Callbacks: []barrierops.Callback{b.callback("log", note)}})
	listener := hooks.NewBarrierSaverListener(b.e, b.barrier, saverListenerOptions(c.In))
	return caseworld.Object("steps", b.steps(func(s caseworld.Step) (any, error) {
		if v, err, ok := b.prefixed(s); ok {
			return v, err
		}
		switch s.Name {
		case "before_save":
			return nil, listener.BeforeSave(b.s, int64(s.Integer("step")))
		case "after_save":
			_, err := listener.AfterSave(b.s, int64(s.Integer("step")))
			return nil, err
		case "info":
			info, err := hooks.CkptInfo(b.s)
			return info.GetGlobalStep(), err
		}
		caseworld.UnknownStep(s)
		return nil, nil
	}, b.after)), nil
}

func saverListenerOptions(in caseworld.Arguments) hooks.BarrierSaverOptions {
	options := hooks.DefaultBarrierSaverOptions()
	options.Wait = time.Duration(in.IntegerOr("wait_seconds", int(options.Wait/time.Second))) * time.Second
	options.MaxPending = time.Duration(in.IntegerOr("max_pending_seconds", int(options.MaxPending/time.Second))) * time.Second
	return options
}

// unavailable is the error of a session whose PS cannot be reached.
func unavailable() error { return session.Raise("UnavailableError", "u") }

// errorLog keeps what is logged as an error.
type errorLog struct {
	env.Log
	texts []any
}
