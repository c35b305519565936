package job

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/hooks/server"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/engine/training/sessionrunhooks"
	"github.com/monosim/monosim/engine/training/synchooks"
)

// basename is the name prefix of checkpoints.
const basename = "model.ckpt"

var helper = saveutils.SaveHelper{Basename: basename}

// hooks returns a session's hooks in the order in which they begin and end (cpu_training.py:1575).
// The restore comes first, then the saver, then the chief's signal that workers may start. At the
// end, the order is the worker's signal that it is done, the last save, and the chief's wait.
func (p *process) hooks() ([]session.Hook, error) {
	stop := hooks.NewStopHelper(p.e)
	callbacks := []barrierops.Callback{stop.BarrierCallback(), p.atBarrier}
	var list []session.Hook
	if p.Spec.WorkerCheckpoints && !p.isChief() {
		places := hooks.NewWorkerCkptHelper(p.e, p.Spec.ModelDir, p.Index, &places{p.e, &p.step, p.readable})
		callbacks = append(callbacks, places.SaveIteratorCallback())
		list = append(list, places.RestorerHook())
	}
	living := &living{p: p}
	barrier := barrierops.MustBarrierOp(p.e, p.Spec.Workers+1, barrierops.Options{Device: hooks.PSDevice(0), Callbacks: callbacks, Quirks: p.Quirks, Alive: living.lists})
	p.locals = barrier.LocalVariables(p.isChief())
	sync, err := synchooks.NewTrainingHooksHelper(p.e, p.Spec.Workers > 0, p.Spec.Workers+1, p.Index, seconds(p.Spec.ChiefTimeout))
	if err != nil {
		return nil, err
	}
	if !p.Quirks.Keeps(jobquirks.Q239) {
		sync.AskLiving(living.lists)
	}
	for _, h := range sync.TrainingHooks() {
		list = append(list, p.waiter(h, wait{in: "sync_hooks", every: time.Second, what: text("the chief to say that it has restored")}))
	}
	list = append(list, p.waiter(barrierops.NewBarrierHook(p.Index, barrier), wait{in: "barrier_ops", every: time.Second, what: func() string {
		return fmt.Sprintf("the barrier %q to be removed", p.action)
	}}))
	if p.Spec.SlowStartSteps > 0 {
		turn := int64(float64(p.Spec.SlowStartSteps) * math.Log(float64(1+p.Index))) // cpu_training.py:1268
		slow, err := sessionrunhooks.NewCustomGlobalStepWaiterHook(p.e, globalStep, int(turn), sessionrunhooks.Tide{}, minutes(p.Spec.MaxSlowStart))
		if err != nil {
			return nil, err
		}
		list = append(list, p.waiter(slow, wait{
			in: "session_run_hooks", every: time.Second / 2, limit: p.Spec.MaxSlowStart + 10*time.Minute, what: text(fmt.Sprintf("global step %d", turn)),
		}))
	}
	list = append(list, stop.StopHook(), &lastStep{p: p})
	if !p.isChief() {
		return list, nil
	}
	saver, err := p.saverHook(barrier)
	if err != nil {
		return nil, err
	}
	controller := hooks.NewControllerHook(p.e, p.Spec.PS, barrier, nil)
	p.locals = append(p.locals, controller.LocalVariables()...)
	query := hooks.NewQueryActionHook(p.e, p.Spec.ModelDir, controller)
	query.Quirks = p.Quirks
	if p.readable {
		events, err := newEventsHook(p)
		if err != nil {
			return nil, err
		}
		list = append(list, events)
	}
	list = append(list, p.waiter(saver, wait{in: "save_utils", what: text("its save")}), server.NewServerHook(p.e, p.Spec.ModelDir, barrier, saver), controller, query,
		hooks.NewPsHealthCheckerHook(p.e, hooks.PSCheckConfig{Barrier: barrier, NumPS: p.Spec.PS, Report: p.unhealthy, Quirks: p.Quirks}))
	for _, h := range sync.TrainingChiefHooks() {
		list = append(list, p.waiter(h, wait{in: "sync_hooks", every: time.Second, limit: p.Spec.ChiefTimeout, what: text("the workers to end")}))
	}
	return list, nil
}

// waiter wraps a hook so that its waits are recorded in Waits.
func (p *process) waiter(h session.Hook, w wait) session.Hook {
	return &waitingHook{Hook: h, waits: p.Waits, wait: w}
}

// atBarrier reports that the process has reached or placed a barrier.
func (p *process) atBarrier(action string, _ session.Session) error {
	what := "blocked"
	p.action = action
	if p.isChief() {
		what = "barrier"
	}
	p.Happened(what, cmp.Or(action, "no action"), "")
	return nil
}

func (p *process) unhealthy(results []hooks.PSHealth) error {
	for _, r := range results {
		p.Happened("unhealthy", fmt.Sprintf("ps%d", r.Index), r.Result.GetMessage())
	}
	return hooks.LogPSHealth(p.e, results)
}

