package modelconfig

import (
	"github.com/monosim/monosim/engine/env"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
)

// StatusResponse converts the statuses of a model's versions to upstream's message.
func StatusResponse(versions []env.ModelVersionStatus) *apis.GetModelStatusResponse {
	response := &apis.GetModelStatusResponse{}
	for _, v := range versions {
		response.ModelVersionStatus = append(response.ModelVersionStatus, &apis.ModelVersionStatus{
			Version: v.Version,
			State:   apis.ModelVersionStatus_State(v.State),
			Status:  StatusMessage(v.Status),
		})
	}
	return response
}

// StatusMessage converts one status to upstream's message.
func StatusMessage(s env.StatusProto) *util.StatusProto {
	return &util.StatusProto{ErrorCode: tfcore.Code(s.Code), ErrorMessage: s.Message}
}
