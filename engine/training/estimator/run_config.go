package estimator

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/runnerutils"
)

// RunConfig holds the user's training settings apart from the model (estimator.py:98-188). Some of
// its defaults differ from the runner's (TRN-2.15).
type RunConfig struct {
	IsLocal                       bool              `py:"is_local"`
	NumPS                         int               `py:"num_ps"`
	NumWorkers                    int               `py:"num_workers" default:"1"`
	ChiefTimeoutSecs              int               `py:"chief_timeout_secs" default:"1800"`
	OperationTimeoutInMs          int               `py:"operation_timeout_in_ms" default:"-1"`
	SessionCreationTimeoutSecs    int               `py:"session_creation_timeout_secs" default:"7200"`
	EnableFusedLayout             bool              `py:"enable_fused_layout"`
	EnableModelDump               bool              `py:"enable_model_dump"`
	PartialRecovery               bool              `py:"partial_recovery"`
	MaxRetryTimes                 int               `py:"max_retry_times" default:"6"`
	RetryWaitInSecs               int               `py:"retry_wait_in_secs" default:"5"`
	Bzid                          pysem.OptString   `py:"bzid"`
	BaseName                      pysem.OptString   `py:"base_name"`
	PSReplicaNum                  pysem.OptInt      `py:"ps_replica_num"`
	EnableParameterSync           bool              `py:"enable_parameter_sync"`
	ModelDir                      string            `py:"model_dir"`
	RestoreDir                    pysem.OptString   `py:"restore_dir"`
	RestoreCkpt                   pysem.OptString   `py:"restore_ckpt"`
	SaveCheckpointsSecs           pysem.OptInt      `py:"save_checkpoints_secs"`
	SaveCheckpointsSteps          pysem.OptInt      `py:"save_checkpoints_steps"`
	MaxRPCDeadlineMillis          int               `py:"max_rpc_deadline_millis" default:"30000"`
	DenseOnlySaveCheckpointsSecs  pysem.OptInt      `py:"dense_only_save_checkpoints_secs"`
	DenseOnlySaveCheckpointsSteps pysem.OptInt      `py:"dense_only_save_checkpoints_steps"`
	CheckpointsMaxToKeep          int               `py:"checkpoints_max_to_keep" default:"10"`
	WarmupFile                    string            `py:"warmup_file" default:"'./warmup_file'"`
	EnableLocalProfiling          bool              `py:"enable_local_profiling"`
	UseNativeMultiHashTable       pysem.OptBool     `py:"use_native_multi_hash_table"`
	ClearNN                       bool              `py:"clear_nn"`
	ContinueTraining              bool              `py:"continue_training"`
	ReloadAliasMap                cputraining.Value `py:"reload_alias_map"`
	EnableAliasMapAutoGen         pysem.OptBool     `py:"enable_alias_map_auto_gen"`
	KafkaTopics                   cputraining.Value `py:"kafka_topics" kind:"string"`
	KafkaGroupID                  pysem.OptString   `py:"kafka_group_id"`
	KafkaServers                  pysem.OptString   `py:"kafka_servers"`
	DisableNativeMetrics          bool              `py:"disable_native_metrics" default:"True"`
	SaveSummarySteps              int               `py:"save_summary_steps" default:"100"`
	LogStepCountSteps             int               `py:"log_step_count_steps" default:"100"`

	odd *dataclass.OddValues
}

// RunConfigClass describes the fields of a RunConfig.
var RunConfigClass = dataclass.Of(func(c *RunConfig) **dataclass.OddValues { return &c.odd })

// passedOn holds the fields that are passed when a runner's configuration is created
// (estimator.py:191-203). All others are set afterwards.
var passedOn = []string{
	"restore_dir", "restore_ckpt", "model_dir", "enable_fused_layout", "enable_model_dump", "warmup_file", "enable_alias_map_auto_gen",
	"kafka_topics", "kafka_group_id", "kafka_servers", "save_summary_steps", "log_step_count_steps", "disable_native_metrics",
}

// UserParams returns the names of the fields that differ from their defaults, in order
// (estimator.py:238).
func (c *RunConfig) UserParams() []string {
	names := []string{}
	for _, a := range RunConfigClass.Fields() {
		if !pysem.Equal(RunConfigClass.Get(c, a.Name), a.Default) {
			names = append(names, a.Name)
		}
	}
	return names
}

