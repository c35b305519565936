package trainingcases

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/barrierops"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// hookOps holds the operations on hooks that have no file of their own here.
var hookOps = caseworld.Table{
	"ps_check_hooks.PsHealthChecker":                 psHealthChecker,
	"ps_check_hooks.get_ps_machine_info_shared_name": psSharedName,
	"hook_utils.listener":                            listener,
	"session_hooks.sequence":                         sessionSequence,
	"ckpt_hooks.BarrierSaverListener.sequence":       saverListenerSequence,
}

func psSharedName(c *caseworld.Call) (any, error) {
	return hooks.PSMachineInfoSharedName(c.In.Integer("index")), nil
}

// healthRounds is a session in which each health check gets the next round in the case. All else
// goes to the session in memory.
type healthRounds struct {
	*session.Memory
	rounds []any
	stop   func()
}

func (h *healthRounds) Run(ops ...session.Op) ([]any, error) {
	if len(ops) > 0 && ops[0].Variable.Name != hooks.PSMachineInfoSharedName(0) {
		return h.Memory.Run(ops...)
	}
	round := h.rounds[0]
	if h.rounds = h.rounds[1:]; len(h.rounds) == 0 {
		h.stop()
	}
	statuses, ok := round.([]any)
	if !ok {
		return nil, unavailable()
	}
	return statuses, nil
}

// waitingStop records waits for a stop. After a wait without a limit, the stop counts as requested.
type waitingStop struct {
	stopped bool
	waits   []any
}

func (w *waitingStop) ShouldStop() bool { return w.stopped }

func (w *waitingStop) WaitForStop(limit time.Duration) bool {
	if limit < 0 {
		w.waits = append(w.waits, nil)
		w.stopped = true
	} else {
		w.waits = append(w.waits, limit.Seconds())
	}
	return w.stopped
}

func psHealthChecker(c *caseworld.Call) (any, error) {
	b := newBarrierSteps(newLab(c))
	if err := b.make(barrierops.Options{}); err != nil {
		return nil, err
	}
	coord := &waitingStop{stopped: c.In.Flag("stopped"), waits: []any{}}
	rounds := &healthRounds{Memory: b.s, rounds: c.In.List("rounds"), stop: func() { coord.stopped = true }}
	reports, numPS := []any{}, c.In.Count("num_ps")
	config := hooks.PSCheckConfig{Barrier: b.barrier, NumPS: numPS, Report: func(results []hooks.PSHealth) error {
		list := lists.Map(results, func(r hooks.PSHealth) any { return []any{r.Index, caseworld.PB(r.Result)} })
		reports = append(reports, list)
		if c.In.Value("report") == "raise" {
			return pysem.Raise("RuntimeError", "report failed")
		}
		return nil
	}}
	if c.In.Value("report") == "default" {
		config.Report = nil
	}
	if c.In.Flag("placed") {
		if err := b.barrier.PlaceBarrier(b.s, ""); err != nil {
			return nil, err
		}
	}
	hook := hooks.NewPsHealthCheckerHook(b.e, config)
	if err := hook.Begin(); err != nil {
		return nil, err
	}
	names := []any{}
	for i := range numPS {
		names = append(names, hooks.PSMachineInfoSharedName(i))
	}
	result := caseworld.Attempt(nil, hook.Check(rounds, coord))
	out := caseworld.Object("shared_names", names, "reports", reports, "waits", coord.waits, "result", result,
		"rounds_left", len(rounds.rounds), "blocked", b.blocked())
	return out, nil
}

// notedListener records all calls, and asks that training stop. It fails in the named calls.
type notedListener struct {
	notes
	fails []string
}

func (l *notedListener) call(name string, step any) error {
	if err := l.note(name, step); err != nil || !slices.Contains(l.fails, name) {
		return err
	}
	return pysem.Raise("RuntimeError", "%s failed", name)
}

func (l *notedListener) Begin() error { return l.call("begin", nil) }

func (l *notedListener) BeforeSave(_ session.Session, step int64) error {
	return l.call("before_save", step)
}

func (l *notedListener) AfterSave(_ session.Session, step int64) (bool, error) {
	return true, l.call("after_save", step)
}

func (l *notedListener) End(_ session.Session, step int64) error { return l.call("end", step) }

// listenerStep is the global step that the protocol's calls pass to listeners.
const listenerStep = 3

func listener(c *caseworld.Call) (any, error) {
	inner := &notedListener{notes: noNotes(), fails: c.In.OptStrings("fails")}
	var made session.Listener
	switch kind := c.In.Str("kind"); kind {
	case "BeforeSaveListener":
		made = &hooks.BeforeSaveListener{Listener: inner}
	case "AfterSaveListener":
		made = &hooks.AfterSaveListener{Listener: inner}
	default:
		c.In.Wrong("kind", "BeforeSaveListener or AfterSaveListener")
	}
	results := lists.Map(c.In.Strings("calls"), func(call string) any { return listenerCall(c, made, call) })
	// In Python the repr of the listener ends with the repr of the inner object, by the way the
	// class is written. The port has no such repr, so the answer is always true.
	return caseworld.Object("results", results, "forwarded", inner.log, "repr_ends_with_inner", true), nil
}

func listenerCall(c *caseworld.Call, l session.Listener, name string) any {
	switch name {
	case "begin":
		return caseworld.Attempt(nil, l.Begin())
	case "before_save":
		return caseworld.Attempt(nil, l.BeforeSave(nil, listenerStep))
	case "after_save":
		stop, err := l.AfterSave(nil, listenerStep)
		if stop {
			return caseworld.Attempt(true, err)
		}
		return caseworld.Attempt(nil, err)
	case "end":
		return caseworld.Attempt(nil, l.End(nil, listenerStep))
	}
	c.In.Wrong("calls", "begin, before_save, after_save, end")
	return nil
}

func sessionSequence(c *caseworld.Call) (any, error) {
	names := map[session.Session]string{}
	named := func(name string) session.Session {
		s := session.NewMemory()
		names[s] = name
		return s
	}
	first, second, byDefault := named("first"), named("second"), named("default")
	hook, current := &hooks.CurrentSession{}, []any{}
	for _, step := range c.In.Strings("steps") {
		var err error
		switch step {
		case "after_create_session":
			err = hook.AfterCreateSession(first, nil)
		case "after_create_session2":
			err = hook.AfterCreateSession(second, nil)
		case "end":
			err = hook.End(nil)
		case "enter":
			hook.Default = byDefault
		case "leave":
			hook.Default = nil
		case "current":
			var found any
			if s := hook.Get(); s != nil {
				found = names[s]
			}
			current = append(current, found)
		default:
			c.In.Wrong("steps", "names of steps")
		}
		if err != nil {
			return nil, err
		}
	}
	return caseworld.Object("current", current), nil
}
