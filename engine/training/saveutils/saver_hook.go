package saveutils

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	nativetraining "github.com/monosim/monosim/engine/proto/monolith/native_training"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// metaGraphFileName is the file with the graph, for debugging (utils.py: get_meta_graph_file_name).
const metaGraphFileName = "meta_graph_for_debugging.pb"

// saveTries is the number of tries of one save (save_utils.py:377).
const saveTries = 2

// Saver writes checkpoints; [PartialRecoverySaver] is one.
type Saver interface {
	// Save writes the checkpoint path-globalStep.
	Save(s session.Session, path string, globalStep int64, writeMetaGraph bool) error
	// ExportMetaGraph writes the graph into a file.
	ExportMetaGraph(path string) error
}

// Metrics receives the counters and timings of a hook.
type Metrics interface {
	EmitCounter(name string, value int, mode string)
	EmitTimer(name string, seconds float64, mode string)
}

// noMetrics drops all metrics, as the client of the reference's public build does.
type noMetrics struct{}

func (noMetrics) EmitCounter(string, int, string)   {}
func (noMetrics) EmitTimer(string, float64, string) {}

// SaverHookOptions holds the settings of a hook (save_utils.py:255). Begin with
// [DefaultSaverHookOptions].
type SaverHookOptions struct {
	Interval Interval
	// Basename is the first part of each checkpoint's name.
	Basename string
	// GlobalStep is nil in a graph without one.
	GlobalStep *session.Variable
	// Listeners are called around each save, and their errors make it fail. Guards are called even
	// if the save fails, and their errors are only logged.
	Listeners, Guards []session.Listener
	// SaveGraphDef makes the hook write the graph and monolith_checkpoint.
	SaveGraphDef bool
	// IgnoreSaveErrors lets training continue after a failed save.
	IgnoreSaveErrors bool
	// DenseOnly says that the saver saves dense variables only.
	DenseOnly bool
	// UseNativeMultiHashTable is recorded in a new monolith_checkpoint.
	UseNativeMultiHashTable bool
	// NoFirstSave skips the first save, the one of AfterCreateSession.
	NoFirstSave bool
	// HasDenseOnly and InModelDumpMode each force a save at the end of training.
	HasDenseOnly, InModelDumpMode bool
	// Metrics may be nil.
	Metrics Metrics
	// Quirks holds the faults of the reference that are kept.
	Quirks jobquirks.Set
}

// DefaultSaverHookOptions returns the reference's defaults.
func DefaultSaverHookOptions() SaverHookOptions {
	return SaverHookOptions{Basename: "model.ckpt", GlobalStep: session.GlobalStep(), SaveGraphDef: true, NoFirstSave: true}
}

// listenerRepr is Python's repr of a listener. No listener class of the reference asks for a stop,
// so the text names TensorFlow's base class.
const listenerRepr = "<tensorflow.python.training.basic_session_run_hooks.CheckpointSaverListener object at 0x7f0000000000>"

// SaverHook saves a checkpoint when one is due (NoFirstSaveCheckpointSaverHook,
// save_utils.py:248, over TensorFlow's CheckpointSaverHook).
type SaverHook struct {
	e        *env.Env
	dir      string
	path     string // path of checkpoints, without the step
	saver    Saver
	options  SaverHookOptions
	timer    *Timer
	lastStep int64 // step at which it saved last, 0 before the first save
	saved    bool  // whether any save was made
	ignore   bool  // whether errors of the current save are ignored
	lock     *threading.Lock
}

// NewSaverHook makes the hook that saves checkpoints into dir. It returns the errors of [NewTimer].
func NewSaverHook(e *env.Env, dir string, saver Saver, options SaverHookOptions) (*SaverHook, error) {
	e.Log.Logf(env.Info, "Create CheckpointSaverHook.")
	timer, err := NewTimer(e, options.Interval)
	if err != nil {
		return nil, err
	}
	if options.Metrics == nil {
		options.Metrics = noMetrics{}
	}
	return &SaverHook{
		e: e, dir: dir, path: pysem.JoinStrings(dir, options.Basename), saver: saver, options: options, timer: timer,
		ignore: options.IgnoreSaveErrors, lock: threading.NewLock(e.Tasks, "saver-hook"),
	}, nil
}

// Timer returns the timer that decides when a save is due.
func (h *SaverHook) Timer() *Timer { return h.timer }

// Begin calls Begin of the listeners, but not of the guards. A graph without a global step
// is a RuntimeError.
func (h *SaverHook) Begin() error {
	if h.options.GlobalStep == nil {
		return pysem.Raise("RuntimeError", "Global step should be created to use CheckpointSaverHook.")
	}
	for _, l := range h.options.Listeners {
		if err := l.Begin(); err != nil {
			return err
		}
	}
	return nil
}

// globalStep reads the global step.
func (h *SaverHook) globalStep(s session.Session) (int64, error) {
	return session.Get[int64](s, session.Read(h.options.GlobalStep))
}

