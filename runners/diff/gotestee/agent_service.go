package gotestee

import (
	"encoding/hex"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/agent/zkmirror"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/pysem/message"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// agentServiceOps holds the operations of section 11 of the protocol, on agent_service.py.
var agentServiceOps = table{
	"agent_service.AgentServiceImpl.v1": func(c *call) (any, error) { return c.answered(c.routed(c.watched())) },
	"agent_service.AgentServiceImpl.v2": func(c *call) (any, error) { return c.answered(c.routed(c.mirrored(true))) },
	"agent_service.AgentServiceImpl.v3": func(c *call) (any, error) { return c.answered(c.routed(c.provided())) },
	"agent_service.AgentServiceImpl":    (*call).serviceOfNothing,
	"agent_service.grpc":                caseworld.With((*call).served, (*call).serviceOverGRPC),
}

// routed returns the servicer as the reference makes it. It has the data source of one version, but
// chooses how to answer by the version in its configuration.
func (c *call) routed(answers service.ServiceAnswers, err error) (service.ServiceAnswers, error) {
	r := service.Routed{Env: c.Env}
	switch a := answers.(type) {
	case service.AnswersV1:
		r.V1 = &a
		if !c.In.Has("impl_conf") || c.In.Flag("impl_conf") {
			r.Conf = a.Watcher.Conf()
		}
	case service.AnswersV2:
		r.V2, r.Conf = &a, a.Conf
	case service.AnswersV3:
		r.V3, r.Conf = &a, a.Conf
	}
	return r, err
}

// routedService returns the servicer that AgentService makes for its server. To that of version 1 it
// gives no configuration (agent_service.py:130).
func (c *call) routedService(answers service.ServiceAnswers, err error) (service.ServiceAnswers, error) {
	if v1, ok := answers.(service.AnswersV1); ok {
		return service.Routed{Env: c.Env, V1: &v1}, err
	}
	return c.routed(answers, err)
}

// watched builds a service of version 1 over a watcher, after creating the znodes of the case.
func (c *call) watched() (service.ServiceAnswers, error) {
	answers, _, err := c.watchedTree()
	return answers, err
}

// watchedTree builds the same service as watched. It also returns the ZooKeeper client.
func (c *call) watchedTree() (service.ServiceAnswers, *caseworld.ZooKeeper, error) {
	conf, err := c.config()
	if err != nil {
		return nil, nil, err
	}
	options := c.In.ObjectOr("watcher")
	w, zk, err := c.watcher(conf, options.Flag("archon"), options.OptStr("family"))
	if err != nil {
		return nil, nil, err
	}
	if err := w.Watch(); err != nil {
		return nil, nil, err
	}
	var nodes []caseworld.Step
	if c.In.Value("nodes") != nil {
		nodes = c.In.Steps("nodes")
	}
	for _, n := range nodes {
		meta, err := dataOf[datadef.ReplicaMeta](n.Arguments, datadef.DefaultReplicaMeta)
		if err != nil {
			return nil, nil, err
		}
		if _, err := zk.Create(n.Name, meta.Serialize(), env.CreateOptions{MakePath: true}); err != nil {
			return nil, nil, err
		}
	}
	return service.AnswersV1{Watcher: w}, zk, nil
}

// provided builds the service of a v3 agent, whose addresses the case gives.
func (c *call) provided() (service.ServiceAnswers, error) {
	var conf *agentconfig.AgentConfig
	var err error
	if c.In.Has("config") {
		conf, err = c.config()
	} else {
		conf, err = c.loader().New(dataclass.Field{Name: "bzid", Value: "b"}, dataclass.Field{Name: "base_name", Value: "n"},
			dataclass.Field{Name: "deploy_type", Value: "unified"}, dataclass.Field{Name: "agent_version", Value: 3})
	}
	if err != nil {
		return nil, err
	}
	return service.AnswersV3{Env: c.Env, Conf: conf, Addrs: c.addrs}, nil
}

// addrs stands in for the function by which a v3 agent gives addresses to its service.
func (c *call) addrs() ([]service.ModelAddresses, error) {
	if !c.In.Has("addrs") {
		return nil, pysem.Raise("KeyError", "'m'")
	}
	return modelAddresses(c.In.Value("addrs"))
}

// modelAddresses returns the addresses of a case: those of an object of the form {name: [address]}, or
// what Python makes of any other value in such a place. The models before a value that cannot be
// iterated are returned with its error.
func modelAddresses(value any) (list []service.ModelAddresses, err error) {
	models, ok := value.(*pysem.Dict)
	set, isSet := value.(caseworld.Set)
	switch {
	case !ok && !pysem.Truth(value), isSet && len(set) == 0:
		return nil, nil
	case isSet:
		return nil, pysem.Raise("AttributeError", "'set' object has no attribute 'items'")
	case !ok:
		return nil, pysem.AttributeError(value, "items")
	}
	for _, m := range models.Items {
		addrs, err := caseworld.Items(m.Value)
		if err != nil {
			return list, pysem.Raise("TypeError", "Value must be iterable") // as protobuf's extend words it
		}
		list = append(list, service.ModelAddresses{Name: m.Key, Addrs: addrs})
	}
	return list, nil
}

// mirrored builds the service of a v2 agent. It does not add the replicas that the configuration
// names.
func (c *call) mirrored(update bool) (service.ServiceAnswers, error) {
	answers, _, err := c.mirroredTree(update)
	return answers, err
}

// mirroredTree builds the same service as mirrored. It also returns the ZooKeeper client.
func (c *call) mirroredTree(update bool) (service.ServiceAnswers, *caseworld.ZooKeeper, error) {
	conf, err := c.config()
	if err != nil {
		return nil, nil, err
	}
	zk, err := c.StartedZK()
	if err != nil {
		return nil, nil, err
	}
	m := zkmirror.NewZKMirror(c.Env, zk, zkmirror.MirrorOptions{Bzid: "b", ShardID: pysem.Some(0), NumShard: 1, Quirks: c.Quirks})
	if err := m.Start(false); err != nil {
		return nil, nil, err
	}
	if update {
		if err := c.updateService(m); err != nil {
			return nil, nil, err
		}
	}
	return service.AnswersV2{Env: c.Env, Conf: conf, Mirror: m}, zk, nil
}

// updateService registers the replicas of the case.
func (c *call) updateService(m *zkmirror.ZKMirror) error {
	var replicas []*datadef.ReplicaMeta
	for _, a := range c.In.Objects("replicas") {
		meta, err := dataOf[datadef.ReplicaMeta](a, datadef.DefaultReplicaMeta)
		if err != nil {
			return err
		}
		replicas = append(replicas, &meta)
	}
	return m.UpdateService(replicas)
}

type rpc struct {
	method            string
	request, response proto.Message
	// raw is the request as bytes, if the case gives bytes. They need not form a valid request.
	raw []byte
	ask func(service.ServiceAnswers) (proto.Message, error)
}

// rpcs makes the calls of the case. If the fields of a request are invalid, it returns the error.
func (c *call) rpcs() ([]rpc, error) {
	var list []rpc
	for i, v := range c.In.List("calls") {
		where := fmt.Sprintf("in.calls[%d]", i)
		call, ok := v.([]any)
		if !ok || len(call) < 2 {
			caseworld.BadCasef("%s: found %s, want [rpc, fields, message] or [rpc, bytes]", where, pysem.Repr(v))
		}
		name, okName := call[0].(string)
		fields, okFields := call[1].(*pysem.Dict)
		raw, okRaw := call[1].([]byte)
		switch {
		case okName && okFields:
			r := newRPC(name, where)
			if len(call) > 2 {
				r.giveMessage(call[2], where)
			} else if err := r.give(fields); err != nil {
				return nil, err
			}
			list = append(list, r)
		case okName && okRaw:
			list = append(list, newRawRPC(name, raw))
		default:
			caseworld.BadCasef("%s: found %s, want [rpc, fields, message] or [rpc, bytes]", where, pysem.Repr(v))
		}
	}
	return list, nil
}

// give sets the fields of the request.
func (r rpc) give(fields *pysem.Dict) error {
	for _, f := range fields.Items {
		if err := message.Set(r.request, f.Key, f.Value); err != nil {
			return err
		}
	}
	return nil
}

// giveMessage sets the request to the message that the case gives. where is its place in the case,
// for errors.
func (r rpc) giveMessage(v any, where string) {
	given, ok := v.(*pysem.Dict)
	if !ok {
		caseworld.BadCasef("%s: found %s, want a message", where, pysem.Repr(v))
	}
	data, err := hex.DecodeString(caseworld.Arguments{Dict: given, Where: where}.Str("hex"))
	if err == nil {
		err = proto.Unmarshal(data, r.request)
	}
	if err != nil {
		caseworld.BadCasef("%s: %v", where, err)
	}
}

func newRPC(name, where string) rpc {
	switch name {
	case "GetReplicas":
		r := &agentservice.GetReplicasRequest{}
		return rpc{method: service.MethodGetReplicas, request: r, response: &agentservice.GetReplicasResponse{},
			ask: func(a service.ServiceAnswers) (proto.Message, error) { return a.GetReplicas(r) }}
	case "HeartBeat":
		r := &agentservice.HeartBeatRequest{}
		return rpc{method: service.MethodHeartBeat, request: r, response: &agentservice.HeartBeatResponse{},
			ask: func(a service.ServiceAnswers) (proto.Message, error) { return a.HeartBeat(r) }}
	case "GetResource":
		r := &agentservice.GetResourceRequest{}
		return rpc{method: service.MethodGetResource, request: r, response: &agentservice.GetResourceResponse{},
			ask: func(a service.ServiceAnswers) (proto.Message, error) { return a.GetResource(r) }}
	}
	caseworld.BadCasef("%s: found the rpc %q, want GetReplicas, HeartBeat or GetResource", where, name)
	return rpc{}
}

// newRawRPC makes a call of a method of the service by name, with any bytes as the request.
func newRawRPC(name string, raw []byte) rpc {
	r := rpc{method: strings.TrimSuffix(service.MethodHeartBeat, "HeartBeat") + name, raw: raw}
	switch r.method {
	case service.MethodGetReplicas:
		r.response = &agentservice.GetReplicasResponse{}
	case service.MethodGetResource:
		r.response = &agentservice.GetResourceResponse{}
	default:
		r.response = &agentservice.HeartBeatResponse{}
	}
	return r
}

// bytes returns the request in the form in which it is sent.
func (r rpc) bytes() ([]byte, error) {
	if r.request == nil {
		return r.raw, nil
	}
	return proto.Marshal(r.request)
}

// answered makes the calls of the case on the servicer directly, without the network.
func (c *call) answered(answers service.ServiceAnswers, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	rpcs, err := c.rpcs()
	if err != nil {
		return nil, err
	}
	calls := []any{}
	for i, r := range rpcs {
		if r.ask == nil {
			caseworld.BadCasef("in.calls[%d]: found bytes, which are for agent_service.grpc alone", i)
		}
		response, err := r.ask(answers)
		if err == nil {
			err = message.Check(response)
		}
		if err != nil {
			calls = append(calls, caseworld.Attempt(nil, err))
			continue
		}
		calls = append(calls, caseworld.Attempt(replyOf(response), nil))
	}
	return caseworld.Object("calls", calls), nil
}

func replyOf(m proto.Message) *pysem.Dict {
	return caseworld.Object("message", caseworld.PB(m), "json", messageDict(m.ProtoReflect()))
}

// served builds the service of the version that the case names, as AgentService does.
func (c *call) served() (service.ServiceAnswers, error) {
	switch version := c.In.Integer("version"); version {
	case 1:
		return c.routedService(c.watched())
	case 2:
		return c.routedService(c.mirrored(false))
	case 3:
		return c.routedService(c.provided())
	default:
		caseworld.BadCasef("in.version: found %d, want 1, 2 or 3", version)
	}
	return nil, nil
}

// serviceOverGRPC serves the service of the case and calls it over the simulated network.
func (c *call) serviceOverGRPC(answers service.ServiceAnswers) (any, error) {
	const port = 7000
	service := service.NewAgentService(c.Env, port, answers)
	if err := service.Start(); err != nil {
		return nil, err
	}
	defer service.Stop()
	channel := c.Env.Network.Dial(fmt.Sprintf("127.0.0.1:%d", port))
	defer channel.Close()
	rpcs, err := c.rpcs()
	if err != nil {
		return nil, err
	}
	calls := []any{}
	for _, r := range rpcs {
		out, err := callOver(channel, r)
		if err != nil {
			return nil, err
		}
		calls = append(calls, out)
	}
	return caseworld.Object("calls", calls), nil
}

func callOver(channel env.Channel, r rpc) (*pysem.Dict, error) {
	request, err := r.bytes()
	if err != nil {
		return nil, err
	}
	data, err := channel.Call(r.method, request, 0)
	if failed, ok := err.(*env.RPCError); ok {
		return caseworld.Object("status", caseworld.Object("code", failed.Code.String(), "details", failed.Message)), nil
	}
	if err := proto.Unmarshal(data, r.response); err != nil {
		return nil, err
	}
	return caseworld.Attempt(replyOf(r.response), nil), nil
}

// serviceOfNothing gives the error that the servicer's constructor raises without a watcher, a
// mirror or a provider (agent_service.py:41-43). The port's types do not allow such a call, so the
// error's text is here.
func (c *call) serviceOfNothing() (any, error) {
	given := 0
	switch {
	case c.In.Has("args"):
		given = len(c.In.List("args"))
	case c.In.Has("arg"):
		given = 1
	}
	switch given {
	case 0:
		return nil, pysem.Raise("IndexError", "tuple index out of range")
	case 1:
		return nil, pysem.Raise("NotImplementedError", "__init__ is not implemented!")
	}
	return nil, pysem.Raise("TypeError", "AgentServiceImpl.__init__() takes 2 positional arguments but %d were given", given+1)
}
