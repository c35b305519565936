// Package service is the gRPC service of the agents (agent_service.py). Clients of the models ask
// it where the models are served: it is discovery, not inference. Inputs of models go to the model
// servers that it names, never to an agent.
//
// Two things to use first:
//
//   - [NewAgentService] makes a service on a port that answers as a [ServiceAnswers] does.
//   - [AnswersV1], [AnswersV2] and [AnswersV3] are the answers of the three versions of the
//     agent, each from its own view of ZooKeeper.
//
// To change:
//
//   - the answers of versions 1 and 3: agent_service.go
//   - the answers of version 2: agent_service_v2.go
//   - which version answers where a servicer is made by hand: routed.go
//   - how the last answer is kept while nothing changes: kept.go
//
// Unstable: any commit may change it.
package service

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/agent/resources"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/message"
)

// The methods of the AgentService.
const (
	MethodGetReplicas = "/monolith.serving.agent_service.AgentService/GetReplicas"
	MethodGetResource = "/monolith.serving.agent_service.AgentService/GetResource"
	MethodHeartBeat   = "/monolith.serving.agent_service.AgentService/HeartBeat"
)

// serviceWorkers is the size of the server's thread pool (agent_service.py:127).
const serviceWorkers = 10

// ServiceAnswers computes the answers of one version of the agent (agent_service.py:39-117). The
// service calls it for each request, possibly for several at a time. Errors other than
// *env.RPCError reach the client as UNKNOWN "Exception calling application: ...".
type ServiceAnswers interface {
	GetReplicas(*agentservice.GetReplicasRequest) (*agentservice.GetReplicasResponse, error)
	GetResource(*agentservice.GetResourceRequest) (*agentservice.GetResourceResponse, error)
	HeartBeat(*agentservice.HeartBeatRequest) (*agentservice.HeartBeatResponse, error)
}

// AgentService serves the answers of a [ServiceAnswers] over gRPC. It handles ten calls at a time
// (agent_service.py:120).
type AgentService struct {
	e       *env.Env
	answers ServiceAnswers
	port    int
	server  env.Server
	// silence is never broadcast. Calls that get no answer wait for it. It is nil while calls are
	// answered.
	silence env.Cond
	// kept holds the last answer of HeartBeat for each server type. It is used only if the field
	// answers implements repeats, which shows whether anything has changed since.
	kept map[agentservice.ServerType]*keptAnswer
}

// NewAgentService makes a service without starting it. It will listen on the given port, or on any
// free port if that is 0.
func NewAgentService(e *env.Env, port int, answers ServiceAnswers) *AgentService {
	return &AgentService{e: e, answers: answers, port: port, kept: map[agentservice.ServerType]*keptAnswer{}}
}

// Start listens and serves. If another agent on this host already listens on the port, both share
// it (Q5).
func (s *AgentService) Start() error {
	server, err := s.e.Network.Serve(s.port, serviceWorkers, s.Handle)
	if err != nil {
		return fmt.Errorf("agent service on port %d: %w", s.port, err)
	}
	s.server = server
	return nil
}

// Stop ends the service. It does nothing before Start.
func (s *AgentService) Stop() {
	if s.server != nil {
		s.server.Stop()
	}
}

// FallSilent leaves all further calls without an answer, although the service still listens. grpc's
// server behaves so once Python begins to shut down, because its thread pool accepts no more work
// (Q233).
func (s *AgentService) FallSilent() {
	s.silence = s.e.Tasks.NewCond("an answer that never comes")
}

// Handle answers one call. method is the full name of the gRPC method, and request and response are
// encoded messages. An unknown method is UNIMPLEMENTED.
func (s *AgentService) Handle(method string, request []byte) ([]byte, error) {
	if s.silence != nil {
		for {
			s.silence.Wait()
		}
	}
	switch method {
	case MethodGetReplicas:
		return answer(request, &agentservice.GetReplicasRequest{}, s.answers.GetReplicas)
	case MethodGetResource:
		return answer(request, &agentservice.GetResourceRequest{}, s.answers.GetResource)
	case MethodHeartBeat:
		return s.heartBeat(request)
	}
	return nil, &env.RPCError{Code: rpcerrors.Unimplemented, Message: "Method not found!"}
}

// answer decodes a request, calls the method and encodes the response. It sorts map entries by key,
// so that equal answers have equal bytes.
func answer[Req, Resp proto.Message](data []byte, request Req, call func(Req) (Resp, error)) ([]byte, error) {
	if err := proto.Unmarshal(data, request); err != nil {
		return nil, &env.RPCError{Code: rpcerrors.Internal, Message: "Exception deserializing request!"}
	}
	response, err := call(request)
	if err != nil {
		return nil, applicationError(err)
	}
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(response)
	if err != nil { // the response has a text that Python refuses when it creates the message
		return nil, applicationError(cmp.Or(message.Check(response), err))
	}
	return encoded, nil
}

// applicationError returns the error that a client sees for an exception. grpc-python sends
// str(exception), which does not contain the name of the class.
func applicationError(err error) error {
	if raised, ok := errors.AsType[*pysem.Error](err); ok {
		return &env.RPCError{Code: rpcerrors.Unknown, Message: "Exception calling application: " + raised.Message}
	}
	return err
}

// AnswersV1 computes the answers of agents of version 1 from a replica watcher
// (agent_service.py:62-67, :81-88).
type AnswersV1 struct {
	Watcher *replicamanager.ReplicaWatcher
}

