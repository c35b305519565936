package tfserving

import (
	"github.com/monosim/monosim/engine/env"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
)

// This file has the requests of ModelService in upstream's messages; those of
// PredictionService are in inference.go. Errors are *env.RPCError.

// GetModelStatus is ModelService.GetModelStatus (TFS-7).
func (s *Server) GetModelStatus(r *apis.GetModelStatusRequest) (*apis.GetModelStatusResponse, error) {
	versions, err := s.statusOf(specFromProto(r.GetModelSpec()))
	if err != nil {
		return nil, err
	}
	return StatusResponse(versions), nil
}

func (s *Server) statusOf(spec *env.ModelSpec) ([]env.ModelVersionStatus, error) {
	if spec == nil {
		return s.StatusWithoutSpec()
	}
	return s.Status(*spec)
}

// StatusResponse is a status answer in upstream's message.
func StatusResponse(versions []env.ModelVersionStatus) *apis.GetModelStatusResponse {
	response := &apis.GetModelStatusResponse{}
	for _, v := range versions {
		response.ModelVersionStatus = append(response.ModelVersionStatus, &apis.ModelVersionStatus{
			Version: v.Version,
			State:   apis.ModelVersionStatus_State(v.State),
			Status:  statusMessage(v.Status),
		})
	}
	return response
}

func statusMessage(s env.StatusProto) *util.StatusProto {
	return &util.StatusProto{ErrorCode: tfcore.Code(s.Code), ErrorMessage: s.Message}
}

// HandleReloadConfigRequest is ModelService.HandleReloadConfigRequest (TFS-8).
// done is called once, at this instant, later, or never (TFS-8.7).
func (s *Server) HandleReloadConfigRequest(r *apis.ReloadConfigRequest, done func(*apis.ReloadConfigResponse, error)) {
	s.Reload(ConfigFromProto(r.GetConfig()), func(err *env.RPCError) {
		if err != nil {
			done(nil, err)
			return
		}
		done(&apis.ReloadConfigResponse{Status: statusMessage(env.StatusProto{})}, nil)
	})
}

// specFromProto is nil for a request without a model_spec.
func specFromProto(spec *apis.ModelSpec) *env.ModelSpec {
	if spec == nil {
		return nil
	}
	value := specValue(spec)
	return &value
}

func specValue(spec *apis.ModelSpec) env.ModelSpec {
	return env.ModelSpec{
		Name: spec.GetName(), HasVersion: spec.GetVersion() != nil, Version: spec.GetVersion().GetValue(),
		Label: spec.GetVersionLabel(), Signature: spec.GetSignatureName(),
	}
}
