package gotestee

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// svrClientOps are svr_client.py.
var svrClientOps = table{"svr_client.SvrClient.sequence": (*call).svrClientSequence}

// svrRun is a sequence on one client.
type svrRun struct {
	c       *call
	client  *agent.SvrClient
	service *agent.AgentService // nil for none
	zk      *fakeZK             // of version 1
	dialed  *dialer
}

func (c *call) svrClientSequence() (any, error) {
	r := &svrRun{c: c}
	if c.in.value("serves") != nil {
		if err := r.serve(); err != nil {
			return nil, err
		}
		defer r.service.Stop()
	}
	r.dialed = &dialer{Network: c.env.Network}
	c.env.Network = r.dialed
	conf, err := c.clientConfig()
	if err != nil {
		return nil, err
	}
	r.client = agent.NewSvrClient(c.env, conf)
	defer r.client.Close()
	steps := []any{}
	for _, s := range c.in.steps("steps") {
		answer := r.answer(s)
		if len(r.dialed.targets) > 0 {
			answer.Set("dialed", r.dialed.targets)
			r.dialed.targets = nil
		}
		steps = append(steps, answer)
	}
	return object("steps", steps), nil
}

// clientConfig is that of the client, which reads a file itself.
func (c *call) clientConfig() (*agent.AgentConfig, error) {
	if c.in.has("fname") {
		return c.fromFile()
	}
	return c.config()
}

// serve starts the agent of the case.
func (r *svrRun) serve() error {
	conf, err := r.c.config()
	if err != nil {
		return err
	}
	var answers agent.ServiceAnswers
	switch version := r.c.in.integer("serves"); version {
	case 1:
		answers, r.zk, err = r.c.watchedTree()
	case 3:
		answers, err = r.c.provided()
	default:
		badCasef("in.serves: found %d, want null, 1 or 3", version)
	}
	if err != nil {
		return err
	}
	r.service = agent.NewAgentService(r.c.env, conf.AgentPort.V, answers)
	return r.service.Start()
}

func (r *svrRun) answer(s step) *pysem.Dict {
	if method, ok := strings.CutPrefix(s.name, "zk."); ok {
		if r.zk == nil {
			badCasef("%s: found a step on the tree, want one with in.serves 1", s.where)
		}
		return attempt(r.zk.doQuietly(step{name: method, arguments: s.arguments}))
	}
	switch s.name {
	case "env":
		r.c.setVariables(s.arguments)
		return attempt(nil, nil)
	case "stop":
		if r.service != nil {
			r.service.Stop()
		}
		return attempt(nil, nil)
	case "get_server_type":
		t, err := r.serverType(s.arguments, "st")
		return attempt(int(t), err)
	case "heart_beat":
		return called(r.heartBeat(s))
	case "get_replicas":
		response, err := r.replicas(s)
		answer := called(response, err)
		if err == nil {
			answer.Set("printed", agent.PrintedReplicas(response)+"\n")
		}
		return answer
	}
	unknownStep(s)
	return nil
}

// called is a call's answer; one that failed has a status.
func called(response proto.Message, err error) *pysem.Dict {
	if failed, ok := err.(*env.RPCError); ok {
		return object("status", object("code", failed.Code.String(), "details", failed.Message))
	}
	if err != nil {
		return attempt(nil, err)
	}
	return attempt(replyOf(response), nil)
}

func (r *svrRun) heartBeat(s step) (*agentservice.HeartBeatResponse, error) {
	t, err := r.serverType(s.arguments, "server_type")
	if err != nil {
		return nil, err
	}
	return r.client.HeartBeat(t)
}

func (r *svrRun) replicas(s step) (*agentservice.GetReplicasResponse, error) {
	t, err := r.serverType(s.arguments, "server_type")
	if err != nil {
		return nil, err
	}
	return r.client.GetReplicas(t, int32(s.integer("task")))
}

// serverType is given by number or by name.
func (r *svrRun) serverType(a arguments, name string) (agentservice.ServerType, error) {
	if text, ok := a.value(name).(string); ok {
		return agent.ServerTypeOf(text, r.c.quirks)
	}
	return agentservice.ServerType(a.integer(name)), nil
}

// dialer notes targets; every host is the case's own.
type dialer struct {
	env.Network
	targets []any
}

func (d *dialer) Dial(target string) env.Channel {
	d.targets = append(d.targets, hide(target))
	return d.Network.Dial("127.0.0.1" + target[strings.LastIndexByte(target, ':'):])
}
