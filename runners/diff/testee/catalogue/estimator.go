package catalogue

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// estimatorOps declares the operations that train, alone or with other processes, and those that
// export.
var estimatorOps = operations{
	"estimator.RunConfig.to_runner_config": in("kwargs", runKwargs, "argv", runnerArgv),
	"estimator.EstimatorSpec": in("kwargs", object{"label", specValue, "pred", specValue, "head_name?3", specValue, "loss?3", specValue, "optimizer?3", specValue,
		"classification?3", specValue}, "replace (list of arguments)", some(4, entries(3, oneOf("label", "pred", "loss", "classification", "mode", "unknown"), specValue))),
	"estimator.Estimator.sequence": estimatorSequence,
	"cpu_training.get_blocked_addrs": func(*draws, *testee.Case) object {
		addrs := some(3, join("h", from(0, 3), ":1"))
		return object{"cluster", object{"chief", []any{"c:1"}, "worker", addrs, "ps", addrs}, "ignored_jobs", oneOf([]any{"worker"}, []any{}, []any{"chief", "ps"})}
	},
	"cpu_training.distributed_train":               distributedTrain,
	"cpu_training.MetricsHeartBeatThread.sequence": recorded("steps ([name, s]…)", "until_ms"),
	"cpu_training.do_worker_train":                 inCluster,
	"cpu_training.do_worker_feature_engineering":   inCluster,
	"cpu_training.local_train_internal": besideTFConfig("kwargs (of CpuTrainingConfig: `num_ps`)", object{"num_ps", from(0, 3)},
		"outcome", oneOf("ok", "ok", "value", "unavailable")),
	"saved_model_exporters.export_saved_model": besideTFConfig("kind (standalone or distributed)", oneOf("standalone", "distributed"),
		"outcome (ok, or raise: the model's function is a RuntimeError)", oneOf("ok", "raise")),
	"hvd_lib.enable_bps": surroundings(func(d *draws, c *testee.Case) {
		d.vary(c.Env, "MONOLITH_WITH_BYTEPS!6", oneOf("0", "1", "", " 2 ", "true", "-1", "1_0", "٣", "１", "0x1"))
	}),
	"distribution_utils.get_mpi": surroundings(func(d *draws, c *testee.Case) {
		for _, name := range []string{"RANK", "LOCAL_RANK", "SIZE", "LOCAL_SIZE"} {
			d.vary(c.Env, "OMPI_COMM_WORLD_"+name+"!4", oneOf("0", "1", "8", "5", "x", "", " 3 ", "-1"))
		}
	}),
	"distribution_utils.bps_init":                        bytePS,
	"distribution_utils.init_sync_train_and_update_conf": syncTrain,
	"export_hooks.get_global_step": in("checkpoint_path", oneOf("/m/model.ckpt-12", "model.ckpt", "model.ckpt-", " model.ckpt-3\n", "model_ckpt-4", "model.ckpt-1-2",
		"a\nmodel.ckpt-1", "model.ckpt-٣", "xmodel.ckpt-007", "model.ckpt-1 2")),
	"export_hooks.ExportSaverListener.sequence": exportSequence,
}

// oldTFConfig sometimes sets a TF_CONFIG that exists before the operation.
func oldTFConfig(d *draws, c *testee.Case) {
	d.vary(c.Env, "TF_CONFIG?", oneOf("", "{}", `{"task": {"type": "ps", "index": 1}}`, `{"cluster": {"chief": ["a:1"], "ps": ["模:2"]}, "task": {"type": "chief", "index": 0}}`))
}

// besideTFConfig declares an operation before which a TF_CONFIG may already be set.
func besideTFConfig(pairs ...any) declare {
	return func(d *draws, c *testee.Case) object {
		oldTFConfig(d, c)
		return pairs
	}
}