// saverHook returns the hook that saves, including the exporter if there is one.
func (p *process) saverHook(barrier *barrierops.BarrierOp) (*saveutils.SaverHook, error) {
	keeping := saveutils.SaverOptions{
		MaxToKeep: p.Spec.MaxToKeep, KeepEvery: keepEvery, ModelDir: p.Spec.ModelDir, Monitor: p.monitor, ClearNN: p.clearNN(), Quirks: p.Quirks,
	}
	if err := keeping.Check(); err != nil {
		return nil, err
	}
	p.saver = saveutils.NewPartialRecoverySaver(p.e, &tensors{p}, keeping)
	state, err := p.states.State(p.Spec.ModelDir, "")
	if err != nil {
		return nil, err
	}
	if state != nil {
		p.saver.RecoverLastCheckpoints(state.AllModelCheckpointPaths)
	}
	options := saveutils.DefaultSaverHookOptions()
	interval, err := p.interval()
	if err != nil {
		return nil, err
	}
	options.Interval, options.Quirks = interval, p.Quirks
	options.UseNativeMultiHashTable = true                                     // in a configuration that does not say it (cpu_training.py:609)
	options.IgnoreSaveErrors = p.Spec.IgnoreSaveErrors || p.Spec.ParameterSync // cpu_training.py:1209
	options.Listeners = []session.Listener{&saved{p: p}}
	if p.Spec.ExportDir != "" {
		exports, err := p.exportListener()
		if err != nil {
			return nil, err
		}
		options.Listeners = append(options.Listeners, exports)
	}
	// A chief without workers also places the barrier and waits only for itself
	// (cpu_training.py:1180).
	limits := hooks.DefaultBarrierSaverOptions()
	limits.MaxPending = p.Spec.MaxPending
	options.Guards = []session.Listener{hooks.NewBarrierSaverListener(p.e, barrier, limits)}
	return saveutils.NewSaverHook(p.e, p.Spec.ModelDir, p.saver, options)
}

// clearNN makes the saver reset the dense part of the model if the job requests it
// (dense_reload_utils.py:221). The simulated variables have their initial values and do not change.
func (p *process) clearNN() *saveutils.ClearNN {
	if !p.Spec.ClearNN {
		return nil
	}
	clear := &saveutils.ClearNN{ModelDir: p.Spec.ModelDir, Init: func(s session.Session) error {
		p.Happened("cleared", p.Spec.ModelDir, "")
		return session.Do(s, session.Assign(globalStep, globalStep.First))
	}}
	if p.Spec.ContinueTraining {
		clear.GlobalStep = globalStep
	}
	return clear
}

// keepEvery is the interval at which one checkpoint is kept for good (cpu_training.py:1125).
const keepEvery = 24 * time.Hour

// interval returns the model's interval between saves. The configuration sets none
// (cpu_training.py:1169).
func (p *process) interval() (saveutils.Interval, error) {
	var secs, steps pysem.OptInt
	if p.Spec.SaveEvery > 0 {
		secs = pysem.Some(max(1, int(p.Spec.SaveEvery/time.Second)))
	}
	if p.Spec.SaveSteps > 0 {
		steps = pysem.Some(p.Spec.SaveSteps)
	}
	i, err := saveutils.ChooseInterval(pysem.OptInt{}, pysem.OptInt{}, secs, steps)
	if i.Seconds != nil {
		i.Seconds = seconds(p.Spec.SaveEvery) // saving intervals in a plan may have fractions of a second
	}
	if p.Spec.TideStartHour != nil {
		i.Tide = sessionrunhooks.Tide{
			StartHour: *p.Spec.TideStartHour, StartMinute: p.Spec.TideStartMinute,
			EndHour: *p.Spec.TideEndHour, EndMinute: p.Spec.TideEndMinute, Quirks: p.Quirks,
		}
	}
	if p.Spec.TideSaveEvery > 0 {
		i.TideSeconds = seconds(p.Spec.TideSaveEvery)
	}
	return i, err
}

// seconds returns a time as a configuration of the reference has it: an int unless it has a fraction.
func seconds(d time.Duration) any {
	if d%time.Second == 0 {
		return int(d / time.Second)
	}
	return d.Seconds()
}

// minutes does for minutes what seconds does for seconds.
func minutes(d time.Duration) any {
	if d%time.Minute == 0 {
		return int(d / time.Minute)
	}
	return d.Minutes()
}

// saved is a listener that reports saves.
type saved struct {
	session.NoListener
	p *process
}

func (l *saved) AfterSave(_ session.Session, step int64) (bool, error) {
	path := pysem.JoinStrings(l.p.Spec.ModelDir, helper.CkptPrefix(step))
	l.p.Happened("saved", path, "")
	if l.p.events != nil {
		return false, l.p.events.saved(path, step)
	}
	return false, nil
}

// lastStep stops training at a given global step (TensorFlow's StopAtStepHook).
type lastStep struct {
	session.NoHook
	p *process
}

func (h *lastStep) AfterRun(run *session.RunContext, _ []any) error {
	if last := h.p.Spec.MaxSteps; last > 0 && h.p.step >= last {
		run.RequestStop()
	}
	return nil
}

// Steady reports whether there is no last step, so that steps need not be counted.
func (h *lastStep) Steady() bool { return h.p.Spec.MaxSteps <= 0 }
