package gotestee

import (
	"bytes"
	"time"

	"github.com/monosim/monosim/engine/agent/modelmanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// modelManagerOps holds the operation of section 15 of the protocol, on model_manager.py.
var modelManagerOps = table{"model_manager.ModelManager.sequence": (*call).modelManagerSequence}

// managerRun is one run of a sequence of steps on a model manager.
type managerRun struct {
	c     *call
	m     *modelmanager.ModelManager
	tasks *caseworld.Sleeper
}

func (c *call) modelManagerSequence() (any, error) {
	if c.In.Has("until_ms") {
		return c.runModelManager(), nil
	}
	r := &managerRun{c: c, tasks: &caseworld.Sleeper{Tasks: c.Env.Tasks}}
	c.Env.Tasks = r.tasks
	r.m = c.newModelManager()
	return caseworld.Object("steps", lists.Map(c.In.List("steps"), r.step)), nil
}

func (c *call) newModelManager() *modelmanager.ModelManager {
	options := modelmanager.ModelManagerOptions{
		ModelName: c.In.OptStr("model_name"), SourcePath: c.In.OptStr("source_path"), ReceivePath: c.In.OptStr("receive_path"), Quirks: c.Quirks,
	}
	if c.In.Flag("use_metrics") {
		options.Metrics = c.modelMetric
	}
	return modelmanager.NewModelManager(c.Env, options)
}

// modelMetric records a call of the manager's metrics client.
func (c *call) modelMetric(m modelmanager.Metric) {
	method := "emit_store"
	if m.Counter {
		method = "emit_counter"
	}
	c.Metric(modelmanager.MetricsPrefix, method, m.Name, m.Value, caseworld.Object("model", m.Model))
}

// step runs a step. A case writes it as a name, or as a list [name, arguments…].
func (r *managerRun) step(v any) any {
	args, ok := v.([]any)
	if !ok {
		args = []any{v}
	}
	if len(args) == 0 {
		caseworld.BadCasef("in.steps: found an empty step, want a name or [name, arguments…]")
	}
	name, ok := args[0].(string)
	if !ok {
		caseworld.BadCasef("in.steps: found the step %s, want a name or [name, arguments…]", pysem.Repr(v))
	}
	r.tasks.SleptSec, r.tasks.During = nil, nil
	out, stopped := r.call(name, args[1:])
	if stopped {
		out.Set("endless", true)
		r.tasks.SleptSec = r.tasks.SleptSec[:3]
	}
	if len(r.tasks.SleptSec) > 0 {
		out.Set("slept", r.tasks.SleptSec)
	}
	r.describe(out)
	return caseworld.Raw{V: caseworld.Encode(out)}
}

// call runs the step called name. stopped means that the step was unwound, because it would have
// slept without end.
func (r *managerRun) call(name string, args []any) (out *pysem.Dict, stopped bool) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case caseworld.Endless:
			out, stopped = caseworld.Attempt(nil, nil), true
		default:
			panic(p)
		}
	}()
	return caseworld.Attempt(r.do(name, args)), false
}

func (r *managerRun) do(name string, args []any) (any, error) {
	m := r.m
	switch name {
	case "loop":
		ok, err := m.LoopOnce()
		return ok, err
	case "add":
		r.c.Dir.WriteFiles(r.files(name, args, 0), "in.steps.add")
		return nil, nil
	case "timeout":
		m.SetWaitTimeout(r.number(name, args, 0))
		return nil, nil
	case "start":
		return m.Start(), nil
	case "remove_read_lock":
		return nil, m.RemoveReadLock()
	case "remove_old_file":
		m.RemoveOldFile()
		return nil, nil
	case "wait_for_download":
		ok, err := m.WaitForDownload()
		return ok, err
	case "start-then":
		turn, files := r.number(name, args, 0), r.files(name, args, 1)
		r.tasks.During = func(n int) {
			if n == turn {
				r.c.Dir.WriteFiles(files, "in.steps.start-then")
			}
		}
		return m.Start(), nil
	case "run":
		turn := r.number(name, args, 0)
		r.tasks.During = func(n int) {
			if n == turn {
				m.End()
			}
		}
		return nil, m.Run()
	case "delete":
		return m.Delete(pysem.Some(caseworld.CaseDir + "/" + r.text(name, args, 0))), nil
	}
	caseworld.BadCasef("in.steps: found the step %q, which this operation does not have", name)
	return nil, nil
}

