package catalogue

import (
	"fmt"

	"github.com/monosim/monosim/runners/diff/testee"
)

// hookOps declares the operations on the hooks of the training side.
var hookOps = operations{
	"barrier_ops.BarrierOp.sequence": in("capacity", from(1, 4), "steps", shortSteps(10, barrierSteps("")...), "wait_seconds?3", oneOf(2, 5),
		"callbacks!3", some(2, oneOf("log", "log", "log", "raise"))),
	"sync_hooks.sequence": func(d *draws, _ *testee.Case) object {
		workers := d.n(4) + 1
		index := oneOf(1, 2, 3, 0, workers)
		return object{"num_workers", workers, "steps", shortSteps(10,
			do("chief.after_create_session"), do("worker.after_create_session", "index", index, "during?1", []any{other(4, "chief.after_create_session")}),
			do("worker.end start_worker finish_worker", "index", index), do("restore_status alive num_alive"),
			do("chief.end", "during?1", some(3, other(9, "worker.end", "index", index)))), "timeout!6", oneOf(5, 0, 12, 30)}
	},
	"sync_hooks.TrainingHooksHelper": in("enable_sync", mostly(4), "num_workers", from(1, 5), "worker_idx", from(0, 4),
		"chief_timeout_seconds (null: default)", oneOf(nil, 7, 0, 3600)),
	"ps_check_hooks.PsHealthChecker": func(d *draws, _ *testee.Case) object {
		round, ps := []any{}, d.n(3)+1
		for range ps {
			round = append(round, machineHealth)
		}
		return object{"capacity", from(1, 3), "num_ps", ps, "rounds", several(4, seldom(8, "error", round)), "placed?6", true,
			"report?", oneOf("record", "raise", "default"), "stopped?6", true}
	},
	"hook_utils.listener": in("kind", oneOf("BeforeSaveListener", "AfterSaveListener"), "calls", some(6, oneOf("before_save", "after_save", "begin", "end")),
		"fails?3 (calls of the inner listener that raise)", some(2, oneOf("before_save", "after_save", "begin", "end"))),
	"session_hooks.sequence": func(*draws, *testee.Case) object {
		entered := false
		return object{"steps (names)", some(10, func(d *draws) any {
			name := pick(d, "current", "after_create_session", "after_create_session2", "end", "enter", "leave")
			if name != "enter" && name != "leave" {
				return name
			}
			if entered == (name == "enter") {
				return "current"
			}
			entered = !entered
			return name
		})}
	},
	"controller_hooks.ControllerHook.sequence": func(d *draws, _ *testee.Case) object {
		barrier := !d.flip(3)
		all := []step{do("step stop save stop_hook")}
		if barrier {
			all = append([]step{do("step", "during?1", some(2, other(4, "barrier.wait", "index", from(1, 2)))).often(4), all[0].often(10)}, barrierSteps("barrier.")...)
		}
		return object{"steps", shortSteps(8, all...), "capacity?1 (none: no barrier)", given(barrier, from(1, 3)), "trigger_save?5 (true)", false}
	},
	"controller_hooks.QueryActionHook": in("contents", some(4, oneOf("action: TRIGGER_SAVE", "action: STOP", nil, "action: UNKNOWN", "", "action: 2", "action: 7", "x: 1",
		"action", "action: STOP action: TRIGGER_SAVE", "# a comment\naction: STOP\n", oddText(4)))),
	"controller_hooks.QueryActionHook.threads.sequence":   recorded("steps ([name, argument]…)", "until_ms"),
	"ps_check_hooks.PsHealthCheckerHook.threads.sequence": recorded("num_ps", "steps ([name, arguments]…)", "until_ms"),
	"server_lib.ControllerServicer.sequence": in("capacity", from(1, 3), "steps", shortSteps(8, append(undrawn(barrierSteps("")),
		do("GetBlockStatus StopTraining ResumeTraining SaveCheckpoint GetTrainingStatus"), do("global_step", "value", oneOf(1, 0, 7, 1<<40)),
		do("place", "action?1", absent{}))...),
		"global_step?3 (7)", from(0, 19)),
	"ckpt_hooks.BarrierSaverListener.sequence": in("capacity", from(1, 4), "steps", shortSteps(7, append(barrierSteps("barrier."),
		do("before_save", "step", from(0, 49), "during?1", some(3, oneOf(other(5, "barrier.wait", "index", from(1, 3)), other(5, "barrier.remove")))).often(10),
		do("after_save", "step", from(0, 49)).often(10), do("info").often(10))...),
		"wait_seconds?4", oneOf(2, 3), "max_pending_seconds?1", oneOf(4, 0, 30, 1)),
	"ckpt_hooks.WorkerCkptHelper.sequence": in("index", from(0, 2), "size", oneOf(10, 2, 0), "steps", shortSteps(12,
		do("next restore state files initialize info"), do("save", "action", oneOf("Save", "Save", "Stop"), "global_step", from(0, 7))), "disabled?6", true),
}

// barrierSteps returns the steps on a barrier, with a prefix before their names. If a step waits,
// mostly another process ends the wait.
func barrierSteps(prefix string) []step {
	during := some(2, other(4, oneOf(prefix+"all_blocked", prefix+"blocked", prefix+"place", prefix+"is_placed")))
	letGo := func(d *draws) any { return append(d.fill(during).([]any), other(5, prefix+"remove")) }
	steps := []step{
		do("place", "action?6", oneOf("Save", "Stop", "模", "")), do("remove"),
		// without this step, the next one would wait for ever
		do("wait hook", "index", oneOf(1, 2, 0, 3, -1), "during?1", seldom(12, during, letGo)),
		do("blocked unblocked all_blocked none_blocked is_placed is_removed capacity"),
		do("hook.before_run hook.after_run", "index", 0).often(0),
	}
	for i := range steps {
		for j, name := range steps[i].names {
			steps[i].names[j] = prefix + name
		}
	}
	return steps
}

// other returns a step of another process. It happens during one of a step's first sleeps.
func other(sleeps int, name any, arguments ...any) []any {
	return []any{from(1, sleeps), name, object(arguments)}
}

// machineHealth draws the bytes by which a PS reports its health. Usually there are none, which
// means that all is well.
func machineHealth(*draws) object {
	return object{"$hex", oneOf("", "", "", "0801", "0800", "12016d", "0801122d4d656d6f7279206c696d69742065786365656465642e2043757272656e743a2031312c204c696d69743a203130", "1205e6a8a1220a")}
}

// moment draws a time of day.
func moment(d *draws) string { return fmt.Sprintf("%02d:%02d:%02d", d.n(24), d.n(60), d.n(60)) }
