package simrun

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/world"
)

// Now returns the virtual time since the cluster was built.
func (c *Cluster) Now() time.Duration { return c.world.Engine().Now() }

// Pods lists the pods with agents.
func (c *Cluster) Pods() []runners.Pod { return c.pods }

// callAgent makes one call to the agent of a pod, over a channel of its own.
func (c *Cluster) callAgent(pod, method string, request []byte) (response []byte, err error) {
	p, err := c.world.FindPod(pod)
	if err != nil {
		return nil, err
	}
	port, ok := c.agentPort(p)
	if !ok {
		return nil, fmt.Errorf("pod %s: found no running agent to call", pod)
	}
	err = c.operate(method, runners.CallTimeout+time.Second, func(e *env.Env) (err error) {
		channel := e.Network.Dial(fmt.Sprintf("%s:%d", p.IP(), port))
		defer channel.Close()
		response, err = channel.Call(method, request, runners.CallTimeout)
		return err
	})
	return response, err
}

// ModelStatus asks a model server for the versions of a model. A server that does not serve
// yet answers UNAVAILABLE.
func (c *Cluster) ModelStatus(pod, kind, model string) ([]env.ModelVersionStatus, error) {
	s, err := c.server(pod, kind)
	if err != nil {
		return nil, err
	}
	if !s.Server().Serving() {
		return nil, &env.RPCError{Code: rpcerrors.Unavailable, Message: "the model server does not serve yet"}
	}
	return s.Server().Status(env.ModelSpec{Name: model})
}

// PodState returns the present state of a pod.
func (c *Cluster) PodState(pod string) (runners.PodState, error) {
	p, err := c.world.FindPod(pod)
	if err != nil {
		return runners.PodState{}, err
	}
	state := runners.PodState{Running: p.Running(), ExitCode: p.ExitCode(), Starts: p.Starts(), IP: p.IP()}
	state.ModelServers = lists.MapOrNil(p.ModelServers(), func(s *world.ModelServer) runners.ModelServerState {
		return runners.ModelServerState{Kind: s.Kind, Port: s.Port, ConfigFile: s.ConfigFile}
	})
	slices.SortFunc(state.ModelServers, func(a, b runners.ModelServerState) int { return strings.Compare(a.Kind, b.Kind) })
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

// Znode reads a znode. Under the profile kazoo-fake it reads the tree of the first agent.
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
		Ephemeral: n.Stat.EphemeralOwner != 0, Version: n.Stat.Version, Created: n.Stat.Czxid,
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

// Log returns the observations from the first, as many as Runner.KeepLog keeps.
func (c *Cluster) Log() []runners.Observation { return c.log }

// Failure returns the error that broke the run, or the first broken invariant of the
// simulation itself. It returns "" if there is none.
func (c *Cluster) Failure() string {
	if err := c.world.Engine().Err(); err != nil {
		return err.Error()
	}
	return c.world.Broken()
}

// Stats returns the counts of the run so far, such as events and calls.
func (c *Cluster) Stats() runners.Stats { return c.world.Stats() }

// Load returns what ZooKeeper and the model servers hold now. With Runner.Traffic it also
// has the counts of ZooKeeper requests.
func (c *Cluster) Load() runners.Load { return c.world.Load() }

// PodLoad returns the current load of each model server of a pod. It may be called from
// Runner.OnObservation.
func (c *Cluster) PodLoad(pod string) []runners.ModelServerLoad {
	p := c.world.Pod(pod)
	if p == nil {
		return nil
	}
	return p.Load()
}
