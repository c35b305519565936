package generate

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genDataSide invents for what moves data: copies, summaries, patterns, queues.
var genDataSide = map[string]generator{
	"utils.CopyFile": func(d *draws, c *testee.Case) {
		c.Files = dict("a", "1")
		c.In = dict("arguments", withOverwrite(d, copyArguments(d)), "outcomes", list(d, 6, func() any { return pick(d, "ok", "not_found", "not_found", "denied") }))
	},
	"utils.CopyRecursively": func(d *draws, c *testee.Case) {
		arguments, failing := copyArguments(d), dict()
		if d.flip(2) {
			arguments.Set("max_workers", d.n(4))
		}
		c.Files = dict("a/", nil)
		for _, name := range []string{"a/x", "a/d/y", "a/d/z", "b/old", "a/e/f/g"} {
			if d.flip(2) {
				c.Files.Set(name, name)
				if d.flip(4) {
					failing.Set(name, pick(d, "not_found", "denied"))
				}
			}
		}
		c.In = dict("arguments", arguments, "failing", failing)
	},
	"datasets.PBDataset.patterns": func(d *draws, c *testee.Case) {
		pattern := ""
		for range d.length(4) {
			pattern += pick(d, "{INT(0,2)}", "x", "{INT(3,1)}", "{DATE(20191230,20200102)}", "{DATE(2019123122,2020010101)}", " ", "{INT(-1, 1)}", "{INT(a,1)}",
				"{FOO(1,2)}", "{", "}", "{}", "/", "*", "{DATE(20200230,20200301)}", "模", "{INT(1)}", "\n")
		}
		c.In = dict("pattern", pattern, "existing", pick[any](d, "all", "all", "error", []any{"x", "0", "x1", "20200101"}))
	},
	"datasets.PBDataset.gen_patterns": genDatedFiles,
	"nested_tensors.NestedTensors": func(d *draws, c *testee.Case) {
		c.In = dict("nested", nestedValue(d, 3), "drop", pick(d, 0, 0, 1, 2))
	},
	"prefetch_queue.AsyncPushHook.sequence": genPushHook,
	"prefetch_queue.AsyncFunctionMgr": func(d *draws, c *testee.Case) {
		whether := func() any { return pick[any](d, nil, true, false) }
		c.In = dict("default_is_async", whether(), "is_async", whether(), "with_arguments", d.flip(2))
	},
	"mlp_utils.MLPEnv.sequence": genMLPSequence,
	"mlp_utils.add_mpi_exception_hook": func(d *draws, c *testee.Case) {
		if !d.flip(4) {
			c.Env.Set("OMPI_COMM_WORLD_RANK", pick(d, "0", "3", "-1", " 7 ", "", "x", "1_0", "٣"))
		}
		c.In = dict("mpi4py", d.flip(2), "raised", pick(d, "boom", "", "one\ntwo", "模"))
	},
	"tpu_runner.TPURunner.run":  genTPURunner,
	"tpu_runner.flags":          func(*draws, *testee.Case) {},
	"model_registry.sequence":   genModelRegistry,
	"utils.enable_monkey_patch": func(*draws, *testee.Case) {},
	"base_runner.write_summary": func(d *draws, c *testee.Case) {
		c.In = dict("logs", list(d, 5, func() any {
			return []any{pick(d, "loss", "auc", "", "模"), pick[any](d, float(d), 1, true, nil, "x")}
		}), "step", pick(d, 0, 1, -1, 1<<40))
	},
}

// copyArguments are those that both kinds of copies have.
func copyArguments(d *draws) *pysem.Dict {
	arguments := dict("src", pick(d, "<TMP>/a", "<TMP>/a", "<TMP>/nothing"), "dst", pick(d, "<TMP>/b", "<TMP>/n/b"))
	if d.flip(3) {
		arguments.Set("skip_nonexist", d.flip(2))
	}
	if d.flip(3) {
		arguments.Set("max_retries", d.n(7))
	}
	return arguments
}

func withOverwrite(d *draws, arguments *pysem.Dict) *pysem.Dict {
	if d.flip(3) {
		arguments.Set("overwrite", d.flip(2))
	}
	return arguments
}

