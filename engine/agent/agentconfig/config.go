// Package agentconfig is the configuration of an agent, as the reference's utils.py reads it: the
// agent.conf with its includes and expressions, what the environment of a container adds, and what
// follows from both (ports, commands of the model servers, their model lists, paths in ZooKeeper).
//
// Two things to use first:
//
//   - [FromFile] reads an agent.conf and completes it; [Loader] does so with a chosen set of
//     quirks.
//   - [CheckConf] checks the text of a file alone and lists its problems by line.
//
// To change:
//
//   - a field: add a line to [AgentConfig], as its comment says
//   - what a line can say: keys.go
//   - how a file is read: parse.go and from_file.go
//   - what the environment adds: post_init.go and ports.go
//   - the command lines: command.go
//   - the model lists: models.go
//
// Unstable: any commit may change it.
package agentconfig

import (
	"cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks"
)

// TFSHome is where the serving binaries and their configuration are installed (utils.py:51).
// [Loader] can set another place.
const TFSHome = "/opt/tiger/monolith_serving"

// defaultPlatformConfigFile is the path below TFS_HOME (utils.py:53).
const defaultPlatformConfigFile = "/conf/platform_config_file.cfg"

// TfServingConfig holds the flags of the model server (utils.py:195-289). In the reference
// [AgentConfig] inherits from it. A flag appears in the server's command line if its value differs
// from the default. To add a flag, add a field here.
type TfServingConfig struct {
	EnableBatching                         bool            `py:"enable_batching"`
	AllowVersionLabelsForUnavailableModels bool            `py:"allow_version_labels_for_unavailable_models"`
	BatchingParametersFile                 pysem.OptString `py:"batching_parameters_file"`
	NumLoadThreads                         int             `py:"num_load_threads"`
	NumUnloadThreads                       int             `py:"num_unload_threads"`
	MaxNumLoadRetries                      int             `py:"max_num_load_retries" default:"5"`
	LoadRetryIntervalMicros                int             `py:"load_retry_interval_micros" default:"60 * 1000 * 1000"` // one minute
	FileSystemPollWaitSeconds              int             `py:"file_system_poll_wait_seconds" default:"1"`
	FlushFilesystemCaches                  bool            `py:"flush_filesystem_caches" default:"True"`
	TensorflowSessionParallelism           int             `py:"tensorflow_session_parallelism"`
	TensorflowIntraOpParallelism           int             `py:"tensorflow_intra_op_parallelism"`
	TensorflowInterOpParallelism           int             `py:"tensorflow_inter_op_parallelism"`
	SSLConfigFile                          pysem.OptString `py:"ssl_config_file"`
	PlatformConfigFile                     pysem.OptString `py:"platform_config_file"`
	PerProcessGPUMemoryFraction            float64         `py:"per_process_gpu_memory_fraction" default:"0"` // utils.py:277: the default is an int and printed as one
	AllowGrowth                            bool            `py:"allow_growth" default:"True"`
	SavedModelTags                         pysem.OptString `py:"saved_model_tags"`
	GrpcChannelArguments                   pysem.OptString `py:"grpc_channel_arguments"`
	GrpcMaxThreads                         int             `py:"grpc_max_threads"`
	EnableModelWarmup                      bool            `py:"enable_model_warmup" default:"True"`
	Version                                pysem.OptString `py:"version"`
	RemoveUnusedFieldsFromBundleMetagraph  bool            `py:"remove_unused_fields_from_bundle_metagraph" default:"True"`
	EnableSignatureMethodNameCheck         bool            `py:"enable_signature_method_name_check"`
	XLACPUCompilationEnabled               bool            `py:"xla_cpu_compilation_enabled"`
	EnableProfiler                         bool            `py:"enable_profiler" default:"True"`
}

