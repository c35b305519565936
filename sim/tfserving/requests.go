package tfserving

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// This file answers the requests of ModelService in upstream's messages. inference.go answers
// those of PredictionService. All errors are *env.RPCError.

// GetModelStatus answers ModelService.GetModelStatus (TFS-7).
func (s *Server) GetModelStatus(r *apis.GetModelStatusRequest) (*apis.GetModelStatusResponse, error) {
	ask := s.StatusWithoutSpec
	if r.GetModelSpec() != nil {
		ask = func() ([]env.ModelVersionStatus, error) { return s.Status(SpecValue(r.GetModelSpec())) }
	}
	versions, err := ask()
	if err != nil {
		return nil, err
	}
	return modelconfig.StatusResponse(versions), nil
}

// HandleReloadConfigRequest answers ModelService.HandleReloadConfigRequest (TFS-8). It calls done
// at most once, at this instant or later. A reload that waits forever never calls it (TFS-8.7).
func (s *Server) HandleReloadConfigRequest(r *apis.ReloadConfigRequest, done func(*apis.ReloadConfigResponse, error)) {
	s.Reload(modelconfig.ConfigFromProto(r.GetConfig()), func(err *env.RPCError) {
		if err != nil {
			done(nil, err)
			return
		}
		done(&apis.ReloadConfigResponse{Status: modelconfig.StatusMessage(env.StatusProto{})}, nil)
	})
}

// SpecValue converts a model_spec message; nil becomes a spec without a model name.
func SpecValue(spec *apis.ModelSpec) env.ModelSpec {
	return env.ModelSpec{
		Name: spec.GetName(), HasVersion: spec.GetVersion() != nil, Version: spec.GetVersion().GetValue(),
		Label: spec.GetVersionLabel(), Signature: spec.GetSignatureName(),
	}
}
