// Package modelconfig has what a model server is told of its models and what it tells
// of them: configs and statuses, apart from upstream's messages.
//
// Two things to use first:
//
//   - [ServerConfig] is a ModelServerConfig; [ConfigFromProto] and [ParseServerConfig]
//     read one.
//   - [StatusResponse] writes statuses as GetModelStatus answers them.
//
// To change what a config holds look in config.go; how it is read, in proto.go.
package modelconfig

import (
	"slices"
	"strings"
)

// ServerConfig is tensorflow.serving.ModelServerConfig.
type ServerConfig struct {
	Kind   ConfigKind
	Models []ModelConfig // for ModelList, in the order of the list
	Custom string        // for CustomConfig: the serialized Any
}

// ConfigKind is the case of the oneof in a ServerConfig.
type ConfigKind uint8

// The kinds of a config. EmptyConfig has nothing set at all, which is not the
// same as a model list without models (TFS-8.10).
const (
	EmptyConfig ConfigKind = iota
	ModelList
	CustomConfig
)

// ModelConfig is tensorflow.serving.ModelConfig without what has no effect here.
// What to log does not matter, since a stock server cannot log requests.
type ModelConfig struct {
	Name     string
	BasePath string
	Type     ModelType // deprecated; either it or Platform is set
	Platform string
	Policy   VersionPolicy
	Labels   []Label // by name
	Logging  bool    // whether it has a logging_config
}

// ModelType is the deprecated way to name a platform.
type ModelType int32

// The model types.
const (
	TypeUnspecified ModelType = 0
	TypeTensorFlow  ModelType = 1
	TypeOther       ModelType = 2
)

// Label gives a version a name for requests (TFS-11).
type Label struct {
	Name    string
	Version int64
}

// VersionPolicy is FileSystemStoragePathSourceConfig.ServableVersionPolicy.
type VersionPolicy struct {
	Kind        PolicyKind
	NumVersions uint32  // for Latest and LatestOnce; 0 counts as 1
	Versions    []int64 // for Specific
}

// PolicyKind is the case of the oneof in a VersionPolicy.
type PolicyKind uint8

// The policies. NoPolicy serves as Latest with one version.
const (
	NoPolicy PolicyKind = iota
	Latest
	All
	Specific
	LatestOnce
)

// LatestOnce is of monolith's fork, whose meaning is not public (TFS-16.2). Here
// it is (TFS-21.1): load the newest NumVersions versions that the first poll
// finds, then do not follow newer ones. What that leaves open is decided so:
//
//   - A poll that finds no version does not count, nor one that fails, be it for
//     another model; the first that finds any does.
//   - A chosen version whose directory goes is unloaded as with every policy
//     (TFS-3.4) and not replaced; it is loaded again when the directory returns.
//   - NumVersions 0 counts as 1, as for Latest.
//   - Options.RefuseLatestOnce makes a strictly stock server: the field is unknown
//     in a config file ("Invalid protobuf file") and skipped in a request.
//
// A reload that leaves base path and policy alone keeps the choice; any other
// begins anew.

// TensorFlowPlatform is the one platform of a stock server.
const TensorFlowPlatform = "tensorflow"

// SameCustom reports whether both are the same custom config, which tfs-head lets pass
// (model_servers/server_core.cc:482).
func (c ServerConfig) SameCustom(other ServerConfig) bool {
	return c.Kind == CustomConfig && other.Kind == CustomConfig && c.Custom == other.Custom
}

// WithoutLatestOnce is the config as a server reads it whose messages lack
// latest_once: on the wire an unknown field is skipped, which leaves no policy.
func (c ServerConfig) WithoutLatestOnce() ServerConfig {
	c.Models = slices.Clone(c.Models)
	for i := range c.Models {
		if c.Models[i].Policy.Kind == LatestOnce {
			c.Models[i].Policy = VersionPolicy{}
		}
	}
	return c
}

// HasLabels reports whether any model gives labels to versions.
func (c ServerConfig) HasLabels() bool {
	for _, m := range c.Models {
		if len(m.Labels) > 0 {
			return true
		}
	}
	return false
}

// IsRelativePath reports whether a base path is neither absolute nor a URI
// (model_servers/server_core.cc:108-113).
func IsRelativePath(path string) bool {
	if scheme, _, ok := strings.Cut(path, "://"); ok && isScheme(scheme) {
		return false
	}
	return !strings.HasPrefix(path, "/")
}

// isScheme matches [a-zA-Z][0-9a-zA-Z.]* (tensorflow io::ParseURI).
func isScheme(s string) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		digit := '0' <= c && c <= '9' || c == '.'
		if !letter && (i == 0 || !digit) {
			return false
		}
	}
	return s != ""
}

// SortInPlace is what the reference does to the caller's config: the list of versions
// is sorted in it, and with that it has a policy (item 4, mocked_tfserving.py:107-109).
func (p *VersionPolicy) SortInPlace() {
	if p.Kind == Latest || p.Kind == All {
		return
	}
	p.Kind = Specific
	slices.Sort(p.Versions)
}
