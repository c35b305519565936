package catalogue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/diff/testee"
)

// savingOps declares the operations that save checkpoints, and those that decide when to save.
var savingOps = operations{
	"session_run_hooks.before":             in("args", []any{from(0, 2), oneOf(from(0, 59), 0, 59, nil), from(0, 2), oneOf(from(0, 59), 0, 59, nil)}),
	"session_run_hooks.tide_available_now": in("window (start hour, minute, end hour, minute)", []any{from(0, 23), from(0, 59), from(0, 23), from(0, 59)}, "times", some(6, moment)),
	"session_run_hooks.TideStoppingHook":   in("kwargs", tide(), "now (\"hh:mm:ss\")", moment),
	"session_run_hooks.CustomGlobalStepWaiterHook": in(
		"kwargs", tide("wait_until_step", oneOf(10, 0, 3, 1000000, -1), "max_non_tide_wait_minute?", oneOf(1, 0)),
		"steps", shortSteps(4,
			do("before_run", "during?1", func(d *draws) any {
				return append(d.fill(some(2, other(20, "set", "value", globalStep))).([]any), []any{40, "set", object{"value", 2}})
			}),
			do("set", "value", globalStep), do("pass", "seconds", from(0, 3999))),
		"random_extra_seconds (what randint answers)", oneOf(0, 30, 600), "now?1", absent{}),
	"save_utils.SecondOrStepTimerWithTideSetting.sequence": func(d *draws, _ *testee.Case) object {
		every := pick(d, object{"every_secs", oneOf(60, 600, 0)}, object{"every_secs", 60}, object{"every_steps", oneOf(10, 1, 2)}, object{"every_steps", 1},
			object{"every_secs", 600}, object{"every_steps", 10}, object{}, object{"every_secs", 1, "every_steps", 1})
		return object{"kwargs", tide(append(every, "tide_every_secs?", oneOf(60, 5, 0))...), "steps", shortSteps(14,
			do("should update", "step", from(0, 29)), do("pass", "seconds", oneOf(60, 1, 59, 5, 3600)), do("last reset disable enable")),
			"now", from(1700000000, 1700086399)}
	},
	"save_utils.NoFirstSaveCheckpointSaverHook.sequence": saverHook,
	"save_utils.PartialRecoverySaver.sequence":           partialRecovery,
	"save_utils.PartialRecoverySaver.restore":            partialRestore,
	"save_utils.PartialRecoverySaver.values":             partialValues,
	"save_utils.get_monolith_checkpoint_state": func(d *draws, c *testee.Case) object {
		c.Files = dict("m/monolith_checkpoint", exemptText(d)+pick(d, "", "builtin_hash_table_type: CUCKOO_HASH_MAP\n", "builtin_hash_table_type: 9\n", "last_checkpoint_save_timestamp: 12\n"))
		for i := range 4 {
			d.vary(c.Files, fmt.Sprintf("m/model.ckpt-%d.index?", i+1), "")
		}
		return object{"checkpoint_dir", oneOf("<TMP>/m", "<TMP>/none", "m"), "filename?6", oneOf(nil, "other", "monolith_checkpoint", ""), "remove_invalid_path!3", true}
	},
	"save_utils.SaveHelper": in("basename", oneOf("/m/model.ckpt", "m", "/m-x/model.ckpt", ""), "step", from(0, 99), "prefixes",
		some(4, oneOf("/m/model.ckpt-5", "/m/model.ckpt", "/m-x/model.ckpt", "m-1", "-", "a-07", "a- 3", "a-x", "a--2", "模-9", word))),
	"save_utils.SaveHelper.get_existing_checkpoint_steps": func(d *draws, c *testee.Case) object {
		c.Files = dict("m/checkpoint", checkpointText(d))
		return object{"basename", "<TMP>/m/model.ckpt"}
	},
	"save_utils.get_latest_checkpoint_state": in("checkpoint_dir", "<TMP>/m", "steps", some(8, seldom(3, []any{"write", checkpointText}, []any{"get", from(0, 3)}))),
	"export_state_utils.sequence": func(d *draws, c *testee.Case) object {
		if d.flip(3) {
			c.Files = dict("e/ExportSaverListenerState", pick(d, "entries { export_dir: \"x\" global_step: 4 }\n", "", "entries {", "x: 1", "entries: <global_step: 1>"))
		}
		entry := object{"export_dir", oneOf("/e/1", "", "模", "/e/2"), "global_step", from(0, 8)}
		return object{"export_dir_base", "<TMP>/e", "steps", shortSteps(5, do("get"), do("put", "entries", some(3, entry)))}
	},
}

var globalStep = oneOf(2, 1, 10, 0, 2000000)

// checkpointText draws the content of a file "checkpoint". Seldom it is damaged.
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

// tide draws the arguments of a tide window, with both ends, only the start, or neither. more holds
// further arguments.
func tide(more ...any) func(d *draws) object {
	return func(d *draws) object {
		begins, ends := !d.flip(4), !d.flip(8)
		return append(object{"tide_start_hour?1", given(begins, from(0, 23)), "tide_start_minute?1", given(begins, from(0, 59)),
			"tide_end_hour?1", given(begins && ends, from(0, 23)), "tide_end_minute?1", given(begins && ends, from(0, 59))}, more...)
	}
}

