package cputraining

import (
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
)

// Value is a field that may hold any Python value.
type Value struct{ V any }

// LoadPython returns the value.
func (v *Value) LoadPython() any { return v.V }

// StorePython takes any value.
func (v *Value) StorePython(value any) (exact bool) {
	v.V = value
	return true
}

// CPUTrainingConfig configures the training of a model (cpu_training.py:366-528). A field without
// a flag of the same name has the tag flag:"-".
type CPUTrainingConfig struct {
	ServerType                         string          `py:"server_type" default:"'worker'"`
	Index                              int             `py:"index"`
	NumPS                              int             `py:"num_ps"`
	NumWorkers                         int             `py:"num_workers" default:"1"`
	ModelName                          string          `py:"model_name"`
	FilterCapacity                     int             `py:"filter_capacity" default:"300000000"`
	FilterSplitNum                     int             `py:"filter_split_num" default:"7"`
	FilterType                         string          `py:"filter_type" default:"'sliding_hash_filter'"`
	FilterEqualProbability             bool            `py:"filter_equal_probability" default:"True"`
	HashtableInitCapacity              int             `py:"hashtable_init_capacity"`
	UseNativeMultiHashTable            pysem.OptBool   `py:"use_native_multi_hash_table"`
	EmbeddingPrefetchCapacity          int             `py:"embedding_prefetch_capacity"`
	EnableEmbeddingPostpush            bool            `py:"enable_embedding_postpush"`
	EnableVariablePrefetch             bool            `py:"enable_variable_prefetch"`
	EnableVariablePostpush             bool            `py:"enable_variable_postpush"`
	EnableSyncTraining                 bool            `py:"enable_sync_training"`
	EnablePartialSyncTraining          bool            `py:"enable_partial_sync_training"`
	EnableGPUTraining                  bool            `py:"enable_gpu_training"`
	ProcessesPerGPU                    int             `py:"processes_per_gpu" default:"1"`
	MergeSyncTrainingCkpt              bool            `py:"merge_sync_training_ckpt" default:"True"`
	Mode                               string          `py:"mode" default:"'train'"`
	PartialRecovery                    pysem.OptBool   `py:"partial_recovery"`
	TideStartHour                      pysem.OptInt    `py:"tide_start_hour"`
	TideStartMinute                    pysem.OptInt    `py:"tide_start_minute"`
	TideEndHour                        pysem.OptInt    `py:"tide_end_hour"`
	TideEndMinute                      pysem.OptInt    `py:"tide_end_minute"`
	TideSaveSecs                       pysem.OptInt    `py:"tide_save_secs"`
	EnableRealtimeTraining             bool            `py:"enable_realtime_training"`
	EnableAsyncOptimize                bool            `py:"enable_async_optimize"`
	EnablePipelinedFwda2a              bool            `py:"enable_pipelined_fwda2a"`
	EnablePipelinedBwda2a              bool            `py:"enable_pipelined_bwda2a"`
	ProfileSomeStepsFrom               pysem.OptInt    `py:"profile_some_steps_from"`
	ProfileSaveStepsInterval           int             `py:"profile_save_steps_interval" default:"5000" flag:"-"`
	ProfileWithNvprofFromTo            pysem.OptString `py:"profile_with_nvprof_from_to"`
	ReorderFidsInDataPipeline          bool            `py:"reorder_fids_in_data_pipeline"`
	ChiefTimeoutSecs                   int             `py:"chief_timeout_secs" default:"1800"`
	SaveCheckpointsSecs                pysem.OptInt    `py:"save_checkpoints_secs"`
	SaveCheckpointsSteps               pysem.OptInt    `py:"save_checkpoints_steps"`
	DenseOnlySaveCheckpointsSecs       pysem.OptInt    `py:"dense_only_save_checkpoints_secs"`
	DenseOnlySaveCheckpointsSteps      pysem.OptInt    `py:"dense_only_save_checkpoints_steps"`
	DenseOnlyStopTrainingWhenSave      bool            `py:"dense_only_stop_training_when_save"`
	WarmupFile                         string          `py:"warmup_file" default:"'./warmup_file'"`
	SkipZeroEmbeddingWhenServing       bool            `py:"skip_zero_embedding_when_serving"`
	MaxRPCDeadlineMillis               int             `py:"max_rpc_deadline_millis" default:"30000"`
	CheckpointsMaxToKeep               int             `py:"checkpoints_max_to_keep" default:"10"`
	SubmitTimeSecs                     pysem.OptInt    `py:"submit_time_secs"`
	ContainersReadyTimeSecs            pysem.OptInt    `py:"containers_ready_time_secs"`
	ClusterType                        string          `py:"cluster_type" default:"'stable'"`
	MaxSlowStartWaitMinute             int             `py:"max_slow_start_wait_minute" default:"10"`
	EnableModelCkptInfo                bool            `py:"enable_model_ckpt_info"`
	FeatureEvictionOnSave              bool            `py:"feature_eviction_on_save"`
	OnlyFeatureEngineering             bool            `py:"only_feature_engineering"`
	EnableVariablePartition            bool            `py:"enable_variable_partition" default:"True"`
	EnableFusedLayout                  bool            `py:"enable_fused_layout"`
	ForceShutdownPS                    bool            `py:"force_shutdown_ps"`
	ClearNN                            bool            `py:"clear_nn"`
	ContinueTraining                   bool            `py:"continue_training"`
	ReloadAliasMap                     Value           `py:"reload_alias_map" flag:"-"`
	EnableAliasMapAutoGen              pysem.OptBool   `py:"enable_alias_map_auto_gen"`
	EnableModelDump                    bool            `py:"enable_model_dump"`
	EnableResourceConstrainedRoughsort bool            `py:"enable_resource_constrained_roughsort"`
	RoughsortCandidateItemsPath        pysem.OptString `py:"roughsort_candidate_items_path"`
	RoughsortItemsUseParquet           bool            `py:"roughsort_items_use_parquet"`
	ItemsInputLagrangexHeader          bool            `py:"items_input_lagrangex_header"`
	ItemsInputHasSortID                bool            `py:"items_input_has_sort_id"`
	ItemsInputKafkaDump                bool            `py:"items_input_kafka_dump"`
	ItemsInputKafkaDumpPrefix          bool            `py:"items_input_kafka_dump_prefix"`
	DeviceFn                           Value           `py:"device_fn" flag:"-"`
	UseDataservice                     pysem.OptBool   `py:"use_dataservice" flag:"-"`
	NumExtraDsworkerOnGPUWorker        int             `py:"num_extra_dsworker_on_gpu_worker"`
	SaveSummarySteps                   int             `py:"save_summary_steps" default:"100"`
	LogStepCountSteps                  int             `py:"log_step_count_steps" default:"100"`

	// Odd holds values that do not fit a field's Go type, such as None as an index.
	Odd *dataclass.OddValues `py:"-"`
}

