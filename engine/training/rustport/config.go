package rustport

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// DiscoveryType is a kind of service discovery, by the Rust port's name.
type DiscoveryType string

// These are the kinds of service discovery. Each value is the Rust port's name of it.
const (
	Primus DiscoveryType = "Primus"
	Consul DiscoveryType = "Consul"
	Zk     DiscoveryType = "Zk"
	Mlp    DiscoveryType = "Mlp"
)

// These environment variables are set for the training process if the configuration has a value
// for them.
const (
	cacheThreadsVariable      = "TF_GRPC_WORKER_CACHE_THREADS"
	handlerMultiplierVariable = "MONOLITH_GRPC_WORKER_SERVICE_HANDLER_MULTIPLIER"
)

// Settings holds the fields that RunConfig and RunnerConfig share (TRN-4.3). The tag is the Rust
// port's name of a field.
type Settings struct {
	IsLocal                   bool            `name:"is_local"`
	Index                     int             `name:"index"`
	NumPS                     int             `name:"num_ps"`
	NumWorkers                int             `name:"num_workers"`
	ModelDir                  string          `name:"model_dir"`
	RestoreDir                pysem.OptString `name:"restore_dir"`
	RestoreCkpt               pysem.OptString `name:"restore_ckpt"`
	RestoreSyncTimeoutSecs    int             `name:"restore_sync_timeout_secs"`
	RestoreSyncPollIntervalMs int             `name:"restore_sync_poll_interval_ms"`
	LogStepCountSteps         int             `name:"log_step_count_steps"`
	DiscoveryType             DiscoveryType   `name:"discovery_type"`
	TFConfig                  pysem.OptString `name:"tf_config"`
	DeepInsightName           string          `name:"deep_insight_name"`
	ZKServer                  string          `name:"zk_server"`
	EnableGPUTraining         bool            `name:"enable_gpu_training"`
	EmbeddingPrefetchCapacity int             `name:"embedding_prefetch_capacity"`
	EnableEmbeddingPostpush   bool            `name:"enable_embedding_postpush"`
	TFGRPCWorkerCacheThreads  pysem.OptInt    `name:"tf_grpc_worker_cache_threads"`
	// MonolithGRPCWorkerServiceHandlerMultiplier is an integer here and a float in Python.
	MonolithGRPCWorkerServiceHandlerMultiplier pysem.OptInt `name:"monolith_grpc_worker_service_handler_multiplier"`
}

// RunConfig holds a user's settings of a training.
type RunConfig struct {
	Settings
	EnableParameterSync bool
}

// RunnerConfig configures a process of a training.
type RunnerConfig struct {
	Settings
	EnableRealtimeTraining, EnableParameterSync bool
}

// NewRunConfig returns the Rust port's defaults. They differ from Python's: a run is local, finds
// other processes by TF_CONFIG, and keeps its model in ./model.
func NewRunConfig() RunConfig {
	return RunConfig{Settings: Settings{
		IsLocal: true, NumWorkers: 1, ModelDir: "./model", RestoreSyncTimeoutSecs: 3600, RestoreSyncPollIntervalMs: 30_000,
		LogStepCountSteps: 100, DiscoveryType: Primus, DeepInsightName: "monolith", ZKServer: "127.0.0.1:2181",
	}}
}

// NewRunnerConfig returns the Rust port's defaults: those of RunConfig and the settings of training
// without a GPU.
func NewRunnerConfig() RunnerConfig {
	c := RunnerConfig{Settings: NewRunConfig().Settings}
	c.EmbeddingPrefetchCapacity, c.EnableEmbeddingPostpush = 1, true
	return c
}

func (s *Settings) setting(i int) reflect.Value { return reflect.ValueOf(s).Elem().Field(i) }

// ToRunnerConfig returns base with the user's settings applied. A field counts as a setting if it
// differs from its default and from base. If the user chooses Consul, the discovery becomes one by
// ZooKeeper. A base that already has Consul keeps it, unlike in Python (TRN-5.10).
func (c RunConfig) ToRunnerConfig(base RunnerConfig) RunnerConfig {
	defaults := NewRunConfig().Settings
	for i := range reflect.TypeFor[Settings]().NumField() {
		said := c.setting(i)
		if said.Interface() == defaults.setting(i).Interface() || said.Interface() == base.setting(i).Interface() {
			continue
		}
		base.setting(i).Set(said)
		if base.DiscoveryType == Consul && said.Type() == reflect.TypeFor[DiscoveryType]() {
			base.DiscoveryType = Zk
		}
	}
	if !base.EnableGPUTraining {
		base.EmbeddingPrefetchCapacity = max(1, base.EmbeddingPrefetchCapacity)
		base.EnableEmbeddingPostpush = true
	}
	if c.EnableParameterSync {
		base.EnableRealtimeTraining, base.EnableParameterSync = true, true
	}
	return base
}

// UserOverride is a user's setting: the Rust port's name of the field, and its value (bool, int or
// string).
type UserOverride struct {
	Name  string
	Value any
}

// UserOverrides returns the fields that differ from their defaults, sorted by name.
func (c RunConfig) UserOverrides() []UserOverride {
	defaults, list := NewRunConfig(), []UserOverride{}
	for i, f := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		value := c.setting(i).Interface()
		if value == defaults.setting(i).Interface() {
			continue
		}
		switch v := value.(type) {
		case pysem.OptString:
			value = v.Any()
		case pysem.OptInt:
			value = v.Any()
		case DiscoveryType:
			value = string(v)
		}
		list = append(list, UserOverride{Name: f.Tag.Get("name"), Value: value})
	}
	if c.EnableParameterSync {
		list = append(list, UserOverride{Name: "enable_parameter_sync", Value: true})
	}
	slices.SortFunc(list, func(a, b UserOverride) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// ExportEnv sets two environment variables, each only if the configuration sets it. Python always
// sets both (TRN-5.11).
func (c RunnerConfig) ExportEnv(h env.Host) {
	for name, value := range map[string]pysem.OptInt{ //lint:ordered each sets a variable of its own
		cacheThreadsVariable: c.TFGRPCWorkerCacheThreads, handlerMultiplierVariable: c.MonolithGRPCWorkerServiceHandlerMultiplier,
	} {
		if value.Set {
			h.Setenv(name, strconv.Itoa(value.V))
		}
	}
}

// EstimatorConfig holds the numbers of steps of an estimator, and the directory of its model.
type EstimatorConfig struct {
	ModelDir             string
	TrainSteps           pysem.Opt[uint64]
	EvalSteps            pysem.Opt[uint64]
	SaveCheckpointsSteps pysem.Opt[uint64]
	LogStepCountSteps    uint64
	WarmStartFrom        pysem.OptString
	RandomSeed           pysem.Opt[uint64]
}

// NewEstimatorConfig returns a configuration for a model's directory, without limits.
func NewEstimatorConfig(modelDir string) EstimatorConfig {
	return EstimatorConfig{ModelDir: modelDir, LogStepCountSteps: 100}
}

// ToEstimatorConfig returns the estimator's configuration for these settings. The estimator starts
// from RestoreCkpt.
func (s Settings) ToEstimatorConfig() EstimatorConfig {
	c := NewEstimatorConfig(s.ModelDir)
	c.LogStepCountSteps, c.WarmStartFrom = uint64(s.LogStepCountSteps), s.RestoreCkpt
	return c
}
