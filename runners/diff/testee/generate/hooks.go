package generate

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genHooks invents for the hooks of the training side.
var genHooks = map[string]generator{
	"barrier_ops.BarrierOp.sequence":           genBarrier,
	"sync_hooks.sequence":                      genSync,
	"sync_hooks.TrainingHooksHelper":           genSyncHelper,
	"ps_check_hooks.PsHealthChecker":           genPSHealth,
	"hook_utils.listener":                      genListener,
	"session_hooks.sequence":                   genSessionHooks,
	"controller_hooks.ControllerHook.sequence": genController,
	"controller_hooks.QueryActionHook":         genQueryAction,
	"server_lib.ControllerServicer.sequence":   genServicer,
	"ckpt_hooks.BarrierSaverListener.sequence": genSaverListener,
	"ckpt_hooks.WorkerCkptHelper.sequence":     genWorkerCkpt,
}

// step is [name] or [name, arguments].
func step(name string, pairs ...any) any {
	if len(pairs) == 0 {
		return []any{name}
	}
	return []any{name, dict(pairs...)}
}

// steps draws some steps.
func steps(d *draws, most int, one func() any) []any { return list(d, most, one) }

// barrierStep is a step on a barrier; prefix goes before its name. One that waits is mostly
// let go by another process.
func barrierStep(d *draws, prefix string) any {
	switch name := pick(d, "place", "remove", "wait", "hook", "blocked", "unblocked", "all_blocked", "none_blocked", "is_placed", "is_removed", "capacity"); name {
	case "place":
		if d.flip(3) {
			return step(prefix+name, "action", pick(d, "Save", "Stop", "模", ""))
		}
		return step(prefix + name)
	case "wait", "hook":
		return step(prefix+name, "index", pick(d, 1, 2, 0, 3, -1), "during", others(d, prefix))
	default:
		return step(prefix + name)
	}
}

// others are the steps of other processes within the sleeps of one.
func others(d *draws, prefix string) []any {
	during := list(d, 2, func() any {
		return []any{d.n(4) + 1, prefix + pick(d, "all_blocked", "blocked", "place", "is_placed"), dict()}
	})
	if d.flip(12) {
		return during // it waits for ever
	}
	return append(during, []any{d.n(5) + 1, prefix + "remove", dict()})
}

func genBarrier(d *draws, c *testee.Case) {
	c.In = dict("capacity", d.n(4)+1, "steps", steps(d, 10, func() any { return barrierStep(d, "") }))
	if d.flip(3) {
		c.In.Set("wait_seconds", pick(d, 2, 5))
	}
	if !d.flip(3) {
		c.In.Set("callbacks", list(d, 2, func() any { return pick(d, "log", "log", "log", "raise") }))
	}
}

func genSync(d *draws, c *testee.Case) {
	workers := d.n(4) + 1
	index := func() int { return pick(d, 1, 2, 3, 0, workers) }
	c.In = dict("num_workers", workers, "steps", steps(d, 10, func() any {
		switch name := pick(d, "chief.after_create_session", "worker.after_create_session", "worker.end", "start_worker", "finish_worker",
			"restore_status", "alive", "num_alive", "chief.end"); name {
		case "worker.after_create_session":
			return step(name, "index", index(), "during", []any{[]any{d.n(4) + 1, "chief.after_create_session", dict()}})
		case "chief.end":
			return step(name, "during", list(d, 3, func() any { return []any{d.n(9) + 1, "worker.end", dict("index", index())} }))
		case "worker.end", "start_worker", "finish_worker":
			return step(name, "index", index())
		default:
			return step(name)
		}
	}))
	if !d.flip(6) {
		c.In.Set("timeout", pick(d, 5, 0, 12, 30))
	}
}

func genSyncHelper(d *draws, c *testee.Case) {
	c.In = dict("enable_sync", !d.flip(4), "num_workers", d.n(5)+1, "worker_idx", d.n(5), "chief_timeout_seconds", pick[any](d, nil, 7, 0, 3600))
}

// machineHealth are the bytes of a PS: mostly none, which is all well.
func machineHealth(d *draws) any {
	return dict("$hex", pick(d, "", "", "", "0801", "0800", "12016d", "0801122d4d656d6f7279206c696d69742065786365656465642e2043757272656e743a2031312c204c696d69743a203130", "1205e6a8a1220a"))
}

func genPSHealth(d *draws, c *testee.Case) {
	ps, rounds := d.n(3)+1, []any{}
	for range d.n(4) + 1 {
		if d.flip(8) {
			rounds = append(rounds, "error")
			continue
		}
		round := []any{}
		for range ps {
			round = append(round, machineHealth(d))
		}
		rounds = append(rounds, round)
	}
	c.In = dict("capacity", d.n(3)+1, "num_ps", ps, "rounds", rounds)
	for _, flag := range []string{"placed", "stopped"} {
		if d.flip(6) {
			c.In.Set(flag, true)
		}
	}
	if d.flip(2) {
		c.In.Set("report", pick(d, "record", "raise", "default"))
	}
}