// ToRunnerConfig returns the configuration of a process with the user's settings
// (estimator.py:190). A field with RunConfig's default is not a setting: the runner's own value, or
// that of the command line, stays; with Q253 repaired only the command line's. The process
// restores, or waits for the chief to restore, before is_local, num_ps and other fields are set,
// unless Q254 is repaired. A discovery by Consul becomes one by ZooKeeper, even if the user asked
// for Consul (Q258).
func (c *RunConfig) ToRunnerConfig(p runnerutils.Process) (*runnerutils.RunnerConfig, error) {
	c.logUserParams(p.Env.Log)
	conf, err := c.begin()
	if err != nil {
		return nil, err
	}
	if !p.Quirks.Keeps(jobquirks.Q254) {
		if err := c.say(&conf); err != nil {
			return nil, err
		}
	}
	if err := p.Init(&conf); err != nil {
		return nil, err
	}
	if !p.Quirks.Keeps(jobquirks.Q253) {
		if err := c.sayDefaults(&conf, p.Flags.Given); err != nil {
			return nil, err
		}
	}
	return &conf, c.override(&conf)
}

// logUserParams logs each field that differs from its default, as the reference does when the
// configuration is made (estimator.py:243).
func (c *RunConfig) logUserParams(log env.Log) {
	for _, name := range c.UserParams() {
		log.Logf(env.Info, "save user param %s with value %s", name, pysem.Str(RunConfigClass.Get(c, name)))
	}
}

// Merge returns the configuration that ToRunnerConfig returns, for command-line values that are
// given by field name. Unlike ToRunnerConfig it only computes the configuration: it restores
// nothing and waits for nobody. A nil RunConfig uses only the command-line values.
func (c *RunConfig) Merge(flags []dataclass.Field, q jobquirks.Set) (*runnerutils.RunnerConfig, error) {
	conf := runnerutils.Class.New()
	if c != nil {
		var err error
		if conf, err = c.begin(); err != nil {
			return nil, err
		}
	}
	plain := runnerutils.Class.New()
	for _, f := range flags {
		// gflags_utils.py:151: fields that have their default values get the values of their flags.
		if !pysem.Equal(runnerutils.Class.Get(&conf, f.Name), runnerutils.Class.Get(&plain, f.Name)) {
			continue
		}
		if err := runnerutils.Class.Set(&conf, f.Name, f.Value); err != nil {
			return nil, err
		}
	}
	if c == nil {
		return &conf, nil
	}
	if !q.Keeps(jobquirks.Q253) {
		given := func(name string) bool {
			return slices.ContainsFunc(flags, func(f dataclass.Field) bool { return f.Name == name })
		}
		if err := c.sayDefaults(&conf, given); err != nil {
			return nil, err
		}
	}
	return &conf, c.override(&conf)
}

// begin returns a configuration with the passedOn fields set.
func (c *RunConfig) begin() (runnerutils.RunnerConfig, error) {
	conf := runnerutils.Class.New()
	for _, name := range passedOn {
		if err := runnerutils.Class.Set(&conf, name, RunConfigClass.Get(c, name)); err != nil {
			return conf, err
		}
	}
	return conf, nil
}

// override applies the user's settings and the settings that they imply.
func (c *RunConfig) override(conf *runnerutils.RunnerConfig) error {
	if err := c.say(conf); err != nil {
		return err
	}
	if conf.DiscoveryType == training.DiscoveryConsul {
		conf.DiscoveryType = training.DiscoveryZK
	}
	if !conf.EnableGPUTraining {
		conf.EmbeddingPrefetchCapacity = max(1, conf.EmbeddingPrefetchCapacity)
		conf.EnableEmbeddingPostpush = true
	}
	if c.EnableParameterSync {
		conf.EnableRealtimeTraining = true
	}
	return nil
}

// say copies the fields that differ from their defaults into a process's configuration.
func (c *RunConfig) say(conf *runnerutils.RunnerConfig) error {
	return c.take(conf, func(_ string, usual bool) bool { return !usual })
}

// sayDefaults copies the remaining fields, unless the command line gives them.
func (c *RunConfig) sayDefaults(conf *runnerutils.RunnerConfig, given func(name string) bool) error {
	return c.take(conf, func(name string, usual bool) bool { return usual && !given(name) })
}

// take copies the fields for which counts returns true. The argument usual of counts reports
// whether the field has RunConfig's default. It skips fields that the configuration lacks or that
// are None.
func (c *RunConfig) take(conf *runnerutils.RunnerConfig, counts func(name string, usual bool) bool) error {
	for _, a := range RunConfigClass.Fields() {
		value := RunConfigClass.Get(c, a.Name)
		there, ok := runnerutils.Class.Lookup(conf, a.Name)
		if !ok || value == nil || pysem.Equal(there, value) || !counts(a.Name, pysem.Equal(value, a.Default)) {
			continue
		}
		if err := runnerutils.Class.Set(conf, a.Name, value); err != nil {
			return err
		}
	}
	return nil
}
