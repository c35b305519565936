package generate

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genEstimator invents for what trains, alone, with others and in step, and for exports.
var genEstimator = map[string]generator{
	"estimator.RunConfig.to_runner_config": func(d *draws, c *testee.Case) {
		c.In = dict("kwargs", runKwargs(d), "argv", runnerArgv(d))
	},
	"estimator.EstimatorSpec":      genSpec,
	"estimator.Estimator.sequence": genEstimatorSequence,
	"cpu_training.get_blocked_addrs": func(d *draws, c *testee.Case) {
		addrs := func() []any { return list(d, 3, func() any { return fmt.Sprintf("h%d:1", d.n(4)) }) }
		c.In = dict("cluster", dict("chief", []any{"c:1"}, "worker", addrs(), "ps", addrs()), "ignored_jobs", pick(d, []any{"worker"}, []any{}, []any{"chief", "ps"}))
	},
	"cpu_training.distributed_train":             genDistributedTrain,
	"cpu_training.do_worker_train":               genInCluster,
	"cpu_training.do_worker_feature_engineering": genInCluster,
	"cpu_training.local_train_internal": func(d *draws, c *testee.Case) {
		oldTFConfig(d, c)
		c.In = dict("kwargs", dict("num_ps", d.n(4)), "outcome", pick(d, "ok", "ok", "value", "unavailable"))
	},
	"saved_model_exporters.export_saved_model": func(d *draws, c *testee.Case) {
		oldTFConfig(d, c)
		c.In = dict("kind", pick(d, "standalone", "distributed"), "outcome", pick(d, "ok", "raise"))
	},
	"hvd_lib.enable_bps": func(d *draws, c *testee.Case) {
		if !d.flip(6) {
			c.Env.Set("MONOLITH_WITH_BYTEPS", pick(d, "0", "1", "", " 2 ", "true", "-1", "1_0", "٣", "１", "0x1"))
		}
	},
	"distribution_utils.get_mpi":                         genMPI,
	"distribution_utils.bps_init":                        genBytePS,
	"distribution_utils.init_sync_train_and_update_conf": genSyncTrain,
	"export_hooks.get_global_step": func(d *draws, c *testee.Case) {
		c.In = dict("checkpoint_path", pick(d, "/m/model.ckpt-12", "model.ckpt", "model.ckpt-", " model.ckpt-3\n", "model_ckpt-4", "model.ckpt-1-2", "a\nmodel.ckpt-1", "model.ckpt-٣", "xmodel.ckpt-007",
			"model.ckpt-1 2"))
	},
	"export_hooks.ExportSaverListener.sequence": genExport,
}

// oldTFConfig is a TF_CONFIG that was there before, or none.
func oldTFConfig(d *draws, c *testee.Case) {
	if d.flip(2) {
		c.Env.Set("TF_CONFIG", pick(d, "", "{}", `{"task": {"type": "ps", "index": 1}}`, `{"cluster": {"chief": ["a:1"], "ps": ["模:2"]}, "task": {"type": "chief", "index": 0}}`))
	}
}

// genInCluster invents a training in a cluster; the address of a process has a look of its own.
func genInCluster(d *draws, c *testee.Case) {
	oldTFConfig(d, c)
	addrs := func(role string, least int) []any {
		drawn := []any{}
		for i := range least + d.n(3) {
			drawn = append(drawn, pick(d, fmt.Sprintf("%s%d:1", role, i), fmt.Sprintf("[fd00::%d]:2", i+1)))
		}
		return drawn
	}
	role := pick(d, "chief", "worker")
	c.In = dict("kwargs", dict("model_dir", "m"), "cluster", dict("chief", addrs("c", 1)[:1], "worker", addrs("w", 1), "ps", addrs("p", 1)),
		"task", dict("type", role, "index", 0), "outcome", pick(d, "ok", "ok", "value", "unavailable", "aborted"))
	if d.flip(3) {
		c.In.Set("dead", list(d, 3, func() any { return pick(d, "c0:1", "p0:1", "p1:1", "[fd00::1]:2") }))
	}
}

// maybe draws which of some pairs there are.
func maybe(d *draws, pairs ...any) []pysem.Item {
	var kept []pysem.Item
	for _, item := range dict(pairs...).Items {
		if d.flip(4) {
			kept = append(kept, item)
		}
	}
	return kept
}

// runKwargs are arguments of a RunConfig.
func runKwargs(d *draws) *pysem.Dict {
	kwargs := dict()
	for range d.length(6) {
		switch name := pick(d, "num_ps", "num_workers", "is_local", "partial_recovery", "max_retry_times", "retry_wait_in_secs", "enable_parameter_sync", "bzid", "kafka_topics",
			"save_checkpoints_steps", "reload_alias_map", "model_dir", "warmup_file", "enable_local_profiling", "disable_native_metrics", "save_summary_steps", "clear_nn"); name {
		case "num_ps", "num_workers", "max_retry_times", "retry_wait_in_secs", "save_checkpoints_steps", "save_summary_steps":
			kwargs.Set(name, pick(d, 3, 0, 1, 5, 6, 30, 100))
		case "bzid", "kafka_topics":
			kwargs.Set(name, pick[any](d, "a,b", nil, "", "t"))
		case "model_dir", "warmup_file":
			kwargs.Set(name, pick(d, "/m", "", "./warmup_file"))
		case "reload_alias_map":
			kwargs.Set(name, dict("a", 1))
		default:
			kwargs.Set(name, !d.flip(3))
		}
	}
	return kwargs
}