// genMLPSequence invents a job and what one of its processes asks. A wait without an end is among
// them: whoever is asked stops it.
func genMLPSequence(d *draws, c *testee.Case) {
	roles := []string{"WORKER", "PS", "DISPATCHER", "DSWORKER"}
	c.Env.Set("MLP_ROLE", pick(d, "worker", "worker", "ps", "dispatcher", "dsworker", "dsworker", "", "other"))
	c.Env.Set("MLP_ROLE_INDEX", pick(d, "0", "1", " 1 ", "\"0\""))
	for _, name := range []string{"MLP_PORT", "MLP_SSH_PORT"} {
		if !d.flip(6) {
			c.Env.Set(name, pick(d, "2001", "'22'", "6000"))
		}
	}
	for _, role := range roles {
		if d.flip(5) {
			continue
		}
		c.Env.Set("MLP_"+role+"_NUM", pick(d, "1", "2"))
		if d.flip(3) {
			c.Env.Set("MLP_"+role+"_ALL_PRIMARY_ADDRS", pick(d, "a:1,b:2", "a:1", "", " 'a:1' "))
		}
		for i := range 2 {
			if !d.flip(4) {
				c.Env.Set(fmt.Sprintf("MLP_%s_%d_PRIMARY_HOST", role, i), fmt.Sprintf("h%d", i))
			}
			if !d.flip(4) {
				c.Env.Set(fmt.Sprintf("MLP_%s_%d_PORT", role, i), pick(d, "3000", "\"3001\""))
			}
		}
	}
	if d.flip(4) {
		c.Env.Set("TENSORBOARD_LOG_PATH", pick(d, "/logs", "", " \"/x\" "))
	}
	role := func() string { return pick(d, "worker", "ps", "dispatcher", "dsworker", "DSWORKER", "other") }
	c.In = dict("up", list(d, 6, func() any { return !d.flip(3) }), "calls", steps(d, 5, func() any {
		switch kind := pick(d, "wait", "wait", "join", "dispatcher_addr", "start_profiler", "mlp_pass", "profiler_trace"); kind {
		case "wait":
			return step(kind, "role", role(), "index", d.n(3), "timeout", pick(d, -1, 1, 5, 11), "use_ssh", d.flip(2))
		case "join":
			return step(kind, "role", role())
		case "profiler_trace":
			return step(kind, "role", role(), "index", pick(d, -1, 0, 1, 2))
		case "start_profiler":
			return step(kind, "port", pick(d, 6666, 1))
		default:
			return step(kind)
		}
	}))
	if d.flip(2) {
		c.In.Set("use_dataservice", d.flip(2))
		c.In.Set("extra_workers", d.n(3))
	}
}

func genDatedFiles(d *draws, c *testee.Case) {
	said := func(often int) *pysem.Dict {
		f := dict()
		set := func(name string, value func() any) {
			if !d.flip(often) {
				f.Set(name, value())
			}
		}
		date := func() any {
			return pick[any](d, 20231101, "20231113", 20231114, "2023112", "20230230", 20200229, "2023 11", "", 0, "09991231", "10000101", "٢٠٢٣1101", "20231301", "2023110 5", 99991230, "99991231")
		}
		hour := func() any { return pick[any](d, 0, 1, 23, 24, -1, 100, nil) }
		set("input_path", func() any { return pick(d, "/data", "/data/", "", "hdfs:/x") })
		set("start_date", date)
		set("end_date", date)
		set("start_hour", hour)
		set("end_hour", hour)
		set("is_hourly", func() any { return pick[any](d, true, false, nil) })
		set("wildcard", func() any { return pick[any](d, "*", "/part-*", "", nil, "a b") })
		return f
	}
	c.In = dict("arguments", said(3), "flags", said(2))
	narrow(c.In)
}

// narrow has a range of years be one of a day: its patterns are many.
func narrow(in *pysem.Dict) {
	for _, of := range []string{"arguments", "flags"} {
		f, _ := in.Get(of)
		for _, name := range []string{"start_date", "end_date"} {
			if v, ok := f.(*pysem.Dict).Get(name); ok && (v == 20200229 || v == "09991231" || v == "10000101" || v == 99991230 || v == "99991231") {
				f.(*pysem.Dict).Set("start_date", 20231113)
				f.(*pysem.Dict).Set("end_date", 20231114)
			}
		}
	}
}

