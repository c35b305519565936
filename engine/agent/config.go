package agent

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// tfsHome is where the serving binaries and their configuration are installed
// (utils.py:51).
const tfsHome = "/opt/tiger/monolith_serving"

// defaultPlatformConfigFile is utils.py:53.
const defaultPlatformConfigFile = tfsHome + "/conf/platform_config_file.cfg"

// OptString is a string or None.
type OptString = pysem.Opt[string]

// OptInt is an int or None.
type OptInt = pysem.Opt[int]

// TfServingConfig are the model server's flags (utils.py:195-289). A flag is
// passed on when it differs from its default.
type TfServingConfig struct {
	EnableBatching                         bool
	AllowVersionLabelsForUnavailableModels bool
	BatchingParametersFile                 OptString
	NumLoadThreads                         int
	NumUnloadThreads                       int
	MaxNumLoadRetries                      int // 5
	LoadRetryIntervalMicros                int // one minute
	FileSystemPollWaitSeconds              int // 1
	FlushFilesystemCaches                  bool
	TensorflowSessionParallelism           int
	TensorflowIntraOpParallelism           int
	TensorflowInterOpParallelism           int
	SSLConfigFile                          OptString
	PlatformConfigFile                     OptString
	PerProcessGPUMemoryFraction            float64
	AllowGrowth                            bool
	SavedModelTags                         OptString
	GrpcChannelArguments                   OptString
	GrpcMaxThreads                         int
	EnableModelWarmup                      bool
	Version                                OptString
	RemoveUnusedFieldsFromBundleMetagraph  bool
	EnableSignatureMethodNameCheck         bool
	XLACPUCompilationEnabled               bool
	EnableProfiler                         bool
}

// AgentConfig is the configuration of one agent (utils.py:291-395). Make one
// with [FromFile] or [NewConfig]: both complete it from the environment as
// __post_init__ does. Fields that are None when unset are Opts.
type AgentConfig struct {
	TfServingConfig

	Bzid              OptString
	BaseName          OptString
	BasePath          OptString
	NumPS             int    // number of PS shards of the model
	NumShard          OptInt // number of containers that share them
	DeployType        DeployType
	ReplicaID         OptInt
	StandAloneServing bool
	ZKServers         OptString

	ProxyPort          OptInt
	TFSEntryPort       OptInt
	TFSEntryHTTPPort   OptInt
	TFSEntryArchonPort OptInt
	TFSPSPort          OptInt
	TFSPSHTTPPort      OptInt
	TFSPSArchonPort    OptInt
	DenseAlone         bool
	DenseServiceNum    int
	TFSDensePort       OptInt
	TFSDenseHTTPPort   OptInt
	TFSDenseArchonPort OptInt
	AgentPort          OptInt

	UpdateModelStatusInterval   int
	AgentVersion                int
	MaxWaitingSec               int
	PreloadJemalloc             bool
	VersionPolicy               OptString
	VersionData                 int
	FetchPSTimeoutMs            int
	FetchPSLongConnNum          int
	FetchPSLongConnEnable       bool
	FetchPSRetry                int
	AIOThreadNum                int
	FileSystemPollWaitSecondsPS int

	// The rough sort model is served beside the main one.
	RoughSortModelName           OptString
	RoughSortModelLocalPath      OptString
	RoughSortModelLoadedServer   OptString
	RoughSortModelP2PPath        OptString
	RoughSortResourceConstrained bool
	DCAware                      bool

	// Unified containers load what a layout lists.
	LayoutPattern OptString
	LayoutFilters []string // nil means None
	TFSPortArchon OptInt
	TFSPortGRPC   OptInt
	TFSPortHTTP   OptInt
	UseMetrics    bool

	// Quirks says which faults of the reference are kept.
	Quirks Quirks

	env *env.Env
	odd oddValues
}

// defaultConfig is an AgentConfig before __post_init__ with no argument given.
func defaultConfig() AgentConfig {
	return AgentConfig{
		TfServingConfig: TfServingConfig{
			MaxNumLoadRetries:                     5,
			LoadRetryIntervalMicros:               60_000_000,
			FileSystemPollWaitSeconds:             1,
			FlushFilesystemCaches:                 true,
			AllowGrowth:                           true,
			EnableModelWarmup:                     true,
			RemoveUnusedFieldsFromBundleMetagraph: true,
			EnableProfiler:                        true,
		},
		NumPS:                      1,
		DenseServiceNum:            3,
		UpdateModelStatusInterval:  1,
		AgentVersion:               1,
		MaxWaitingSec:              1200,
		PreloadJemalloc:            true,
		VersionPolicy:              pysem.Some("latest"),
		VersionData:                1,
		FetchPSTimeoutMs:           200,
		FetchPSLongConnNum:         100,
		FetchPSLongConnEnable:      true,
		FetchPSRetry:               2,
		AIOThreadNum:               30,
		RoughSortModelLoadedServer: pysem.Some(ServerEntry),
		UseMetrics:                 true,
		// utils.py:277: the default of this float is an int, and shows as one.
		odd: oddValues{{name: "per_process_gpu_memory_fraction", value: 0, typed: 0.0}},
	}
}

// Field is a keyword argument of the configuration: the reference's field name
// and a Python value (see package pysem).
type Field struct {
	Name  string
	Value any
}

// Loader makes configurations that keep a chosen set of quirks.
type Loader struct {
	Env    *env.Env
	Quirks Quirks
}

// NewConfig makes a configuration from keyword arguments, as
// AgentConfig(**fields) does. Errors are *pysem.Error.
func NewConfig(e *env.Env, fields ...Field) (*AgentConfig, error) {
	return Loader{Env: e}.New(fields...)
}

// New is [NewConfig].
func (l Loader) New(fields ...Field) (*AgentConfig, error) {
	c := defaultConfig()
	c.env, c.Quirks = l.Env, l.Quirks
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