// AfterCreateSession saves a checkpoint unless NoFirstSave is set. It also writes the graph, and
// monolith_checkpoint if that is missing. This hook has to come after the hooks that restore.
func (h *SaverHook) AfterCreateSession(s session.Session, _ *session.Coordinator) error {
	step, err := h.globalStep(s)
	if err != nil {
		return err
	}
	if h.options.SaveGraphDef {
		if err := gfile.MakeDirs(h.e.Files, h.dir); err != nil {
			return err
		}
	}
	if _, err := h.save(s, step); err != nil {
		return err
	}
	h.timer.UpdateLastTriggeredStep(step)
	if h.options.SaveGraphDef {
		if err := h.saver.ExportMetaGraph(pysem.JoinStrings(h.dir, metaGraphFileName)); err != nil {
			return err
		}
	}
	if p, ok := h.saver.(interface {
		SetupPSInitializedState(s session.Session) error
	}); ok {
		if err := p.SetupPSInitializedState(s); err != nil {
			return err
		}
	}
	return h.updateState(false)
}

// BeforeRun reads the global step.
func (h *SaverHook) BeforeRun(*session.RunContext) ([]session.Op, error) {
	return []session.Op{session.Read(h.options.GlobalStep)}, nil
}

// AfterRun saves when the timer says that a save is due.
func (h *SaverHook) AfterRun(run *session.RunContext, values []any) error {
	h.lock.Lock()
	defer h.lock.Unlock()
	stale, _ := values[0].(int64)
	return h.afterRun(run, stale)
}

// afterRun saves if a save is due. stale is the step before the run. As in TensorFlow's hook, the
// current step is read only if the timer triggers for the step after stale.
func (h *SaverHook) afterRun(run *session.RunContext, stale int64) error {
	due, err := h.timer.ShouldTriggerForStep(stale + 1)
	if err != nil || !due {
		return err
	}
	step, err := h.globalStep(run.Session)
	if err != nil {
		return err
	}
	if due, err = h.timer.ShouldTriggerForStep(step); err != nil || !due {
		return err
	}
	h.timer.UpdateLastTriggeredStep(step)
	stop, err := h.save(run.Session, step)
	if stop {
		run.RequestStop()
	}
	return err
}

// TriggerSave saves now, unless the timer is disabled or the first save is left out
// (save_utils.py:333, Q243). It returns any error of the save.
func (h *SaverHook) TriggerSave(s session.Session) error { return h.TriggerSaveIgnoring(s, false) }

// TriggerSaveIgnoring saves like TriggerSave. With ignoreErrors it drops the error of the last try.
func (h *SaverHook) TriggerSaveIgnoring(s session.Session, ignoreErrors bool) error {
	h.lock.Lock()
	h.timer.Reset()
	h.lock.Unlock()
	h.lock.Lock()
	defer h.lock.Unlock()
	before := h.ignore
	defer func() { h.ignore = before }()
	h.ignore = ignoreErrors
	run := &session.RunContext{Session: s}
	if h.options.Quirks.Keeps(jobquirks.Q243) {
		return h.afterRun(run, 0)
	}
	step, err := h.globalStep(s)
	if err != nil {
		return err
	}
	if err := gfile.MakeDirs(h.e.Files, h.dir); err != nil { // before the first save, the directory may not exist
		return err
	}
	h.timer.UpdateLastTriggeredStep(step)
	_, err = h.saveNow(s, step)
	return err
}

// save tries at most twice to save, and calls the guards before and after (save_utils.py:353). If
// NoFirstSave is set, its first call does nothing.
func (h *SaverHook) save(s session.Session, step int64) (stop bool, err error) {
	if h.options.NoFirstSave {
		h.options.NoFirstSave = false
		return false, nil
	}
	return h.saveNow(s, step)
}

// skips reports whether a step counts as already saved. The reference checks this only if DenseOnly
// is set, and then step 0 counts as saved (save_utils.py:361, Q242).
func (h *SaverHook) skips(step int64) bool {
	if h.options.Quirks.Keeps(jobquirks.Q242) {
		return h.options.DenseOnly && step == h.lastStep
	}
	return h.saved && step == h.lastStep
}

func (h *SaverHook) saveNow(s session.Session, step int64) (stop bool, err error) {
	mode := "full"
	if h.options.DenseOnly {
		mode = "dense_only"
	}
	if h.skips(step) {
		return false, nil
	}
	h.beforeSave(s, step)
	var raised error
	defer func() { h.afterSave(s, step, raised) }()
	for range saveTries {
		stop, err = h.try(s, step, mode)
		if err == nil || !session.IsOpError(err) {
			raised = err
			return stop, err
		}
		h.options.Metrics.EmitCounter("save_checkpoint_failed", 1, mode)
		h.e.Log.Logf(env.Error, "Failed to save, retrying ...\n%v", pylog.Traceback(err))
	}
	if h.ignore {
		return false, nil
	}
	return false, err
}