func genSpec(d *draws, c *testee.Case) {
	value := func() any { return pick[any](d, "x", nil, "", true) }
	kwargs := dict("label", value(), "pred", value())
	for _, name := range []string{"head_name", "loss", "optimizer", "classification"} {
		if d.flip(3) {
			kwargs.Set(name, value())
		}
	}
	c.In = dict("kwargs", kwargs, "replace", list(d, 4, func() any {
		with := dict()
		for range d.length(3) {
			with.Set(pick(d, "label", "pred", "loss", "classification", "mode", "unknown"), value())
		}
		return with
	}))
}

func genEstimatorSequence(d *draws, c *testee.Case) {
	kwargs := dict("model_dir", pick(d, "/m", ""))
	if d.flip(2) {
		kwargs.Set("is_local", true)
	}
	config := pick(d, "RunConfig", "RunnerConfig")
	if config == "RunnerConfig" {
		for _, name := range []string{"enable_sync_training", "enable_partial_sync_training", "enable_gpu_training"} {
			if d.flip(3) {
				kwargs.Set(name, true)
			}
		}
		if d.flip(3) {
			kwargs.Set("deep_insight_name", pick[any](d, "d", "", nil))
			kwargs.Set("deep_insight_target", pick[any](d, "t", nil))
			kwargs.Set("deep_insight_sample_ratio", pick[any](d, dict("$f64", "0.5"), dict("$f64", "0.0"), nil))
		}
		if d.flip(4) {
			kwargs.Set("params_override", pick(d, `{"b": 2}`, `{"a": [1]}`, "x", "[]", "", "{}"))
		}
		if d.flip(4) {
			kwargs.Set("server_type", "ps")
			kwargs.Set("enable_realtime_training", true)
			kwargs.Set("unified_serving", true)
			kwargs.Set("bzid", pick[any](d, "bz", nil, ""))
			kwargs.Set("base_name", pick[any](d, "base", nil))
			kwargs.Set("zk_server", pick[any](d, "z:1", nil))
		}
		if d.flip(4) {
			kwargs.Set("tf_grpc_worker_cache_threads", 4)
			kwargs.Set("monolith_grpc_worker_service_handler_multiplier", pick[any](d, dict("$f64", "0.1"), 2))
		}
	} else if d.flip(3) {
		kwargs.Set("enable_local_profiling", true)
	}
	c.In = dict("kwargs", kwargs, "model", dict(), "config", config, "calls", steps(d, 5, func() any {
		name, call := pick(d, "train", "evaluate"), dict()
		if !d.flip(3) {
			call.Set("steps", pick[any](d, 5, 0, nil))
		}
		if name == "train" && d.flip(2) {
			call.Set("max_steps", pick[any](d, 7, nil))
		}
		if d.flip(3) {
			call.Set("hooks", d.n(4)-1)
		}
		return []any{name, call}
	}))
	if d.flip(3) {
		c.In.Set("model", dict("deep_insight_name", "own"))
	}
}

func genDistributedTrain(d *draws, c *testee.Case) {
	c.Env.Set("CLOUDNATIVE_INET_ADDR", "10.1.2.3")
	kwargs := dict("model_dir", pick(d, "<TMP>/m", "<TMP>/m", "<TMP>/m", ""), "num_ps", pick[any](d, 2, 1, 0, nil), "num_workers", d.n(3)+1, "retry_wait_in_secs", pick(d, 30, 5))
	for _, v := range maybe(d, "index", pick[any](d, 0, 1, 2, nil), "max_retry_times", d.n(3), "partial_recovery", true, "num_redundant_ps", d.n(2), "uuid", "u",
		"server_type", pick(d, "ps", "worker", "chief"), "enable_realtime_training", true, "force_shutdown_ps", true, "enable_sync_training", true, "model_name", "n", "submit_time_secs", 1699999000) {
		kwargs.Set(v.Key, v.Value)
	}
	view := func() any {
		addrs := dict()
		for i := range d.n(4) + 1 {
			addrs.Set(fmt.Sprint(i), pick(d, "a", "b", "c")+fmt.Sprint(i))
		}
		return addrs
	}
	views := dict("ps", append([]any{view()}, list(d, 4, view)...), "worker", []any{dict("0", "c")})
	c.In = dict("kwargs", kwargs, "views", views, "outcomes", list(d, 5, func() any {
		return pick(d, "unavailable", "unavailable", "deadline", "dead", "aborted", "value", "ok")
	}), "deep_insight_name", pick[any](d, "di", "di", nil), "tf_config", nil)
	if d.flip(5) {
		task := dict("type", pick(d, "worker", "ps", "chief"), "index", d.n(2))
		c.In.Set("tf_config", dict("cluster", dict("ps", []any{"p0:1", "p1:1"}, "worker", []any{"w0:1", "w1:1"}, "chief", []any{"c0:1"}), "task", task))
	}
	if d.flip(5) {
		c.Files = dict("m/ps_cluster_dir/"+pick(d, "ps_info", "u"), pick(d, "a,b", "a", ""))
	}
}