// inCluster draws a training in a cluster. Each process may first look up its own address.
func inCluster(d *draws, c *testee.Case) object {
	oldTFConfig(d, c)
	addrs := func(role string) []any {
		made := []any{}
		for i := range 1 + d.n(3) {
			made = append(made, pick(d, fmt.Sprintf("%s%d:1", role, i), fmt.Sprintf("[fd00::%d]:2", i+1)))
		}
		return made
	}
	return object{"kwargs (as above)", object{"model_dir", "m"}, "cluster", object{"chief", addrs("c")[:1], "worker", addrs("w"), "ps", addrs("p")},
		"task", object{"type", oneOf("chief", "worker"), "index", 0}, "outcome", oneOf("ok", "ok", "value", "unavailable", "aborted"),
		"dead?3", some(3, oneOf("c0:1", "p0:1", "p1:1", "[fd00::1]:2"))}
}

// runKwargs draws arguments of a RunConfig.
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

var specValue = oneOf("x", nil, "", true)

func estimatorSequence(d *draws, _ *testee.Case) object {
	kwargs, config := object{"model_dir", oneOf("/m", ""), "is_local?", true}, pick(d, "RunConfig", "RunnerConfig")
	if config == "RunConfig" {
		kwargs = append(kwargs, "enable_local_profiling?3", true)
	} else {
		kwargs = append(kwargs, "enable_sync_training?3", true, "enable_partial_sync_training?3", true, "enable_gpu_training?3", true,
			"params_override?4", oneOf(`{"b": 2}`, `{"a": [1]}`, "x", "[]", "", "{}"))
		if d.flip(3) {
			kwargs = append(kwargs, "deep_insight_name", oneOf("d", "", nil), "deep_insight_target", oneOf("t", nil),
				"deep_insight_sample_ratio", oneOf(f64("0.5"), f64("0.0"), nil))
		}
		if d.flip(4) {
			kwargs = append(kwargs, "server_type", "ps", "enable_realtime_training", true, "unified_serving", true, "bzid", oneOf("bz", nil, ""),
				"base_name", oneOf("base", nil), "zk_server", oneOf("z:1", nil))
		}
		if d.flip(4) {
			kwargs = append(kwargs, "tf_grpc_worker_cache_threads", 4, "monolith_grpc_worker_service_handler_multiplier", oneOf(f64("0.1"), 2))
		}
	}
	return object{"config (RunConfig or RunnerConfig)", config, "kwargs", kwargs, "model (`deep_insight_name`?)", object{"deep_insight_name?3", "own"},
		"calls", steps(0, 5,
			do("train", "steps!3", oneOf(5, 0, nil), "max_steps?", oneOf(7, nil), "hooks?3", from(-1, 2)),
			do("evaluate", "steps!3", oneOf(5, 0, nil), "hooks?3", from(-1, 2)))}
}

func distributedTrain(d *draws, c *testee.Case) object {
	c.Env.Set("CLOUDNATIVE_INET_ADDR", "10.1.2.3")
	if d.flip(5) {
		c.Files = dict("m/ps_cluster_dir/"+pick(d, "ps_info", "u"), pick(d, "a,b", "a", ""))
	}
	kwargs := object{"model_dir", oneOf("<TMP>/m", "<TMP>/m", "<TMP>/m", ""), "num_ps", oneOf(2, 1, 0, nil), "num_workers", from(1, 3), "retry_wait_in_secs", oneOf(30, 5),
		"index?4", oneOf(0, 1, 2, nil), "max_retry_times?4", from(0, 2), "partial_recovery?4", true, "num_redundant_ps?4", from(0, 1), "uuid?4", "u",
		"server_type?4", oneOf("ps", "worker", "chief"), "enable_realtime_training?4", true, "force_shutdown_ps?4", true, "enable_sync_training?4", true, "model_name?4", "n",
		"submit_time_secs?4", 1699999000}
	view := func(d *draws) any {
		addrs := dict()
		for i := range d.n(4) + 1 {
			addrs.Set(fmt.Sprint(i), pick(d, "a", "b", "c")+fmt.Sprint(i))
		}
		return addrs
	}
	cluster := object{"ps", []any{"p0:1", "p1:1"}, "worker", []any{"w0:1", "w1:1"}, "chief", []any{"c0:1"}}
	return object{"kwargs (of DistributedCpuTrainingConfig)", kwargs, "views", object{"ps", several(4, view), "worker", []any{object{"0", "c"}}},
		"outcomes", some(5, oneOf("unavailable", "unavailable", "deadline", "dead", "aborted", "value", "ok")), "deep_insight_name", oneOf("di", "di", nil),
		"tf_config", seldom(5, object{"cluster", cluster, "task", object{"type", oneOf("worker", "ps", "chief"), "index", from(0, 1)}}, nil)}
}

