package commandlines

import (
	"path"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// agent is a fake network on which every address belongs to an agent. It answers calls of the
// agent's service.
type agent struct {
	env.Network
	in      caseworld.Arguments
	calls   []any // [rpc, target, request]
	targets []any
}

func agentOf(c *caseworld.Call) *agent {
	return &agent{Network: c.Env.Network, in: c.In.ObjectOr("agent"), calls: []any{}, targets: []any{}}
}

func (a *agent) Dial(target string) env.Channel {
	a.targets = append(a.targets, target)
	return &channel{of: a, target: target}
}

type channel struct {
	env.Channel
	of     *agent
	target string
}

func (c *channel) Call(method string, data []byte, _ time.Duration) ([]byte, error) {
	rpc := path.Base(method)
	var request proto.Message = &agentservice.HeartBeatRequest{}
	if rpc == "GetReplicas" {
		request = &agentservice.GetReplicasRequest{}
	}
	if err := proto.Unmarshal(data, request); err != nil {
		return nil, err
	}
	c.of.calls = append(c.of.calls, []any{rpc, c.target, caseworld.PB(request)})
	if c.of.in.Flag("fail") {
		return nil, &env.RPCError{Code: rpcerrors.Unavailable, Message: rpcerrors.NoConnection}
	}
	return proto.Marshal(c.of.reply(rpc))
}

func (c *channel) Close() {}

func (a *agent) reply(rpc string) proto.Message {
	if rpc == "GetReplicas" {
		list := &agentservice.AddressList{}
		if a.in.Has("replicas") {
			list.Address = a.in.Strings("replicas")
		}
		return &agentservice.GetReplicasResponse{AddressList: list}
	}
	response := &agentservice.HeartBeatResponse{Addresses: map[string]*agentservice.AddressList{}}
	addresses := a.in.ObjectOr("addresses")
	for _, item := range addresses.Items {
		response.Addresses[item.Key] = &agentservice.AddressList{Address: addresses.Strings(item.Key)}
	}
	return response
}
