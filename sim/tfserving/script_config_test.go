package tfserving

import (
	"math/rand/v2"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

func (s *script) options(args []string) Options {
	profile, err := ParseProfile(args[0])
	if err != nil {
		s.fatalf("%v", err)
	}
	var flags, options []string
	for _, arg := range args[1:] {
		if strings.HasPrefix(arg, "--") {
			flags = append(flags, arg)
		} else {
			options = append(options, arg)
		}
	}
	o, _, err := ParseFlags(profile, flags)
	if err != nil {
		s.fatalf("%v", err)
	}
	for _, option := range options {
		s.option(&o, option)
	}
	return o
}

func (s *script) option(o *Options, option string) {
	name, value, _ := strings.Cut(option, "=")
	switch name {
	case "config":
		models := s.models(strings.Split(value, ";"))
		o.InitialConfig = &modelconfig.ServerConfig{Kind: modelconfig.ModelList, Models: models}
	case "empty":
		o.InitialConfig = &modelconfig.ServerConfig{}
	case "loaders":
		o.NumLoadThreads = s.atoi(value)
	case "unloaders":
		o.NumUnloadThreads = s.atoi(value)
	case "cpus":
		o.CPUs = s.atoi(value)
	case "reserve":
		o.TotalModelMemoryLimitBytes = int64(s.atoi(value)) * 1e6
	case "memory":
		o.MemoryLimitBytes = int64(s.atoi(value)) * 1e6
	case "resourcepreserving":
		o.Transition = ResourcePreserving
	case "platform":
		o.Platforms = append(o.Platforms, Platform{Name: value})
	case "badplatform":
		o.Platforms = append(o.Platforms, Platform{Name: value, AdapterError: statusf(rpcerrors.Unknown, "Injected error")})
	case "adaptererror":
		o.Platforms = []Platform{{Name: modelconfig.TensorFlowPlatform, AdapterError: statusf(rpcerrors.Canceled, "%s", value)}}
	case "forcelabels":
		o.ForceAllowLabels = true
	case "nolabels":
		o.RefuseVersionLabels = true
	case "latestonce":
		o.LatestOnce, _ = ParseLatestOnce(value)
	case "failifzero":
		o.FailIfZeroVersions = true
	case "alwayspresent":
		o.ServableVersionsAlwaysPresent = true
	case "custom":
		o.LoadCustomConfig = func(string) *env.RPCError { return nil }
	case "porttaken": // see startServer
	case "choices":
		s.host.choose = numberedChoices(uint64(s.atoi(value)))
	case "rootdir":
		o.ModelConfigListRootDir = &value
	case "prefix":
		o.StoragePathPrefix = value
	case "reloaderrors":
		o.ReloadServablesWithError = true
	case "transient":
		o.TransientRAMBytesDuringLoad = int64(s.atoi(value)) * 1e6
	case "bugs":
		o.FakeBugs = true
	case "fakeversions":
		o.FakeNumVersions = s.atoi(value)
	default:
		s.fatalf("unknown option %q", name)
	}
}

// numberedChoices returns pseudo-random choices that depend only on the number. The number 0 gives
// the default of each choice.
func numberedChoices(number uint64) func(site string, n int) int {
	if number == 0 {
		return func(string, int) int { return 0 }
	}
	draws := rand.New(rand.NewPCG(number, number))
	return func(_ string, n int) int { return draws.IntN(n) }
}

func (s *script) models(args []string) (models []modelconfig.ModelConfig) {
	for _, arg := range args {
		if arg == "" {
			continue
		}
		parts := strings.Split(arg, ",")
		m := modelconfig.ModelConfig{Platform: modelconfig.TensorFlowPlatform}
		m.Name, m.BasePath, _ = strings.Cut(parts[0], "=")
		for _, part := range parts[1:] {
			s.modelOption(&m, part)
		}
		models = append(models, m)
	}
	return models
}

func (s *script) modelOption(m *modelconfig.ModelConfig, part string) {
	name, value, _ := strings.Cut(part, "=")
	label, isLabel := strings.CutPrefix(name, "label.")
	switch {
	case isLabel:
		m.Labels = append(m.Labels, modelconfig.Label{Name: label, Version: int64(s.atoi(value))})
	case name == "latest":
		m.Policy = modelconfig.VersionPolicy{Kind: modelconfig.Latest, NumVersions: uint32(s.atoi(value))}
	case name == "once":
		m.Policy = modelconfig.VersionPolicy{Kind: modelconfig.LatestOnce, NumVersions: uint32(s.atoi(value))}
	case name == "all":
		m.Policy = modelconfig.VersionPolicy{Kind: modelconfig.All}
	case name == "specific":
		m.Policy = modelconfig.VersionPolicy{Kind: modelconfig.Specific}
		for _, v := range strings.FieldsFunc(value, func(r rune) bool { return r == '+' }) {
			m.Policy.Versions = append(m.Policy.Versions, int64(s.atoi(v)))
		}
	case name == "logging":
		m.Logging = true
	case name == "platform":
		m.Platform = value
	case name == "type":
		m.Type = modelconfig.ModelType(s.atoi(value))
	default:
		s.fatalf("unknown model option %q", name)
	}
}

func (s *script) config(args []string) modelconfig.ServerConfig {
	if len(args) == 1 && args[0] == "empty" {
		return modelconfig.ServerConfig{}
	}
	if len(args) == 1 && strings.HasPrefix(args[0], "custom=") {
		return modelconfig.ServerConfig{Kind: modelconfig.CustomConfig, Custom: args[0]}
	}
	return modelconfig.ServerConfig{Kind: modelconfig.ModelList, Models: s.models(args)}
}
