package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// runnerOps declares the operations that configure a training, or restore it.
var runnerOps = operations{
	"gflags_utils.extract_help_info": in("doc", documentation),
	"gflags_utils.extract_flags": in("fields", classFields, "doc", documentation, "skip_flags", some(2, fieldName),
		"defined (string flags of default `first` that exist already)", func(d *draws) any { return withoutTwins(d.fill(some(2, fieldName)).([]any)) }),
	"gflags_utils.update": func(d *draws, _ *testee.Case) object {
		fields, flags := classFields(d), flagsOf(d)
		return append(object{"fields", fields, "flags ([name, type, default]…; an enum flag has red, dark_blue)", flags}, giveFlags(d, fields, flags, " (constructor arguments)")...)
	},
	"gflags_utils.LinkDataclassToFlags": func(d *draws, _ *testee.Case) object {
		fields, flags := classFields(d), flagsOf(d)
		return append(append(object{"fields", fields, "linked_list", oneOf(nil, some(2, fieldName)),
			"linked_map (each may be null)", oneOf(entries(3, fieldName, oneOf("z", "a", "s", "b", "none")), nil), "flags", flags},
			giveFlags(d, fields, flags, "")...), "update_by_flags", mostly(4))
	},
	"runner_utils.isabs":                in("path", oneOf("/a", "a", "hdfs:/a", "hdfs://a", "s3://a", "", "hdfs:", "HDFS:/a", oddText(5))),
	"runner_utils.get_checkpoint_state": overriddenState,
	"runner_utils.RunnerConfig": func(d *draws, c *testee.Case) object {
		c.Env.Set("OMPI_COMM_WORLD_RANK", pick(d, "0", "3", "", "x"))
		return object{"kwargs (`discovery_type` by name)", runnerKwargs, "argv", runnerArgv}
	},
	"runner_utils.RunnerConfig.restore": restore,
	"runner_utils.get_discovery":        in("kwargs", discoveryKwargs, "psm", oneOf("psm.x", nil, "")),
	"runner_utils.monolith_discovery":   in("kwargs", discoveryKwargs, "body (`pass` or `raise`: RuntimeError(\"body failed\"))", oneOf("pass", "raise")),
	"cpu_training.make_config_backward_compatible": func(d *draws, c *testee.Case) object {
		c.Files = dict("m/monolith_checkpoint", pick(d, "", "builtin_hash_table_type: CUCKOO_HASH_MAP", "builtin_hash_table_type: MULTI_CUCKOO_HASH_MAP",
			"builtin_hash_table_type: UNKNOWN", "garbage", "builtin_hash_table_type: 7"))
		return object{"model_dir", oneOf("<TMP>/m", "<TMP>/none"), "use_native_multi_hash_table (bool or null)", oneOf(nil, nil, true, false)}
	},
}

func fieldName(d *draws) string { return pick(d, "a", "b", "s", "f", "e", "l", "z") }

