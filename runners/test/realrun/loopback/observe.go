package loopback

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/runners"
)

// Pods lists the pods with agents.
func (c *Cluster) Pods() []runners.Pod { return c.spec.Pods() }

// callAgent makes one call to the agent of a pod, over a channel of its own.
func (c *Cluster) callAgent(pod, method string, request []byte) ([]byte, error) {
	p, err := c.findPod(pod)
	if err != nil {
		return nil, err
	}
	port, ok := p.agentPort()
	if !ok {
		return nil, fmt.Errorf("pod %s: found no running agent to call", pod)
	}
	return c.operator.call(fmt.Sprintf("%s:%d", p.ip, port), method, request, c.callTimeout())
}

// agentPort returns the port of the agent's service. ok is false while no agent runs.
func (p *pod) agentPort() (port int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.port, p.first != nil && p.bare == nil
}

// ModelStatus asks a model server for the versions of a model. A server that does not serve
// yet answers UNAVAILABLE.
func (c *Cluster) ModelStatus(pod, kind, model string) ([]env.ModelVersionStatus, error) {
	p, s, err := c.modelServer(pod, kind)
	if err != nil {
		return nil, err
	}
	if s.serving.IsZero() && c.o.ModelServer == "" {
		return nil, &env.RPCError{Code: rpcerrors.Unavailable, Message: "the model server does not serve yet"}
	}
	var versions []env.ModelVersionStatus
	err = c.operator.do("status", operatorLimit, func() error {
		server := c.operator.e.Models.Dial(p.addr(s))
		defer server.Close()
		var err error
		versions, err = server.Status(env.ModelSpec{Name: model}, c.callTimeout())
		return err
	})
	for i := range versions {
		versions[i].Status.Message = string(c.disks.plain(pod, []byte(versions[i].Status.Message)))
	}
	return versions, c.plainError(pod, err)
}

// plainError removes directories of this host from the message of an RPC error.
func (c *Cluster) plainError(pod string, err error) error {
	if rpc, ok := err.(*env.RPCError); ok {
		return &env.RPCError{Code: rpc.Code, Message: string(c.disks.plain(pod, []byte(rpc.Message)))}
	}
	return err
}

// PodState returns the present state of a pod.
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
	name, err := c.disks.podName(pod, path)
	if err != nil {
		return nil, err
	}
	data, err := c.disks.files.ReadFile(name)
	return c.disks.plain(p.Name, data), err
}

// Znode returns a znode as the latest write left it, even while the server is down.
func (c *Cluster) Znode(path string) (runners.Znode, bool, error) {
	node, ok := c.tap.Znode(path)
	if ok {
		node.Data = c.disks.plain("", node.Data)
	}
	return node, ok, nil
}

// Log returns the observations so far.
func (c *Cluster) Log() []runners.Observation { return c.journal.log() }

// Stats returns the counts of the run so far.
func (c *Cluster) Stats() runners.Stats { return c.journal.stats() }

// Remark records the text of the next step in the log, if the run has details.
func (c *Cluster) Remark(text string) { c.remark("scenario", "remark", "", text) }

func (c *Cluster) remark(who, op, path, note string) {
	if c.spec.Detail {
		c.journal.add(runners.Observation{Pod: who, Op: op, Path: path, Note: note})
	}
}

// awaitServer waits until the model server of a pod without an agent has started.
func (p *pod) awaitServer() error {
	for end := time.Now().Add(readyLimit); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if len(p.modelServers()) > 0 || p.leader() == nil {
			return nil
		}
	}
	return fmt.Errorf("pod %s: no model server after %v: %s", p.Name, readyLimit, p.lastWords())
}

// leastCall is the shortest timeout, in wall time, of calls that only observe the cluster. A
// busy host answers late.
const leastCall = 2 * time.Second

func (c *Cluster) callTimeout() time.Duration { return max(c.wall(runners.CallTimeout), leastCall) }
