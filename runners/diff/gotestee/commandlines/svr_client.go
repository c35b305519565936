package commandlines

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/lists"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
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
	serverType, err := r.serverType(s)
	if err != nil {
		return nil, err
	}
	switch s.Name {
	case "heart_beat":
		response, err := r.client.HeartBeat(serverType)
		if err != nil {
			return nil, err
		}
		r.printed.WriteString(clients.PrintedAddresses(response) + "\n")
		return response, nil
	case "get_replicas":
		task := s.Integer("task")
		if int(int32(task)) != task {
			return nil, pysem.Raise("ValueError", "Value out of range: %d", task)
		}
		response, err := r.client.GetReplicas(serverType, int32(task))
		if err != nil {
			return nil, err
		}
		r.printed.WriteString(clients.PrintedReplicas(response) + "\n")
		return response, nil
	}
	caseworld.UnknownStep(s)
	return nil, nil
}

// serverType returns the server type of a step, which gives its number or its name.
func (r *svrCalls) serverType(s caseworld.Step) (agentservice.ServerType, error) {
	if name, ok := s.Value("server_type").(string); ok {
		return clients.ServerTypeOf(name, r.c.Quirks)
	}
	return agentservice.ServerType(s.Integer("server_type")), nil
}
