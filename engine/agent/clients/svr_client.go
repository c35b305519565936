package clients

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// SvrClient asks the agent on this host for the addresses of model servers (svr_client.py).
type SvrClient struct {
	// Quirks is the set of the reference's faults that are kept.
	Quirks quirks.Set

	e       *env.Env
	conf    *agentconfig.AgentConfig
	channel env.Channel
}

// NewSvrClient makes a client of the agent that has this configuration. The client connects at its
// first call.
func NewSvrClient(e *env.Env, conf *agentconfig.AgentConfig) *SvrClient {
	return &SvrClient{e: e, conf: conf}
}

// ServerTypeOf converts a name (ps, entry or dense) to a server type (svr_client.py:45). In the
// reference it always raises a NameError, because its module lacks the flags that it reads (Q71).
// With that repaired, an unknown name is an Exception.
func ServerTypeOf(name string, keep quirks.Set) (agentservice.ServerType, error) {
	if keep.Keeps(quirks.Q71) {
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

// HeartBeat asks for the addresses of all tasks of a server type. Errors are *env.RPCError, or a
// gaierror if the host cannot resolve its own name.
func (c *SvrClient) HeartBeat(serverType agentservice.ServerType) (*agentservice.HeartBeatResponse, error) {
	response := &agentservice.HeartBeatResponse{}
	return response, c.call(service.MethodHeartBeat, &agentservice.HeartBeatRequest{ServerType: serverType}, response)
}

// GetReplicas asks for the addresses of one task. Errors are as for HeartBeat.
func (c *SvrClient) GetReplicas(serverType agentservice.ServerType, task int32) (*agentservice.GetReplicasResponse, error) {
	response := &agentservice.GetReplicasResponse{}
	return response, c.call(service.MethodGetReplicas, &agentservice.GetReplicasRequest{ServerType: serverType, Task: task}, response)
}

// PrintedReplicas formats an answer as the reference prints it (svr_client.py:69): as a Python
// list.
func PrintedReplicas(r *agentservice.GetReplicasResponse) string {
	return pysem.Repr(lists.Map(r.GetAddressList().GetAddress(), func(a string) any { return a }))
}

// PrintedAddresses formats an answer as the reference prints it, without the newline
// (svr_client.py:60): a dict of messages. Here it is sorted by name, because protobuf's own order
// is not reproducible.
func PrintedAddresses(r *agentservice.HeartBeatResponse) string {
	names := slices.Sorted(maps.Keys(r.GetAddresses()))
	texts := make([]string, len(names))
	for i, name := range names {
		text, err := textpb.Marshal(r.GetAddresses()[name])
		if err != nil {
			panic(err) // cannot happen: the message has no Any
		}
		texts[i] = pysem.Repr(name) + ": " + text
	}
	return "{" + strings.Join(texts, ", ") + "}"
}

// Close closes the connection, if there is one. The next call connects again.
func (c *SvrClient) Close() {
	if c.channel != nil {
		c.channel.Close()
		c.channel = nil
	}
}

// Cost: an answer grows with the replicas in it. A client connects once in its life.
func (c *SvrClient) call(method string, request, response proto.Message) error {
	if c.channel == nil {
		target, err := agentTarget(c.e, c.Quirks, c.conf)
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

// agentTarget returns the agent's address as host:port (svr_client.py:39).
func agentTarget(e *env.Env, kept quirks.Set, conf *agentconfig.AgentConfig) (string, error) {
	host, err := OwnAddress(e, kept)
	return host + ":" + conf.AgentPort.String(), err
}

// OwnAddress returns the address at which clients expect the agent: the variable MY_HOST_IP, or
// else the address of the host's name. Unless Q317 is repaired, the name is looked up even if the
// variable is set. A failed look-up is a gaierror.
func OwnAddress(e *env.Env, kept quirks.Set) (string, error) {
	if addr, ok := e.Host.LookupEnv("MY_HOST_IP"); ok && !kept.Keeps(quirks.Q317) {
		return addr, nil
	}
	host, err := e.Host.LookupIP()
	if err != nil {
		return "", pysem.Raise("gaierror", "%v", err)
	}
	return agentconfig.EnvOr(e.Host, "MY_HOST_IP", host), nil
}
