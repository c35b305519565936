package agent

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// SvrClient asks the agent of a configuration over gRPC (svr_client.py).
type SvrClient struct {
	e       *env.Env
	conf    *AgentConfig
	channel env.Channel
}

// NewSvrClient makes a client; it connects with the first call.
func NewSvrClient(e *env.Env, conf *AgentConfig) *SvrClient { return &SvrClient{e: e, conf: conf} }

// ServerTypeOf is the server type with a name (svr_client.py:45). The reference
// asks flags that its module does not have, a NameError (Q71); without that quirk
// a name that is none is an Exception.
func ServerTypeOf(name string, quirks Quirks) (agentservice.ServerType, error) {
	if quirks.Keeps(Q71) {
		return 0, pysem.Raise("NameError", "name 'FLAGS' is not defined")
	}
	switch name {
	case "ps":
		return agentservice.ServerType_PS, nil
	case "entry":
		return agentservice.ServerType_ENTRY, nil
	case "dense":
		return agentservice.ServerType_DENSE, nil
	}
	return 0, pysem.Raise("Exception", "server_type error")
}

// HeartBeat asks for the addresses of all tasks of a type.
func (c *SvrClient) HeartBeat(serverType agentservice.ServerType) (*agentservice.HeartBeatResponse, error) {
	response := &agentservice.HeartBeatResponse{}
	return response, c.call(MethodHeartBeat, &agentservice.HeartBeatRequest{ServerType: serverType}, response)
}

// GetReplicas asks for the addresses of one task.
func (c *SvrClient) GetReplicas(serverType agentservice.ServerType, task int32) (*agentservice.GetReplicasResponse, error) {
	response := &agentservice.GetReplicasResponse{}
	return response, c.call(MethodGetReplicas, &agentservice.GetReplicasRequest{ServerType: serverType, Task: task}, response)
}

// PrintedReplicas is the line that the reference prints of an answer
// (svr_client.py:69).
func PrintedReplicas(r *agentservice.GetReplicasResponse) string {
	addresses := []any{}
	for _, a := range r.GetAddressList().GetAddress() {
		addresses = append(addresses, a)
	}
	return pysem.Repr(addresses)
}

// Close ends the connection.
func (c *SvrClient) Close() {
	if c.channel != nil {
		c.channel.Close()
		c.channel = nil
	}
}

// Speed: one connection for the life of the client.
func (c *SvrClient) call(method string, request, response proto.Message) error {
	if c.channel == nil {
		target, err := agentTarget(c.e, c.conf)
		if err != nil {
			return err
		}
		c.channel = c.e.Network.Dial(target)
	}
	data, err := c.channel.Call(method, serialize(request), 0)
	if err != nil {
		return err
	}
	return proto.Unmarshal(data, response)
}

// agentTarget is where the agent listens (svr_client.py:39).
func agentTarget(e *env.Env, conf *AgentConfig) (string, error) {
	host, err := ownAddress(e)
	return host + ":" + conf.AgentPort.String(), err
}

// ownAddress is MY_HOST_IP, else the address of the host's name. That name is
// looked up also when it is not needed, and a failing look-up is a gaierror.
func ownAddress(e *env.Env) (string, error) {
	host, err := e.Host.LookupIP()
	if err != nil {
		return "", pysem.Raise("gaierror", "%v", err)
	}
	return envOr(e.Host, "MY_HOST_IP", host), nil
}
