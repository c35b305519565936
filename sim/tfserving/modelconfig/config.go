// Package modelconfig defines the configs that a model server reads and the statuses that it
// reports, without upstream's protobuf messages.
//
// Two things to use first:
//
//   - [ServerConfig] is a ModelServerConfig; [ConfigFromProto] and [ParseServerConfig] read
//     one.
//   - [StatusResponse] converts statuses to the answer of GetModelStatus.
//
// To change:
//
//   - what a config holds: config.go
//   - how a config is read: proto.go
//   - how statuses are written: status.go
//
// Unstable: any commit may change it.
package modelconfig

import (
	"slices"
	"strings"
)

// ServerConfig is tensorflow.serving.ModelServerConfig.
type ServerConfig struct {
	Kind   ConfigKind
	Models []ModelConfig // Models is set for a ModelList, in the order of the list
	Custom string        // Custom is set for a CustomConfig: the serialized Any
}

// ConfigKind says which case of the oneof a ServerConfig has.
type ConfigKind uint8

// These are the kinds of a config. EmptyConfig is a config with no case set, which differs from a
// model list without models (TFS-8.10).
const (
	EmptyConfig ConfigKind = iota
	ModelList
	CustomConfig
)

// ModelConfig is tensorflow.serving.ModelConfig without the fields that have no effect here. For
// logging_config only its presence is kept, because a stock server cannot log requests.
type ModelConfig struct {
	Name     string
	BasePath string
	Type     ModelType // Type is deprecated in favour of Platform
	Platform string
	Policy   VersionPolicy
	Labels   []Label // Labels is sorted by name
	Logging  bool    // Logging is true if the model has a logging_config
}

// ModelType is model_type, the deprecated way to name a platform.
type ModelType int32

// These are the values of model_type.
const (
	TypeUnspecified ModelType = 0
	TypeTensorFlow  ModelType = 1
	TypeOther       ModelType = 2
)

// Label is a name for a version, which requests can use instead of its number (TFS-11).
type Label struct {
	Name    string
	Version int64
}

// VersionPolicy says which versions of a model to serve
// (FileSystemStoragePathSourceConfig.ServableVersionPolicy).
type VersionPolicy struct {
	Kind        PolicyKind
	NumVersions uint32  // NumVersions is used by Latest and LatestOnce; 0 counts as 1
	Versions    []int64 // Versions is used by Specific
}

// PolicyKind says which case of the oneof a VersionPolicy has.
type PolicyKind uint8

// These are the kinds of a version policy. NoPolicy behaves as Latest with one version.
const (
	NoPolicy PolicyKind = iota
	Latest
	All
	Specific
	LatestOnce
)

// LatestOnce is the policy of tensorflow/serving#2040. A poll skips a model while any version of it
// is AVAILABLE. Otherwise the policy works as Latest (TFS-21.1). NumVersions exists only in
// monolith's fork.

// TensorFlowPlatform is the only platform of a stock server.
const TensorFlowPlatform = "tensorflow"

// SameCustom reports whether both configs are custom and equal. tfs-head accepts a reload that
// repeats its custom config (model_servers/server_core.cc:482).
func (c ServerConfig) SameCustom(other ServerConfig) bool {
	return c.Kind == CustomConfig && other.Kind == CustomConfig && c.Custom == other.Custom
}

// HasLabels reports whether any model gives labels to versions.
func (c ServerConfig) HasLabels() bool {
	return slices.ContainsFunc(c.Models, func(m ModelConfig) bool { return len(m.Labels) > 0 })
}

// IsRelativePath reports whether a base path is neither absolute nor a URI
// (model_servers/server_core.cc:108-113).
func IsRelativePath(path string) bool {
	if scheme, _, ok := strings.Cut(path, "://"); ok && isScheme(scheme) {
		return false
	}
	return !strings.HasPrefix(path, "/")
}

// isScheme reports whether s matches [a-zA-Z][0-9a-zA-Z.]* (tensorflow io::ParseURI).
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

// SortInPlace changes a policy as the reference changes the config of its caller. It sorts the list
// of versions and sets the kind to Specific (TFS-17.1 item 4, mocked_tfserving.py:107-109).
func (p *VersionPolicy) SortInPlace() {
	if p.Kind == Latest || p.Kind == All {
		return
	}
	p.Kind = Specific
	slices.Sort(p.Versions)
}
