package simrun_test

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// watchedNodes is the watcher of a service case, with its nodes created.
func (c *parityCase) watchedNodes() (agent.AnswersV1, error) {
	options, ok := item(c.in, "watcher").(*pysem.Dict)
	if !ok {
		options = object()
	}
	w, zk, _, err := c.watcher(isTrue(options, "archon"), text(options, "family"))
	if err != nil {
		return agent.AnswersV1{}, err
	}
	if err := w.Watch(); err != nil {
		return agent.AnswersV1{}, err
	}
	nodes, _ := item(c.in, "nodes").([]any)
	for _, n := range nodes {
		n := n.([]any)
		meta := agent.DefaultReplicaMeta()
		for _, f := range n[1].(*pysem.Dict).Items {
			if err := meta.Set(f.Key, f.Value); err != nil {
				return agent.AnswersV1{}, err
			}
		}
		if _, err := zk.Create(n[0].(string), meta.Serialize(), env.CreateOptions{MakePath: true}); err != nil {
			return agent.AnswersV1{}, err
		}
	}
	return agent.AnswersV1{Watcher: w}, nil
}

// provider is the service of an agent v3 over the addresses of the case.
func (c *parityCase) provider() (agent.AnswersV3, error) {
	conf, err := c.config()
	if err != nil {
		return agent.AnswersV3{}, err
	}
	return agent.AnswersV3{Env: c.env, Conf: conf, Addrs: func() ([]agent.ModelAddresses, error) {
		v, ok := c.in.Get("addrs")
		if !ok {
			return nil, pysem.Raise("KeyError", "'m'")
		}
		var list []agent.ModelAddresses
		if addrs, ok := v.(*pysem.Dict); ok {
			for _, m := range addrs.Items {
				entry := agent.ModelAddresses{Name: m.Key}
				for _, a := range m.Value.([]any) {
					entry.Addrs = append(entry.Addrs, optional(a))
				}
				list = append(list, entry)
			}
		}
		return list, nil
	}}, nil
}

func (c *parityCase) serviceV1() (any, error) {
	answers, err := c.watchedNodes()
	if err != nil {
		return nil, err
	}
	return c.answered(answers), nil
}

func (c *parityCase) serviceV3() (any, error) {
	answers, err := c.provider()
	if err != nil {
		return nil, err
	}
	return c.answered(answers), nil
}

// rpc is one call of a case.
type rpc struct {
	name              string
	request, response proto.Message
	ask               func(agent.ServiceAnswers) (proto.Message, error)
}

func (c *parityCase) rpcs() []rpc {
	var list []rpc
	for _, call := range item(c.in, "calls").([]any) {
		name, fields := call.([]any)[0].(string), call.([]any)[1].(*pysem.Dict)
		t, task := agentservice.ServerType(number(fields, "server_type")), int32(number(fields, "task"))
		switch name {
		case "GetReplicas":
			r := &agentservice.GetReplicasRequest{ServerType: t, Task: task}
			list = append(list, rpc{agent.MethodGetReplicas, r, &agentservice.GetReplicasResponse{},
				func(a agent.ServiceAnswers) (proto.Message, error) { return a.GetReplicas(r) }})
		case "HeartBeat":
			r := &agentservice.HeartBeatRequest{ServerType: t}
			list = append(list, rpc{agent.MethodHeartBeat, r, &agentservice.HeartBeatResponse{},
				func(a agent.ServiceAnswers) (proto.Message, error) { return a.HeartBeat(r) }})
		case "GetResource":
			r := &agentservice.GetResourceRequest{}
			list = append(list, rpc{agent.MethodGetResource, r, &agentservice.GetResourceResponse{},
				func(a agent.ServiceAnswers) (proto.Message, error) { return a.GetResource(r) }})
		default:
			panic("rpc " + name)
		}
	}
	return list
}

// answered calls the servicer directly.
func (c *parityCase) answered(answers agent.ServiceAnswers) any {
	calls := []any{}
	for _, r := range c.rpcs() {
		response, err := r.ask(answers)
		if err != nil {
			calls = append(calls, attempt(nil, err))
			continue
		}
		calls = append(calls, attempt(object("message", response), nil))
	}
	return object("calls", calls)
}

// serviceOverGRPC serves it and calls it over the network.
func (c *parityCase) serviceOverGRPC() (any, error) {
	var answers agent.ServiceAnswers
	var err error
	if number(c.in, "version") == 1 {
		answers, err = c.watchedNodes()
	} else {
		answers, err = c.provider()
	}
	if err != nil {
		return nil, err
	}
	const port = 7000
	service := agent.NewAgentService(c.env, port, answers)
	if err := service.Start(); err != nil {
		return nil, err
	}
	defer service.Stop()
	channel := c.env.Network.Dial(fmt.Sprintf("127.0.0.1:%d", port))
	defer channel.Close()
	calls := []any{}
	for _, r := range c.rpcs() {
		request, err := proto.Marshal(r.request)
		if err != nil {
			return nil, err
		}
		raw, err := channel.Call(r.name, request, 0)
		if failed, ok := err.(*env.RPCError); ok {
			calls = append(calls, object("status", object("code", failed.Code.String(), "details", failed.Message)))
			continue
		}
		if err := proto.Unmarshal(raw, r.response); err != nil {
			return nil, err
		}
		calls = append(calls, attempt(object("message", r.response), nil))
	}
	return object("calls", calls), nil
}
