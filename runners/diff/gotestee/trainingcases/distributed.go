package trainingcases

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/clustermanager"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/distributionutils"
	"github.com/monosim/monosim/engine/training/hvdlib"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// distributedOps holds the operations on cpu_training.py, hvd_lib.py and distribution_utils.py.
var distributedOps = caseworld.Table{
	"cpu_training.make_config_backward_compatible":       configBackwardCompatible,
	"cpu_training.get_blocked_addrs":                     blockedAddrs,
	"cpu_training.distributed_train":                     distributedTrain,
	"hvd_lib.enable_bps":                                 hvdLib,
	"distribution_utils.get_mpi":                         getMPI,
	"distribution_utils.bps_init":                        bpsInit,
	"distribution_utils.init_sync_train_and_update_conf": initSyncTrain,
}

// trainingConfig makes a DistributedCpuTrainingConfig from the arguments in a case.
func trainingConfig(fields []dataclass.Field) (*cputraining.DistributedCPUTrainingConfig, error) {
	return made(cputraining.ConfigClass, fields)
}

func configBackwardCompatible(c *caseworld.Call) (any, error) {
	config, err := trainingConfig([]dataclass.Field{{Name: "use_native_multi_hash_table", Value: c.In.Value("use_native_multi_hash_table")}})
	if err != nil {
		return nil, err
	}
	err = cputraining.MakeConfigBackwardCompatible(c.Env, c.In.Str("model_dir"), &config.CPUTrainingConfig)
	return cputraining.ConfigClass.Get(config, "use_native_multi_hash_table"), err
}

func blockedAddrs(c *caseworld.Call) (any, error) {
	cluster := c.In.Object("cluster")
	of := func(job string) []string {
		if !cluster.Has(job) {
			return nil
		}
		return append([]string{}, cluster.Strings(job)...)
	}
	return cputraining.BlockedAddrs(c.Quirks, clustermanager.Cluster{Chief: of("chief"), Worker: of("worker"), PS: of("ps")}, c.In.Strings("ignored_jobs")...)
}

// serverTarget is the address of the fake TensorFlow server.
const serverTarget = "grpc://10.1.2.3:2222"

// notedRun stands in for everything that a training calls, and records the calls.
type notedRun struct {
	notes
	outcomes []string
	result   any
}

func (n *notedRun) StartServer(string) (string, error) { return serverTarget, nil }

func (n *notedRun) PrepareServer() error { return n.note("prepare_server") }

func (n *notedRun) WorkerTrain(c cputraining.Cluster) error {
	outcome := "ok"
	if len(n.outcomes) > 0 {
		outcome, n.outcomes = n.outcomes[0], n.outcomes[1:]
	}
	n.note("train", outcome, caseworld.Object("chief", c.Chief, "worker", c.Worker, "ps", c.PS), caseworld.Object("type", c.Task.Type, "index", c.Task.Index))
	err := outcomeOf(outcome)
	if err == nil {
		n.result = "estimator"
	}
	return err
}

// outcomeOf returns the error with which a training ends, by its name in the case. For "ok" it
// returns nil.
func outcomeOf(outcome string) error {
	switch outcome {
	case "unavailable":
		return unavailable()
	case "deadline":
		return pysem.Raise("DeadlineExceededError", "d")
	case "dead":
		return pysem.Raise(cputraining.NodeAliveError, "a,b is unreachable")
	case "aborted":
		return pysem.Raise("AbortedError", "a")
	case "value":
		return pysem.Raise("ValueError", "boom")
	}
	return nil
}

func (n *notedRun) WorkerFeatureEngineering(cputraining.Cluster) error { return nil }

func (n *notedRun) PSBenchmark(c cputraining.Cluster, _ int) (clustermanager.Cluster, error) {
	return c.Cluster, nil
}

func (n *notedRun) ShutdownPS(_ cputraining.Cluster, numPS int) error {
	return n.note("shutdown_ps", numPS)
}

func (n *notedRun) JoinPS(index int) error { return n.note("join_ps", index) }

