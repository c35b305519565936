package simrun

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/runners"
)

// Now is the virtual time since the cluster was built.
func (c *Cluster) Now() time.Duration { return c.world.Engine().Now() }

// Pods lists the pods with agents.
func (c *Cluster) Pods() []runners.Pod { return c.pods }

// call makes one call to the agent of a pod, as a client of its own does.
func call[Resp proto.Message](c *Cluster, pod, method string, request proto.Message, response Resp) (Resp, error) {
	p, err := c.world.FindPod(pod)
	if err != nil {
		return response, err
	}
	port, ok := c.agentPort(p)
	if !ok {
		return response, fmt.Errorf("pod %s: found no running agent to call", pod)
	}
	data, err := proto.Marshal(request)
	if err != nil {
		return response, err
	}
	err = c.operate(method, runners.CallTimeout+time.Second, func(e *env.Env) error {
		channel := e.Network.Dial(fmt.Sprintf("%s:%d", p.IP(), port))
		defer channel.Close()
		answer, err := channel.Call(method, data, runners.CallTimeout)
		if err != nil {
			return err
		}
		return proto.Unmarshal(answer, response)
	})
	return response, err
}

func serverType(name string) (agentservice.ServerType, error) {
	n, ok := agentservice.ServerType_value[strings.ToUpper(name)]
	if !ok {
		return 0, fmt.Errorf("server type: found %q, want ps, entry or dense", name)
	}
	return agentservice.ServerType(n), nil
}

// HeartBeat asks the agent of a pod for the addresses of every task that it knows.
func (c *Cluster) HeartBeat(pod, kind string) ([]runners.Addresses, error) {
	t, err := serverType(kind)
	if err != nil {
		return nil, err
	}
	response, err := call(c, pod, service.MethodHeartBeat, &agentservice.HeartBeatRequest{ServerType: t}, &agentservice.HeartBeatResponse{})
	if err != nil {
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
func (c *Cluster) GetReplicas(pod, kind string, task int) ([]string, error) {
	t, err := serverType(kind)
	if err != nil {
		return nil, err
	}
	response, err := call(c, pod, service.MethodGetReplicas, &agentservice.GetReplicasRequest{ServerType: t, Task: int32(task)}, &agentservice.GetReplicasResponse{})
	return response.GetAddressList().GetAddress(), err
}

// GetResource asks the agent of a pod for its place and its memory.
func (c *Cluster) GetResource(pod string) (runners.Resource, error) {
	r, err := call(c, pod, service.MethodGetResource, &agentservice.GetResourceRequest{}, &agentservice.GetResourceResponse{})
	return runners.Resource{Address: r.GetAddress(), ShardID: int(r.GetShardId()), ReplicaID: int(r.GetReplicaId()), MemoryBytes: r.GetMemory()}, err
}

// ModelStatus asks a model server; one that does not serve yet is UNAVAILABLE.
func (c *Cluster) ModelStatus(pod, kind, model string) ([]env.ModelVersionStatus, error) {
	s, err := c.server(pod, kind)
	if err != nil {
		return nil, err
	}
	if !s.Server().Serving() {
		return nil, &env.RPCError{Code: env.Unavailable, Message: "the model server does not serve yet"}
	}
	return s.Server().Status(env.ModelSpec{Name: model})
}

// PodState returns how a pod is right now.
func (c *Cluster) PodState(pod string) (runners.PodState, error) {
	p, err := c.world.FindPod(pod)
	if err != nil {
		return runners.PodState{}, err
	}
	state := runners.PodState{Running: p.Running(), ExitCode: p.ExitCode(), Starts: p.Starts(), IP: p.IP()}
	for _, s := range p.ModelServers() {
		state.ModelServers = append(state.ModelServers, runners.ModelServerState{Kind: s.Kind, Port: s.Port, ConfigFile: s.ConfigFile})
	}
	sort.Slice(state.ModelServers, func(i, j int) bool { return state.ModelServers[i].Kind < state.ModelServers[j].Kind })
	return state, nil
}

// ReadFile reads a file of a pod.
func (c *Cluster) ReadFile(pod, path string) ([]byte, error) {
	p, err := c.world.FindPod(pod)
	if err != nil {
		return nil, err
	}
	return p.Machine().FS.ReadFile(path)
}

// Znode looks at the tree of the server, or of the first agent under kazoo-fake.
func (c *Cluster) Znode(path string) (runners.Znode, bool, error) {
	if c.world.ZooKeeper() == nil {
		return c.fakeZnode(path)
	}
	machine := c.world.ZooKeeper().Machine()
	n, ok := machine.Lookup(path)
	if !ok {
		return runners.Znode{}, false, nil
	}
	return runners.Znode{
		Path: path, Data: n.Data, Children: machine.Children(path),
		Ephemeral: n.Stat.EphemeralOwner != 0, Version: n.Stat.Version,
	}, true, nil
}

func (c *Cluster) fakeZnode(path string) (runners.Znode, bool, error) {
	fake := c.world.Pods()[0].FakeZooKeeper()
	if fake == nil {
		return runners.Znode{}, false, nil
	}
	stat, err := fake.Exists(path)
	if err != nil || stat == nil {
		return runners.Znode{}, false, err
	}
	data, _, err := fake.Get(path)
	if err != nil {
		return runners.Znode{}, false, err
	}
	children, err := fake.Children(path)
	return runners.Znode{Path: path, Data: data, Children: children, Version: stat.Version}, err == nil, err
}

// Log is what happened so far; see Runner.KeepLog.
func (c *Cluster) Log() []runners.Observation { return c.log }

// Failure is what broke the run, "" for nothing.
func (c *Cluster) Failure() string {
	if err := c.world.Engine().Err(); err != nil {
		return err.Error()
	}
	return ""
}

// Stats are counts of the run so far.
func (c *Cluster) Stats() runners.Stats { return c.world.Stats() }