func genListener(d *draws, c *testee.Case) {
	c.In = dict("kind", pick(d, "BeforeSaveListener", "AfterSaveListener"), "calls", list(d, 6, func() any {
		return pick(d, "before_save", "after_save", "begin", "end")
	}))
}

func genSessionHooks(d *draws, c *testee.Case) {
	entered := 0
	c.In = dict("steps", list(d, 10, func() any {
		name := pick(d, "current", "after_create_session", "after_create_session2", "end", "enter", "leave")
		switch {
		case name == "enter" && entered == 0:
			entered++
		case name == "leave" && entered == 1:
			entered--
		case name == "enter" || name == "leave":
			return "current"
		}
		return name
	}))
}

func genController(d *draws, c *testee.Case) {
	barrier := !d.flip(3)
	c.In = dict("steps", steps(d, 8, func() any {
		name := pick(d, "step", "stop", "save", "stop_hook", "barrier")
		switch {
		case name == "barrier" && barrier:
			return barrierStep(d, "barrier.")
		case name == "barrier":
			return step("step")
		case name == "step" && barrier && d.flip(2):
			return step(name, "during", list(d, 2, func() any { return []any{d.n(4) + 1, "barrier.wait", dict("index", d.n(2)+1)} }))
		}
		return step(name)
	}))
	if barrier {
		c.In.Set("capacity", d.n(3)+1)
	}
	if d.flip(5) {
		c.In.Set("trigger_save", false)
	}
}

func genQueryAction(d *draws, c *testee.Case) {
	c.In = dict("contents", list(d, 4, func() any {
		return pick[any](d, "action: TRIGGER_SAVE", "action: STOP", nil, "action: UNKNOWN", "", "action: 2", "action: 7", "x: 1", "action", "action: STOP action: TRIGGER_SAVE",
			"# a comment\naction: STOP\n", text(d, 4))
	}))
}

func genServicer(d *draws, c *testee.Case) {
	c.In = dict("capacity", d.n(3)+1, "steps", steps(d, 8, func() any {
		switch name := pick(d, "GetBlockStatus", "StopTraining", "ResumeTraining", "SaveCheckpoint", "GetTrainingStatus", "global_step", "place"); name {
		case "global_step":
			return step(name, "value", pick[any](d, 1, 0, 7, 1<<40))
		default:
			return step(name)
		}
	}))
	if d.flip(3) {
		c.In.Set("global_step", d.n(20))
	}
}

func genSaverListener(d *draws, c *testee.Case) {
	c.In = dict("capacity", d.n(4)+1, "steps", steps(d, 7, func() any {
		switch name := pick(d, "before_save", "after_save", "info", "barrier"); name {
		case "before_save":
			return step(name, "step", d.n(50), "during", list(d, 3, func() any {
				return []any{d.n(5) + 1, pick(d, "barrier.wait", "barrier.wait", "barrier.remove"), dict()}
			}))
		case "after_save":
			return step(name, "step", d.n(50))
		case "barrier":
			return barrierStep(d, "barrier.")
		default:
			return step(name)
		}
	}), "max_pending_seconds", pick(d, 4, 0, 30, 1))
	giveIndices(d, c.In)
	if d.flip(4) {
		c.In.Set("wait_seconds", pick(d, 2, 3))
	}
}

// giveIndices gives every barrier.wait of another process the index of a worker.
func giveIndices(d *draws, in *pysem.Dict) {
	v, _ := in.Get("steps")
	for _, s := range v.([]any) {
		parts := s.([]any)
		if len(parts) < 2 {
			continue
		}
		during, _ := parts[1].(*pysem.Dict).Get("during")
		list, _ := during.([]any)
		for _, o := range list {
			if other := o.([]any); other[1] == "barrier.wait" {
				other[2] = dict("index", d.n(3)+1)
			}
		}
	}
}

func genWorkerCkpt(d *draws, c *testee.Case) {
	c.In = dict("index", d.n(3), "size", pick(d, 10, 2, 0), "steps", steps(d, 12, func() any {
		switch name := pick(d, "next", "save", "restore", "state", "files", "initialize"); name {
		case "save":
			return step(name, "action", pick(d, "Save", "Save", "Stop"), "global_step", d.n(8))
		default:
			return step(name)
		}
	}))
	if d.flip(6) {
		c.In.Set("disabled", true)
	}
}

// moment is a time of day.
func moment(d *draws) string { return fmt.Sprintf("%02d:%02d:%02d", d.n(24), d.n(60), d.n(60)) }
