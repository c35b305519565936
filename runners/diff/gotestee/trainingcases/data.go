package trainingcases

import (
	"regexp"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/datapatterns"
	"github.com/monosim/monosim/engine/training/prefetch"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// dataOps holds the operations on datasets.py, nested_tensors.py and prefetch_queue.py.
var dataOps = caseworld.Table{
	"datasets.PBDataset.patterns":           inputPatterns,
	"nested_tensors.NestedTensors":          nestedTensors,
	"datasets.PBDataset.gen_patterns":       genPatterns,
	"prefetch_queue.AsyncPushHook.sequence": pushHookSequence,
	"prefetch_queue.AsyncFunctionMgr":       asyncFunctionMgr,
}

func inputPatterns(c *caseworld.Call) (any, error) {
	globbed := []any{}
	patterns, err := datapatterns.InputPatterns(c.Env.Log, c.In.Str("pattern"), func(pattern string) ([]string, error) {
		globbed = append(globbed, pattern)
		switch existing := c.In.Value("existing").(type) {
		case string:
			if existing == "error" {
				return nil, session.Raise("PermissionDeniedError", "denied")
			}
			return []string{pattern}, nil
		default:
			if slices.Contains(c.In.Strings("existing"), pattern) {
				return []string{pattern}, nil
			}
			return nil, nil
		}
	})
	var made any
	if patterns != nil {
		made = patterns
	}
	return caseworld.Object("patterns", caseworld.Attempt(made, err), "globbed", globbed), nil
}

// datedFiles parses the arguments of gen_patterns, or its flags. For those that the case does not
// give, it takes the values in unsaid.
func datedFiles(in caseworld.Arguments, unsaid datapatterns.DatedFiles) datapatterns.DatedFiles {
	text := func(name string) string {
		if v := in.Value(name); pysem.Truth(v) {
			return pysem.Str(v)
		}
		return ""
	}
	hour := func(name string) int {
		switch v := in.Value(name); {
		case v == true:
			return 1
		case pysem.Truth(v):
			return in.Integer(name)
		}
		return 0
	}
	if _, isText := in.Value("input_path").(string); !isText && pysem.Truth(in.Value("input_path")) {
		in.Wrong("input_path", "a string")
	}
	f := datapatterns.DatedFiles{
		InputPath: text("input_path"), StartDate: text("start_date"), EndDate: text("end_date"),
		StartHour: hour("start_hour"), EndHour: hour("end_hour"), Hourly: unsaid.Hourly, Wildcard: unsaid.Wildcard,
	}
	if in.Has("is_hourly") {
		f.Hourly = pysem.OptBool{V: pysem.Truth(in.Value("is_hourly")), Set: in.Value("is_hourly") != nil}
	}
	if in.Has("wildcard") {
		f.Wildcard = in.OptStr("wildcard")
	}
	return f
}

func genPatterns(c *caseworld.Call) (any, error) {
	given := datedFiles(c.In.Object("arguments"), datapatterns.Arguments(c.Quirks))
	patterns, err := datapatterns.GenPatterns(given, datedFiles(c.In.Object("flags"), datapatterns.DatedFiles{}), newLab(c).time.At.UTC())
	if err != nil {
		return nil, err
	}
	return patterns, nil
}

// tensorName matches the name of a tensor (T1) or of a ragged tensor (R1) in a nested value of a
// case.
var tensorName = regexp.MustCompile(`^[TR]\d+$`)

// nestedWorld maps names in the case to the values made for them, and tensors back to their names.
type nestedWorld struct {
	made  map[string]any
	names map[*prefetch.Tensor]string
}

// value converts a nested value of a case into the port's types.
func (w *nestedWorld) value(v any) any {
	switch v := v.(type) {
	case []any:
		return lists.Map(v, w.value)
	case *pysem.Dict:
		if list, ok := v.Get("(tuple)"); ok && len(v.Items) == 1 {
			return prefetch.Tuple(w.value(list).([]any))
		}
		d := &pysem.Dict{}
		for _, item := range v.Items {
			d.Set(item.Key, w.value(item.Value))
		}
		return d
	case string:
		if tensorName.MatchString(v) || v == "RR" || v == "F" {
			return w.named(v)
		}
	}
	return v
}

func (w *nestedWorld) named(name string) any {
	if made, ok := w.made[name]; ok {
		return made
	}
	var made any
	switch {
	case name == "F":
		made = 1.5
	case name == "RR":
		made = &prefetch.Ragged{Rank: 2}
	case name[0] == 'T':
		made = w.tensor(name)
	default:
		made = &prefetch.Ragged{Rank: 1, Values: w.tensor(name + ".values"), RowSplits: w.tensor(name + ".row_splits")}
	}
	w.made[name] = made
	return made
}

func (w *nestedWorld) tensor(name string) *prefetch.Tensor {
	t := prefetch.Constant(0)
	w.names[t] = name
	return t
}

// shown converts a nested value in the port's types into the form of an answer.
func (w *nestedWorld) shown(v any) any {
	switch v := v.(type) {
	case *prefetch.Tensor:
		return caseworld.Object("tensor", w.names[v])
	case *prefetch.Ragged:
		return caseworld.Object("ragged", []any{w.shown(v.Values), w.shown(v.RowSplits)})
	case prefetch.Tuple:
		return w.shown([]any(v))
	case []any:
		return lists.Map(v, w.shown)
	case *pysem.Dict:
		d := &pysem.Dict{}
		for _, item := range v.Items {
			d.Set(item.Key, w.shown(item.Value))
		}
		return d
	}
	return v
}

func nestedTensors(c *caseworld.Call) (any, error) {
	w := &nestedWorld{made: map[string]any{}, names: map[*prefetch.Tensor]string{}}
	n, err := prefetch.NewNestedTensors(c.Quirks, w.value(c.In.Value("nested")))
	if err != nil {
		return nil, err
	}
	flat := []any{}
	var tensors []*prefetch.Tensor
	for i, t := range n.Tensors() {
		flat = append(flat, w.names[t])
		tensors = append(tensors, w.tensor("new"+pysem.Str(i)))
	}
	end := len(tensors) - c.In.Integer("drop")
	if end < 0 { // a negative index counts from the end, as in Python
		end += len(tensors)
	}
	result, err := n.NestedResult(tensors[:max(0, min(end, len(tensors)))])
	return caseworld.Object("flat", flat, "rebuilt", caseworld.Attempt(w.shown(result), err)), nil
}

// stuckTasks is an env.Tasks that ends a step as soon as the step waits for another task.
type stuckTasks struct{ env.Tasks }

func (stuckTasks) NewCond(string) env.Cond { return stuckCond{} }

type stuckCond struct{ env.Cond }

func (stuckCond) Wait()      { panic(caseworld.Endless{}) }
func (stuckCond) Broadcast() {}

func pushHookSequence(c *caseworld.Call) (any, error) {
	l, counter := newLab(c), 0
	given := caseworld.Object("v", &prefetch.Tensor{Eval: func(session.Session) (any, error) {
		counter++
		return counter, nil
	}}, "s", "keep")
	taken, queue, err := prefetch.EnqueueDicts(stuckTasks{l.e.Tasks}, c.Quirks, given, c.In.Count("capacity"), "prefetch_queue")
	if err != nil {
		return nil, err
	}
	out := taken.(*pysem.Dict)
	if queue == nil {
		return caseworld.Object("queue", nil, "keys", []any{"s", "v"}), nil
	}
	value, _ := out.Get("v")
	kept, _ := out.Get("s")
	consumed := []any{}
	hook := prefetch.NewAsyncPushHook(queue, func(s session.Session) error {
		v, err := value.(*prefetch.Tensor).Eval(s)
		consumed = append(consumed, []any{"consumed", v})
		return err
	})
	steps := l.steps(caseworld.Do{
		"enqueue": func() error { return queue.Enqueue(l.s) },
		"step":    func(s caseworld.Step) error { return pushStep(l, hook, queue, s) },
		"size":    func() int { return queue.Size() },
		"primed":  func() bool { return hook.Primed() },
		"end":     func() error { return hook.End(l.s) },
	}, func(answer *pysem.Dict) {
		answer.Set("log", consumed)
		consumed = []any{}
	})
	return caseworld.Object("queue", "_MultiFIFOQueue", "other", kept, "steps", steps), nil
}

// pushStep makes one training step. The step enqueues values unless the hook is primed.
func pushStep(l *lab, hook *prefetch.AsyncPushHook, queue *prefetch.MultiFIFOQueue, s caseworld.Step) error {
	run, primed := &session.RunContext{Session: l.s}, hook.Primed()
	if _, err := hook.BeforeRun(run); err != nil {
		return err
	}
	if !primed && (!s.Has("enqueue") || s.Flag("enqueue")) {
		if err := queue.Enqueue(l.s); err != nil {
			return err
		}
	}
	return hook.AfterRun(run, nil)
}

func asyncFunctionMgr(c *caseworld.Call) (any, error) {
	async := c.In.Value("default_is_async") == nil || c.In.Flag("default_is_async")
	mgr := prefetch.NewAsyncFunctionMgr(stuckTasks{c.Env.Tasks}, async)
	var args []any
	var kwargs *pysem.Dict
	if c.In.Flag("with_arguments") {
		args, kwargs = []any{prefetch.Constant(1)}, caseworld.Object("x", prefetch.Constant(2), "s", "keep")
	}
	call := pysem.Opt[bool]{V: c.In.Flag("is_async"), Set: c.In.Value("is_async") != nil}
	called, ran := []any{}, false
	op, err := mgr.Add(func(args []any, kwargs *pysem.Dict) (prefetch.Op, error) {
		names := lists.Map(kwargs.Items, func(item pysem.Item) string { return item.Key })
		slices.Sort(names)
		called = append(called, []any{len(args), names})
		if c.In.Flag("fails") {
			return nil, pysem.Raise("RuntimeError", "the target failed")
		}
		return func(session.Session) error {
			ran = true
			return nil
		}, nil
	}, args, kwargs, call)
	if err == nil {
		err = op(session.NewMemory())
	}
	returns := "enqueue"
	if ran {
		returns = "target"
	}
	return caseworld.Object("target_arguments", called, "hooks", len(mgr.Hooks()), "returns", returns), err
}