// EnableFullSyncTraining reports whether all parts of the model are trained synchronously
// (cpu_training.py:530).
func (c *CPUTrainingConfig) EnableFullSyncTraining() bool {
	return c.EnableSyncTraining && !c.EnablePartialSyncTraining
}

// DistributedCPUTrainingConfig configures training with several processes
// (cpu_training.py:1645-1687).
type DistributedCPUTrainingConfig struct {
	CPUTrainingConfig

	ModelDir                   string `py:"model_dir"`
	TensorboardLogPath         string `py:"tensorboard_log_path"`
	IntraOpParallelismThreads  int    `py:"intra_op_parallelism_threads" default:"8"`
	InterOpParallelismThreads  int    `py:"inter_op_parallelism_threads" default:"16"`
	NumExtraPS                 int    `py:"num_extra_ps"`
	NumRedundantPS             int    `py:"num_redundant_ps"`
	UUID                       string `py:"uuid"`
	OperationTimeoutInMs       int    `py:"operation_timeout_in_ms" default:"-1"`
	SessionCreationTimeoutSecs int    `py:"session_creation_timeout_secs" default:"7200"`
	MaxRetryTimes              int    `py:"max_retry_times"`
	RetryWaitInSecs            int    `py:"retry_wait_in_secs" default:"30"`
	FountainZKHost             string `py:"fountain_zk_host"`
	FountainModelName          string `py:"fountain_model_name"`
	DCAware                    bool   `py:"dc_aware"`
}

// ConfigClass describes the fields of a DistributedCPUTrainingConfig.
var ConfigClass = dataclass.Of(func(c *DistributedCPUTrainingConfig) **dataclass.OddValues { return &c.Odd })

// isNone reports whether a field whose Go type cannot hold None is None.
func isNone(c *DistributedCPUTrainingConfig, name string) bool {
	return ConfigClass.Get(c, name) == nil
}
