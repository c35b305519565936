package gotestee

import (
	"fmt"

	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// agentServiceSequenceOps holds the operation that runs a sequence of steps on a service. Steps
// change the service's tree or addresses.
var agentServiceSequenceOps = table{"agent_service.AgentService.sequence": (*call).agentServiceSequence}

// serviceRun is one run of a sequence of steps on a service.
type serviceRun struct {
	service *service.AgentService
	channel env.Channel
	zk      *caseworld.ZooKeeper // client of agents of versions 1 and 2
	// addrs is what the address function of a version 3 service returns. asked counts its calls.
	addrs    []service.ModelAddresses
	addrsErr error
	asked    int
}

func (c *call) agentServiceSequence() (any, error) {
	if c.In.Has("until_ms") {
		return c.overlappingCalls()
	}
	r := &serviceRun{}
	answers, err := c.routedService(r.answers(c))
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
	return caseworld.Object("steps", c.Run(caseworld.Sequence{Do: r.do(), ZK: r.zk, After: func(_ caseworld.Step, answer *pysem.Dict) {
		if r.asked > 0 {
			answer.Set("asked", r.asked)
			r.asked = 0
		}
	}})), nil
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

// tell stands in for the function that gives addresses to the service. It counts its calls.
func (r *serviceRun) tell() ([]service.ModelAddresses, error) {
	r.asked++
	return r.addrs, r.addrsErr
}

func (r *serviceRun) do() caseworld.Do {
	return caseworld.Do{
		"call": func(s caseworld.Step) (caseworld.Answered, error) {
			if s.Has("bytes") {
				return answeredOver(r.channel, newRawRPC(s.Str("rpc"), s.Bytes("bytes"))), nil
			}
			asked := newRPC(s.Str("rpc"), s.Where)
			if err := asked.give(s.Object("fields").Dict); err != nil {
				return caseworld.Answered{}, err
			}
			return answeredOver(r.channel, asked), nil
		},
		"stop": r.service.Stop,
		"addrs": func(s caseworld.Step) {
			r.addrs, r.addrsErr = nil, nil
			if text := s.OptStr("raises"); text.Set {
				r.addrsErr = pysem.Raise("ValueError", "%s", text.V)
			} else {
				r.addrs, r.addrsErr = modelAddresses(s.Value("value"))
			}
		},
	}
}

// answeredOver makes a call over a channel. If the request cannot be encoded or the reply cannot be
// decoded, it ends the case with an error.
func answeredOver(channel env.Channel, r rpc) caseworld.Answered {
	answer, err := callOver(channel, r)
	if err != nil {
		caseworld.BadCasef("%s: %v", r.method, err)
	}
	return caseworld.Answered{Dict: answer}
}

// overlappingCalls makes clients call a service of version 3 while it still answers other calls.
func (c *call) overlappingCalls() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	s := &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}
	addrs, unusual := modelAddresses(c.In.Value("addrs"))
	times, asked := c.In.Ints("answers_ms"), 0
	const port = 7000
	served := service.NewAgentService(c.Env, port, service.AnswersV3{Env: c.Env, Conf: conf, Addrs: func() ([]service.ModelAddresses, error) {
		n := times[asked%len(times)]
		asked++
		s.note("asked", nil)
		c.Env.Tasks.Sleep(ms(n))
		s.note("answered", nil)
		return addrs, unusual
	}})
	if err := served.Start(); err != nil {
		return nil, err
	}
	defer served.Stop()
	s.begin = c.Env.Clock.Elapsed()
	for _, e := range c.In.Rows("events", "milliseconds", "rpc", "fields") {
		s.callAt(e, fmt.Sprintf("127.0.0.1:%d", port))
	}
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	s.over = true
	return caseworld.Object("log", s.log), nil
}

// callAt schedules a call at an event's time, with a client of its own.
func (s *stage) callAt(e caseworld.Arguments, addr string) {
	rpc, request := e.Str("rpc"), e.Object("fields")
	s.after(ms(e.Integer("milliseconds")), rpc, func() {
		channel := s.c.Env.Network.Dial(addr)
		defer channel.Close()
		asked := newRPC(rpc, e.Where)
		err := asked.give(request.Dict)
		var answer *pysem.Dict
		if err == nil {
			answer, err = callOver(channel, asked)
		}
		if err != nil {
			caseworld.BadCasef("in.events: %s: %v", rpc, err)
		}
		s.note(rpc, answer)
	})
}
