package operator

import (
	"fmt"
	"sort"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/service"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/runners"
)

// Agents calls the agents of a cluster, as clients of AgentService do.
type Agents struct {
	// Call makes one call of AgentService to the agent of a pod.
	Call func(pod, method string, request []byte) (response []byte, err error)
}

// call makes one call and decodes the agent's answer into response.
func (a Agents) call(pod, method string, request, response proto.Message) error {
	data, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	if data, err = a.Call(pod, method, data); err != nil {
		return err
	}
	return proto.Unmarshal(data, response)
}

func serverType(name string) (agentservice.ServerType, error) {
	n, ok := agentservice.ServerType_value[strings.ToUpper(name)]
	if !ok {
		return 0, fmt.Errorf("server type: found %q, want ps, entry or dense", name)
	}
	return agentservice.ServerType(n), nil
}

// HeartBeat asks the agent of a pod for the addresses of all tasks that it knows, and sorts
// the tasks by name.
func (a Agents) HeartBeat(pod, kind string) ([]runners.Addresses, error) {
	t, err := serverType(kind)
	if err != nil {
		return nil, err
	}
	var response agentservice.HeartBeatResponse
	if err := a.call(pod, service.MethodHeartBeat, &agentservice.HeartBeatRequest{ServerType: t}, &response); err != nil {
		return nil, err
	}
	var list []runners.Addresses
	for key, addrs := range response.GetAddresses() {
		list = append(list, runners.Addresses{Key: key, Addrs: addrs.GetAddress()})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Key < list[j].Key })
	return list, nil
}

// GetReplicas asks the agent of a pod for the addresses of one task.
func (a Agents) GetReplicas(pod, kind string, task int) ([]string, error) {
	t, err := serverType(kind)
	if err != nil {
		return nil, err
	}
	var response agentservice.GetReplicasResponse
	err = a.call(pod, service.MethodGetReplicas, &agentservice.GetReplicasRequest{ServerType: t, Task: int32(task)}, &response)
	return response.GetAddressList().GetAddress(), err
}

// GetResource asks the agent of a pod for its address, shard, replica and memory.
func (a Agents) GetResource(pod string) (runners.Resource, error) {
	var r agentservice.GetResourceResponse
	err := a.call(pod, service.MethodGetResource, &agentservice.GetResourceRequest{}, &r)
	return runners.Resource{Address: r.GetAddress(), ShardID: int(r.GetShardId()), ReplicaID: int(r.GetReplicaId()), MemoryBytes: r.GetMemory()}, err
}
