package tfserving

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// Profile selects which server is simulated (TFS-1.1).
type Profile uint8

// These are the profiles.
const (
	Profile24         Profile = iota // tfs-2.4: 2.4.0, what monolith runs
	ProfileHead                      // tfs-head: after 2.20.0
	ProfilePythonFake                // python-fake: monolith's FakeTFServing
)

var profileNames = [...]string{"tfs-2.4", "tfs-head", "python-fake"}

func (p Profile) String() string {
	if int(p) < len(profileNames) {
		return profileNames[p]
	}
	return fmt.Sprintf("Profile(%d)", uint8(p))
}

// ParseProfile returns the profile with a name: tfs-2.4, tfs-head or python-fake.
func ParseProfile(name string) (Profile, error) {
	for i, n := range profileNames {
		if n == name {
			return Profile(i), nil
		}
	}
	return 0, fmt.Errorf("model server profile: got %q, want one of %q", name, profileNames)
}

// Options configures a server. Begin with DefaultOptions. A field that mirrors a flag has the
// flag's name and unit.
type Options struct {
	Profile Profile

	// Port and the rest of this group are for whoever serves the requests. The machine only
	// checks them, as start-up does.
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
	// InitialConfig replaces the three fields above.
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
	PlatformConfigFile                     string
	// These are only checked, as start-up does.
	SessionParallelism, IntraOpParallelism, InterOpParallelism int64
	SessionConfigFile                                          string
	UseALTSCredentials                                         bool
	SSLConfigFile                                              string
	ThreadPoolFactoryConfigFile                                string

	SavedModelTags                []string
	DisableModelWarmup            bool
	NumRequestIterationsForWarmup int
	// EnableSignatureMethodNameCheck fails requests to a signature of another method.
	EnableSignatureMethodNameCheck bool
	// EnableSerializationAsTensorContent puts the outputs of predictions into tensor_content.
	EnableSerializationAsTensorContent bool
	// UnknownArgs are arguments on the command line that are no flags (TFS-9.3).
	UnknownArgs []string

	// The fields below have no flag (TFS-3.5, TFS-4.4, TFS-5.8).

	// CPUs sets how many threads load the first config: 4 for each CPU.
	CPUs       int
	Transition Transition
	// ShuffleModels, for exploration, draws which model acts first when several could act in
	// the same tick. Otherwise the first by name does (TFS-21.2).
	ShuffleModels                 bool
	Platforms                     []Platform
	FailIfZeroVersions            bool
	ServableVersionsAlwaysPresent bool
	// TotalModelMemoryLimitBytes is how much models may reserve; 0 means no limit.
	TotalModelMemoryLimitBytes  int64
	TransientRAMBytesDuringLoad int64
	// MemoryLimitBytes is the container's limit, above which the kernel kills the process; 0
	// means no limit.
	MemoryLimitBytes int64
	ForceAllowLabels bool
	// ReloadServablesWithError makes every poll try versions in error again (tfs-head).
	ReloadServablesWithError bool
	// ModelConfigListRootDir, when set, is the directory of relative base paths.
	ModelConfigListRootDir *string
	// StoragePathPrefix is put before the paths of versions.
	StoragePathPrefix   string
	RefuseVersionLabels bool
	// RefuseLatestOnce makes latest_once an unknown field, as it is for a stock server
	// (TFS-21.1).
	RefuseLatestOnce bool
	// StrictBundles takes a saved_model.pb that is neither a SavedModel nor a description for
	// a damaged file, as a real server does. Without it, such a file is a model that takes
	// every request.
	StrictBundles bool
	// LoadCustomConfig takes a custom model config. With nil the process dies, as stock does.
	LoadCustomConfig func(custom string) *env.RPCError
	Cost             CostModel
	// Shared, when set, holds what the server shares with other servers of its world.
	Shared *Shared

	// FakeNumVersions and FakeBugs are for python-fake: how many versions ModelName has, and
	// whether to reproduce items 4 and 18 of TFS-17.1.
	FakeNumVersions int
	FakeBugs        bool
}

// Platform is a kind of model that the server can load.
type Platform struct {
	Name string
	// ConfigError, when set, is why its source adapter cannot be made. The first config then
	// fails with it.
	ConfigError *env.RPCError
	// AdapterError, when set, is its source adapter's error for every version.
	AdapterError *env.RPCError
}

func (o *Options) platformNamed(name string) (*Platform, bool) {
	for i := range o.Platforms {
		if p := &o.Platforms[i]; p.Name == name {
			return p, true
		}
	}
	return nil, false
}

// DefaultOptions returns the options of a profile without any flag.
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
