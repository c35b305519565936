package worldtest

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/world"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// Cluster is a world of pods with a log of its observations. Its operator can change the content of
// ZooKeeper.
type Cluster struct {
	*world.World
	T *testing.T
	// Log holds every observation so far, in order.
	Log []cluster.Observation
}

// NewCluster builds a world with seed 1 in which no process runs yet. Start starts its pods, which
// run agent as world.Options.Agent. The world is closed at the end of the test.
func NewCluster(t *testing.T, spec cluster.Spec, agent func(e *env.Env, confPath string)) *Cluster {
	t.Helper()
	c := &Cluster{T: t}
	spec.Seed = 1
	w, err := world.New(spec, world.Options{
		Agent: agent, CheckOwner: true,
		Observe: func(o cluster.Observation) { c.Log = append(c.Log, o) },
	})
	Must(t, err)
	t.Cleanup(w.Close)
	c.World = w
	return c
}

// OnlyPod is the name of RunInPod's pod.
const OnlyPod = "shard0-replica0"

// RunInPod runs fn as the only program of a pod, with a ZooKeeper server in the world. It fails
// the test if fn takes longer than [Limit].
func RunInPod(t *testing.T, fn func(w *world.World, e *env.Env)) {
	t.Helper()
	done := false
	var c *Cluster
	c = NewCluster(t, cluster.Spec{}, func(e *env.Env, _ string) { fn(c.World, e); done = true })
	Must(t, c.Start())
	runUntil(t, c.Engine(), &done)
}

// Pass advances virtual time by d.
func (c *Cluster) Pass(d time.Duration) {
	c.T.Helper()
	_, err := c.Run(vtime.Limits{Until: c.Engine().Now() + d})
	Must(c.T, err)
}

// resolution is the virtual time between PassUntil's calls of done.
const resolution = 100 * time.Millisecond

// PassUntil advances virtual time until done returns true, or d has passed. It calls done every 100
// ms of virtual time, and returns the last result of done.
func (c *Cluster) PassUntil(d time.Duration, done func() bool) bool {
	c.T.Helper()
	for end := c.Engine().Now() + d; !done(); c.Pass(resolution) {
		if c.Engine().Now() >= end {
			return false
		}
	}
	return true
}

// operatorLimit is the longest virtual time that Operate may last.
const operatorLimit = time.Minute

// Operate runs fn as a process of an operator with a connected ZooKeeper client, and advances
// virtual time until fn returns. It fails the test if that takes longer than a minute.
func (c *Cluster) Operate(fn func(e *env.Env, zk env.ZooKeeper)) {
	c.T.Helper()
	e, life := NewProcess(c.World, "operator")
	done := false
	life.Go("operator", func() {
		zk := e.ZooKeeper.NewClient("", env.ZooKeeperOptions{})
		Must(c.T, zk.Start(0))
		fn(e, zk)
		zk.Stop()
		done = true
	})
	_, err := c.Run(vtime.Limits{Until: c.Engine().Now() + operatorLimit, Done: func() bool { return done }})
	Must(c.T, err)
	life.Crash()
	if !done {
		c.T.Fatalf("the operator is not done within %s", operatorLimit)
	}
}

// NewProcess makes a process on the operator's machine, whose env includes the ZooKeeper server. If
// the process crashes, its ZooKeeper session stays open until it expires.
func NewProcess(w *world.World, name string) (*env.Env, *vtime.Process) {
	machine := w.Operator()
	life := machine.Node.NewProcess(name)
	e := machine.Env(life, nil)
	e.ZooKeeper = &node.Clients{Env: e, Proc: life, Host: machine.Net, Servers: []string{w.ZooKeeper().Addr()}}
	return e, life
}
