package tfserving

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// Profile says which server is simulated (TFS-1.1).
type Profile uint8

// The profiles.
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

// ParseProfile returns the profile of that name: tfs-2.4, tfs-head or python-fake.
func ParseProfile(name string) (Profile, error) {
	for i, n := range profileNames {
		if n == name {
			return Profile(i), nil
		}
	}
	return 0, fmt.Errorf("model server profile: got %q, want one of %q", name, profileNames)
}

// Options are what a server is started with. Begin with DefaultOptions; fields
// that mirror a flag have the flag's name and unit.
type Options struct {
	Profile Profile

	// Port and the rest of this group are for whoever serves the requests; the
	// machine only checks them as start-up does.
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
	// InitialConfig takes the place of the three above.
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
	// EnableSignatureMethodNameCheck makes requests fail that go to a signature of
	// another method.
	EnableSignatureMethodNameCheck bool
	// EnableSerializationAsTensorContent makes outputs of predictions come in
	// tensor_content.
	EnableSerializationAsTensorContent bool
	// UnknownArgs were on the command line and are no flags (TFS-9.3).
	UnknownArgs []string

	// The rest has no flag (TFS-3.5, TFS-4.4, TFS-5.8).

	// CPUs sets the threads of the first load: 4 for each.
	CPUs       int
	Transition Transition
	// ShuffleModels has a seeded draw decide between models that could act in the
	// same tick, for exploration; otherwise the first by name does (TFS-21.2).
	ShuffleModels                 bool
	Platforms                     []Platform
	FailIfZeroVersions            bool
	ServableVersionsAlwaysPresent bool
	// TotalModelMemoryLimitBytes is what models may reserve; 0 means no limit.
	TotalModelMemoryLimitBytes  int64
	TransientRAMBytesDuringLoad int64
	// MemoryLimitBytes is the container's; a process above it is killed. 0 means
	// no limit.
	MemoryLimitBytes int64
	ForceAllowLabels bool
	// ReloadServablesWithError has every poll try versions in error again (tfs-head).
	ReloadServablesWithError bool
	// ModelConfigListRootDir, when set, is what relative base paths are below.
	ModelConfigListRootDir *string
	// StoragePathPrefix goes before the paths of versions.
	StoragePathPrefix   string
	RefuseVersionLabels bool
	// RefuseLatestOnce makes latest_once an unknown field, as it is for a strictly
	// stock server (TFS-21.1).
	RefuseLatestOnce bool
	// StrictBundles makes a saved_model.pb that is neither a SavedModel nor a
	// description a damaged file (Bundle), as it is for a real server. Without it,
	// it stands for a model that takes every request.
	StrictBundles bool
	// LoadCustomConfig takes a custom model config; nil dies, as stock does.
	LoadCustomConfig func(custom string) *env.RPCError
	Cost             CostModel
	// Shared, when set, is what the server shares with others of its world.
	Shared *Shared

	// FakeNumVersions and FakeBugs are for python-fake: the versions of ModelName,
	// and whether items 4 and 18 of TFS-17.1 are reproduced.
	FakeNumVersions int
	FakeBugs        bool
}

// Platform is a kind of model that the server can load.
type Platform struct {
	Name string
	// ConfigError, when set, is why its source adapter cannot be made, at which the
	// first config fails.
	ConfigError *env.RPCError
	// AdapterError, when set, is what its source adapter answers for every version.
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

// DefaultOptions are those of the profile without any flag.
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