// GetReplicas lists the addresses of one task's AVAILABLE replicas. If dc_aware is set, it takes
// only the agent's own data centre and cluster. An unknown server type is a ValueError (Q37).
func (a AnswersV1) GetReplicas(r *agentservice.GetReplicasRequest) (*agentservice.GetReplicasResponse, error) {
	conf := a.Watcher.Conf()
	addrs, err := a.Watcher.GetReplicas(r.GetServerType(), int(r.GetTask()), conf.IDC(), conf.Cluster())
	if err != nil {
		return nil, err
	}
	list, err := addressList(addrs, pysem.OptString.Any)
	if err != nil {
		return nil, err
	}
	return &agentservice.GetReplicasResponse{AddressList: list}, nil
}

// HeartBeat lists the addresses of all tasks of a server type by "<type>:<task>". If dc_aware is
// set, it takes only the agent's own data centre and cluster.
//
// Cost: a call grows with the replicas of the type, all of which it visits. The service reuses the
// answer as long as nothing changes.
func (a AnswersV1) HeartBeat(r *agentservice.HeartBeatRequest) (*agentservice.HeartBeatResponse, error) {
	conf := a.Watcher.Conf()
	tasks, err := a.Watcher.GetAllReplicas(r.GetServerType(), conf.IDC(), conf.Cluster())
	if err != nil {
		return nil, err
	}
	response := &agentservice.HeartBeatResponse{Addresses: map[string]*agentservice.AddressList{}}
	for _, t := range tasks {
		key := t.Key
		if conf.DCAware {
			key = key[strings.LastIndexByte(key, '/')+1:]
		}
		list, err := addressList(t.Addrs, pysem.OptString.Any)
		if err != nil {
			return nil, err
		}
		response.Addresses[key] = list
	}
	logHeartBeat(a.Watcher.Env(), r, response)
	return response, nil
}

const heartBeatLine = "heartbeat response(%d): %v"

// logHeartBeat logs an answer (agent_service.py:102).
func logHeartBeat(e *env.Env, r *agentservice.HeartBeatRequest, response *agentservice.HeartBeatResponse) {
	e.Log.Logf(env.Info, heartBeatLine, r.GetServerType(), pylog.Message(response))
}

// GetResource returns an empty answer, because version 1 does not report resources.
func (a AnswersV1) GetResource(*agentservice.GetResourceRequest) (*agentservice.GetResourceResponse, error) {
	return &agentservice.GetResourceResponse{}, nil
}

// addressList puts addresses into a message. An address that is no string is a TypeError, as in
// protobuf (Q36).
func addressList[Address any](addrs []Address, value func(a Address) any) (*agentservice.AddressList, error) {
	list := &agentservice.AddressList{}
	for _, a := range addrs {
		text, err := message.Text(value(a))
		if err != nil {
			return nil, err
		}
		list.Address = append(list.Address, text)
	}
	return list, nil
}

// anything returns an address that may be any value.
func anything(a any) any { return a }

// ModelAddresses holds the addresses of one sub-graph. Name is "<model>:<sub_graph>". An address is
// whatever a container has registered, which should be a string.
type ModelAddresses struct {
	Name  string
	Addrs []any
}

// AnswersV3 computes the answers of agents of version 3 from a map of addresses
// (agent_service.py:74, :95-101).
type AnswersV3 struct {
	Env  *env.Env
	Conf *agentconfig.AgentConfig
	// Addrs returns the addresses of all sub-graphs. HeartBeat calls it for each request. With an
	// error it returns those before the one that caused it, whose own errors come first.
	Addrs func() ([]ModelAddresses, error)
}

// GetReplicas always returns a NotImplementedError, which the client sees as UNKNOWN (Q34).
func (a AnswersV3) GetReplicas(*agentservice.GetReplicasRequest) (*agentservice.GetReplicasResponse, error) {
	return nil, pysem.Raise("NotImplementedError", "not implement for agent v3")
}

// HeartBeat lists all addresses by "<model>:<sub_graph>", whatever the requested server type. A
// single address that is no string is a TypeError, and fails the whole answer (Q36).
func (a AnswersV3) HeartBeat(r *agentservice.HeartBeatRequest) (*agentservice.HeartBeatResponse, error) {
	models, unusual := a.Addrs()
	response := &agentservice.HeartBeatResponse{Addresses: map[string]*agentservice.AddressList{}}
	for _, m := range models {
		list, err := addressList(m.Addrs, anything)
		if err != nil {
			return nil, err
		}
		response.Addresses[m.Name] = list
	}
	if unusual != nil {
		return nil, unusual
	}
	logHeartBeat(a.Env, r, response)
	return response, nil
}

// GetResource returns address, shard, replica and available memory in bytes. CPU, network and load
// are always -1. A replica id that is the hash of a pod's name does not fit into the message, which
// is a ValueError (Q35).
func (a AnswersV3) GetResource(*agentservice.GetResourceRequest) (*agentservice.GetResourceResponse, error) {
	shard, err := a.Conf.ShardID()
	if err != nil {
		return nil, err
	}
	memory, err := resources.AvailableMemory(a.Env)
	if err != nil {
		return nil, err
	}
	for _, n := range []int{shard, a.Conf.ReplicaID.V} {
		if int(int32(n)) != n {
			return nil, pysem.Raise("ValueError", "Value out of range: %d", n)
		}
	}
	return &agentservice.GetResourceResponse{
		Address:   agentconfig.LocalIP(a.Env) + ":" + a.Conf.Text("agent_port"),
		ShardId:   int32(shard),
		ReplicaId: int32(a.Conf.ReplicaID.V),
		Memory:    memory,
		Cpu:       -1, Network: -1, WorkLoad: -1,
	}, nil
}