// argument returns the i-th argument of a step, counted from 0. want describes its type in errors.
func argument[T any](name string, args []any, i int, want string) T {
	if i < len(args) {
		if v, ok := args[i].(T); ok {
			return v
		}
		caseworld.BadCasef("in.steps.%s: found %s as argument %d, want %s", name, pysem.Repr(args[i]), i+1, want)
	}
	caseworld.BadCasef("in.steps.%s: found %d arguments, want %s as argument %d", name, len(args), want, i+1)
	panic("unreachable")
}

func (r *managerRun) number(name string, args []any, i int) int {
	return argument[int](name, args, i, "an int")
}

func (r *managerRun) text(name string, args []any, i int) string {
	return argument[string](name, args, i, "a string")
}

func (r *managerRun) files(name string, args []any, i int) *pysem.Dict {
	return argument[*pysem.Dict](name, args, i, "an object of files")
}

// describe adds the manager's state after the step to an answer.
func (r *managerRun) describe(out *pysem.Dict) {
	models, latest := modelsOf(r.m)
	var thread any
	if t := r.m.Thread(); t != nil {
		thread = t.Name()
	}
	out.Set("models", models)
	out.Set("latest", latest)
	out.Set("lock_files", append([]string{}, r.m.LockFiles()...))
	out.Set("thread", thread)
	out.Set("tree", r.c.Dir.Tree())
}

// modelsOf returns two lists by model: the versions that were copied, and the latest version.
func modelsOf(manager *modelmanager.ModelManager) (models, latest []any) {
	models, latest = []any{}, []any{}
	for _, m := range manager.Models() {
		versions := lists.Map(m.Versions, func(v modelmanager.CopiedVersion) any { return []any{v.Version, v.Paths} })
		models = append(models, []any{m.Model, versions})
	}
	for _, m := range manager.Models() {
		if v, ok := manager.Latest(m.Model); ok {
			latest = append(latest, []any{m.Model, []any{v.Version, v.TimeUnixS}})
		}
	}
	return models, latest
}

// runningModelManager is a model manager whose thread runs, while the events of the case happen.
type runningModelManager struct {
	env.Tasks
	c *call
	s *stage
	m *modelmanager.ModelManager
	// files holds, as JSON, the files as they were when they were last logged.
	files []byte
}

func (c *call) runModelManager() any {
	r := &runningModelManager{Tasks: c.Env.Tasks, c: c, s: &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}}
	c.Env.Tasks = r
	r.m = c.newModelManager()
	for _, e := range c.events() {
		r.s.after(e.at, e.name, func() { r.happen(e.name, e.arguments) })
	}
	c.Life.Go("main thread", func() { r.note("started", r.m.Start()) })
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	r.s.over = true
	return caseworld.Object("log", r.s.log)
}

// note logs a value. If files have changed, it logs the files first.
func (r *runningModelManager) note(name string, value any) {
	if r.s.over {
		return
	}
	tree := caseworld.Encode(r.c.Dir.Tree())
	if text := pysem.AppendJSON(nil, tree); !bytes.Equal(text, r.files) {
		r.files = text
		r.s.note("files", caseworld.Raw{V: tree})
	}
	r.s.note(name, value)
}

// Sleep logs what the thread has done since its last sleep, then sleeps.
func (r *runningModelManager) Sleep(d time.Duration) {
	r.note("sleep", int(d/time.Second))
	r.Tasks.Sleep(d)
}

func (r *runningModelManager) happen(name string, arguments []any) {
	switch name {
	case "add":
		r.c.Dir.WriteFiles(argument[*pysem.Dict](name, arguments, 0, "an object of files"), "in.events.add")
		r.note("added", nil)
	case "delete":
		r.m.Delete(pysem.Some(caseworld.CaseDir + "/" + argument[string](name, arguments, 0, "a string")))
		r.note("deleted", nil)
	case "look":
		models, latest := modelsOf(r.m)
		r.note("models", models)
		r.note("latest", latest)
	case "stop":
		r.m.Stop()
		r.note("stopped", nil)
	default:
		caseworld.BadCasef("in.events: found the event %q, which this operation does not have", name)
	}
}
