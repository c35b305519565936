package modelconfig

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/lists"
	configpb "github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	sourcepb "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
)

// ParseServerConfig parses a serialized tensorflow.serving.ModelServerConfig, which is the
// argument of env.ModelServer.Reload.
func ParseServerConfig(data []byte) (ServerConfig, error) {
	var message configpb.ModelServerConfig
	if err := proto.Unmarshal(data, &message); err != nil {
		return ServerConfig{}, fmt.Errorf("model server config of %d bytes: %w", len(data), err)
	}
	return ConfigFromProto(&message), nil
}

// ConfigFromProto converts a config. It drops the fields that do not affect which versions are
// served.
func ConfigFromProto(message *configpb.ModelServerConfig) ServerConfig {
	switch kind := message.GetConfig().(type) {
	case *configpb.ModelServerConfig_ModelConfigList:
		return ServerConfig{Kind: ModelList, Models: lists.MapOrNil(kind.ModelConfigList.GetConfig(), modelFromProto)}
	case *configpb.ModelServerConfig_CustomModelConfig:
		any := kind.CustomModelConfig
		return ServerConfig{Kind: CustomConfig, Custom: any.GetTypeUrl() + "\x00" + string(any.GetValue())}
	}
	return ServerConfig{}
}

func modelFromProto(m *configpb.ModelConfig) ModelConfig {
	config := ModelConfig{
		Name:     m.GetName(),
		BasePath: m.GetBasePath(),
		//lint:ignore SA1019 a real model server reads the old field, too
		Type:     ModelType(m.GetModelType()),
		Platform: m.GetModelPlatform(),
		Policy:   policyFromProto(m.GetModelVersionPolicy()),
		Logging:  m.GetLoggingConfig() != nil,
	}
	for _, name := range slices.Sorted(maps.Keys(m.GetVersionLabels())) {
		config.Labels = append(config.Labels, Label{Name: name, Version: m.GetVersionLabels()[name]})
	}
	return config
}

func policyFromProto(p *sourcepb.FileSystemStoragePathSourceConfig_ServableVersionPolicy) VersionPolicy {
	switch choice := p.GetPolicyChoice().(type) {
	case *sourcepb.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest_:
		return VersionPolicy{Kind: Latest, NumVersions: choice.Latest.GetNumVersions()}
	case *sourcepb.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All_:
		return VersionPolicy{Kind: All}
	case *sourcepb.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific_:
		return VersionPolicy{Kind: Specific, Versions: slices.Clone(choice.Specific.GetVersions())}
	case *sourcepb.FileSystemStoragePathSourceConfig_ServableVersionPolicy_LatestOnce_:
		return VersionPolicy{Kind: LatestOnce, NumVersions: choice.LatestOnce.GetNumVersions()}
	}
	return VersionPolicy{}
}