func bytePS(d *draws, c *testee.Case) object {
	d.vary(c.Env, "OMPI_COMM_WORLD_RANK", oneOf("5", "0", "127", "-3"), "OMPI_COMM_WORLD_LOCAL_SIZE", oneOf("4", "8", "1", "0"),
		"OMPI_COMM_WORLD_SIZE", oneOf("8", "128", "127", "0", "3"), "UCX_NET_DEVICES!4", "u",
		"BYTEPS_LOCAL_SIZE?4", "2", "BYTEPS_GPU_NIC_BINDING_MODE?4", oneOf("1", "0", "x"), "DMLC_INTERFACE?4", "eth7", "MONOLITH_WITH_BYTEPS_FWD_GDR?4", "1",
		"MONOLITH_WITH_BYTEPS_BWD_GDR?4", "1", "BYTEPS_NUMA_ID?4", "1", "BYTEPS_WITH_ALL_NICS?4", oneOf("1", "0"), "BYTEPS_P2P_PARTITION_BYTES?4", "9",
		"BYTEPS_PARTITION_BYTES?4", "", "PSLITE_UCX_TLS?4", "t", "BYTEPS_LOG_LEVEL?4", "debug", "BYTEPS_ALLTOALL_SESSION_SIZE?4", "4", "DMLC_ENABLE_UCX?4", "0")
	return object{"uuid", oneOf("job", "", "模")}
}

func syncTrain(d *draws, c *testee.Case) object {
	d.vary(c.Env, "MONOLITH_WITH_BYTEPS_BCAST?4", oneOf("0", "1", "x"), "MONOLITH_WITH_BYTEPS_ALLREDUCE?4", oneOf("0", "1"))
	return object{"kwargs (of DistributedCpuTrainingConfig)", object{"model_dir", oneOf("/m", ""), "uuid", oneOf("u", "", "/abs"), "num_ps?4", 3,
		"merge_sync_training_ckpt?4", false, "index?4", 7}, "rank", oneOf(2, 0, 12345), "size", 4, "missing (no library can be imported)", sometimes(5),
		"times", from(1, 3), "enable_bps (0 or 1, the module's constant)", from(0, 1)}
}

func exportSequence(*draws, *testee.Case) object {
	const base = "<TMP>/m/exported_models/saved"
	at, kept := 0, []any{}
	one := func(d *draws) any {
		switch kind := pick(d, "save", "save", "save", "remove", "write"); {
		case kind == "remove" && at > 0:
			return do(kind, "dir", fmt.Sprintf("%s/%d", base, at))
		case kind != "save":
			return do("write", "name", oneOf("m/exported_models/saved/ExportSaverListenerState", "m/checkpoint", "checkpoint"), "text",
				oneOf("entries { export_dir: \"gone\" global_step: 1 }\n", "garbage {", "", "model_checkpoint_path: \"model.ckpt-1\"\nall_model_checkpoint_paths: \"model.ckpt-1\"\n"))
		}
		at += d.n(2) + 1
		kept = append(kept, at)
		kept = append([]any{}, kept[max(0, len(kept)-2):]...)
		dirs := oneOf(fmt.Sprintf("%s/%d", base, at), fmt.Sprintf("%s/%d", base, at), []any{fmt.Sprintf("%s/%d.5", base, at), fmt.Sprintf("%s/x%d", base, at)},
			object{"entry", fmt.Sprintf("%s/entry/%d", base, at), "ps", fmt.Sprintf("%s/ps/%d_dense", base, at)})
		return do("save", "step", at, "dirs", dirs, "checkpoints", oneOf(kept, kept, nil, []any{}))
	}
	return object{"steps", drawn(7, one, do("save", "step", 1, "dirs", base, "checkpoints", nil), do("remove", "dir", base), do("write", "name", "", "text", "")),
		"exempt_checkpoint_paths (or null)", oneOf(nil, []any{"model.ckpt-1"}, []any{}, []any{"x"}), "dense_only", sometimes(4)}
}