// AgentConfig is the configuration of one agent (utils.py:291-395). Make one with [FromFile] or
// [NewConfig], which complete it from the environment as __post_init__ does. Fields that are None
// when unset are Opts.
//
// # A new field
//
// A field is one line, in its place in the reference's dataclass:
//
//	MaxWaitingSec int `py:"max_waiting_sec" default:"1200"`
//
// With this line the key is read from an agent.conf and has its default, its value can be set and
// listed ([AgentConfig.Set], [AgentConfig.Fields]), [CheckConf] reports wrong words and suggests it
// for a misspelt key, and package generate of runners/diff/testee invents files with it. The line
// contains all that these need:
//
//   - The Go type says how a word is read ([Reading]): a bool is a word such as "yes", an
//     int, float64 or [pysem.OptInt] an expression such as 60 * 1000, a []string the words
//     of all lines with the key, and any other type is a word, where "none" is None.
//   - The tags py and default are the reference's name and default ([dataclass.Of]).
//   - words lists the words that an agent accepts, in lower case, if it accepts only a few;
//     wrong:"fatal" says that no agent starts with another.
//   - older is a former name of the key, which is read where the key is missing.
//
// Values from the environment are set in post_init.go and ports.go. After a change run the
// reference beside it, with monosim diff on utils.AgentConfig.from_file.
type AgentConfig struct {
	TfServingConfig

	Bzid              pysem.OptString `py:"bzid"`
	BaseName          pysem.OptString `py:"base_name"`
	BasePath          pysem.OptString `py:"base_path"`
	NumPS             int             `py:"num_ps" default:"1"` // number of PS shards of the model
	NumShard          pysem.OptInt    `py:"num_shard"`          // number of containers that share them
	DeployType        DeployType      `py:"deploy_type" words:"entry ps dense mixed unified none" wrong:"fatal" older:"server_type"`
	ReplicaID         pysem.OptInt    `py:"replica_id"`
	StandAloneServing bool            `py:"stand_alone_serving"`
	ZKServers         pysem.OptString `py:"zk_servers"`

	ProxyPort          pysem.OptInt `py:"proxy_port"`
	TFSEntryPort       pysem.OptInt `py:"tfs_entry_port"`
	TFSEntryHTTPPort   pysem.OptInt `py:"tfs_entry_http_port"`
	TFSEntryArchonPort pysem.OptInt `py:"tfs_entry_archon_port"`
	TFSPSPort          pysem.OptInt `py:"tfs_ps_port"`
	TFSPSHTTPPort      pysem.OptInt `py:"tfs_ps_http_port"`
	TFSPSArchonPort    pysem.OptInt `py:"tfs_ps_archon_port"`
	DenseAlone         bool         `py:"dense_alone"`
	DenseServiceNum    int          `py:"dense_service_num" default:"3"`
	TFSDensePort       pysem.OptInt `py:"tfs_dense_port"`
	TFSDenseHTTPPort   pysem.OptInt `py:"tfs_dense_http_port"`
	TFSDenseArchonPort pysem.OptInt `py:"tfs_dense_archon_port"`
	AgentPort          pysem.OptInt `py:"agent_port"`

	UpdateModelStatusInterval   int             `py:"update_model_status_interval" default:"1"`
	AgentVersion                int             `py:"agent_version" default:"1" words:"1 3" wrong:"fatal"` // agent.py:54 refuses 2
	MaxWaitingSec               int             `py:"max_waiting_sec" default:"1200"`
	PreloadJemalloc             bool            `py:"preload_jemalloc" default:"True"`
	VersionPolicy               pysem.OptString `py:"version_policy" default:"'latest'" words:"latest latest_once all specific"`
	VersionData                 int             `py:"version_data" default:"1"`
	FetchPSTimeoutMs            int             `py:"fetch_ps_timeout_ms" default:"200"`
	FetchPSLongConnNum          int             `py:"fetch_ps_long_conn_num" default:"100"`
	FetchPSLongConnEnable       bool            `py:"fetch_ps_long_conn_enable" default:"True"`
	FetchPSRetry                int             `py:"fetch_ps_retry" default:"2"`
	AIOThreadNum                int             `py:"aio_thread_num" default:"30"`
	FileSystemPollWaitSecondsPS int             `py:"file_system_poll_wait_seconds_ps"`

	// The rough sort model, served beside the main one.
	RoughSortModelName           pysem.OptString `py:"rough_sort_model_name"`
	RoughSortModelLocalPath      pysem.OptString `py:"rough_sort_model_local_path"`
	RoughSortModelLoadedServer   pysem.OptString `py:"rough_sort_model_loaded_server" default:"'entry'" words:"none entry ps dense"`
	RoughSortModelP2PPath        pysem.OptString `py:"rough_sort_model_p2p_path"`
	RoughSortResourceConstrained bool            `py:"rough_sort_resource_constrained"`
	DCAware                      bool            `py:"dc_aware"`

	// These fields are for unified containers, which load the models that a layout lists.
	LayoutPattern pysem.OptString `py:"layout_pattern"`
	LayoutFilters []string        `py:"layout_filters"` // nil means None
	TFSPortArchon pysem.OptInt    `py:"tfs_port_archon"`
	TFSPortGRPC   pysem.OptInt    `py:"tfs_port_grpc"`
	TFSPortHTTP   pysem.OptInt    `py:"tfs_port_http"`
	UseMetrics    bool            `py:"use_metrics" default:"True"`

	// Quirks is the set of the reference's faults that are kept.
	Quirks quirks.Set `py:"-"`

	env  *env.Env
	odd  *dataclass.OddValues
	home string // TFS_HOME
}

// TFSHome returns where the serving binaries and their configuration are installed.
func (c *AgentConfig) TFSHome() string { return cmp.Or(c.home, TFSHome) }

// Loader makes configurations that keep the given quirks of the reference. The zero set keeps all
// quirks.
type Loader struct {
	Env    *env.Env
	Quirks quirks.Set
	// TFSHome is TFS_HOME; empty means the reference's folder, [TFSHome].
	TFSHome string
}

// NewConfig makes a configuration from keyword arguments, as AgentConfig(**fields) does, and
// completes it from the environment. It also writes the platform config file. Errors are
// *pysem.Error with Python's type.
func NewConfig(e *env.Env, fields ...dataclass.Field) (*AgentConfig, error) {
	return Loader{Env: e}.New(fields...)
}

// New makes a configuration as [NewConfig] does, with the loader's quirks.
func (l Loader) New(fields ...dataclass.Field) (*AgentConfig, error) {
	c := configClass.New()
	c.env, c.Quirks, c.home = l.Env, l.Quirks, cmp.Or(l.TFSHome, TFSHome)
	for _, f := range fields {
		if err := c.Set(f.Name, f.Value); err != nil {
			return nil, err
		}
	}
	if err := c.postInit(); err != nil {
		return nil, err
	}
	return &c, nil
}