// genPushHook keeps count of the queue: a step that waits for room or for a value would wait for
// ever.
func genPushHook(d *draws, c *testee.Case) {
	capacity, size, primed := d.n(4), 0, false
	c.In = dict("capacity", capacity, "steps", steps(d, 14, func() any {
		kinds := []string{"size", "primed", "end"}
		if size < capacity {
			kinds = append(kinds, "enqueue", "enqueue")
		}
		if !primed || size > 0 {
			kinds = append(kinds, "step", "step", "step")
		}
		switch kind := pick(d, kinds...); kind {
		case "enqueue":
			size++
			return step(kind)
		case "end":
			size = 0
			return step(kind)
		case "step":
			if primed {
				size--
				return step(kind)
			}
			enqueue := size < capacity && !d.flip(3)
			if enqueue {
				size++
			}
			if primed = size > 0; enqueue {
				return step(kind)
			}
			return step(kind, "enqueue", false)
		default:
			return step(kind)
		}
	}))
}

func nestedValue(d *draws, depth int) any {
	if depth > 0 && d.flip(2) {
		items := list(d, 4, func() any { return nestedValue(d, depth-1) })
		if d.flip(4) {
			return dict("(tuple)", items)
		}
		return items
	}
	if depth > 0 && d.flip(3) {
		made := dict()
		for range d.length(3) {
			made.Set(word(d), nestedValue(d, depth-1))
		}
		return made
	}
	return pick[any](d, "T1", "T2", "R1", "R2", "x", 1, true, nil, "T3", "F", "RR")
}

func genTPURunner(d *draws, c *testee.Case) {
	argv := list(d, 5, func() any {
		return pick(d, "--model_dir=<TMP>/m", "--mode=eval", "--cpu_test", "--mode=train_and_eval", "--host_call_every_n_steps=0", "--save_checkpoints_steps=5",
			"--overwrite_end_date=20200101", "--enable_stopping_signals", "--noenable_tpu_version_config", "--tpu=t", "--iterations_per_loop=x", "--nothing", "word")
	})
	train, eval, world := dict(), dict(), dict()
	if d.flip(2) {
		train.Set("max_steps", d.n(60))
		train.Set("save_checkpoints_steps", pick[any](d, 7, nil, 0))
	}
	if d.flip(3) {
		train.Set("end_date", "20190101")
	}
	if !d.flip(4) {
		eval.Set("per_replica_batch_size", d.n(5))
	}
	if d.flip(3) {
		world.Set("num_hosts", d.n(4))
	}
	checkpoint := func() any {
		return pick(d, "/m/model.ckpt-10", "/m/model.ckpt-50", "/m/a-3-9", "/m/x", "/m/x-y", "/m-1/x- 7")
	}
	world.Set("checkpoints", list(d, 4, checkpoint))
	world.Set("gone", list(d, 2, checkpoint))
	c.In = dict("argv", argv, "params", dict("train", train, "eval", eval, "eval_examples", d.n(2000)), "world", world)
}

// genModelRegistry invents modules with classes of tasks, and who looks for them.
func genModelRegistry(d *draws, c *testee.Case) {
	names := []string{"tt", "tt.a", "tt.a.b", "tt.params.a", "monolith.tasks.tt", "monolith.tasks.tt.params.a", "vv", "vv.params.a"}
	classes := func() any {
		class := dict("name", pick(d, "C", "D", "模"))
		if d.flip(8) {
			class.Set("other", true)
		}
		if !d.flip(4) {
			class.Set("task", pick[any](d, nil, 1, "x", []any{1.5}))
		}
		return class
	}
	modules := dict()
	for range d.length(5) {
		module := dict("classes", list(d, 3, classes))
		if d.flip(6) {
			module.Set("raises", pick(d, "ImportError", "RuntimeError"))
		}
		modules.Set(pick(d, names...), module)
	}
	key := func() string {
		return pick(d, names...) + pick(d, ".C", ".D", ".模", "", ".", ".gone.C", "..C")
	}
	c.In = dict("modules", modules, "steps", list(d, 6, func() any {
		switch name := pick(d, "register", "GetAllRegisteredClasses", "GetClass", "GetClass", "GetParams", "ImportParams"); name {
		case "register":
			return step(name, "module", pick(d, names...), "name", pick(d, "C", "E"), "other", d.flip(6), "task", d.n(3))
		case "GetAllRegisteredClasses":
			return step(name)
		case "ImportParams":
			return step(name, "model_name", key(), "task_root", pick(d, "monolith.tasks", "vv"),
				"task_dirs", list(d, 3, func() any { return pick(d, "tt", "a", "vv", "") }), "require_success", d.flip(2))
		default:
			return step(name, "class_key", pick(d, "", ".", ".x.C")+key())
		}
	}))
}
