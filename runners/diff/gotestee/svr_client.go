package gotestee

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
	"github.com/monosim/monosim/runners/diff/gotestee/commandlines"
)

// svrClientOps are svr_client.py.
var svrClientOps = table{"svr_client.SvrClient.sequence": (*call).svrClientSequence}

// svrRun is one run of a sequence of steps on a client.
type svrRun struct {
	c       *call
	client  *clients.SvrClient
	service *service.AgentService // nil for none
	zk      *caseworld.ZooKeeper  // ZooKeeper of an agent of version 1
	dialed  *dialer
}

func (c *call) svrClientSequence() (any, error) {
	r := &svrRun{c: c}
	if c.In.Value("serves") != nil {
		if err := r.serve(); err != nil {
			return nil, err
		}
		defer r.service.Stop()
	}
	r.dialed = &dialer{Network: c.Env.Network}
	c.Env.Network = r.dialed
	conf, err := c.clientConfig()
	if err != nil {
		return nil, err
	}
	r.client = clients.NewSvrClient(c.Env, conf)
	defer r.client.Close()
	return caseworld.Object("steps", c.Run(caseworld.Sequence{Do: r.do(), ZK: r.zk, After: func(_ caseworld.Step, answer *pysem.Dict) {
		if len(r.dialed.targets) > 0 {
			answer.Set("dialed", r.dialed.targets)
			r.dialed.targets = nil
		}
	}})), nil
}

// clientConfig returns the client's configuration. If the case has the field fname, the
// configuration comes from the file of that name.
func (c *call) clientConfig() (*agentconfig.AgentConfig, error) {
	if c.In.Has("fname") {
		return c.fromFile()
	}
	return c.config()
}

// serve starts the service of an agent, which the client then calls.
func (r *svrRun) serve() error {
	conf, err := r.c.config()
	if err != nil {
		return err
	}
	var answers service.ServiceAnswers
	switch version := r.c.In.Integer("serves"); version {
	case 1:
		answers, r.zk, err = r.c.watchedTree()
	case 3:
		answers, err = r.c.provided()
	default:
		caseworld.BadCasef("in.serves: found %d, want null, 1 or 3", version)
	}
	if err != nil {
		return err
	}
	r.service = service.NewAgentService(r.c.Env, conf.AgentPort.V, answers)
	return r.service.Start()
}

func (r *svrRun) do() caseworld.Do {
	return caseworld.Do{
		"env": func(s caseworld.Step) { r.c.SetVariables(s.Arguments) },
		"stop": func() {
			if r.service != nil {
				r.service.Stop()
			}
		},
		"get_server_type": func(st any) (any, error) {
			if name, ok := st.(string); ok {
				t, err := clients.ServerTypeOf(name, r.c.Quirks)
				return int(t), err
			}
			return st, nil
		},
		"heart_beat": func(s caseworld.Step) caseworld.Answered { return caseworld.Answered{Dict: called(r.heartBeat(s))} },
		"get_replicas": func(s caseworld.Step) caseworld.Answered {
			response, err := r.replicas(s)
			answer := called(response, err)
			if err == nil {
				answer.Set("printed", clients.PrintedReplicas(response)+"\n")
			}
			return caseworld.Answered{Dict: answer}
		},
	}
}

// called encodes the answer to a call. If the call failed, it encodes the gRPC status.
func called(response proto.Message, err error) *pysem.Dict {
	if failed, ok := err.(*env.RPCError); ok {
		return caseworld.Object("status", caseworld.Object("code", failed.Code.String(), "details", failed.Message))
	}
	if err != nil {
		return caseworld.Attempt(nil, err)
	}
	return caseworld.Attempt(replyOf(response), nil)
}

func (r *svrRun) heartBeat(s caseworld.Step) (*agentservice.HeartBeatResponse, error) {
	request, err := commandlines.SvrRequest(s, r.c.Quirks)
	if err != nil {
		return nil, err
	}
	return r.client.HeartBeat(request.ServerType)
}

func (r *svrRun) replicas(s caseworld.Step) (*agentservice.GetReplicasResponse, error) {
	request, err := commandlines.SvrRequest(s, r.c.Quirks)
	if err != nil {
		return nil, err
	}
	return r.client.GetReplicas(request.ServerType, request.Task)
}

// dialer records the targets of new channels. It connects all of them to the case's own host.
type dialer struct {
	env.Network
	targets []any
}

func (d *dialer) Dial(target string) env.Channel {
	d.targets = append(d.targets, caseworld.Hide(target))
	return d.Network.Dial("127.0.0.1" + target[strings.LastIndexByte(target, ':'):])
}
