package agentconfig

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pysem"
)

// GenStatusProto returns a status with a code and a message (utils.py:966). If message is None, the
// status has no message.
func GenStatusProto(code rpcerrors.Code, message pysem.OptString) *util.StatusProto {
	return &util.StatusProto{ErrorCode: tfcore.Code(code), ErrorMessage: message.V}
}

// GenModelVersionStatus returns the status of one version of a model. It always contains a
// StatusProto, even an empty one (utils.py:971).
func GenModelVersionStatus(version int64, state env.ModelState, code rpcerrors.Code, message pysem.OptString) *apis.ModelVersionStatus {
	return &apis.ModelVersionStatus{
		Version: version,
		State:   apis.ModelVersionStatus_State(state),
		Status:  GenStatusProto(code, message),
	}
}
