package modelservertest

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
)

// model is an entry in a list of models. By default it has the base path for its name, and the
// platform tensorflow.
type model struct {
	name     string
	base     string
	platform string
	versions *policy
	labels   map[string]int64
}

type policy = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy

// all is the version policy that serves every version.
var all = &policy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All_{
	All: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All{},
}}

// none means that the platform or the base path is empty.
const none = "-"

// custom is a configuration of the other kind, which is not a list of models.
var custom = &config.ModelServerConfig{
	Config: &config.ModelServerConfig_CustomModelConfig{CustomModelConfig: &anypb.Any{TypeUrl: "type.example/any"}},
}

// list returns a function that makes, for a world, the configuration with these models.
func list(models ...model) func(w World) *config.ModelServerConfig {
	return func(w World) *config.ModelServerConfig {
		entries := &config.ModelConfigList{}
		for _, m := range models {
			entries.Config = append(entries.Config, &config.ModelConfig{
				Name: m.name, BasePath: orElse(m.base, w.BasePath(m.name)), ModelPlatform: orElse(m.platform, "tensorflow"),
				ModelVersionPolicy: m.versions, VersionLabels: m.labels,
			})
		}
		return &config.ModelServerConfig{Config: &config.ModelServerConfig_ModelConfigList{ModelConfigList: entries}}
	}
}

func orElse(text, fallback string) string {
	switch text {
	case none:
		return ""
	case "":
		return fallback
	}
	return text
}

// bytes returns the configuration in the form that env.ModelServer takes.
func bytes(c *config.ModelServerConfig) []byte {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(c)
	if err != nil {
		panic(err) // cannot happen: every configuration of the cases can be marshalled
	}
	return data
}
