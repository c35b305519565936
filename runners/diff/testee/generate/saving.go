package generate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genSaving invents for what saves checkpoints and when.
var genSaving = map[string]generator{
	"session_run_hooks.before": func(d *draws, c *testee.Case) {
		minute := func() any { return pick[any](d, d.n(60), 0, 59, nil) }
		c.In = dict("args", []any{d.n(3), minute(), d.n(3), minute()})
	},
	"session_run_hooks.tide_available_now": func(d *draws, c *testee.Case) {
		c.In = dict("window", []any{d.n(24), d.n(60), d.n(24), d.n(60)}, "times", list(d, 6, func() any { return moment(d) }))
	},
	"session_run_hooks.TideStoppingHook": func(d *draws, c *testee.Case) {
		c.In = dict("kwargs", tide(d), "now", moment(d))
	},
	"session_run_hooks.CustomGlobalStepWaiterHook":         genWaiter,
	"save_utils.SecondOrStepTimerWithTideSetting.sequence": genTimer,
	"save_utils.NoFirstSaveCheckpointSaverHook.sequence":   genSaverHook,
	"save_utils.PartialRecoverySaver.sequence":             genSaver,
	"save_utils.PartialRecoverySaver.restore":              genPartialRestore,
	"save_utils.PartialRecoverySaver.values":               genPartialValues,
	"save_utils.get_monolith_checkpoint_state":             genMonolithState,
	"save_utils.SaveHelper": func(d *draws, c *testee.Case) {
		prefix := func() any {
			return pick(d, "/m/model.ckpt-5", "/m/model.ckpt", "/m-x/model.ckpt", "m-1", "-", "a-07", "a- 3", "a-x", "a--2", "模-9", word(d))
		}
		c.In = dict("basename", pick(d, "/m/model.ckpt", "m", "/m-x/model.ckpt", ""), "step", d.n(100), "prefixes", list(d, 4, prefix))
	},
	"save_utils.SaveHelper.get_existing_checkpoint_steps": func(d *draws, c *testee.Case) {
		c.In, c.Files = dict("basename", "<TMP>/m/model.ckpt"), dict("m/checkpoint", checkpointText(d))
	},
	"save_utils.get_latest_checkpoint_state": func(d *draws, c *testee.Case) {
		c.In = dict("checkpoint_dir", "<TMP>/m", "steps", list(d, 8, func() any {
			if d.flip(3) {
				return []any{"write", checkpointText(d)}
			}
			return []any{"get", d.n(4)}
		}))
	},
	"export_state_utils.sequence": func(d *draws, c *testee.Case) {
		entry := func() any { return dict("export_dir", pick(d, "/e/1", "", "模", "/e/2"), "global_step", d.n(9)) }
		c.In = dict("export_dir_base", "<TMP>/e", "steps", steps(d, 5, func() any {
			if d.flip(2) {
				return step("put", "entries", list(d, 3, entry))
			}
			return step("get")
		}))
		if d.flip(3) {
			c.Files = dict("e/ExportSaverListenerState", pick(d, "entries { export_dir: \"x\" global_step: 4 }\n", "", "entries {", "x: 1", "entries: <global_step: 1>"))
		}
	},
}

// checkpointText is a file "checkpoint", seldom a damaged one.
func checkpointText(d *draws) string {
	if d.flip(6) {
		return pick(d, "", "garbage", "model_checkpoint_path: \"m", "all_model_checkpoint_paths: \"a-1\"\n", "x: 1\n")
	}
	var b strings.Builder
	name := func() string {
		return pick(d, "model.ckpt-1", "model.ckpt-30", "/abs/model.ckpt-2", "a-b/model.ckpt-3")
	}
	fmt.Fprintf(&b, "model_checkpoint_path: %q\n", name())
	for range d.length(4) {
		fmt.Fprintf(&b, "all_model_checkpoint_paths: %q\n", name())
	}
	return b.String()
}

// tide is a window, or none, or half of one.
func tide(d *draws) *pysem.Dict {
	window := dict()
	if d.flip(4) {
		return window
	}
	window.Set("tide_start_hour", d.n(24))
	window.Set("tide_start_minute", d.n(60))
	if !d.flip(8) {
		window.Set("tide_end_hour", d.n(24))
		window.Set("tide_end_minute", d.n(60))
	}
	return window
}

func genWaiter(d *draws, c *testee.Case) {
	kwargs := tide(d)
	kwargs.Set("wait_until_step", pick(d, 10, 0, 3, 1000000, -1))
	if d.flip(2) {
		kwargs.Set("max_non_tide_wait_minute", pick(d, 1, 0))
	}
	value := func() *pysem.Dict { return dict("value", pick(d, 2, 1, 10, 0, 2000000)) }
	c.In = dict("kwargs", kwargs, "random_extra_seconds", pick(d, 0, 30, 600), "steps", steps(d, 4, func() any {
		switch name := pick(d, "before_run", "set", "pass"); name {
		case "before_run":
			during := list(d, 2, func() any { return []any{d.n(20) + 1, "set", value()} })
			return step(name, "during", append(during, []any{40, "set", dict("value", 2)}))
		case "set":
			return []any{name, value()}
		default:
			return step(name, "seconds", d.n(4000))
		}
	}))
}

