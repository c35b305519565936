package runnerutils

import (
	"cmp"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/gflagsutils"
)

// RunnerConfig configures a process of a training (runner_utils.py:148-232).
type RunnerConfig struct {
	cputraining.DistributedCPUTrainingConfig

	Task                                       pysem.OptString               `py:"task"`
	TFConfig                                   pysem.OptString               `py:"tf_config"`
	DeepInsightName                            pysem.OptString               `py:"deep_insight_name"`
	DiscoveryType                              training.ServiceDiscoveryType `py:"discovery_type" default:"2"`
	ZKServer                                   pysem.OptString               `py:"zk_server"`
	ZKWatchAddressFamily                       string                        `py:"zk_watch_address_family" default:"'ipv4'"`
	IsLocal                                    bool                          `py:"is_local"`
	EnableFidDedup                             bool                          `py:"enable_fid_dedup"`
	Bzid                                       pysem.OptString               `py:"bzid"`
	PSReplicaNum                               pysem.OptInt                  `py:"ps_replica_num"`
	TFGRPCWorkerCacheThreads                   int                           `py:"tf_grpc_worker_cache_threads" default:"16"`
	MonolithGRPCWorkerServiceHandlerMultiplier float64                       `py:"monolith_grpc_worker_service_handler_multiplier" default:"1.0"`
	ParamsOverride                             pysem.OptString               `py:"params_override"`
	BaseName                                   pysem.OptString               `py:"base_name"`
	DataType                                   pysem.OptString               `py:"data_type"`
	FeatureList                                pysem.OptString               `py:"feature_list"`
	LagrangexHeader                            bool                          `py:"lagrangex_header"`
	SortID                                     bool                          `py:"sort_id" default:"True"`
	KafkaDump                                  bool                          `py:"kafka_dump"`
	KafkaDumpPrefix                            bool                          `py:"kafka_dump_prefix"`
	RestoreDir                                 pysem.OptString               `py:"restore_dir"`
	RestoreCkpt                                pysem.OptString               `py:"restore_ckpt"`
	DeepInsightTarget                          pysem.OptString               `py:"deep_insight_target"`
	DeepInsightSampleRatio                     pysem.OptFloat                `py:"deep_insight_sample_ratio"`
	UnifiedServing                             bool                          `py:"unified_serving"`
	UseEstimator                               bool                          `py:"use_estimator"`
	KafkaTopics                                cputraining.Value             `py:"kafka_topics" kind:"string"`
	KafkaGroupID                               pysem.OptString               `py:"kafka_group_id"`
	KafkaServers                               pysem.OptString               `py:"kafka_servers"`
	InputPath                                  pysem.OptString               `py:"input_path"`
	IsHourly                                   bool                          `py:"is_hourly"`
	Wildcard                                   pysem.OptString               `py:"wildcard"`
	StartDate                                  pysem.OptString               `py:"start_date"`
	EndDate                                    pysem.OptString               `py:"end_date"`
	StartHour                                  pysem.OptInt                  `py:"start_hour"`
	EndHour                                    pysem.OptInt                  `py:"end_hour"`
	EnableDynamicSharding                      bool                          `py:"enable_dynamic_sharding"`
	MaxTaskNumPerWorker                        int                           `py:"max_task_num_per_worker" default:"1"`
	DisableNativeMetrics                       bool                          `py:"disable_native_metrics" default:"True"`
}

// Class describes the fields of a RunnerConfig, those of its base classes first.
var Class = dataclass.Of(func(c *RunnerConfig) **dataclass.OddValues { return &c.Odd })

// fields describes all fields of a RunnerConfig for gflagsutils. flagFields describes only the
// fields that have a flag of the same name.
var fields, flagFields = describeFields()

func describeFields() (all, withFlag []gflagsutils.Field) {
	all = gflagsutils.FieldsOf(Class)
	for i, a := range Class.Fields() {
		if a.Tag.Get("flag") != "-" {
			withFlag = append(withFlag, all[i])
		}
	}
	return all, withFlag
}

func wordOf(m gflagsutils.Member) string { return strings.ToLower(m.Name) }

// Process holds what a training process needs in addition to its configuration.
type Process struct {
	Env *env.Env
	// Flags holds the flags of its command line (NewFlags).
	Flags *absl.Flags
	// DataService, when set, starts the data service's parts of an MLP process. Init then begins
	// with the steps of training.MLPPass. It does not return in a process that only runs a part of
	// the data service (TRN-2.19).
	DataService training.DataService
	// Quirks is the set of the reference's faults that are kept.
	Quirks quirks.Set
}