func saverHook(d *draws, _ *testee.Case) object {
	kwargs := object{"is_dense_only?4", true, "ignore_save_errors?4", true, "use_native_multi_hash_table?4", true, "save_graph_def?5", false, "no_first_save?5", false}
	if d.flip(2) {
		kwargs = append(kwargs, "save_steps", oneOf(1, 2, 5))
	} else {
		kwargs = append(kwargs, "save_secs", oneOf(10, 1, 10000))
	}
	outcome := oneOf("op_error", "stop", "error")
	methods := object{"before_save?5", outcome, "after_save?5", outcome, "end?5", outcome}
	at := 0
	later := func(d *draws) any { at += d.n(3) + 1; return at }
	return object{"kwargs", kwargs, "steps", turns{do("create_session"), shortSteps(9,
		do("run", "step", later), do("pass", "seconds", oneOf(10, 1, 5)), do("trigger_save", "ignore_save_errors?3", true),
		do("end last disable enable create_session"), do("set", "value", 1).often(0))},
		"outcomes?", some(5, oneOf("ok", "op_error", "error", "op_error")), "listeners?1", some(2, methods), "guards?1", some(2, methods),
		"flags?4", object{pick(d, "_has_dense_only", "_in_model_dump_mode"), true}, "now?1", absent{}}
}

func partialRecovery(*draws, *testee.Case) object {
	at := 0
	next := func(*draws) any { at++; return at }
	return object{
		"kwargs", object{"max_to_keep", oneOf(3, 1, 2, 0, nil), "keep_checkpoint_every_n_hours", oneOf(24, 1), "model_dir!4", "m",
			"exempt_checkpoint_paths?4", some(2, join("model.ckpt-", from(0, 5))), "skip_save?10", true},
		"steps", shortSteps(12, do("save", "step", seldom(6, from(0, 7), draw(next))).often(3), do("pass", "seconds", oneOf(60, 3700)),
			do("write", "name", "m/monolith_checkpoint", "text", exemptText), do("set_last", "paths", some(3, join("m/model.ckpt-", from(0, 7)))),
			do("remove", "name", "").often(0), do("recover", "paths", nil).often(0)),
		"now", 1700000000,
	}
}

// partialValues draws steps with savers: with and without global steps, relative paths and names.
// Some of the directories are missing or moved.
func partialValues(*draws, *testee.Case) object {
	names := oneOf(object{"v0", "v0", "v1", "v1"}, object{"v0", "v0"}, object{"v0", "v1", "v1", "v0"}, object{"v1", "p/v1"})
	path := oneOf("m/x", "m/x", "<TMP>/m/x", "n/y", "m/checkpoint", "a/b/z")
	return object{"kwargs", object{"pad_step_number?3", true, "save_relative_paths?3", true, "max_to_keep?3", from(1, 2)}, "names", names, "steps", turns{
		do("mkdir", "dir", "m"), shortSteps(10,
			do("set", "name", oneOf("v0", "v1"), "value", from(0, 99)), do("save", "path", path, "step?", from(0, 3)).often(2),
			do("restore", "path", path, "names?1", names), do("restore", "path", join(path, oneOf("", "-1", "-00000001", "-2"))),
			do("latest", "dir", oneOf("m", "<TMP>/m", "n", "none")), do("write", "name", "m/checkpoint", "text", checkpointText)),
		maybe{3, turns{do("move", "from", "m", "to", "o"), do("latest", "dir", "o")}}}}
}

// partialRestore draws steps that save, restore and restart PS. Only PS that were marked are
// restarted, because otherwise the reference would wait for the mark.
func partialRestore(d *draws, _ *testee.Case) object {
	numPS, monitor := d.n(3), d.flip(2)
	names, marked, saved := []any{"global_step"}, map[int]bool{}, 0
	for i := range max(1, numPS) {
		names = append(names, fmt.Sprintf("v%d", i))
	}
	of := []step{
		do("set", "name", oneOf(names...), "value", from(0, 99)).often(2),
		do("save", "step", func(*draws) any { saved++; return saved }),
		do("restore", "path", func(d *draws) any { return fmt.Sprintf("m/model.ckpt-%d", max(1, saved-d.n(2))) }).often(2),
		do("write", "name", oneOf("m/clear_nn", "m/checkpoint", "other/x"), "text", oneOf("", "garbage")),
		do("setup"), do("uninitialized", "device", oneOf(join("/job:ps/task:", from(0, 2), "/device:CPU:0"), "", "/job:ps/task:0")),
		do("forget", "ps", func(d *draws) any {
			ps := pick(d, slices.Sorted(maps.Keys(marked))...)
			delete(marked, ps)
			return ps
		}), do("remove", "name", "").often(0),
	}
	one := func(d *draws) any {
		kinds := slices.Clone(of[:5])
		if monitor {
			kinds = append(kinds, of[5], of[4])
		}
		if len(marked) > 0 {
			kinds = append(kinds, of[6])
		}
		kind := sequence{steps: kinds}.which(d)
		for i := range numPS {
			if monitor && kind.names[0] == "setup" {
				marked[i] = true
			}
		}
		return kind
	}
	return object{"num_ps", numPS, "monitor?1", monitor,
		"clear_nn?3", object{"model_dir?3", oneOf("other", "missing", "m"), "continue_training?", true}, "steps", drawn(12, one, of...)}
}

// exemptText draws the content of a file "monolith_checkpoint". Seldom it is damaged.
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