func (n *notedRun) StartHeartbeat()               { _ = n.note("heartbeat.start") }
func (n *notedRun) StopHeartbeat()                { _ = n.note("heartbeat.stop") }
func (n *notedRun) FinishApplication()            { _ = n.note("finish") }
func (n *notedRun) KillApplication(reason string) { _ = n.note("kill", reason) }

// notedDiscovery records registrations and queries.
type notedDiscovery struct {
	training.ServiceDiscovery
	run *notedRun
}

func (d notedDiscovery) Register(name string, index int, addr string) error {
	return d.run.note("register", name, index, addr)
}

func (d notedDiscovery) Query(name string) (training.Addrs, error) {
	d.run.note("query", name)
	return d.ServiceDiscovery.Query(name)
}

// notedTFConfig is a discovery by TF_CONFIG, which also knows the type and index of the process.
type notedTFConfig struct {
	notedDiscovery
	*training.TFConfigServiceDiscovery
}

func (d notedTFConfig) Register(name string, index int, addr string) error {
	return d.notedDiscovery.Register(name, index, addr)
}
func (d notedTFConfig) Query(name string) (training.Addrs, error) {
	return d.notedDiscovery.Query(name)
}
func (d notedTFConfig) Deregister(string, int, string) error { return nil }
func (d notedTFConfig) Close()                               {}

func runDiscovery(c *caseworld.Call, n *notedRun) (training.ServiceDiscovery, error) {
	config := c.In.Value("tf_config")
	if config == nil {
		return notedDiscovery{&views{views: c.In.Object("views"), asked: map[string]int{}}, n}, nil
	}
	if text, ok := config.(string); ok {
		var err error
		if config, err = pysem.ParseJSON(text); err != nil {
			return nil, err
		}
	}
	d := training.NewTFConfigServiceDiscovery(config)
	return notedTFConfig{notedDiscovery{d, n}, d}, nil
}

func distributedTrain(c *caseworld.Call) (any, error) {
	l, n := newLab(c), &notedRun{notes: noNotes(), outcomes: c.In.Strings("outcomes")}
	c.In.Object("kwargs").Few("num_workers", "num_ps", "num_extra_ps")
	config, err := trainingConfig(c.In.Object("kwargs").Fields())
	if err != nil {
		return nil, err
	}
	l.oddRetryWait(c.In.Object("kwargs"), config)
	d, err := runDiscovery(c, n)
	if err != nil {
		return nil, err
	}
	r := &cputraining.Run{
		Env: l.e, Config: config, Discovery: d, Work: n, Params: cputraining.Params{Class: "Model", DeepInsightName: c.In.OptStr("deep_insight_name")},
		Quirks: c.Quirks,
	}
	result := caseworld.Bounded(func() (any, error) {
		err := r.Train()
		return n.result, err
	})
	return caseworld.Object("result", result, "log", sameRows(n.log), "slept", caseworld.InRows(l.time.Slept),
		"model_name", cputraining.ConfigClass.Get(config, "model_name"), "index", cputraining.ConfigClass.Get(config, "index")), nil
}

// oddRetryWait makes a wait that Python cannot sleep raise at the sleep. Other numbers of the case
// that are used as such have to be ints.
func (l *lab) oddRetryWait(kwargs caseworld.Arguments, config *cputraining.DistributedCPUTrainingConfig) {
	const name = "retry_wait_in_secs"
	if kwargs.Has(name) && pysem.SleepError(kwargs.Value(name)) != nil {
		config.RetryWaitInSecs = -1
		l.time.ShowAs(-time.Second, kwargs.Value(name))
	} else if _, isInt := kwargs.Value(name).(int); kwargs.Has(name) && !isInt {
		kwargs.Wrong(name, "an int, or what cannot be slept")
	}
	for _, name := range []string{"max_retry_times", "num_redundant_ps", "index", "submit_time_secs"} {
		if _, isInt := kwargs.Value(name).(int); !isInt && kwargs.Value(name) != nil {
			kwargs.Wrong(name, "an int")
		}
	}
}

