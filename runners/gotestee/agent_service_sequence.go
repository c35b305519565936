package gotestee

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// agentServiceSequenceOps are a service over what steps change.
var agentServiceSequenceOps = table{"agent_service.AgentService.sequence": (*call).agentServiceSequence}

// serviceRun is a sequence on one service.
type serviceRun struct {
	service *agent.AgentService
	channel env.Channel
	zk      *fakeZK // of versions 1 and 2
	// addrs are what the function of version 3 answers, asked how often it ran.
	addrs    []agent.ModelAddresses
	addrsErr error
	asked    int
}

func (c *call) agentServiceSequence() (any, error) {
	r := &serviceRun{}
	answers, err := r.answers(c)
	if err != nil {
		return nil, err
	}
	const port = 7000
	r.service = agent.NewAgentService(c.env, port, answers)
	if err := r.service.Start(); err != nil {
		return nil, err
	}
	defer r.service.Stop()
	r.channel = c.env.Network.Dial(fmt.Sprintf("127.0.0.1:%d", port))
	defer r.channel.Close()
	steps := []any{}
	for _, s := range c.in.steps("steps") {
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
	return object("steps", steps), nil
}

func (r *serviceRun) answers(c *call) (answers agent.ServiceAnswers, err error) {
	switch version := c.in.integer("version"); version {
	case 1:
		answers, r.zk, err = c.watchedTree()
	case 2:
		answers, r.zk, err = c.mirroredTree(false)
	case 3:
		conf, err := c.config()
		return agent.AnswersV3{Env: c.env, Conf: conf, Addrs: r.tell}, err
	default:
		badCasef("in.version: found %d, want 1, 2 or 3", version)
	}
	return answers, err
}

// tell is the function of the data provider.
func (r *serviceRun) tell() ([]agent.ModelAddresses, error) {
	r.asked++
	return r.addrs, r.addrsErr
}

func (r *serviceRun) answer(s step) (*pysem.Dict, error) {
	if method, ok := strings.CutPrefix(s.name, "zk."); ok {
		if r.zk == nil {
			badCasef("%s: found a step on the tree, want one with in.version 1 or 2", s.where)
		}
		return attempt(r.zk.doQuietly(step{name: method, arguments: s.arguments})), nil
	}
	switch s.name {
	case "call":
		return r.call(s)
	case "stop":
		r.service.Stop()
	case "addrs":
		r.addrs, r.addrsErr = nil, nil
		if text := s.optStr("raises"); text.Set {
			r.addrsErr = pysem.Raise("ValueError", "%s", text.V)
		} else if s.value("value") != nil {
			r.addrs = modelAddresses(s.object("value"))
		}
	default:
		unknownStep(s)
	}
	return attempt(nil, nil), nil
}

func (r *serviceRun) call(s step) (*pysem.Dict, error) {
	if s.has("bytes") {
		return callOver(r.channel, newRawRPC(s.str("rpc"), s.bytes("bytes")))
	}
	return callOver(r.channel, newRPC(s.str("rpc"), s.object("fields")))
}
