package tfserving

import (
	"github.com/monosim/monosim/engine/enum"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/answers"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// Profile says which server is simulated (TFS-1.1).
type Profile uint8

// These are the servers that can be simulated.
const (
	Profile24         Profile = iota // Profile24 is tfs-2.4: version 2.4.0, which monolith uses
	ProfileHead                      // ProfileHead is tfs-head: later than 2.20.0
	ProfilePythonFake                // ProfilePythonFake is python-fake: monolith's FakeTFServing
)

var profileNames = []string{"tfs-2.4", "tfs-head", "python-fake"}

func (p Profile) String() string { return enum.Listed(profileNames, p) }

// ParseProfile returns the profile called name: tfs-2.4, tfs-head or python-fake.
func ParseProfile(name string) (Profile, error) {
	return enum.Parse[Profile](profileNames, "model server profile", name)
}

// LatestOnce says which protobuf fields a server has for the policy latest_once. Servers that have
// the policy treat it equally (TFS-21.1).
type LatestOnce uint8

// These are the variants of the protobuf messages.
const (
	LatestOnceOfFork   LatestOnce = iota // LatestOnceOfFork has the reference's num_versions (utils.py:943)
	LatestOnceOfPublic                   // LatestOnceOfPublic is the policy of tensorflow/serving#2040, without fields
	NoLatestOnce                         // NoLatestOnce means that the policy does not exist, as in every release
)

var latestOnceNames = []string{"fork", "public", "stock"}

func (l LatestOnce) String() string { return enum.Listed(latestOnceNames, l) }

// ParseLatestOnce returns the variant called name: fork, public or stock.
func ParseLatestOnce(name string) (LatestOnce, error) {
	return enum.Parse[LatestOnce](latestOnceNames, "messages of latest_once", name)
}

// Options configures a server. Start from DefaultOptions. A field that mirrors a flag has the
// flag's name and unit.
type Options struct {
	Profile Profile

	// Port and the rest of this group configure the listeners. The state machine only validates
	// them, as upstream does at start.
	Port                    int
	GRPCSocketPath          string
	GRPCChannelArguments    string
	RESTAPIPort             int
	RESTAPITimeoutInMs      int
	RESTAPIEnableCORS       bool
	MonitoringConfigFile    string
	EnableGRPCHealthService bool
	DisplayVersion          bool

	ModelName       string
	ModelBasePath   string
	ModelConfigFile string
	// InitialConfig, when set, replaces the three fields above.
	InitialConfig                  *modelconfig.ServerConfig
	ModelConfigFilePollWaitSeconds int64
	FileSystemPollWaitSeconds      int64
	MaxNumLoadRetries              int
	LoadRetryIntervalMicros        int64
	NumLoadThreads                 int
	NumUnloadThreads               int

	AllowVersionLabelsForUnavailableModels bool
	EnableBatching                         bool
	BatchingParametersFile                 string
	EnablePerModelBatchingParameters       bool
	PlatformConfigFile                     string
	// Batching, if set, holds the content of the batching parameters file. Start-up sets it if
	// EnableBatching is on.
	Batching *Batching
	// These fields have no effect except that start-up validates them.
	SessionParallelism, IntraOpParallelism, InterOpParallelism int64
	SessionConfigFile                                          string
	UseALTSCredentials                                         bool
	SSLConfigFile                                              string
	ThreadPoolFactoryConfigFile                                string

	SavedModelTags                []string
	DisableModelWarmup            bool
	NumRequestIterationsForWarmup int
	// EnableSignatureMethodNameCheck refuses a request if the signature's method does not fit it.
	EnableSignatureMethodNameCheck bool
	// EnableSerializationAsTensorContent puts the outputs of predictions into tensor_content.
	EnableSerializationAsTensorContent bool
	// UnknownArgs holds the command-line arguments that match no flag (TFS-9.3).
	UnknownArgs []string

	// No command-line flag exists for the fields below (TFS-3.5, TFS-4.4, TFS-5.8).

	// CPUs is the number of processors. The first config is loaded with 4 threads for each of them.
	CPUs       int
	Transition Transition
	// ShuffleModels chooses at random which model acts first if several could act in the same tick,
	// to explore other orders. Otherwise it is the first by name (TFS-21.2).
	ShuffleModels                 bool
	Platforms                     []Platform
	FailIfZeroVersions            bool
	ServableVersionsAlwaysPresent bool
	// TotalModelMemoryLimitBytes limits the memory that all models together may reserve; 0 means no
	// limit.
	TotalModelMemoryLimitBytes  int64
	TransientRAMBytesDuringLoad int64
	// MemoryLimitBytes is the container's memory limit. If the process exceeds it, the kernel kills
	// the process. 0 means no limit.
	MemoryLimitBytes int64
	ForceAllowLabels bool
	// ReloadServablesWithError reloads failed versions at every poll (tfs-head).
	ReloadServablesWithError bool
	// ModelConfigListRootDir, when set, is the directory against which relative base paths are
	// resolved.
	ModelConfigListRootDir *string
	// StoragePathPrefix is put before the paths of versions.
	StoragePathPrefix   string
	RefuseVersionLabels bool
	// LatestOnce says which fields the server's messages have for latest_once (TFS-21.1).
	LatestOnce LatestOnce
	// StrictBundles treats a saved_model.pb that is neither a SavedModel nor a JSON description as
	// a damaged file, as a real server does. Without it, such a file is a model that accepts every
	// request.
	StrictBundles bool
	// LoadCustomConfig loads a custom model config. If nil, a custom config ends the process, as in
	// a stock server.
	LoadCustomConfig func(custom string) *env.RPCError
	Cost             CostModel
	// Answers, if set, is the script of the models' answers. SetAnswers replaces it.
	Answers *answers.Script
	// Shared, if set, holds data that the servers of one simulation share to save memory.
	Shared *Shared

	// FakeNumVersions is how many versions ModelName has in python-fake. FakeBugs says whether
	// python-fake reproduces items 4 and 18 of TFS-17.1. FakeSwitches says whether its thread may
	// also run in the middle of calls (Q229).
	FakeNumVersions        int
	FakeBugs, FakeSwitches bool
}

// Platform is a kind of model that the server can load.
type Platform struct {
	Name string
	// ConfigError, if set, is the error of creating the platform's source adapter. Loading the
	// first config then fails with it.
	ConfigError *env.RPCError
	// AdapterError, when set, is the source adapter's error for every version.
	AdapterError *env.RPCError

	settings *bundleSettings // settings, when set, replaces the flags for this adapter
}

func (o *Options) platformNamed(name string) (*Platform, bool) {
	for i := range o.Platforms {
		if p := &o.Platforms[i]; p.Name == name {
			return p, true
		}
	}
	return nil, false
}

// DefaultOptions returns the options of a profile's server that is started without flags.
func DefaultOptions(profile Profile) Options {
	return Options{
		Profile:                   profile,
		Port:                      8500,
		RESTAPITimeoutInMs:        30000,
		ModelName:                 "default",
		FileSystemPollWaitSeconds: 1,
		MaxNumLoadRetries:         5,
		LoadRetryIntervalMicros:   60e6,
		SavedModelTags:            []string{"serve"},
		CPUs:                      4,
		Platforms:                 []Platform{{Name: modelconfig.TensorFlowPlatform}},
		Cost:                      DefaultCost(),
		FakeNumVersions:           1,
	}
}
