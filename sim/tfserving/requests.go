package tfserving

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// This file has the requests of ModelService in upstream's messages; those of
// PredictionService are in inference.go. Errors are *env.RPCError.

// GetModelStatus is ModelService.GetModelStatus (TFS-7).
func (s *Server) GetModelStatus(r *apis.GetModelStatusRequest) (*apis.GetModelStatusResponse, error) {
	versions, err := s.statusOf(specFromProto(r.GetModelSpec()))
	if err != nil {
		return nil, err
	}
	return modelconfig.StatusResponse(versions), nil
}

func (s *Server) statusOf(spec *env.ModelSpec) ([]env.ModelVersionStatus, error) {
	if spec == nil {
		return s.StatusWithoutSpec()
	}
	return s.Status(*spec)
}

// HandleReloadConfigRequest is ModelService.HandleReloadConfigRequest (TFS-8).
// done is called once, at this instant, later, or never (TFS-8.7).
func (s *Server) HandleReloadConfigRequest(r *apis.ReloadConfigRequest, done func(*apis.ReloadConfigResponse, error)) {
	s.Reload(modelconfig.ConfigFromProto(r.GetConfig()), func(err *env.RPCError) {
		if err != nil {
			done(nil, err)
			return
		}
		done(&apis.ReloadConfigResponse{Status: modelconfig.StatusMessage(env.StatusProto{})}, nil)
	})
}

// specFromProto is nil for a request without a model_spec.
func specFromProto(spec *apis.ModelSpec) *env.ModelSpec {
	if spec == nil {
		return nil
	}
	value := SpecValue(spec)
	return &value
}

// SpecValue is a model_spec as the machine takes it; nil is one without a name.
func SpecValue(spec *apis.ModelSpec) env.ModelSpec {
	return env.ModelSpec{
		Name: spec.GetName(), HasVersion: spec.GetVersion() != nil, Version: spec.GetVersion().GetValue(),
		Label: spec.GetVersionLabel(), Signature: spec.GetSignatureName(),
	}
}
