package loopback

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/runners"
)

// Pods lists the pods with agents.
func (c *Cluster) Pods() []runners.Pod { return c.spec.Pods() }

// call makes one call to the agent of a pod, as a client of its own does.
func call[Resp proto.Message](c *Cluster, pod, method string, request proto.Message, response Resp) (Resp, error) {
	p, err := c.findPod(pod)
	if err != nil {
		return response, err
	}
	port, ok := p.agentPort()
	if !ok {
		return response, fmt.Errorf("pod %s: found no running agent to call", pod)
	}
	data, err := proto.Marshal(request)
	if err != nil {
		return response, err
	}
	answer, err := c.operator.call(fmt.Sprintf("%s:%d", p.ip, port), method, data, c.callTimeout())
	if err != nil {
		return response, err
	}
	return response, proto.Unmarshal(answer, response)
}

// agentPort is the port of the agent that runs.
func (p *pod) agentPort() (port int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.port, p.first != nil && p.bare == nil
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
	p, s, err := c.modelServer(pod, kind)
	if err != nil {
		return nil, err
	}
	if s.serving.IsZero() && c.o.ModelServer == "" {
		return nil, &env.RPCError{Code: env.Unavailable, Message: "the model server does not serve yet"}
	}
	var versions []env.ModelVersionStatus
	err = c.operator.do("status", operatorLimit, func() error {
		server := c.operator.e.Models.Dial(p.addr(s))
		defer server.Close()
		var err error
		versions, err = server.Status(env.ModelSpec{Name: model}, c.callTimeout())
		return err
	})
	return versions, c.plainError(pod, err)
}

// plainError takes from an error what pods do not know of this machine's directories.
func (c *Cluster) plainError(pod string, err error) error {
	if rpc, ok := err.(*env.RPCError); ok {
		return &env.RPCError{Code: rpc.Code, Message: string(c.disks.plain(pod, []byte(rpc.Message)))}
	}
	return err
}

// PodState returns how a pod is right now.
func (c *Cluster) PodState(pod string) (runners.PodState, error) {
	p, err := c.findPod(pod)
	if err != nil {
		return runners.PodState{}, err
	}
	return p.state(), nil
}

// ReadFile reads a file of a pod.
func (c *Cluster) ReadFile(pod, path string) ([]byte, error) {
	p, err := c.findPod(pod)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(c.disks.podPath(pod, path))
	return c.disks.plain(p.Name, data), err
}

// Znode looks at the tree of the server.
func (c *Cluster) Znode(path string) (runners.Znode, bool, error) { return c.zk.znode(path) }

// Log is what happened so far.
func (c *Cluster) Log() []runners.Observation { return c.journal.log() }

// Stats are counts of the run so far.
func (c *Cluster) Stats() runners.Stats { return c.journal.stats() }

// Remark takes down what is about to be done to the cluster, in a run with details.
func (c *Cluster) Remark(text string) { c.remark("scenario", "remark", "", text) }

func (c *Cluster) remark(who, op, path, note string) {
	if c.spec.Detail {
		c.journal.add(runners.Observation{Pod: who, Op: op, Path: path, Note: note})
	}
}

// awaitServer waits until the model server of a pod without an agent has been started.
func (p *pod) awaitServer() error {
	for end := time.Now().Add(readyLimit); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if len(p.modelServers()) > 0 || p.leader() == nil {
			return nil
		}
	}
	return fmt.Errorf("pod %s: no model server after %v: %s", p.Name, readyLimit, p.lastWords())
}

// leastCall is the wall time that a call of an observer may take at least: a machine that
// has other things to do answers late.
const leastCall = 2 * time.Second

func (c *Cluster) callTimeout() time.Duration { return max(c.wall(runners.CallTimeout), leastCall) }