// try makes one try of a save and reports it to the metrics.
func (h *SaverHook) try(s session.Session, step int64, mode string) (bool, error) {
	start := h.e.Clock.Now()
	stop, err := h.saveOnce(s, step)
	if err != nil {
		return false, err
	}
	h.lastStep, h.saved = step, true
	if err := h.updateState(true); err != nil {
		return false, err
	}
	took := h.e.Clock.Now().Sub(start)
	h.e.Log.Logf(env.Info, "saving checkpoint took %f seconds", took.Seconds())
	h.options.Metrics.EmitCounter("save_checkpoint", 1, mode)
	h.options.Metrics.EmitTimer("save_checkpoint_time", took.Seconds(), mode)
	return stop, nil
}

// saveOnce saves as TensorFlow's hook does, and calls the listeners before and after.
func (h *SaverHook) saveOnce(s session.Session, step int64) (stop bool, err error) {
	h.e.Log.Logf(env.Info, "Calling checkpoint listeners before saving checkpoint %d...", step)
	for _, l := range h.options.Listeners {
		if err := l.BeforeSave(s, step); err != nil {
			return false, err
		}
	}
	h.e.Log.Logf(env.Info, "Saving checkpoints for %d into %s.", step, h.path)
	if err := h.saver.Save(s, h.path, step, h.options.SaveGraphDef); err != nil {
		return false, err
	}
	h.e.Log.Logf(env.Info, "Calling checkpoint listeners after saving checkpoint %d...", step)
	for _, l := range h.options.Listeners {
		asked, err := l.AfterSave(s, step)
		if err != nil {
			return false, err
		}
		if asked {
			h.e.Log.Logf(env.Info, "A CheckpointSaverListener requested that training be stopped. listener: %s", listenerRepr)
		}
		stop = stop || asked
	}
	return stop, nil
}

// beforeSave calls BeforeSave of the guards and logs their errors.
func (h *SaverHook) beforeSave(s session.Session, step int64) {
	for _, g := range h.options.Guards {
		if err := g.BeforeSave(s, step); err != nil {
			h.e.Log.Logf(env.Error, "%v", pylog.Traceback(err))
		}
	}
}

// afterSave calls AfterSave of the guards in reverse order. raised is the error with which the save
// failed, or nil. If a guard fails too, its logged traceback begins with raised, as in Python.
func (h *SaverHook) afterSave(s session.Session, step int64, raised error) {
	before := ""
	if raised != nil {
		before = pylog.Traceback(raised).String() + "\nDuring handling of the above exception, another exception occurred:\n\n"
	}
	for _, g := range slices.Backward(h.options.Guards) {
		if _, err := g.AfterSave(s, step); err != nil {
			h.e.Log.Logf(env.Error, "%s%v", before, pylog.Traceback(err))
		}
	}
}

// updateState writes monolith_checkpoint if it is missing. Otherwise it stores the time of this
// save in the file (save_utils.py:401).
func (h *SaverHook) updateState(update bool) error {
	if !h.options.SaveGraphDef {
		return nil
	}
	state, err := MonolithCheckpointState(h.e, h.dir, StateReading{RemoveInvalidPath: true, Quirks: h.options.Quirks})
	if err != nil {
		return err
	}
	switch {
	case state == nil:
		h.e.Log.Logf(env.Info, "Create new monolith ckpt state")
		state = &nativetraining.MonolithCheckpointState{BuiltinHashTableType: h.hashTableType().Enum()}
	case !update:
		return nil
	default:
		h.e.Log.Logf(env.Info, "Update new monolith ckpt state")
	}
	state.LastCheckpointSaveTimestamp = proto.Int64(h.e.Clock.Now().Unix())
	if err := WriteMonolithCheckpointState(h.e.Files, h.dir, state); err != nil {
		return err
	}
	h.e.Log.Logf(env.Info, "monolith ckpt state saved")
	return nil
}

func (h *SaverHook) hashTableType() nativetraining.MonolithCheckpointState_HashTableType {
	if h.options.UseNativeMultiHashTable {
		return nativetraining.MonolithCheckpointState_MULTI_CUCKOO_HASH_MAP
	}
	return nativetraining.MonolithCheckpointState_CUCKOO_HASH_MAP
}

// End saves the last step, unless the timer last triggered at this step (save_utils.py:419). If
// HasDenseOnly or InModelDumpMode is set, End always saves, but with only one try and without
// calling the guards. With DenseOnly, End does nothing.
func (h *SaverHook) End(s session.Session) error {
	step, err := h.globalStep(s)
	if err != nil || h.options.DenseOnly {
		return err
	}
	if h.options.HasDenseOnly || h.options.InModelDumpMode {
		h.timer.UpdateLastTriggeredStep(step)
		_, err = h.saveOnce(s, step)
	} else if last := h.timer.LastTriggeredStep(); !last.Set || last.V != step {
		_, err = h.save(s, step)
	}
	if err != nil {
		return err
	}
	for _, l := range h.options.Listeners {
		if err := l.End(s, step); err != nil {
			return err
		}
	}
	return nil
}
