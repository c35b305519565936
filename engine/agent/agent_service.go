package agent

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// The methods of the AgentService.
const (
	MethodGetReplicas = "/monolith.serving.agent_service.AgentService/GetReplicas"
	MethodGetResource = "/monolith.serving.agent_service.AgentService/GetResource"
	MethodHeartBeat   = "/monolith.serving.agent_service.AgentService/HeartBeat"
)

// serviceWorkers is the size of the server's thread pool (agent_service.py:127).
const serviceWorkers = 10

// ServiceAnswers computes the answers of one version of the agent
// (agent_service.py:39-117). Errors other than *env.RPCError reach the client
// as UNKNOWN "Exception calling application: ...".
type ServiceAnswers interface {
	GetReplicas(*agentservice.GetReplicasRequest) (*agentservice.GetReplicasResponse, error)
	GetResource(*agentservice.GetResourceRequest) (*agentservice.GetResourceResponse, error)
	HeartBeat(*agentservice.HeartBeatRequest) (*agentservice.HeartBeatResponse, error)
}

// AgentService serves the answers over gRPC (agent_service.py:120).
type AgentService struct {
	e       *env.Env
	answers ServiceAnswers
	port    int
	server  env.Server
}

// NewAgentService makes a service that will listen on port, 0 for any.
func NewAgentService(e *env.Env, port int, answers ServiceAnswers) *AgentService {
	return &AgentService{e: e, answers: answers, port: port}
}

// Start listens. A port on which another agent listens is shared with it (Q5).
func (s *AgentService) Start() error {
	server, err := s.e.Network.Serve(s.port, serviceWorkers, s.Handle)
	if err != nil {
		return fmt.Errorf("agent service on port %d: %w", s.port, err)
	}
	s.server = server
	return nil
}

// Stop ends the service.
func (s *AgentService) Stop() {
	if s.server != nil {
		s.server.Stop()
	}
}

// Handle answers one call, bytes in and bytes out.
func (s *AgentService) Handle(method string, request []byte) ([]byte, error) {
	switch method {
	case MethodGetReplicas:
		return answer(request, &agentservice.GetReplicasRequest{}, s.answers.GetReplicas)
	case MethodGetResource:
		return answer(request, &agentservice.GetResourceRequest{}, s.answers.GetResource)
	case MethodHeartBeat:
		return answer(request, &agentservice.HeartBeatRequest{}, s.answers.HeartBeat)
	}
	return nil, &env.RPCError{Code: env.Unimplemented, Message: "Method not found!"}
}

// answer decodes, calls and encodes; map entries are sorted by key, so that
// equal answers have equal bytes.
func answer[Req, Resp proto.Message](data []byte, request Req, call func(Req) (Resp, error)) ([]byte, error) {
	if err := proto.Unmarshal(data, request); err != nil {
		return nil, &env.RPCError{Code: env.Internal, Message: "Exception deserializing request!"}
	}
	response, err := call(request)
	var raised *pysem.Error
	if errors.As(err, &raised) {
		// grpc-python tells str(exception), which has no class name.
		return nil, &env.RPCError{Code: env.Unknown, Message: "Exception calling application: " + raised.Message}
	}
	if err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(response)
}

// AnswersV1 answers from a replica watcher (agent_service.py:62-67, :81-88).
type AnswersV1 struct{ Watcher *ReplicaWatcher }

// GetReplicas lists the addresses of one task.
func (a AnswersV1) GetReplicas(r *agentservice.GetReplicasRequest) (*agentservice.GetReplicasResponse, error) {
	conf := a.Watcher.conf
	addrs, err := a.Watcher.GetReplicas(r.GetServerType(), int(r.GetTask()), conf.IDC(), conf.Cluster())
	if err != nil {
		return nil, err
	}
	list, err := addressList(addrs)
	if err != nil {
		return nil, err
	}
	return &agentservice.GetReplicasResponse{AddressList: list}, nil
}

// HeartBeat lists the addresses of all tasks of a type; keys lose their
// location when dc_aware.
//
// Speed: each call walks all replicas of the type; nothing is kept between calls.
func (a AnswersV1) HeartBeat(r *agentservice.HeartBeatRequest) (*agentservice.HeartBeatResponse, error) {
	conf := a.Watcher.conf
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
		list, err := addressList(t.Addrs)
		if err != nil {
			return nil, err
		}
		response.Addresses[key] = list
	}
	return response, nil
}

// GetResource is empty in v1.
func (a AnswersV1) GetResource(*agentservice.GetResourceRequest) (*agentservice.GetResourceResponse, error) {
	return &agentservice.GetResourceResponse{}, nil
}

// addressList refuses None as protobuf does (Q36).
func addressList(addrs []OptString) (*agentservice.AddressList, error) {
	list := &agentservice.AddressList{}
	for _, a := range addrs {
		if !a.Set {
			return nil, pysem.Raise("TypeError", "bad argument type for built-in operation")
		}
		list.Address = append(list.Address, a.V)
	}
	return list, nil
}

// ModelAddresses are the addresses of one "<model>:<sub_graph>".
type ModelAddresses struct {
	Name  string
	Addrs []OptString
}

// AnswersV3 answers from an address map (agent_service.py:74, :95-101).
type AnswersV3 struct {
	Env   *env.Env
	Conf  *AgentConfig
	Addrs func() ([]ModelAddresses, error)
}

// GetReplicas is not there in v3: NotImplementedError, so UNKNOWN (Q34).
func (a AnswersV3) GetReplicas(*agentservice.GetReplicasRequest) (*agentservice.GetReplicasResponse, error) {
	return nil, pysem.Raise("NotImplementedError", "not implement for agent v3")
}

// HeartBeat lists all addresses, whatever the asked server type.
func (a AnswersV3) HeartBeat(*agentservice.HeartBeatRequest) (*agentservice.HeartBeatResponse, error) {
	models, err := a.Addrs()
	if err != nil {
		return nil, err
	}
	response := &agentservice.HeartBeatResponse{Addresses: map[string]*agentservice.AddressList{}}
	for _, m := range models {
		list, err := addressList(m.Addrs)
		if err != nil {
			return nil, err
		}
		response.Addresses[m.Name] = list
	}
	return response, nil
}

// GetResource tells the address and the memory. A replica id of a pod name's
// hash does not fit the message: ValueError (Q35).
func (a AnswersV3) GetResource(*agentservice.GetResourceRequest) (*agentservice.GetResourceResponse, error) {
	shard, err := a.Conf.ShardID()
	if err != nil {
		return nil, err
	}
	memory, err := AvailableMemory(a.Env)
	if err != nil {
		return nil, err
	}
	for _, n := range []int{shard, a.Conf.ReplicaID.V} {
		if int(int32(n)) != n {
			return nil, pysem.Raise("ValueError", "Value out of range: %d", n)
		}
	}
	return &agentservice.GetResourceResponse{
		Address:   fmt.Sprintf("%s:%s", LocalIP(a.Env), a.Conf.AgentPort),
		ShardId:   int32(shard),
		ReplicaId: int32(a.Conf.ReplicaID.V),
		Memory:    memory,
		Cpu:       -1, Network: -1, WorkLoad: -1,
	}, nil
}