// staged is a fake Horovod library with a fixed rank and size.
type staged struct {
	rank, size int
	init       func()
}

func (s staged) Init() error {
	s.init()
	return nil
}
func (s staged) Rank() int { return s.rank }
func (s staged) Size() int { return s.size }

func hvdLib(c *caseworld.Call) (any, error) {
	imported := []any{}
	lib := &hvdlib.Lib{Host: c.Env.Host, Import: func(name string) (hvdlib.Library, error) {
		imported = append(imported, name)
		return staged{rank: 3, size: 4}, nil
	}}
	bps, bpsErr := lib.EnableBPS()
	rank, rankErr := lib.Rank()
	size, sizeErr := lib.Size()
	return caseworld.Object("enable_bps", caseworld.Attempt(bps, bpsErr), "rank", caseworld.Attempt(rank, rankErr), "size", caseworld.Attempt(size, sizeErr),
		"imported", imported), nil
}

func getMPI(c *caseworld.Call) (any, error) {
	out := caseworld.Object()
	for _, f := range []struct {
		name string
		get  func(*env.Env) (int, error)
	}{
		{"rank", distributionutils.MPIRank}, {"local_rank", distributionutils.MPILocalRank}, {"size", distributionutils.MPISize},
		{"local_size", distributionutils.MPILocalSize},
	} {
		out.Set(f.name, caseworld.Attempt(f.get(c.Env)))
	}
	return out, nil
}

// posix replaces the directory /tmp, which the reference has in its code, by a placeholder.
func posix(text string) string {
	return strings.ReplaceAll(text, "/tmp/bps_", "<POSIX TMP>/bps_")
}

func bpsInit(c *caseworld.Call) (any, error) {
	before, directories, commands, lazy := c.Env.Host.Environ(), []any{}, []any{}, []any{}
	b := distributionutils.BytePS{
		Host: c.Env.Host, Quirks: c.Quirks,
		InterfaceAddr: func(command string) (string, error) {
			commands = append(commands, command)
			return "10.9.8.7\n", nil
		},
		MakeDirs: func(path string) error {
			directories = append(directories, posix(path))
			return nil
		},
		InitLibrary: func(l bool) error {
			lazy = append(lazy, l)
			return nil
		},
	}
	err := b.Init(c.In.Str("uuid"))
	changed := caseworld.Object()
	for _, variable := range c.Env.Host.Environ() {
		if !slices.Contains(before, variable) {
			name, value, _ := strings.Cut(variable, "=")
			changed.Set(name, posix(value))
		}
	}
	return caseworld.Object("result", caseworld.Attempt(nil, err), "environ", changed, "directories", directories, "commands", commands, "init_lazy", lazy), nil
}

func initSyncTrain(c *caseworld.Call) (any, error) {
	log, confs := []any{}, []any{}
	config, err := trainingConfig(c.In.Object("kwargs").Fields())
	if err != nil {
		return nil, err
	}
	s := &distributionutils.SyncTraining{
		Env: c.Env, EnableBPS: c.In.Integer("enable_bps"), Quirks: c.Quirks,
		Import: func(name string) (hvdlib.Library, error) {
			if c.In.Flag("missing") {
				return nil, pysem.Raise("ModuleNotFoundError", "import of %s halted; None in sys.modules", name)
			}
			return staged{c.In.Integer("rank"), c.In.Integer("size"), func() { log = append(log, "init") }}, nil
		},
		BytePSInit: func(uuid string) error {
			log = append(log, "bps_init "+uuid)
			return nil
		},
	}
	for range c.In.Count("times") {
		log = []any{}
		if err := s.Init(config); err != nil {
			return nil, err
		}
		confs = append(confs, caseworld.Object("num_ps", config.NumPS, "index", config.Index, "num_workers", config.NumWorkers, "model_dir", config.ModelDir,
			"reorder_fids", config.ReorderFidsInDataPipeline, "enable_variable_partition", config.EnableVariablePartition, "log", log))
	}
	return caseworld.Object("confs", confs), nil
}
