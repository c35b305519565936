package tfserving

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/network"
)

// predictRequestOf is the request of a call: one of this package, or the bytes of a
// tensorflow.serving.PredictRequest as code written for a real server sends them.
func predictRequestOf(call *network.Call) (request PredictRequest, wire bool, err error) {
	data, wire := call.Request.([]byte)
	if !wire {
		return *call.Request.(*PredictRequest), false, nil
	}
	var message apis.PredictRequest
	if err := proto.Unmarshal(data, &message); err != nil {
		return request, true, &env.RPCError{Code: env.Internal, Message: "Error deserializing request."}
	}
	request.Inputs = slices.Sorted(maps.Keys(message.GetInputs()))
	request.OutputFilter = message.GetOutputFilter()
	if spec := message.GetModelSpec(); spec != nil {
		request.Spec = &env.ModelSpec{
			Name: spec.GetName(), HasVersion: spec.GetVersion() != nil, Version: spec.GetVersion().GetValue(),
			Label: spec.GetVersionLabel(), Signature: spec.GetSignatureName(),
		}
	}
	return request, true, nil
}

// replyPredict answers in the form of the request; tensors have no values.
func replyPredict(call *network.Call, p Prediction, wire bool) {
	const sizeBytes = 64
	if !wire {
		call.Reply(p, sizeBytes)
		return
	}
	response := &apis.PredictResponse{
		ModelSpec: &apis.ModelSpec{
			Name: p.Handle.Model(), SignatureName: p.Signature,
			VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(p.Handle.Version())},
		},
		Outputs: map[string]*framework.TensorProto{},
	}
	for _, alias := range p.Outputs {
		response.Outputs[alias] = &framework.TensorProto{}
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(response)
	if err != nil {
		call.Fail(&env.RPCError{Code: env.Internal, Message: "Failed to serialize response!"})
		return
	}
	call.Reply(data, len(data))
}
