package gotestee

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
	"github.com/monosim/monosim/runners/diff/testee"
)

// AgentServiceCase holds the parts of a case of agent_service.grpc. A test can use them to serve
// and call over its own network.
type AgentServiceCase struct {
	// Answers is the service of the version that the case names.
	Answers service.ServiceAnswers
	Calls   []RPC
	world   *caseworld.World
}

// RPC is one call of a case.
type RPC struct {
	Method  string
	Request []byte
	// Message is the request as a message. It is nil if the case gives the request as bytes.
	Message proto.Message
	// Response is an empty message of the type of the answer.
	Response proto.Message
}

// NewAgentServiceCase builds the service of a case. It takes clock, tasks, network and log from e,
// and host and files from the case. A task of e has to call it, and to close the result.
func NewAgentServiceCase(c *testee.Case, e *env.Env) (a *AgentServiceCase, err error) {
	defer func() {
		if why := caseworld.VerdictOf(recover()); why != nil {
			err = why
		}
	}()
	w := caseworld.New(c, quirks.Python)
	w.Call.Env.Clock, w.Call.Env.Tasks, w.Call.Env.Random = e.Clock, e.Tasks, e.Random
	w.Call.Env.Network, w.Call.Env.Log = e.Network, e.Log
	a = &AgentServiceCase{world: w}
	asked := &call{w.Call}
	rpcs, err := asked.rpcs()
	if err != nil {
		return nil, err
	}
	for _, r := range rpcs {
		request, err := r.bytes()
		if err != nil {
			return nil, err
		}
		a.Calls = append(a.Calls, RPC{Method: r.method, Request: request, Message: r.request, Response: r.response})
	}
	a.Answers, err = asked.served()
	return a, err
}

// Env returns the environment in which the service of the case runs.
func (a *AgentServiceCase) Env() *env.Env { return a.world.Call.Env }

// Close frees the case's world.
func (a *AgentServiceCase) Close() { a.world.Close() }

// ByClient reports whether clients.SvrClient can make the call. That client cannot name models, and
// has no method GetResource.
func (r RPC) ByClient() bool {
	switch m := r.Message.(type) {
	case *agentservice.HeartBeatRequest:
		return true
	case *agentservice.GetReplicasRequest:
		return m.GetModelName() == ""
	}
	return false
}
