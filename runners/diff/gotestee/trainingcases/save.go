package trainingcases

import (
	"cmp"
	"errors"
	"math"
	"math/big"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	nativetraining "github.com/monosim/monosim/engine/proto/monolith/native_training"
	hookspb "github.com/monosim/monosim/engine/proto/monolith/native_training/hooks"
	modelexportpb "github.com/monosim/monosim/engine/proto/monolith/native_training/model_export"
	"github.com/monosim/monosim/engine/proto/tensorflow/python/training"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/message"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/modelexport"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// saveOps holds the operations on save_utils.py, and on other code that keeps files beside
// checkpoints.
var saveOps = caseworld.Table{
	"save_utils.get_monolith_checkpoint_state":             monolithCheckpointState,
	"save_utils.SaveHelper":                                saveHelper,
	"save_utils.SaveHelper.get_existing_checkpoint_steps":  existingCheckpointSteps,
	"save_utils.get_latest_checkpoint_state":               latestCheckpointState,
	"save_utils.SecondOrStepTimerWithTideSetting.sequence": timerSequence,
	"save_utils.NoFirstSaveCheckpointSaverHook.sequence":   saverHookSequence,
	"save_utils.PartialRecoverySaver.sequence":             saverSequence,
	"save_utils.PartialRecoverySaver.restore":              restoreSequence,
	"save_utils.PartialRecoverySaver.values":               valuesSequence,
	"ckpt_hooks.WorkerCkptHelper.sequence":                 workerCkptSequence,
	"export_state_utils.sequence":                          exportStateSequence,
}

// monolithState encodes a MonolithCheckpointState.
func monolithState(s *nativetraining.MonolithCheckpointState) any {
	if s == nil {
		return nil
	}
	return caseworld.Object("exempt_model_checkpoint_paths", append([]string{}, s.ExemptModelCheckpointPaths...),
		"last_checkpoint_save_timestamp", s.GetLastCheckpointSaveTimestamp(), "builtin_hash_table_type", int(s.GetBuiltinHashTableType()))
}

// monolithStateOf returns the content of a directory's file monolith_checkpoint, nil if it is
// missing.
func monolithStateOf(f env.Files, dir string) any {
	data, err := f.ReadFile(dir + "/" + saveutils.MonolithCkptStateFileName)
	if err != nil {
		return nil
	}
	state := &nativetraining.MonolithCheckpointState{}
	text, err := pysem.DecodeUTF8(data)
	if err != nil || textformat.Parse(text, state) != nil {
		return "<unparsable>"
	}
	return monolithState(state)
}

// checkpointState encodes a CheckpointState.
func checkpointState(s *training.CheckpointState) any {
	if s == nil {
		return nil
	}
	return caseworld.Object("model_checkpoint_path", s.ModelCheckpointPath,
		"all_model_checkpoint_paths", append([]string{}, s.AllModelCheckpointPaths...))
}

func monolithCheckpointState(c *caseworld.Call) (any, error) {
	state, err := saveutils.MonolithCheckpointState(c.Env, c.In.Str("checkpoint_dir"),
		saveutils.StateReading{Filename: c.In.OptStr("filename").V, RemoveInvalidPath: c.In.Flag("remove_invalid_path"), Quirks: c.Quirks})
	return monolithState(state), err
}

func saveHelper(c *caseworld.Call) (any, error) {
	h := saveutils.SaveHelper{Basename: c.In.Str("basename")}
	prefix, steps := ckptPrefix(h, c.In.Value("step")), []any{}
	for _, p := range c.In.Strings("prefixes") {
		n, err := h.GlobalStepValue(p)
		if err != nil {
			n = new(big.Int)
		}
		steps = append(steps, []any{p, caseworld.Attempt(pysem.Int(n), err)})
	}
	return caseworld.Object("prefix", prefix, "asset_dir", saveutils.CkptAssetDir(prefix), "steps", steps), nil
}

// ckptPrefix is CkptPrefix of a step that may be anything, of which Python takes the text.
func ckptPrefix(h saveutils.SaveHelper, step any) string {
	if n, ok := step.(int); ok {
		return h.CkptPrefix(int64(n))
	}
	return h.Basename + "-" + pysem.Str(step)
}

func existingCheckpointSteps(c *caseworld.Call) (any, error) {
	steps, err := saveutils.SaveHelper{Basename: c.In.Str("basename")}.ExistingCheckpointSteps(c.Env)
	return lists.Map(steps, func(s *big.Int) any { return pysem.Int(s) }), err
}

func latestCheckpointState(c *caseworld.Call) (any, error) {
	dir, states := c.In.Str("checkpoint_dir"), []any{}
	file := pysem.JoinStrings(dir, checkpoints.Filename)
	var cache saveutils.StateCache
	for _, v := range c.In.List("steps") {
		step, _ := v.([]any)
		var err error
		switch {
		case len(step) == 2 && step[0] == "write":
			err = errors.Join(c.Env.Files.MkdirAll(dir), c.Env.Files.WriteFile(file, []byte(step[1].(string))))
		case len(step) == 1 && step[0] == "remove":
			err = c.Env.Files.Remove(file)
		case len(step) == 2 && step[0] == "get":
			var state *training.CheckpointState
			state, err = cache.LatestCheckpointState(c.Env, dir, step[1])
			states = append(states, caseworld.Raw{V: caseworld.Encode(checkpointState(state))})
		default:
			c.In.Wrong("steps", "write, remove and get")
		}
		if err != nil {
			return nil, err
		}
	}
	return caseworld.Object("states", states), nil
}

// optNumber returns an int or a float as a float. For any other value it returns None.
func optNumber(v any) pysem.Opt[float64] {
	switch v := v.(type) {
	case int, float64, bool:
		f, _ := pysem.ToFloat(v)
		return pysem.Some(f)
	}
	return pysem.None[float64]()
}

// interval parses the arguments of a timer. every and tide are the prefixes of the arguments'
// names.
func interval(in caseworld.Arguments, kept quirks.Set, every, tide string) saveutils.Interval {
	return saveutils.Interval{
		Seconds: in.Value(every + "_secs"), Steps: in.Value(every + "_steps"),
		Tide: tideOf(in, kept), TideSeconds: in.Value(tide + "_secs"),
	}
}

func timerSequence(c *caseworld.Call) (any, error) {
	l := newLab(c)
	timer, err := saveutils.NewTimer(l.e, interval(c.In.Object("kwargs"), c.Quirks, "every", "tide_every"))
	if err != nil {
		return nil, err
	}
	return l.answer(caseworld.Do{
		"should": timer.ShouldTriggerForStep,
		"update": func(step int64) []any {
			seconds, steps := timer.UpdateLastTriggeredStep(step)
			return []any{seconds.Any(), steps.Any()}
		},
		"last":    func() any { return timer.LastTriggeredStep().Any() },
		"reset":   timer.Reset,
		"enable":  timer.Enable,
		"disable": timer.Disable,
		"pass":    l.pass,
	}, nil)
}

// stagedSaver is a saver that writes nothing. Its n-th save ends as the n-th entry of outcomes
// says. It also serves as the metrics client.
type stagedSaver struct {
	notes
	outcomes []any
}

func (g *stagedSaver) Save(_ session.Session, path string, globalStep int64, _ bool) error {
	var outcome any = "ok"
	if len(g.outcomes) > 0 {
		outcome, g.outcomes = g.outcomes[0], g.outcomes[1:]
	}
	g.note("save", saveutils.SaveHelper{Basename: path}.CkptPrefix(globalStep), outcome)
	return failed(outcome)
}

func (g *stagedSaver) ExportMetaGraph(path string) error { return g.note("export_meta_graph", path) }

func (g *stagedSaver) EmitCounter(name string, value int, mode string) {
	g.note("counter", name, value, mode)
}

func (g *stagedSaver) EmitTimer(name string, seconds float64, mode string) {
	g.note("timer", name, seconds, mode)
}

// failed returns the error that an outcome in a case stands for: op_error, error, or nil for any
// other.
func failed(outcome any) error {
	switch outcome {
	case "op_error":
		return unavailable()
	case "error":
		return pysem.Raise("ValueError", "v")
	}
	return nil
}

// stagedListener records its calls. methods says what they return.
type stagedListener struct {
	session.NoListener
	name    string
	methods caseworld.Arguments
	saver   *stagedSaver
}

func (l *stagedListener) call(method string, step int64) (bool, error) {
	l.saver.note(l.name+"."+method, step)
	outcome := l.methods.Value(method)
	return outcome == "stop", failed(outcome)
}

func (l *stagedListener) BeforeSave(_ session.Session, step int64) error {
	_, err := l.call("before_save", step)
	return err
}

func (l *stagedListener) AfterSave(_ session.Session, step int64) (bool, error) {
	return l.call("after_save", step)
}

func (l *stagedListener) End(_ session.Session, step int64) error {
	_, err := l.call("end", step)
	return err
}

func stagedListeners(in caseworld.Arguments, field, letter string, g *stagedSaver) []session.Listener {
	if in.Value(field) == nil {
		return nil
	}
	var list []session.Listener
	for i, methods := range in.Objects(field) {
		list = append(list, &stagedListener{name: letter + string(rune('0'+i)), methods: methods, saver: g})
	}
	return list
}

// saverHookOptions makes the options of a saver hook from a case's keyword arguments and flags.
func saverHookOptions(in caseworld.Arguments, kept quirks.Set, g *stagedSaver) saveutils.SaverHookOptions {
	o, kwargs, flags := saveutils.DefaultSaverHookOptions(), in.Object("kwargs"), in.ObjectOr("flags")
	o.Interval = interval(kwargs, kept, "save", "tide_save")
	if _, err := pysem.Add(0, o.Interval.Steps); o.Interval.Steps != nil && err != nil {
		kwargs.Wrong("save_steps", "a number, which NumPy adds to a step")
	}
	o.Listeners, o.Guards = stagedListeners(in, "listeners", "l", g), stagedListeners(in, "guards", "g", g)
	o.Metrics, o.Quirks = g, kept
	o.Basename = kwargs.StrOr("checkpoint_basename", o.Basename)
	if kwargs.Has("save_graph_def") {
		o.SaveGraphDef = kwargs.Flag("save_graph_def")
	}
	if kwargs.Has("no_first_save") {
		o.NoFirstSave = kwargs.Flag("no_first_save")
	}
	o.IgnoreSaveErrors, o.DenseOnly = kwargs.Flag("ignore_save_errors"), kwargs.Flag("is_dense_only")
	o.UseNativeMultiHashTable = kwargs.Flag("use_native_multi_hash_table")
	o.HasDenseOnly, o.InModelDumpMode = flags.Flag("_has_dense_only"), flags.Flag("_in_model_dump_mode")
	return o
}

// saverHookSteps runs the steps of a case on a saver hook.
type saverHookSteps struct {
	*lab
	hook *saveutils.SaverHook
}

func (h *saverHookSteps) set(step int64) error {
	return session.Do(h.s, session.Assign(session.GlobalStep(), step))
}

// step makes one training step that ends at this global step.
func (h *saverHookSteps) step(step int64) (any, error) {
	run := &session.RunContext{Session: h.s}
	if err := h.set(step - 1); err != nil {
		return nil, err
	}
	reads, err := h.hook.BeforeRun(run)
	if err != nil {
		return nil, err
	}
	values, err := h.s.Run(reads...)
	if err != nil {
		return nil, err
	}
	if err := h.set(step); err != nil {
		return nil, err
	}
	err = h.hook.AfterRun(run, values)
	return caseworld.Object("stop", run.StopRequested()), err
}

func (h *saverHookSteps) do() caseworld.Do {
	return caseworld.Do{
		"create_session": func() error { return h.hook.AfterCreateSession(h.s, nil) },
		"run":            h.step,
		"set":            h.set,
		"trigger_save":   func(ignoreErrors bool) error { return h.hook.TriggerSaveIgnoring(h.s, ignoreErrors) },
		"end":            func() error { return h.hook.End(h.s) },
		"enable":         h.hook.Timer().Enable,
		"disable":        h.hook.Timer().Disable,
		"last":           func() any { return h.hook.Timer().LastTriggeredStep().Any() },
		"pass":           h.pass,
	}
}

func saverHookSequence(c *caseworld.Call) (any, error) {
	h, g := &saverHookSteps{lab: newLab(c)}, &stagedSaver{notes: noNotes(), outcomes: c.In.OptList("outcomes")}
	options := saverHookOptions(c.In, c.Quirks, g)
	hook, err := saveutils.NewSaverHook(h.e, "m", g, options)
	if err != nil {
		return nil, err
	}
	h.hook = hook
	if err := hook.Begin(); err != nil {
		return nil, err
	}
	begin := g.log
	g.log = []any{}
	return caseworld.Object("begin", begin, "steps", h.steps(h.do(), func(out *pysem.Dict) {
		out.Set("log", g.log)
		out.Set("monolith_checkpoint", monolithStateOf(c.Env.Files, "m"))
		g.log = []any{}
	})), nil
}

// oneVariable is the data of a graph that has one variable or one iterator. A checkpoint has its
// value in a file beside the index.
type oneVariable struct {
	files    env.Files
	variable *session.Variable
}

func (d *oneVariable) Write(s session.Session, prefix string) error {
	value, err := session.Get[int64](s, session.Read(d.variable))
	if err != nil {
		return err
	}
	for _, name := range []string{prefix + ".data-00000-of-00001", prefix + checkpoints.IndexSuffix} {
		if err := d.files.WriteFile(name, []byte(pysem.Str(int(value)))); err != nil {
			return session.FileError(name, err)
		}
	}
	return nil
}

func (d *oneVariable) WriteMetaGraph(string) error { return nil }

func (d *oneVariable) Restore(s session.Session, prefix string) error {
	data, err := d.files.ReadFile(prefix + checkpoints.IndexSuffix)
	if err != nil {
		return session.FileError(prefix, err)
	}
	n, err := pysem.ParseInt(string(data))
	if err != nil {
		return err
	}
	return session.Do(s, session.Assign(d.variable, n.Int64()))
}

func saverSequence(c *caseworld.Call) (any, error) {
	l, kwargs := newLab(c), c.In.Object("kwargs")
	if err := c.Env.Files.MkdirAll("m"); err != nil {
		return nil, err
	}
	options := saveutils.SaverOptions{
		MaxToKeep: 5, ModelDir: kwargs.OptStr("model_dir").V, SkipSave: kwargs.Flag("skip_save"),
		KeepEvery: 10000 * time.Hour,
	}
	if err := cmp.Or(maxToKeep(&options, kwargs), keepEvery(&options, kwargs)); err != nil {
		return nil, err
	}
	options.Exempt = kwargs.OptStrings("exempt_checkpoint_paths")
	if err := options.Check(); err != nil {
		return nil, err
	}
	saver := saveutils.NewPartialRecoverySaver(l.e, &oneVariable{c.Env.Files, &session.Variable{Name: "v", First: int64(1)}}, options)
	return l.answer(caseworld.Do{
		"save":     func(s caseworld.Step) (any, error) { return saveAs(l, saver, "m/model.ckpt", s.Value("step")) },
		"write":    func(name, text string) error { return c.Env.Files.WriteFile(name, []byte(text)) },
		"remove":   c.Env.Files.RemoveAll,
		"pass":     l.pass,
		"set_last": func(paths []string) { saver.SetLastCheckpoints(paths, l.time.At) },
		"recover":  saver.RecoverLastCheckpoints,
	}, func(out *pysem.Dict) {
		out.Set("last", saver.LastCheckpoints())
		out.Set("files", indexed(c.Env.Files, "m"))
		state, err := checkpoints.State(c.Env, "m", checkpoints.Filename)
		if err != nil {
			panic(err)
		}
		out.Set("state", checkpointState(state))
	})
}

// saveAs saves a checkpoint of a step that may be anything: an int of any size, None for a path
// without one, and a TypeError for what TensorFlow takes for a tensor that it cannot fetch.
func saveAs(l *lab, saver *saveutils.PartialRecoverySaver, path string, step any) (any, error) {
	n := pysem.None[int64]()
	switch v := step.(type) {
	case nil:
	case int:
		n = pysem.Some(int64(v))
	case *big.Int:
		path += "-" + v.String()
	case bool:
		whole, _ := pysem.Big(v)
		n = pysem.Some(whole.Int64())
	case string:
		return nil, pysem.Raise("ValueError", "Fetch argument %s cannot be interpreted as a Tensor.", pysem.Repr(v))
	default:
		return nil, pysem.Raise("TypeError", "Fetch argument %s has invalid type %s", pysem.Repr(step), pysem.TypeName(step))
	}
	saved, err := saver.SaveAs(l.s, path, n, false)
	return saved.Any(), err
}

// maxToKeep sets how many checkpoints are kept. A field of the saver's message holds the number: None
// is its default of 0.
func maxToKeep(options *saveutils.SaverOptions, kwargs caseworld.Arguments) error {
	given := kwargs.Value("max_to_keep")
	if given == nil {
		if kwargs.Has("max_to_keep") {
			options.MaxToKeep = 0
		}
		return nil
	}
	n, err := message.Int(given, math.MinInt32, math.MaxInt32)
	options.MaxToKeep = int(n)
	return err
}

// keepEvery sets how often a checkpoint is kept for good, from a case's hours. A field of the saver's
// message holds them: None is its default of 0, and what is no number a TypeError.
func keepEvery(options *saveutils.SaverOptions, kwargs caseworld.Arguments) error {
	const name = "keep_checkpoint_every_n_hours"
	given := kwargs.Value(name)
	_, err := pysem.Compare(given, "<", 0)
	switch {
	case !kwargs.Has(name):
	case given == nil:
		options.KeepEvery = 0
	case err == nil:
		options.KeepEvery, _ = times(given, time.Hour)
	default:
		return pysem.Raise("TypeError", "%s has type %s, but expected one of: int, float", pysem.Repr(given), pysem.TypeName(given))
	}
	return nil
}

// indexed lists the checkpoints in a directory that have an index file.
func indexed(f env.Files, dir string) []any {
	names, err := f.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	found := []any{}
	for _, n := range names {
		if prefix, ok := strings.CutSuffix(n, checkpoints.IndexSuffix); ok {
			found = append(found, prefix)
		}
	}
	return found
}

func workerCkptSequence(c *caseworld.Call) (any, error) {
	l, size := newLab(c), int64(c.In.Integer("size"))
	if err := c.Env.Files.MkdirAll("m"); err != nil {
		return nil, err
	}
	place := &session.Variable{Name: "iterator", First: int64(0)}
	var iterators hooks.Iterators
	if !c.In.Flag("disabled") {
		iterators = &oneVariable{c.Env.Files, place}
	}
	index := c.In.Integer("index")
	helper := hooks.NewWorkerCkptHelper(l.e, "m", index, iterators)
	return l.answer(caseworld.Do{
		"next":       func() (any, error) { return next(l.s, place, size) },
		"initialize": func() error { return session.Do(l.s, session.Assign(place, int64(0))) },
		"save": func(action string, globalStep int64) error {
			if err := hooks.AssignCkptInfo(l.s, &hookspb.WorkerCkptInfo{GlobalStep: proto.Int64(globalStep)}); err != nil {
				return err
			}
			return helper.SaveIteratorCallback()(action, l.s)
		},
		"info": func() (any, error) {
			info, err := hooks.CkptInfo(l.s)
			if err != nil {
				return nil, err
			}
			data, err := proto.Marshal(info)
			return append([]byte{}, data...), err
		},
		"restore": func() error { return helper.RestorerHook().AfterCreateSession(l.s, nil) },
		"state": func() (any, error) {
			state, err := checkpoints.State(c.Env, "m", "checkpoint_input_worker_"+pysem.Str(index))
			if state == nil {
				return nil, err
			}
			return []any{state.ModelCheckpointPath, state.AllModelCheckpointPaths}, nil
		},
		"files": func() ([]string, error) {
			names, err := c.Env.Files.ReadDir("m")
			return append([]string{}, names...), err
		},
	}, nil)
}

// next returns the next number of an iterator, whose position is in the variable place. After size
// numbers the iterator ends with an error.
func next(s session.Session, place *session.Variable, size int64) (any, error) {
	n, err := session.Get[int64](s, session.Read(place))
	if err != nil {
		return nil, err
	}
	if n >= size {
		return nil, session.Raise("OutOfRangeError", "End of sequence")
	}
	return n, session.Do(s, session.Assign(place, n+1))
}

func exportStateSequence(c *caseworld.Call) (any, error) {
	l, base := newLab(c), c.In.Str("export_dir_base")
	steps := l.steps(caseworld.Do{
		"get": func() ([]any, error) {
			state, err := modelexport.ExportSaverListenerState(c.Env.Files, base)
			list := []any{}
			for _, e := range state.GetEntries() {
				list = append(list, caseworld.Object("export_dir", e.GetExportDir(), "global_step", e.GetGlobalStep()))
			}
			return list, err
		},
		"put": func(entries []caseworld.Arguments) error {
			state := &modelexportpb.ServingModelState{}
			for _, e := range entries {
				entry := &modelexportpb.ServingEntry{}
				if dir := e.OptStr("export_dir"); dir.Set {
					entry.ExportDir = proto.String(dir.V)
				}
				if e.Has("global_step") {
					entry.GlobalStep = proto.Int64(int64(e.Integer("global_step")))
				}
				state.Entries = append(state.Entries, entry)
			}
			return modelexport.OverwriteExportSaverListenerState(c.Env.Files, base, state)
		},
	}, nil)
	names, err := c.Env.Files.ReadDir(base)
	if err != nil {
		return caseworld.Object("steps", steps, "files", nil), nil
	}
	return caseworld.Object("steps", steps, "files", append([]string{}, names...)), nil
}