func genTimer(d *draws, c *testee.Case) {
	kwargs := tide(d)
	switch d.n(8) {
	case 0, 1, 2, 3:
		kwargs.Set("every_secs", pick(d, 60, 600, 0))
	case 7:
		if d.flip(2) {
			kwargs.Set("every_secs", 1)
			kwargs.Set("every_steps", 1)
		}
	default:
		kwargs.Set("every_steps", pick(d, 10, 1, 2))
	}
	if d.flip(2) {
		kwargs.Set("tide_every_secs", pick(d, 60, 5, 0))
	}
	c.In = dict("kwargs", kwargs, "now", 1700000000+d.n(86400), "steps", steps(d, 14, func() any {
		switch name := pick(d, "should", "update", "pass", "last", "reset", "disable", "enable"); name {
		case "should", "update":
			return step(name, "step", d.n(30))
		case "pass":
			return step(name, "seconds", pick(d, 60, 1, 59, 5, 3600))
		default:
			return step(name)
		}
	}))
}

func genSaverHook(d *draws, c *testee.Case) {
	kwargs := dict()
	if d.flip(2) {
		kwargs.Set("save_steps", pick(d, 1, 2, 5))
	} else {
		kwargs.Set("save_secs", pick(d, 10, 1, 10000))
	}
	for _, flag := range []string{"is_dense_only", "ignore_save_errors", "use_native_multi_hash_table"} {
		if d.flip(4) {
			kwargs.Set(flag, true)
		}
	}
	for _, flag := range []string{"save_graph_def", "no_first_save"} {
		if d.flip(5) {
			kwargs.Set(flag, false)
		}
	}
	methods := func() any {
		m := dict()
		for _, name := range []string{"before_save", "after_save", "end"} {
			if d.flip(5) {
				m.Set(name, pick(d, "op_error", "stop", "error"))
			}
		}
		return m
	}
	at := 0
	c.In = dict("kwargs", kwargs, "steps", append([]any{step("create_session")}, steps(d, 9, func() any {
		switch name := pick(d, "run", "pass", "trigger_save", "end", "last", "disable", "enable", "create_session"); name {
		case "run":
			at += d.n(3) + 1
			return step(name, "step", at)
		case "pass":
			return step(name, "seconds", pick(d, 10, 1, 5))
		case "trigger_save":
			if d.flip(3) {
				return step(name, "ignore_save_errors", true)
			}
			return step(name)
		default:
			return step(name)
		}
	})...))
	if d.flip(2) {
		c.In.Set("outcomes", list(d, 5, func() any { return pick(d, "ok", "op_error", "error", "op_error") }))
	}
	c.In.Set("listeners", list(d, 2, methods))
	c.In.Set("guards", list(d, 2, methods))
	if d.flip(4) {
		c.In.Set("flags", dict(pick(d, "_has_dense_only", "_in_model_dump_mode"), true))
	}
}

func genSaver(d *draws, c *testee.Case) {
	kwargs := dict("max_to_keep", pick[any](d, 3, 1, 2, 0, nil), "keep_checkpoint_every_n_hours", pick(d, 24, 1))
	if !d.flip(4) {
		kwargs.Set("model_dir", "m")
	}
	if d.flip(4) {
		kwargs.Set("exempt_checkpoint_paths", list(d, 2, func() any { return fmt.Sprintf("model.ckpt-%d", d.n(6)) }))
	}
	if d.flip(10) {
		kwargs.Set("skip_save", true)
	}
	at := 0
	name := func() any { return fmt.Sprintf("m/model.ckpt-%d", d.n(8)) }
	c.In = dict("kwargs", kwargs, "now", 1700000000, "steps", steps(d, 12, func() any {
		switch kind := pick(d, "save", "save", "save", "pass", "write", "set_last"); kind {
		case "save":
			if at += 1; d.flip(6) {
				return step(kind, "step", d.n(8))
			}
			return step(kind, "step", at)
		case "pass":
			return step(kind, "seconds", pick(d, 60, 3700))
		case "write":
			return step(kind, "name", "m/monolith_checkpoint", "text", exemptText(d))
		default:
			return step(kind, "paths", list(d, 3, name))
		}
	}))
}

