package operator

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners"
)

// ModelConfig makes the config message that reloads a model server. basePath translates a
// model's path to the path under which the server finds it. nil leaves paths unchanged.
func ModelConfig(models []runners.ServedModel, basePath func(string) string) (*config.ModelServerConfig, error) {
	list := &config.ModelConfigList{}
	for _, m := range models {
		policy, err := policyOf(m.Policy)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Name, err)
		}
		if basePath != nil {
			m.BasePath = basePath(m.BasePath)
		}
		model := &config.ModelConfig{Name: m.Name, BasePath: m.BasePath, ModelPlatform: m.Platform, ModelVersionPolicy: policy}
		for _, l := range m.Labels {
			if model.VersionLabels == nil {
				model.VersionLabels = map[string]int64{}
			}
			model.VersionLabels[l.Name] = l.Version
		}
		list.Config = append(list.Config, model)
	}
	return &config.ModelServerConfig{Config: &config.ModelServerConfig_ModelConfigList{ModelConfigList: list}}, nil
}

// ReloadRequest returns the reload request for the models, encoded in the form that
// env.ModelServer takes.
func ReloadRequest(models []runners.ServedModel, basePath func(string) string) ([]byte, error) {
	message, err := ModelConfig(models, basePath)
	if err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(message)
}

// ModelConfigFile returns the config as text for the flag --model_config_file. With nil
// models it has no model list.
func ModelConfigFile(models []runners.ServedModel, basePath func(string) string) (string, error) {
	message := &config.ModelServerConfig{}
	if models != nil {
		var err error
		if message, err = ModelConfig(models, basePath); err != nil {
			return "", err
		}
	}
	text, err := textpb.Marshal(message)
	if text == "" {
		text = "\n" // not empty, because a server refuses an empty file
	}
	return text, err
}

type (
	versionPolicy  = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy
	policyLatest   = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest
	policyOnce     = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_LatestOnce
	policyAll      = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All
	policySpecific = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific
)

// policyOf parses the version policy of a model. It returns nil for an empty text, which
// leaves the policy unset.
func policyOf(text string) (*versionPolicy, error) {
	p, err := runners.ParsePolicy(text)
	switch {
	case err != nil || text == "":
		return nil, err
	case p.All:
		return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All_{All: &policyAll{}}}, nil
	case p.Latest != nil:
		latest := &policyLatest{NumVersions: *p.Latest}
		return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest_{Latest: latest}}, nil
	case p.LatestOnce != nil:
		once := &policyOnce{NumVersions: *p.LatestOnce}
		return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_LatestOnce_{LatestOnce: once}}, nil
	}
	specific := &policySpecific{Versions: p.Specific}
	return &versionPolicy{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific_{Specific: specific}}, nil
}

// PublishOf makes the publish record of "<model>:<sub-model>" that a TFSMonitor needs to ask
// for the model's status. Its version policy is latest.
func PublishOf(model string) (*datadef.PublishMeta, error) {
	name, subModel, ok := strings.Cut(model, ":")
	if !ok || !strings.HasPrefix(subModel, agentconfig.ServerEntry) {
		return nil, fmt.Errorf("model: found %q, want one of an entry, as ctr:entry", model)
	}
	pm := datadef.DefaultPublishMeta()
	pm.ModelName = pysem.Some(name)
	pm.SubModels = pm.SubModels.With(subModel, "/models/"+name+"/"+subModel+"/1")
	return &pm, nil
}

// Predict sends one Predict request without inputs to a model server, and returns the
// version that answered.
func Predict(spec runners.PredictSpec, call func(method string, request []byte) (response []byte, err error)) (version int64, err error) {
	request := &apis.PredictRequest{ModelSpec: &apis.ModelSpec{Name: spec.Model}}
	if spec.Label != "" {
		request.ModelSpec.VersionChoice = &apis.ModelSpec_VersionLabel{VersionLabel: spec.Label}
	}
	data, err := proto.Marshal(request)
	if err != nil {
		return 0, err
	}
	if data, err = call(apis.PredictionService_Predict_FullMethodName, data); err != nil {
		return 0, err
	}
	var response apis.PredictResponse
	err = proto.Unmarshal(data, &response)
	return response.GetModelSpec().GetVersion().GetValue(), err
}
