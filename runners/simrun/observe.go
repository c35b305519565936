package simrun

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Now is the virtual time.
func (c *Cluster) Now() time.Duration { return c.world.Engine().Now() }

// Pods lists the pods.
func (c *Cluster) Pods() []runners.Pod { return c.pods }

// call makes one call to the agent of a pod, as a client of its own does.
func call[Resp proto.Message](c *Cluster, pod, method string, request proto.Message, response Resp) (Resp, error) {
	p, err := c.pod(pod)
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

// HeartBeat asks the agent of a pod.
func (c *Cluster) HeartBeat(pod, kind string) ([]runners.Addresses, error) {
	t, err := serverType(kind)
	if err != nil {
		return nil, err
	}
	response, err := call(c, pod, agent.MethodHeartBeat, &agentservice.HeartBeatRequest{ServerType: t}, &agentservice.HeartBeatResponse{})
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

// GetReplicas asks the agent of a pod.
func (c *Cluster) GetReplicas(pod, kind string, task int) ([]string, error) {
	t, err := serverType(kind)
	if err != nil {
		return nil, err
	}
	response, err := call(c, pod, agent.MethodGetReplicas, &agentservice.GetReplicasRequest{ServerType: t, Task: int32(task)}, &agentservice.GetReplicasResponse{})
	return response.GetAddressList().GetAddress(), err
}

// GetResource asks the agent of a pod.
func (c *Cluster) GetResource(pod string) (runners.Resource, error) {
	r, err := call(c, pod, agent.MethodGetResource, &agentservice.GetResourceRequest{}, &agentservice.GetResourceResponse{})
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

// PodState tells how a pod is.
func (c *Cluster) PodState(pod string) (runners.PodState, error) {
	p, err := c.pod(pod)
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
	p, err := c.pod(pod)
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

// Log is what happened so far.
func (c *Cluster) Log() []runners.Observation { return c.log }

// Failure is what broke the run.
func (c *Cluster) Failure() string { return c.failure }

// Stats are counts of the run so far.
func (c *Cluster) Stats() runners.Stats {
	engine := c.world.Engine()
	s := runners.Stats{Events: engine.Events(), TraceHash: engine.Hash(), Virtual: engine.Now()}
	for method, n := range c.world.RPCs() {
		s.RPCs = append(s.RPCs, runners.Count{Name: method, N: n})
		if strings.HasPrefix(method, "/tensorflow.serving.") {
			s.ModelServerCalls += n
		}
	}
	sort.Slice(s.RPCs, func(i, j int) bool { return s.RPCs[i].Name < s.RPCs[j].Name })
	for _, host := range c.world.Network().Hosts() {
		s.MessagesOnWire += host.Counters().MessagesSent
	}
	if zk := c.world.ZooKeeper(); zk != nil {
		countZooKeeper(&s, zk.Counters())
	}
	return s
}

func countZooKeeper(s *runners.Stats, counters zookeeper.Counters) {
	s.ZooKeeperWrites, s.WatchesFired = counters.Writes, counters.Events
	s.SessionsOpened, s.SessionsExpired = counters.SessionsOpened, counters.SessionsExpired
	for op := zookeeper.OpCloseSession; op <= zookeeper.OpWhoAmI; op++ {
		if n := counters.Requests(op); n > 0 {
			s.ZooKeeper = append(s.ZooKeeper, runners.Count{Name: op.String(), N: n})
		}
	}
	sort.Slice(s.ZooKeeper, func(i, j int) bool { return s.ZooKeeper[i].Name < s.ZooKeeper[j].Name })
}
