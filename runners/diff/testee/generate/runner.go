package generate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genRunner invents for what configures a training and restores it.
var genRunner = map[string]generator{
	"gflags_utils.extract_help_info": func(d *draws, c *testee.Case) { c.In = dict("doc", documentation(d)) },
	"gflags_utils.extract_flags": func(d *draws, c *testee.Case) {
		c.In = dict("fields", classFields(d), "doc", documentation(d), "skip_flags", list(d, 2, fieldName(d)), "defined", withoutTwins(list(d, 2, fieldName(d))))
	},
	"gflags_utils.update": func(d *draws, c *testee.Case) {
		c.In = dict("fields", classFields(d), "flags", flagsOf(d), "code", dict(), "argv", []any{})
		giveFlags(d, c.In)
	},
	"gflags_utils.LinkDataclassToFlags": genLink,
	"runner_utils.isabs": func(d *draws, c *testee.Case) {
		c.In = dict("path", pick(d, "/a", "a", "hdfs:/a", "hdfs://a", "s3://a", "", "hdfs:", "HDFS:/a", text(d, 5)))
	},
	"runner_utils.get_checkpoint_state": genOverriddenState,
	"runner_utils.RunnerConfig": func(d *draws, c *testee.Case) {
		c.In = dict("kwargs", runnerKwargs(d), "argv", runnerArgv(d))
		c.Env.Set("OMPI_COMM_WORLD_RANK", pick(d, "0", "3", "", "x"))
	},
	"runner_utils.RunnerConfig.restore": genRestore,
	"runner_utils.get_discovery": func(d *draws, c *testee.Case) {
		c.In = dict("kwargs", discoveryKwargs(d), "psm", pick[any](d, "psm.x", nil, ""))
	},
	"runner_utils.monolith_discovery": func(d *draws, c *testee.Case) {
		c.In = dict("kwargs", discoveryKwargs(d), "body", pick(d, "pass", "raise"))
	},
	"cpu_training.make_config_backward_compatible": func(d *draws, c *testee.Case) {
		c.In = dict("model_dir", pick(d, "<TMP>/m", "<TMP>/none"), "use_native_multi_hash_table", pick[any](d, nil, nil, true, false))
		c.Files = dict("m/monolith_checkpoint", pick(d, "", "builtin_hash_table_type: CUCKOO_HASH_MAP", "builtin_hash_table_type: MULTI_CUCKOO_HASH_MAP",
			"builtin_hash_table_type: UNKNOWN", "garbage", "builtin_hash_table_type: 7"))
	},
}

func fieldName(d *draws) func() any {
	return func() any { return pick(d, "a", "b", "s", "f", "e", "l", "z") }
}

