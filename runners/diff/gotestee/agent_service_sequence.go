package gotestee

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// agentServiceSequenceOps are a service over what steps change.
var agentServiceSequenceOps = table{"agent_service.AgentService.sequence": (*call).agentServiceSequence}

// serviceRun is a sequence on one service.
type serviceRun struct {
	service *service.AgentService
	channel env.Channel
	zk      *caseworld.ZooKeeper // of versions 1 and 2
	// addrs are what the function of version 3 answers, asked how often it ran.
	addrs    []service.ModelAddresses
	addrsErr error
	asked    int
}

func (c *call) agentServiceSequence() (any, error) {
	if c.In.Has("until_ms") {
		return c.overlappingCalls()
	}
	r := &serviceRun{}
	answers, err := r.answers(c)
	if err != nil {
		return nil, err
	}
	const port = 7000
	r.service = service.NewAgentService(c.Env, port, answers)
	if err := r.service.Start(); err != nil {
		return nil, err
	}
	defer r.service.Stop()
	r.channel = c.Env.Network.Dial(fmt.Sprintf("127.0.0.1:%d", port))
	defer r.channel.Close()
	steps := []any{}
	for _, s := range c.In.Steps("steps") {
		answer, err := r.answer(s)
		if err != nil {
			return nil, err
		}
		if r.asked > 0 {
			answer.Set("asked", r.asked)
			r.asked = 0
		}
		steps = append(steps, answer)
	}
	return caseworld.Object("steps", steps), nil
}

func (r *serviceRun) answers(c *call) (answers service.ServiceAnswers, err error) {
	switch version := c.In.Integer("version"); version {
	case 1:
		answers, r.zk, err = c.watchedTree()
	case 2:
		answers, r.zk, err = c.mirroredTree(false)
	case 3:
		conf, err := c.config()
		return service.AnswersV3{Env: c.Env, Conf: conf, Addrs: r.tell}, err
	default:
		caseworld.BadCasef("in.version: found %d, want 1, 2 or 3", version)
	}
	return answers, err
}

// tell is the function of the data provider.
func (r *serviceRun) tell() ([]service.ModelAddresses, error) {
	r.asked++
	return r.addrs, r.addrsErr
}

func (r *serviceRun) answer(s caseworld.Step) (*pysem.Dict, error) {
	if method, ok := strings.CutPrefix(s.Name, "zk."); ok {
		if r.zk == nil {
			caseworld.BadCasef("%s: found a step on the tree, want one with in.version 1 or 2", s.Where)
		}
		return caseworld.Attempt(r.zk.DoQuietly(caseworld.Step{Name: method, Arguments: s.Arguments})), nil
	}
	switch s.Name {
	case "call":
		return r.call(s)
	case "stop":
		r.service.Stop()
	case "addrs":
		r.addrs, r.addrsErr = nil, nil
		if text := s.OptStr("raises"); text.Set {
			r.addrsErr = pysem.Raise("ValueError", "%s", text.V)
		} else if s.Value("value") != nil {
			r.addrs = modelAddresses(s.Object("value"))
		}
	default:
		caseworld.UnknownStep(s)
	}
	return caseworld.Attempt(nil, nil), nil
}

func (r *serviceRun) call(s caseworld.Step) (*pysem.Dict, error) {
	if s.Has("bytes") {
		return callOver(r.channel, newRawRPC(s.Str("rpc"), s.Bytes("bytes")))
	}
	return callOver(r.channel, newRPC(s.Str("rpc"), s.Object("fields")))
}

// overlappingCalls has clients call a service of version 3 while it answers others.
func (c *call) overlappingCalls() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	s := &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}
	addrs, times, asked := modelAddresses(c.In.Object("addrs")), c.In.Ints("answers_ms"), 0
	const port = 7000
	served := service.NewAgentService(c.Env, port, service.AnswersV3{Env: c.Env, Conf: conf, Addrs: func() ([]service.ModelAddresses, error) {
		n := times[asked%len(times)]
		asked++
		s.note("asked", nil)
		c.Env.Tasks.Sleep(ms(n))
		s.note("answered", nil)
		return addrs, nil
	}})
	if err := served.Start(); err != nil {
		return nil, err
	}
	defer served.Stop()
	s.begin = c.Env.Clock.Elapsed()
	for _, e := range c.In.List("events") {
		s.callAt(e, fmt.Sprintf("127.0.0.1:%d", port))
	}
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	s.over = true
	return caseworld.Object("log", s.log), nil
}

// callAt has a client of its own make the call of an event.
func (s *stage) callAt(v any, addr string) {
	const form = "a list of [milliseconds, rpc, fields]"
	fields, ok := v.([]any)
	if !ok || len(fields) != 3 {
		s.c.In.Wrong("events", form)
	}
	at, okAt := fields[0].(int)
	rpc, okRPC := fields[1].(string)
	if !okAt || !okRPC {
		s.c.In.Wrong("events", form)
	}
	request := caseworld.Arguments{Dict: caseworld.Object("fields", fields[2]), Where: "in.events"}.Object("fields")
	s.after(ms(at), rpc, func() {
		channel := s.c.Env.Network.Dial(addr)
		defer channel.Close()
		answer, err := callOver(channel, newRPC(rpc, request))
		if err != nil {
			caseworld.BadCasef("in.events: %s: %v", rpc, err)
		}
		s.note(rpc, answer)
	})
}
