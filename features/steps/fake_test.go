package steps

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
)

// fakeRunner builds clusters in which nothing happens but what a test says.
type fakeRunner struct {
	// made lists the clusters in the order of building.
	made []*fakeCluster
	// prepare is told of each cluster when it is built.
	prepare func(c *fakeCluster)
}

func (r *fakeRunner) Name() string { return "fake" }

func (r *fakeRunner) Build(spec runners.Spec) (runners.Cluster, error) {
	c := &fakeCluster{spec: spec, hash: spec.Seed}
	r.made = append(r.made, c)
	if r.prepare != nil {
		r.prepare(c)
	}
	return c, nil
}

// fakeCluster has a clock and takes down what is done to it. Methods that no test
// needs are those of the nil interface.
type fakeCluster struct {
	runners.Cluster
	spec   runners.Spec
	now    time.Duration
	did    []string
	closed bool
	hash   uint64
	broken string

	// runs says whether a pod runs; nil means that all do.
	runs func(pod string, now time.Duration) bool
	// heartBeat answers; each answer takes 1 ms.
	heartBeat func(pod string, now time.Duration) ([]runners.Addresses, error)
	// unsupported makes every action one that the runner cannot do.
	unsupported bool
	diverge     func(other *fakeCluster) (string, uint64, uint64, bool)
}

func (c *fakeCluster) do(what string, args ...any) error {
	if c.unsupported {
		return fmt.Errorf("%s: %w", what, runners.ErrUnsupported)
	}
	c.did = append(c.did, fmt.Sprintf("%v %s", c.now, fmt.Sprintf(what, args...)))
	return nil
}

func (c *fakeCluster) Start() error { return c.do("start") }

func (c *fakeCluster) Pass(d time.Duration, _ func() bool) (bool, error) {
	c.now += d
	return false, nil
}

func (c *fakeCluster) Publish(layout, model, subGraph string) error {
	return c.do("publish %s %s %s", layout, model, subGraph)
}

func (c *fakeCluster) Declare(model, subGraph, basePath, policy string) error {
	return c.do("declare %s %s %s %s", model, subGraph, basePath, policy)
}

func (c *fakeCluster) ExportVersion(basePath string, version, sizeBytes int64) error {
	return c.do("export %s %d %d", basePath, version, sizeBytes)
}
func (c *fakeCluster) StopZooKeeper() error        { return c.do("stop zookeeper") }
func (c *fakeCluster) StartZooKeeper() error       { return c.do("start zookeeper") }
func (c *fakeCluster) Cut(from, to []string) error { return c.do("cut %s from %s", from, to) }
func (c *fakeCluster) Heal(from, to []string) error {
	return c.do("heal %s from %s", from, to)
}

func (c *fakeCluster) KillModelServer(pod, kind string) error {
	return c.do("kill %q of %s", kind, pod)
}

func (c *fakeCluster) Now() time.Duration   { return c.now }
func (c *fakeCluster) Pods() []runners.Pod  { return c.spec.Pods() }
func (c *fakeCluster) Failure() string      { return c.broken }
func (c *fakeCluster) Close()               { c.closed = true }
func (c *fakeCluster) Stats() runners.Stats { return runners.Stats{TraceHash: c.hash, Virtual: c.now} }

func (c *fakeCluster) PodState(pod string) (runners.PodState, error) {
	running := c.runs == nil || c.runs(pod, c.now)
	for i, p := range c.Pods() {
		if p.Name == pod {
			return runners.PodState{Running: running, Starts: 1, IP: fmt.Sprintf("10.0.0.%d", i)}, nil
		}
	}
	return runners.PodState{}, fmt.Errorf("no pod %s", pod)
}

func (c *fakeCluster) HeartBeat(pod, _ string) ([]runners.Addresses, error) {
	c.now += time.Millisecond
	if c.heartBeat == nil {
		return nil, &env.RPCError{Code: env.Unavailable, Message: "nobody is there"}
	}
	return c.heartBeat(pod, c.now)
}

func (c *fakeCluster) Divergence(other runners.Cluster) (string, uint64, uint64, bool) {
	return c.diverge(other.(*fakeCluster))
}
