package catalogue

import (
	"fmt"
	"slices"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// dataSideOps declares the operations that move data, such as copies, summaries, patterns and
// queues. It also declares those on the TPU's runner and on processes of MLP.
var dataSideOps = operations{
	"utils.CopyFile": func(_ *draws, c *testee.Case) object {
		c.Files = dict("a", "1")
		return object{"arguments (`src`, `dst`, `overwrite`?, `skip_nonexist`?, `max_retries`?)", append(copyArguments, "overwrite?3", either),
			"outcomes", some(6, oneOf("ok", "not_found", "not_found", "denied"))}
	},
	"utils.CopyRecursively": func(d *draws, c *testee.Case) object {
		c.Files = dict("a/", nil)
		failing := dict()
		for _, name := range []string{"a/x", "a/d/y", "a/d/z", "b/old", "a/e/f/g"} {
			if d.flip(2) {
				c.Files.Set(name, name)
				d.vary(failing, name+"?4", oneOf("not_found", "denied"))
			}
		}
		return object{"arguments (`src`, `dst`, `max_workers`?, `skip_nonexist`?, `max_retries`?)", append(copyArguments, "max_workers?", from(0, 3)),
			"failing ({path: `not_found` or `denied`})", failing}
	},
	"datasets.PBDataset.patterns": in(
		"pattern (the flag dataset_input_patterns)", func(d *draws) any {
			return join(list(d, 4, func() any {
				return oneOf("{INT(0,2)}", "x", "{INT(3,1)}", "{DATE(20191230,20200102)}", "{DATE(2019123122,2020010101)}", " ", "{INT(-1, 1)}", "{INT(a,1)}",
					"{FOO(1,2)}", "{", "}", "{}", "/", "*", "{DATE(20200230,20200301)}", "模", "{INT(1)}", "\n")
			})...)
		},
		"existing (`all`: every pattern matches; `error`: every look-up raises PermissionDeniedError; or the list of files)",
		oneOf("all", "all", "error", []any{"x", "0", "x1", "20200101"})),
	"datasets.PBDataset.gen_patterns":       datedFiles,
	"nested_tensors.NestedTensors":          in("nested", func(d *draws) any { return nestedValue(d, 3) }, "drop", oneOf(0, 0, 1, 2)),
	"prefetch_queue.AsyncPushHook.sequence": pushHook,
	"prefetch_queue.AsyncFunctionMgr": in("default_is_async", oneOf(nil, true, false), "is_async (each may be null: not passed)", oneOf(nil, true, false),
		"with_arguments", either, "fails?4 (the target raises)", true),
	"mlp_utils.MLPEnv.sequence": mlpSequence,
	"mlp_utils.add_mpi_exception_hook": func(d *draws, c *testee.Case) object {
		d.vary(c.Env, "OMPI_COMM_WORLD_RANK!4", oneOf("0", "3", "-1", " 7 ", "", "x", "1_0", "٣"))
		return object{"mpi4py (whether it can be imported)", either, "raised", oneOf("boom", "", "one\ntwo", "模")}
	},
	"tpu_runner.TPURunner.run":  tpuRunner,
	"tpu_runner.flags":          in(),
	"model_registry.sequence":   modelRegistry,
	"utils.enable_monkey_patch": in(),
	"base_runner.write_summary": in("logs (pairs)", some(5, []any{oneOf("loss", "auc", "", "模"), oneOf(float, 1, true, nil, "x")}), "step", oneOf(0, 1, -1, 1<<40)),
}

// copyArguments holds the arguments that CopyFile and CopyRecursively have in common.
var copyArguments = object{"src", oneOf("<TMP>/a", "<TMP>/a", "<TMP>/nothing"), "dst", oneOf("<TMP>/b", "<TMP>/n/b"),
	"skip_nonexist?3", either, "max_retries?3", from(0, 6)}

// mlpSequence draws a job, and calls of one of its processes. The testee stops calls that wait
// without end.
func mlpSequence(d *draws, c *testee.Case) object {
	d.vary(c.Env, "MLP_ROLE", oneOf("worker", "worker", "ps", "dispatcher", "dsworker", "dsworker", "", "other"), "MLP_ROLE_INDEX", oneOf("0", "1", " 1 ", "\"0\""),
		"MLP_PORT!6", oneOf("2001", "'22'", "6000"), "MLP_SSH_PORT!6", oneOf("2001", "'22'", "6000"), "TENSORBOARD_LOG_PATH?4", oneOf("/logs", "", " \"/x\" "))
	for _, role := range []string{"WORKER", "PS", "DISPATCHER", "DSWORKER"} {
		if d.flip(5) {
			continue
		}
		d.vary(c.Env, "MLP_"+role+"_NUM", oneOf("1", "2"), "MLP_"+role+"_ALL_PRIMARY_ADDRS?3", oneOf("a:1,b:2", "a:1", "", " 'a:1' "))
		for i := range 2 {
			d.vary(c.Env, fmt.Sprintf("MLP_%s_%d_PRIMARY_HOST!4", role, i), fmt.Sprintf("h%d", i), fmt.Sprintf("MLP_%s_%d_PORT!4", role, i), oneOf("3000", "\"3001\""))
		}
	}
	role := oneOf("worker", "ps", "dispatcher", "dsworker", "DSWORKER", "other")
	flags := d.flip(2)
	return object{"calls", shortSteps(5,
		do("wait", "role", role, "index?1", from(0, 2), "timeout?1", oneOf(-1, 1, 5, 11), "use_ssh?1", either).often(2),
		do("join", "role", role, "index?1", absent{}, "use_ssh?1", absent{}), do("dispatcher_addr", "role?1", absent{}), do("start_profiler", "port", oneOf(6666, 1)), do("mlp_pass", "dispatcher_role?1", absent{}, "dsworker_role?1", absent{}, "worker_role?1", absent{}, "ps_role?1", absent{}),
		do("profiler_trace", "role", role, "index?1", oneOf(-1, 0, 1, 2), "host_tracer_level?1", absent{}, "python_tracer_level?1", absent{},
			"device_tracer_level?1", absent{}, "delay_ms?1", absent{})), "up", some(6, mostly(3)),
		"use_dataservice?1", given(flags, either), "extra_workers?1 (flags)", given(flags, from(0, 2))}
}

func datedFiles(d *draws, _ *testee.Case) object {
	date := oneOf(20231101, "20231113", 20231114, "2023112", "20230230", 20200229, "2023 11", "", 0, "09991231", "10000101", "٢٠٢٣1101", "20231301", "2023110 5", 99991230,
		"99991231")
	hour := oneOf(0, 1, 23, 24, -1, 100, nil)
	said := func(often string) *pysem.Dict {
		return narrow(d.object(object{"input_path" + often, oneOf("/data", "/data/", "", "hdfs:/x"), "start_date" + often, date, "end_date" + often, date,
			"start_hour" + often, hour, "end_hour" + often, hour, "is_hourly" + often, oneOf(true, false, nil), "wildcard" + often, oneOf("*", "/part-*", "", nil, "a b")}))
	}
	return object{"arguments (of the method)", said("!3"), "flags (what `_get_params` answers by name, null for others)", said("!2")}
}

// narrow changes a range of dates that may span many years into two days. A range makes a pattern
// for each day, so a long one would make too many.
func narrow(f *pysem.Dict) *pysem.Dict {
	for _, name := range []string{"start_date", "end_date"} {
		if v, ok := f.Get(name); ok && slices.Contains([]any{20200229, "09991231", "10000101", 99991230, "99991231"}, v) {
			f.Set("start_date", 20231113)
			f.Set("end_date", 20231114)
		}
	}
	return f
}

// pushHook draws steps on a hook and its queue. It counts the queue's values, because a step that
// waits for room or for a value would never end.
func pushHook(d *draws, _ *testee.Case) object {
	capacity, size, primed := d.n(4), 0, false
	one := func(d *draws) any {
		kinds := []string{"size", "primed", "end"}
		if size < capacity {
			kinds = append(kinds, "enqueue", "enqueue")
		}
		if !primed || size > 0 {
			kinds = append(kinds, "step", "step", "step")
		}
		kind, enqueue := pick(d, kinds...), any(absent{})
		switch {
		case kind == "enqueue":
			size++
		case kind == "end":
			size = 0
		case kind == "step" && primed:
			size--
		case kind == "step" && size < capacity && !d.flip(3):
			size++
			primed = true
		case kind == "step":
			enqueue, primed = false, size > 0
		}
		return do(kind, "enqueue?1", enqueue)
	}
	return object{"capacity", capacity, "steps", drawn(14, one, do("size primed end enqueue"), do("step", "enqueue?1", true))}
}

func nestedValue(d *draws, depth int) any {
	item := func(d *draws) any { return nestedValue(d, depth-1) }
	switch {
	case depth > 0 && d.flip(2):
		return seldom(4, object{"(tuple)", some(4, item)}, some(4, item))
	case depth > 0 && d.flip(3):
		return entries(3, word, item)
	}
	return oneOf("T1", "T2", "R1", "R2", "x", 1, true, nil, "T3", "F", "RR")
}

func tpuRunner(d *draws, _ *testee.Case) object {
	checkpoint := oneOf("/m/model.ckpt-10", "/m/model.ckpt-50", "/m/a-3-9", "/m/x", "/m/x-y", "/m-1/x- 7")
	steps := d.flip(2)
	train := object{"max_steps?1", given(steps, from(0, 59)), "save_checkpoints_steps?1", given(steps, oneOf(7, nil, 0)), "end_date?3", "20190101"}
	return object{
		"argv", some(5, oneOf("--model_dir=<TMP>/m", "--mode=eval", "--cpu_test", "--mode=train_and_eval", "--host_call_every_n_steps=0", "--save_checkpoints_steps=5",
			"--overwrite_end_date=20200101", "--enable_stopping_signals", "--noenable_tpu_version_config", "--tpu=t", "--iterations_per_loop=x", "--nothing", "word")),
		"params", object{"train", train, "eval", object{"per_replica_batch_size!4", from(0, 4)}, "eval_examples", from(0, 1999)},
		"world", object{"num_hosts?3", from(0, 3), "checkpoints", some(4, checkpoint), "gone", some(2, checkpoint)},
	}
}

// modelRegistry draws modules with task classes, and look-ups of classes.
func modelRegistry(*draws, *testee.Case) object {
	name := oneOf("tt", "tt.a", "tt.a.b", "tt.params.a", "monolith.tasks.tt", "monolith.tasks.tt.params.a", "vv", "vv.params.a")
	class := object{"name", oneOf("C", "D", "模"), "other?8", true, "task!4", oneOf(nil, 1, "x", []any{1.5})}
	key := join(name, oneOf(".C", ".D", ".模", "", ".", ".gone.C", "..C"))
	classKey := join(oneOf("", ".", ".x.C"), key)
	return object{"modules", entries(5, name, object{"classes", some(3, class), "raises?6", oneOf("ImportError", "RuntimeError")}), "steps", shortSteps(6,
		do("register", "module", name, "name", oneOf("C", "E"), "other", sometimes(6), "task", from(0, 2)),
		do("GetAllRegisteredClasses"), do("GetClass", "class_key", classKey).often(2), do("GetParams", "class_key", classKey),
		do("ImportParams", "model_name", key, "task_root?1", oneOf("monolith.tasks", "vv"),
			"task_dirs?1", some(3, oneOf("tt", "a", "vv", "")), "require_success?1", either),
	)}
}