// Address families (net_utils.py:131).
const (
	familyIPv4 = "ipv4"
	familyIPv6 = "ipv6"
)

// IsChief reports whether the process sets up the model's directory: a local process, or worker 0
// (runner_utils.py:262).
func (c *RunnerConfig) IsChief() bool {
	return c.IsLocal || c.ServerType == "worker" && pysem.Equal(Class.Get(c, "index"), 0)
}

// Init does what the reference does when it creates a configuration (runner_utils.py:234). A field
// with its default value gets the value of its flag. If restore_dir is set, the chief sets up the
// model's directory, and all other processes wait until this is done, however long it takes. An
// unknown address family is an AssertionError.
func (p Process) Init(c *RunnerConfig) error {
	if err := p.passMLP(); err != nil {
		return err
	}
	object := gflagsutils.Object[RunnerConfig]{Class: Class, To: c}
	if err := gflagsutils.Update(object, fields, p.Flags); err != nil {
		p.Env.Log.Logf(env.Info, "update RunnerConfig failed")
	}
	if err := p.indexOfGPU(c); err != nil {
		return err
	}
	if err := p.shareKafka(c); err != nil {
		return err
	}
	if c.ZKWatchAddressFamily != familyIPv4 && c.ZKWatchAddressFamily != familyIPv6 {
		return pysem.Raise("AssertionError", "")
	}
	if err := p.shareRestoreCkpt(c); err != nil {
		return err
	}
	if c.RestoreDir.Or("") != "" {
		if err := p.restore(c); err != nil {
			return err
		}
	}
	links := gflagsutils.Links{{Field: "use_dataservice", Flag: flagUseDataservice}}
	return links.Update(object, fields, p.Flags)
}

// passMLP handles a process that MLP runs (runner_utils.py:235). Depending on its role and flags,
// the process waits for the data service or runs a part of it. Without a data service passMLP only
// reads the environment.
func (p Process) passMLP() error {
	if p.DataService == nil {
		_, err := training.NewMLPEnv(p.Env)
		return err
	}
	var refused error
	err := training.MLPPass(p.Env, p.DataService, nil, training.MLPPassOptions{
		UseDataService: p.Flags.Bool(flagUseDataservice), ExtraWorkers: p.Flags.Int(flagExtraDataWorkers),
		SetDispatcher: func(target string) { refused = p.Flags.Assign(flagDispatcher, target) },
	})
	return cmp.Or(err, refused)
}

// indexOfGPU sets the index of a worker that trains on GPUs to its rank.
func (p Process) indexOfGPU(c *RunnerConfig) error {
	if !c.EnableGPUTraining || !c.EnablePartialSyncTraining {
		return nil
	}
	if Class.Get(c, "index") == nil {
		return pysem.Raise("TypeError", "'<=' not supported between instances of 'NoneType' and 'int'")
	}
	if c.Index > 0 || c.ServerType != "worker" {
		return nil
	}
	rank, _ := p.Env.Host.LookupEnv("OMPI_COMM_WORLD_RANK")
	rank = cmp.Or(rank, "0")
	n, err := pysem.ParseInt(rank)
	if err != nil {
		return err
	}
	return Class.Set(c, "index", pysem.Int(n))
}

// shareKafka copies the configuration's Kafka settings into the flags, and splits the topics into a
// list.
func (p Process) shareKafka(c *RunnerConfig) error {
	if text, ok := c.KafkaTopics.V.(string); ok && text != "" {
		list := []any{}
		for topic := range strings.SplitSeq(text, ",") {
			list = append(list, topic)
		}
		c.KafkaTopics.V = list
	}
	if list, ok := c.KafkaTopics.V.([]any); ok && len(list) > 0 {
		topics := lists.MapOrNil(list, pysem.Str)
		if err := p.Flags.Assign(flagKafkaTopics, strings.Join(topics, ",")); err != nil {
			return err
		}
	}
	if err := p.share(flagKafkaGroupID, c.KafkaGroupID); err != nil {
		return err
	}
	return p.share(flagKafkaServers, c.KafkaServers)
}

func (p Process) share(flag string, value pysem.OptString) error {
	if value.Or("") == "" {
		return nil
	}
	return p.Flags.Assign(flag, value.V)
}

// shareRestoreCkpt sets the flag restore_ckpt to the configuration's checkpoint, if the flag is not
// set.
func (p Process) shareRestoreCkpt(c *RunnerConfig) error {
	if !p.Flags.Parsed() || p.Flags.Text(flagRestoreCkpt).Set || !c.RestoreCkpt.Set {
		return nil
	}
	return p.Flags.Assign(flagRestoreCkpt, c.RestoreCkpt.V)
}
