package node

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/network"
)

// callWire answers a call whose request is a serialized message. Clients that were written for a
// real server send such requests.
func (n *Node) callWire(call *network.Call, data []byte) {
	switch call.Method {
	case MethodStatus:
		answerWire(call, data, n.server.GetModelStatus)
	case MethodReload:
		n.reloadWire(call, data)
	case MethodMetadata:
		answerWire(call, data, n.server.GetModelMetadata)
	case MethodPredict:
		n.inferWire(call, data, &apis.PredictRequest{})
	case MethodClassify:
		n.inferWire(call, data, &apis.ClassificationRequest{})
	case MethodRegress:
		n.inferWire(call, data, &apis.RegressionRequest{})
	case MethodMultiInference:
		n.inferWire(call, data, &apis.MultiInferenceRequest{})
	default:
		call.Fail(&env.RPCError{Code: rpcerrors.Unimplemented})
	}
}

// answerWire decodes the request and answers it immediately.
func answerWire[Q any, R proto.Message, P interface {
	*Q
	proto.Message
}](call *network.Call, data []byte, answer func(P) (R, error)) {
	request := P(new(Q))
	if !decoded(call, data, request) {
		return
	}
	response, err := answer(request)
	reply(call, response, err)
}

func (n *Node) reloadWire(call *network.Call, data []byte) {
	request := &apis.ReloadConfigRequest{}
	if !decoded(call, data, request) {
		return
	}
	n.server.HandleReloadConfigRequest(request, func(response *apis.ReloadConfigResponse, err error) {
		reply(call, response, err)
	})
}

// inferWire answers a prediction request after the model's latency. Until then the version stays in
// use (TFS-2.3).
func (n *Node) inferWire(call *network.Call, data []byte, request proto.Message) {
	if !decoded(call, data, request) {
		return
	}
	inference, err := n.server.Begin(request)
	if err != nil {
		fail(call, err)
		return
	}
	over := func() {
		inference.End()
		response, err := inference.Run()
		reply(call, response, err)
	}
	if inference.Batched() {
		inference.Start(over)
		return
	}
	n.proc.After(inference.Latency(), kindPredict, over)
}

// decoded parses a request into the message and reports success. If the bytes are invalid, it fails
// the call with an empty text, as gRPC's C++ library does (GenericDeserialize in
// grpcpp/impl/codegen/proto_utils.h).
func decoded(call *network.Call, data []byte, request proto.Message) bool {
	if err := proto.Unmarshal(data, request); err != nil {
		call.Fail(&env.RPCError{Code: rpcerrors.Internal})
		return false
	}
	return true
}

func reply(call *network.Call, response proto.Message, err error) {
	if err != nil {
		fail(call, err)
		return
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(response)
	if err != nil {
		call.Fail(&env.RPCError{Code: rpcerrors.Internal, Message: "Failed to serialize message"})
		return
	}
	call.Reply(data, len(data))
}