// withoutTwins drops what is there already.
func withoutTwins(items []any) []any {
	kept := []any{}
	for _, item := range items {
		if !slices.Contains(kept, item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// documentation tells of fields, and of other things.
func documentation(d *draws) string {
	var lines []string
	for range d.length(6) {
		lines = append(lines, pick(d, ":param a: the a", "  :param b:   the  b", "goes on", "", "    more of it", ":param s : s", ":param e:", ":param  f: f", ":param l: l",
			":param x.y-z: odd", ":params a: no", ":param a the", "param a: b", ":param a: again", "\t:param s:\ttab", "模 :param b: x", text(d, 5)))
	}
	return strings.Join(lines, "\n")
}

// classFields are fields of a class, each name once.
func classFields(d *draws) []any {
	made := []any{}
	for _, f := range []func() any{
		func() any { return []any{"a", "int", pick[any](d, 1, 0, nil, "5", true)} },
		func() any { return []any{"b", "bool", pick[any](d, false, true, nil, 1)} },
		func() any { return []any{"s", "str", pick[any](d, nil, "", "x", 3)} },
		func() any {
			return []any{"f", "float", pick[any](d, dict("$f64", "0.5"), dict("$f64", "1.0"), nil, 1)}
		},
		func() any { return []any{"e", "enum", pick[any](d, "RED", "DARK_BLUE", nil)} },
		func() any { return []any{"l", "list", pick[any](d, nil, []any{}, []any{1})} },
	} {
		if !d.flip(3) {
			made = append(made, f())
		}
	}
	return made
}

// flagsOf are flags, each name once.
func flagsOf(d *draws) []any {
	made := []any{}
	for _, f := range []func() any{
		func() any { return []any{"a", "int", pick[any](d, 1, 0, 7, nil)} },
		func() any { return []any{"b", "bool", pick[any](d, false, true, nil)} },
		func() any { return []any{"s", "str", pick[any](d, nil, "", "q")} },
		func() any {
			return []any{"f", "float", pick[any](d, dict("$f64", "0.5"), dict("$f64", "2.0"), nil)}
		},
		func() any { return []any{"e", "enum", pick[any](d, "red", "dark_blue", nil)} },
		func() any { return []any{"z", "int", 7} },
	} {
		if !d.flip(4) {
			made = append(made, f())
		}
	}
	return made
}

// giveFlags gives some of a case's flags on its command line, some fields in its code.
func giveFlags(d *draws, in *pysem.Dict) {
	values := map[string][]string{
		"a": {"--a=2", "--a=0", "--a=0x10", "--a=1"}, "b": {"--b", "--nob", "--b=true"}, "s": {"--s=x", "--s=", "--s=模"},
		"f": {"--f=0.75", "--f=1", "--f=nan"}, "e": {"--e=dark_blue", "--e=red"}, "z": {"--z=3", "--z=7"},
	}
	argv, code := []any{}, dict()
	given, _ := in.Get("flags")
	for _, v := range given.([]any) {
		if name := v.([]any)[0].(string); d.flip(2) {
			argv = append(argv, pick(d, values[name]...))
		}
	}
	given, _ = in.Get("fields")
	for _, v := range given.([]any) {
		if !d.flip(4) {
			continue
		}
		switch name := v.([]any)[0].(string); name {
		case "a":
			code.Set(name, pick(d, 1, 5))
		case "b":
			code.Set(name, d.flip(2))
		case "s":
			code.Set(name, pick(d, "c", ""))
		case "e":
			code.Set(name, pick(d, "DARK_BLUE", "RED"))
		}
	}
	in.Set("code", code)
	in.Set("argv", argv)
}

func genLink(d *draws, c *testee.Case) {
	linked := dict()
	for range d.length(3) {
		linked.Set(fieldName(d)().(string), pick(d, "z", "a", "s", "b", "none"))
	}
	c.In = dict("fields", classFields(d), "linked_list", pick[any](d, nil, list(d, 2, fieldName(d))), "linked_map", pick[any](d, linked, nil),
		"flags", flagsOf(d), "code", dict(), "argv", []any{}, "update_by_flags", !d.flip(4))
	giveFlags(d, c.In)
}

func genOverriddenState(d *draws, c *testee.Case) {
	c.In = dict("dir", pick(d, "<TMP>/m", "m", "<TMP>/none"), "argv", restoreArgv(d), "times", d.n(3)+1)
	if !d.flip(8) {
		c.Files = dict("m/checkpoint", checkpointText(d))
		if d.flip(3) {
			c.Files.Set("m/restore_ckpt", pick(d, "x", ""))
		}
	}
	if d.flip(4) {
		c.In.Set("latest_filename", pick[any](d, nil, "other", "checkpoint", ""))
	}
	if d.flip(3) {
		c.In.Set("reads", list(d, 8, func() any { return pick(d, "none", "none", "none", "none", "ok") }))
	}
}

// restoreArgv names a checkpoint to restore, mostly.
func restoreArgv(d *draws) []any {
	argv := []any{}
	if !d.flip(4) {
		argv = append(argv, "--restore_ckpt="+pick(d, "model.ckpt-30", "model.ckpt-1", "/x/model.ckpt-30", "model.ckpt-99", "", "a-b/", "模"))
	}
	if d.flip(3) {
		argv = append(argv, "--mode="+pick(d, "eval", "train", "infer", ""))
	}
	return argv
}

// runnerKwargs are arguments of a RunnerConfig.
func runnerKwargs(d *draws) *pysem.Dict {
	kwargs := dict()
	for range d.length(6) {
		switch name := pick(d, "num_ps", "index", "is_local", "discovery_type", "server_type", "kafka_topics", "kafka_group_id", "kafka_servers", "zk_watch_address_family",
			"restore_ckpt", "enable_gpu_training", "enable_partial_sync_training", "partial_recovery", "deep_insight_sample_ratio", "reload_alias_map", "use_dataservice", "mode",
			"model_dir", "save_checkpoints_secs", "tf_grpc_worker_cache_threads"); name {
		case "num_ps", "save_checkpoints_secs", "tf_grpc_worker_cache_threads":
			kwargs.Set(name, pick(d, 3, 0, 16))
		case "index":
			kwargs.Set(name, pick(d, 1, 0, -1))
		case "is_local", "enable_gpu_training", "enable_partial_sync_training", "partial_recovery", "use_dataservice":
			kwargs.Set(name, !d.flip(4))
		case "discovery_type":
			kwargs.Set(name, pick(d, "ZK", "CONSUL", "PRIMUS", "MLP"))
		case "server_type":
			kwargs.Set(name, pick(d, "ps", "worker"))
		case "kafka_topics":
			kwargs.Set(name, pick[any](d, "a,b", "", "a", nil, ","))
		case "zk_watch_address_family":
			kwargs.Set(name, pick(d, "ipv6", "ipv4", "ipv5"))
		case "deep_insight_sample_ratio":
			kwargs.Set(name, dict("$f64", "0.25"))
		case "reload_alias_map":
			kwargs.Set(name, dict("a", 1))
		default:
			kwargs.Set(name, pick[any](d, "x", "", "train", nil))
		}
	}
	if v, ok := kwargs.Get("mode"); ok && v == nil {
		kwargs.Set("mode", "infer")
	}
	if v, ok := kwargs.Get("model_dir"); ok && v == nil {
		kwargs.Set("model_dir", "/m")
	}
	return kwargs
}

// runnerArgv is a command line of a training program.
func runnerArgv(d *draws) []any {
	return list(d, 6, func() any {
		return pick(d, "--num_ps=7", "--num_workers=9", "--discovery_type=mlp", "--discovery_type=zk", "--index=4", "--mode=eval", "--is_local", "--nois_local",
			"--embedding_prefetch_capacity=5", "--kafka_topics=t,u", "--kafka_group_id=g", "--restore_ckpt=model.ckpt-5", "--partial_recovery", "--nofilter_equal_probability",
			"--monolith_grpc_worker_service_handler_multiplier=2", "--deep_insight_sample_ratio=0.5", "--dataset_use_dataservice", "--zk_watch_address_family=ipv6",
			"--enable_gpu_training", "--enable_partial_sync_training", "--server_type=ps", "--num_ps=0", "--sort_id=false", "--model_dir=/x", "--start_hour=3", "--bzid=b")
	})
}

func genRestore(d *draws, c *testee.Case) {
	kwargs := dict("model_dir", pick(d, "<TMP>/m", "m"), "restore_dir", pick[any](d, "<TMP>/r", "<TMP>/r", "r", nil, "", "<TMP>/none"))
	if d.flip(2) {
		kwargs.Set("restore_ckpt", pick(d, "model.ckpt-30", "model.ckpt-1", "model.ckpt-99", "/x/model.ckpt-30", ""))
	}
	if d.flip(3) {
		kwargs.Set("index", d.n(3))
	}
	if d.flip(5) {
		kwargs.Set("server_type", "ps")
	}
	if d.flip(6) {
		kwargs.Set("is_local", true)
	}
	c.In = dict("kwargs", kwargs, "argv", restoreArgv(d), "appear", list(d, 2, func() any {
		return []any{d.n(5) + 1, dict("m/"+pick(d, "monolith_checkpoint", "checkpoint", "monolith_checkpoint"), pick(d, "", exemptText(d)))}
	}))
	c.Files = dict("r/checkpoint", checkpointText(d))
	if d.flip(4) {
		c.Files = dict()
	}
	if d.flip(3) {
		c.Files.Set("m/monolith_checkpoint", exemptText(d))
	}
	if d.flip(4) {
		c.Files.Set("m/checkpoint", checkpointText(d))
	}
	if d.flip(3) {
		c.Files.Set("r/monolith_checkpoint", exemptText(d)+pick(d, "", "builtin_hash_table_type: CUCKOO_HASH_MAP\n", "last_checkpoint_save_timestamp: 12\n"))
		c.Files.Set(fmt.Sprintf("r/model.ckpt-%d.index", d.n(4)), "")
	}
}

// discoveryKwargs are arguments of a RunnerConfig that choose a discovery.
func discoveryKwargs(d *draws) *pysem.Dict {
	kwargs := dict("discovery_type", pick(d, "CONSUL", "ZK", "PRIMUS", "PRIMUS", "MLP"))
	if d.flip(6) {
		kwargs.Set("is_local", true)
	}
	if d.flip(2) {
		kwargs.Set("deep_insight_name", pick[any](d, "job", nil, ""))
		kwargs.Set("zk_server", pick[any](d, "z:1", nil))
	}
	if d.flip(3) {
		kwargs.Set("uuid", pick(d, "u", "u.v"))
	}
	if !d.flip(6) {
		ps, worker, chief := `["p0:1", "p1:1"]`, `["w0:1", "w1:1"]`, `["c0:1"]`
		cluster := `"ps": ` + ps + `, "worker": ` + worker
		if !d.flip(3) {
			cluster += `, "chief": ` + chief
		}
		task := fmt.Sprintf(`{"type": "%s", "index": %d}`, pick(d, "worker", "ps", "chief", "evaluator"), d.n(3))
		kwargs.Set("tf_config", pick(d, `{"cluster": {`+cluster+`}, "task": `+task+`}`, `{"cluster": {`+cluster+`}, "task": `+task+`}`, "{}", `{"cluster": {}}`, "x", "[]",
			`{"cluster": {"ps": []}, "task": {"type": "worker"}}`))
	}
	return kwargs
}
