package commandlines

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/lists"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem/message"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// svrClient makes the case's calls with a client that is configured by a.conf. Its module has no
// flags, so flags of the case have no effect.
func svrClient(c *caseworld.Call) (any, error) {
	called := agentOf(c)
	c.Env.Network = called
	conf, err := agentconfig.Loader{Env: c.Env, Quirks: c.Quirks}.FromFile("a.conf")
	if err != nil {
		return nil, err
	}
	r := &svrCalls{c: c, client: clients.NewSvrClient(c.Env, conf)}
	r.client.Quirks = c.Quirks
	answers := lists.Map(c.In.Steps("calls"), func(s caseworld.Step) any { return caseworld.Attempt(r.call(s)) })
	requests := lists.Map(called.calls, func(call any) any { return []any{call.([]any)[0], call.([]any)[2]} })
	return caseworld.Object("calls", answers, "requests", requests, "targets", called.targets, "stdout", r.printed.String()), nil
}

type svrCalls struct {
	c       *caseworld.Call
	client  *clients.SvrClient
	printed strings.Builder
}

func (r *svrCalls) call(s caseworld.Step) (proto.Message, error) {
	request, err := SvrRequest(s, r.c.Quirks)
	if err != nil {
		return nil, err
	}
	switch s.Name {
	case "heart_beat":
		response, err := r.client.HeartBeat(request.ServerType)
		if err != nil {
			return nil, err
		}
		r.printed.WriteString(clients.PrintedAddresses(response) + "\n")
		return response, nil
	case "get_replicas":
		response, err := r.client.GetReplicas(request.ServerType, request.Task)
		if err != nil {
			return nil, err
		}
		r.printed.WriteString(clients.PrintedReplicas(response) + "\n")
		return response, nil
	}
	caseworld.UnknownStep(s)
	return nil, nil
}

// SvrRequest makes the request of a step heart_beat or get_replicas, with the errors that protobuf
// raises where the client makes it. A server type that is a string is a name.
func SvrRequest(s caseworld.Step, kept quirks.Set) (*agentservice.GetReplicasRequest, error) {
	request := &agentservice.GetReplicasRequest{}
	for _, field := range []string{"server_type", "task"} {
		value, given := s.Get(field)
		if name, ok := value.(string); ok && field == "server_type" {
			serverType, err := clients.ServerTypeOf(name, kept)
			if err != nil {
				return nil, err
			}
			value = int(serverType)
		}
		if !given && (field == "server_type" || s.Name == "get_replicas") {
			s.Wrong(field, "a value")
		}
		if err := message.Set(request, field, value); err != nil {
			return nil, err
		}
	}
	return request, nil
}