// genPartialRestore forgets only PS that were marked: the reference waits for the mark otherwise.
// genPartialValues draws savers with and without steps, relative paths and names; directories that
// are not there and moved ones among them.
func genPartialValues(d *draws, c *testee.Case) {
	names := func() any {
		return pick(d, dict("v0", "v0", "v1", "v1"), dict("v0", "v0"), dict("v0", "v1", "v1", "v0"), dict("v1", "p/v1"))
	}
	kwargs := dict()
	for _, flag := range []string{"pad_step_number", "save_relative_paths"} {
		if d.flip(3) {
			kwargs.Set(flag, true)
		}
	}
	if d.flip(3) {
		kwargs.Set("max_to_keep", 1+d.n(2))
	}
	path := func() any { return pick(d, "m/x", "m/x", "<TMP>/m/x", "n/y", "m/checkpoint", "a/b/z") }
	list := []any{step("mkdir", "dir", "m")}
	list = append(list, steps(d, 10, func() any {
		switch kind := pick(d, "set", "save", "save", "restore", "restore", "latest", "write"); kind {
		case "set":
			return step(kind, "name", pick(d, "v0", "v1"), "value", d.n(100))
		case "save":
			if d.flip(2) {
				return step(kind, "path", path(), "step", d.n(4))
			}
			return step(kind, "path", path())
		case "restore":
			if d.flip(3) {
				return step(kind, "path", path(), "names", names())
			}
			return step(kind, "path", fmt.Sprint(path(), pick(d, "", "-1", "-00000001", "-2")))
		case "write":
			return step(kind, "name", "m/checkpoint", "text", checkpointText(d))
		default:
			return step(kind, "dir", pick(d, "m", "<TMP>/m", "n", "none"))
		}
	})...)
	if d.flip(3) {
		list = append(list, step("move", "from", "m", "to", "o"), step("latest", "dir", "o"))
	}
	c.In = dict("kwargs", kwargs, "names", names(), "steps", list)
}

func genPartialRestore(d *draws, c *testee.Case) {
	numPS, monitor := d.n(3), d.flip(2)
	c.In = dict("num_ps", numPS, "monitor", monitor)
	if d.flip(3) {
		clear := dict()
		if d.flip(3) {
			clear.Set("model_dir", pick(d, "other", "missing", "m"))
		}
		if d.flip(2) {
			clear.Set("continue_training", true)
		}
		c.In.Set("clear_nn", clear)
	}
	names, marked, saved := []any{"global_step"}, map[int]bool{}, 0
	for i := range max(1, numPS) {
		names = append(names, fmt.Sprintf("v%d", i))
	}
	c.In.Set("steps", steps(d, 12, func() any {
		kinds := []string{"set", "set", "save", "restore", "restore", "write", "setup"}
		if monitor {
			kinds = append(kinds, "uninitialized", "setup")
		}
		forgettable := slices.Sorted(maps.Keys(marked))
		if len(forgettable) > 0 {
			kinds = append(kinds, "forget")
		}
		switch kind := pick(d, kinds...); kind {
		case "set":
			return step(kind, "name", pick(d, names...), "value", d.n(100))
		case "save":
			saved++
			return step(kind, "step", saved)
		case "restore":
			return step(kind, "path", fmt.Sprintf("m/model.ckpt-%d", max(1, saved-d.n(2))))
		case "write":
			return step(kind, "name", pick(d, "m/clear_nn", "m/checkpoint", "other/x"), "text", pick(d, "", "garbage"))
		case "setup":
			for i := range numPS {
				if monitor {
					marked[i] = true
				}
			}
			return step(kind)
		case "uninitialized":
			return step(kind, "device", pick(d, fmt.Sprintf("/job:ps/task:%d/device:CPU:0", d.n(3)), "", "/job:ps/task:0"))
		default:
			ps := pick(d, forgettable...)
			delete(marked, ps)
			return step(kind, "ps", ps)
		}
	}))
}

// exemptText is a file "monolith_checkpoint", seldom a damaged one.
func exemptText(d *draws) string {
	if d.flip(6) {
		return pick(d, "", "garbage", "exempt_model_checkpoint_paths: 1\n", "last_checkpoint_save_timestamp: 5\n")
	}
	var b strings.Builder
	for range d.length(3) {
		fmt.Fprintf(&b, "exempt_model_checkpoint_paths: %q\n", pick(d, "model.ckpt-1", "model.ckpt-2", "m/model.ckpt-3", "/abs/model.ckpt-4", "model.ckpt-9"))
	}
	return b.String()
}

func genMonolithState(d *draws, c *testee.Case) {
	c.Files = dict("m/monolith_checkpoint", exemptText(d)+pick(d, "", "builtin_hash_table_type: CUCKOO_HASH_MAP\n", "builtin_hash_table_type: 9\n", "last_checkpoint_save_timestamp: 12\n"))
	for i := range 4 {
		if d.flip(2) {
			c.Files.Set(fmt.Sprintf("m/model.ckpt-%d.index", i+1), "")
		}
	}
	c.In = dict("checkpoint_dir", pick(d, "<TMP>/m", "<TMP>/none", "m"))
	if !d.flip(3) {
		c.In.Set("remove_invalid_path", true)
	}
	if d.flip(6) {
		c.In.Set("filename", pick[any](d, nil, "other", "monolith_checkpoint", ""))
	}
}