// withoutTwins drops the items that repeat an earlier one.
func withoutTwins(items []any) []any {
	kept := []any{}
	for _, item := range items {
		if !slices.Contains(kept, item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// documentation draws a Python doc string, with lines about fields and other lines.
func documentation(d *draws) string {
	var lines []string
	for range d.length(6) {
		lines = append(lines, pick(d, ":param a: the a", "  :param b:   the  b", "goes on", "", "    more of it", ":param s : s", ":param e:", ":param  f: f", ":param l: l",
			":param x.y-z: odd", ":params a: no", ":param a the", "param a: b", ":param a: again", "\t:param s:\ttab", "模 :param b: x", text(d, 5)))
	}
	return strings.Join(lines, "\n")
}

// triples draws a selection of lists [name, type, default]. Each is left out one time in n.
func triples(d *draws, n int, all ...[]any) []any {
	made := []any{}
	for _, triple := range all {
		if !d.flip(n) {
			made = append(made, d.fill(triple))
		}
	}
	return made
}

// classFields draws the fields of a class. No name occurs twice.
func classFields(d *draws) []any {
	return triples(d, 3, []any{"a", "int", oneOf(1, 0, nil, "5", true)}, []any{"b", "bool", oneOf(false, true, nil, 1)}, []any{"s", "str", oneOf(nil, "", "x", 3)},
		[]any{"f", "float", oneOf(f64("0.5"), f64("1.0"), nil, 1)}, []any{"e", "enum", oneOf("RED", "DARK_BLUE", nil)}, []any{"l", "list", oneOf(nil, []any{}, []any{1})})
}

// flagsOf draws declarations of flags. No name occurs twice.
func flagsOf(d *draws) []any {
	return triples(d, 4, []any{"a", "int", oneOf(1, 0, 7, nil)}, []any{"b", "bool", oneOf(false, true, nil)}, []any{"s", "str", oneOf(nil, "", "q")},
		[]any{"f", "float", oneOf(f64("0.5"), f64("2.0"), nil)}, []any{"e", "enum", oneOf("red", "dark_blue", nil)}, []any{"z", "int", 7})
}

// giveFlags returns a template that sets some fields in the case's code, and some flags on the
// command line.
func giveFlags(d *draws, fields, flags []any, remark string) object {
	argv, code := []any{}, dict()
	values := map[string]draw{
		"a": oneOf("--a=2", "--a=0", "--a=0x10", "--a=1"), "b": oneOf("--b", "--nob", "--b=true"), "s": oneOf("--s=x", "--s=", "--s=模"),
		"f": oneOf("--f=0.75", "--f=1", "--f=nan"), "e": oneOf("--e=dark_blue", "--e=red"), "z": oneOf("--z=3", "--z=7"),
	}
	coded := map[string]draw{"a": oneOf(1, 5), "b": either, "s": oneOf("c", ""), "e": oneOf("DARK_BLUE", "RED")}
	for _, v := range flags {
		if d.flip(2) {
			argv = append(argv, values[v.([]any)[0].(string)])
		}
	}
	for _, v := range fields {
		if value := coded[v.([]any)[0].(string)]; value != nil && d.flip(4) {
			code.Set(v.([]any)[0].(string), d.fill(value))
		}
	}
	return object{"code" + remark, code, "argv", argv}
}

func overriddenState(d *draws, c *testee.Case) object {
	if !d.flip(8) {
		c.Files = dict("m/checkpoint", checkpointText(d))
		d.vary(c.Files, "m/restore_ckpt?3", oneOf("x", ""))
	}
	return object{"dir", oneOf("<TMP>/m", "m", "<TMP>/none"), "argv (`--restore_ckpt`, `--mode`)", restoreArgv, "latest_filename?4", oneOf(nil, "other", "checkpoint", ""),
		"reads?3", some(8, oneOf("none", "none", "none", "none", "ok")), "times", from(1, 3)}
}

// restoreArgv draws a command line. Mostly it names a checkpoint to restore.
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

// runnerKwargs draws arguments of a RunnerConfig.
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

// runnerArgv draws a command line of a training program.
var runnerArgv = some(6, oneOf("--num_ps=7", "--num_workers=9", "--discovery_type=mlp", "--discovery_type=zk", "--index=4", "--mode=eval", "--is_local", "--nois_local",
	"--embedding_prefetch_capacity=5", "--kafka_topics=t,u", "--kafka_group_id=g", "--restore_ckpt=model.ckpt-5", "--partial_recovery", "--nofilter_equal_probability",
	"--monolith_grpc_worker_service_handler_multiplier=2", "--deep_insight_sample_ratio=0.5", "--dataset_use_dataservice", "--zk_watch_address_family=ipv6",
	"--enable_gpu_training", "--enable_partial_sync_training", "--server_type=ps", "--num_ps=0", "--sort_id=false", "--model_dir=/x", "--start_hour=3", "--bzid=b"))

func restore(d *draws, c *testee.Case) object {
	c.Files = d.object(object{"r/checkpoint!4", checkpointText, "m/monolith_checkpoint?3", exemptText, "m/checkpoint?4", checkpointText})
	if d.flip(3) {
		c.Files.Set("r/monolith_checkpoint", exemptText(d)+pick(d, "", "builtin_hash_table_type: CUCKOO_HASH_MAP\n", "last_checkpoint_save_timestamp: 12\n"))
		c.Files.Set(fmt.Sprintf("r/model.ckpt-%d.index", d.n(4)), "")
	}
	appearing := func(d *draws) any {
		return []any{from(1, 5), object{"m/" + pick(d, "monolith_checkpoint", "checkpoint", "monolith_checkpoint"), oneOf("", exemptText)}}
	}
	return object{"kwargs", object{"model_dir", oneOf("<TMP>/m", "m"), "restore_dir", oneOf("<TMP>/r", "<TMP>/r", "r", nil, "", "<TMP>/none"),
		"restore_ckpt?", oneOf("model.ckpt-30", "model.ckpt-1", "model.ckpt-99", "/x/model.ckpt-30", ""), "index?3", from(0, 2), "server_type?5", "ps", "is_local?6", true},
		"argv", restoreArgv, "appear", some(2, appearing)}
}

// discoveryKwargs draws those arguments of a RunnerConfig that choose a discovery.
func discoveryKwargs(d *draws) object {
	named := d.flip(2)
	servers := `"ps": ["p0:1", "p1:1"], "worker": ["w0:1", "w1:1"]`
	config := join(`{"cluster": {`, servers, seldom(3, "", `, "chief": ["c0:1"]`), `}, "task": {"type": "`, oneOf("worker", "ps", "chief", "evaluator"), `", "index": `, from(0, 2), "}}")
	return object{"discovery_type", oneOf("CONSUL", "ZK", "PRIMUS", "PRIMUS", "MLP"), "is_local?6", true,
		"deep_insight_name?1", given(named, oneOf("job", nil, "")), "zk_server?1", given(named, oneOf("z:1", nil)), "uuid?3", oneOf("u", "u.v"),
		"tf_config!6", oneOf(config, config, "{}", `{"cluster": {}}`, "x", "[]", `{"cluster": {"ps": []}, "task": {"type": "worker"}}`)}
}