func genMPI(d *draws, c *testee.Case) {
	for _, name := range []string{"RANK", "LOCAL_RANK", "SIZE", "LOCAL_SIZE"} {
		if !d.flip(4) {
			c.Env.Set("OMPI_COMM_WORLD_"+name, pick(d, "0", "1", "8", "5", "x", "", " 3 ", "-1"))
		}
	}
}

func genBytePS(d *draws, c *testee.Case) {
	c.Env.Set("OMPI_COMM_WORLD_RANK", pick(d, "5", "0", "127", "-3"))
	c.Env.Set("OMPI_COMM_WORLD_LOCAL_SIZE", pick(d, "4", "8", "1", "0"))
	c.Env.Set("OMPI_COMM_WORLD_SIZE", pick(d, "8", "128", "127", "0", "3"))
	if !d.flip(4) {
		c.Env.Set("UCX_NET_DEVICES", "u")
	}
	for _, v := range maybe(d, "BYTEPS_LOCAL_SIZE", "2", "BYTEPS_GPU_NIC_BINDING_MODE", pick(d, "1", "0", "x"), "DMLC_INTERFACE", "eth7", "MONOLITH_WITH_BYTEPS_FWD_GDR", "1",
		"MONOLITH_WITH_BYTEPS_BWD_GDR", "1", "BYTEPS_NUMA_ID", "1", "BYTEPS_WITH_ALL_NICS", pick(d, "1", "0"), "BYTEPS_P2P_PARTITION_BYTES", "9", "BYTEPS_PARTITION_BYTES", "",
		"PSLITE_UCX_TLS", "t", "BYTEPS_LOG_LEVEL", "debug", "BYTEPS_ALLTOALL_SESSION_SIZE", "4", "DMLC_ENABLE_UCX", "0") {
		c.Env.Set(v.Key, v.Value)
	}
	c.In = dict("uuid", pick(d, "job", "", "模"))
}

func genSyncTrain(d *draws, c *testee.Case) {
	kwargs := dict("model_dir", pick(d, "/m", ""), "uuid", pick(d, "u", "", "/abs"))
	for _, v := range maybe(d, "num_ps", 3, "merge_sync_training_ckpt", false, "index", 7) {
		kwargs.Set(v.Key, v.Value)
	}
	for _, v := range maybe(d, "MONOLITH_WITH_BYTEPS_BCAST", pick(d, "0", "1", "x"), "MONOLITH_WITH_BYTEPS_ALLREDUCE", pick(d, "0", "1")) {
		c.Env.Set(v.Key, v.Value)
	}
	c.In = dict("kwargs", kwargs, "rank", pick(d, 2, 0, 12345), "size", 4, "missing", d.flip(5), "times", d.n(3)+1, "enable_bps", d.n(2))
}

func genExport(d *draws, c *testee.Case) {
	at, kept := 0, []any{}
	base := "<TMP>/m/exported_models/saved"
	c.In = dict("steps", steps(d, 7, func() any {
		switch pick(d, "save", "save", "save", "remove", "write") {
		case "remove":
			return step("remove", "dir", fmt.Sprintf("%s/%d", base, at))
		case "write":
			return step("write", "name", pick(d, "m/exported_models/saved/ExportSaverListenerState", "m/checkpoint", "checkpoint"), "text",
				pick(d, "entries { export_dir: \"gone\" global_step: 1 }\n", "garbage {", "", "model_checkpoint_path: \"model.ckpt-1\"\nall_model_checkpoint_paths: \"model.ckpt-1\"\n"))
		}
		at += d.n(2) + 1
		kept = append(kept, at)
		if len(kept) > 2 {
			kept = kept[1:]
		}
		dirs := pick[any](d, fmt.Sprintf("%s/%d", base, at), fmt.Sprintf("%s/%d", base, at), []any{fmt.Sprintf("%s/%d.5", base, at), fmt.Sprintf("%s/x%d", base, at)},
			dict("entry", fmt.Sprintf("%s/entry/%d", base, at), "ps", fmt.Sprintf("%s/ps/%d_dense", base, at)))
		return step("save", "step", at, "dirs", dirs, "checkpoints", pick[any](d, append([]any{}, kept...), append([]any{}, kept...), nil, []any{}))
	}), "exempt_checkpoint_paths", pick[any](d, nil, []any{"model.ckpt-1"}, []any{}, []any{"x"}), "dense_only", d.flip(4))
	for i, s := range c.In.Items[0].Value.([]any) {
		if parts := s.([]any); i == 0 && parts[0] == "remove" {
			c.In.Items[0].Value.([]any)[0] = step("write", "name", "m/x", "text", "")
		}
	}
}
