package tfserving

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/network"
)

// predictWire answers a Predict that came as the bytes of a message, as code
// written for a real server sends it.
func (n *Node) predictWire(call *network.Call, data []byte) {
	request := &apis.PredictRequest{}
	if err := proto.Unmarshal(data, request); err != nil {
		call.Fail(&env.RPCError{Code: env.Internal, Message: "Error deserializing request."})
		return
	}
	inference, err := n.server.Begin(request)
	if err != nil {
		fail(call, err)
		return
	}
	n.Proc.After(inference.Latency(), kindPredict, func() {
		inference.End()
		replyWire(call, inference)
	})
}

func replyWire(call *network.Call, inference *Inference) {
	response, err := inference.Run()
	if err != nil {
		fail(call, err)
		return
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(response)
	if err != nil {
		call.Fail(&env.RPCError{Code: env.Internal, Message: "Failed to serialize response!"})
		return
	}
	call.Reply(data, len(data))
}
