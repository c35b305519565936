package steps

import (
	"fmt"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/runners"
)

// fakeRunner builds fake clusters, in which only what a test says happens.
type fakeRunner struct {
	// made lists the clusters in the order of building.
	made []*fakeCluster
	// prepare is called with each cluster when it is built.
	prepare func(c *fakeCluster)
}

func (r *fakeRunner) Name() string { return "fake" }

// Faults lists kinds of faults in which each type of placeholder occurs, and each of the three
// forms of sentence.
func (r *fakeRunner) Faults() []runners.FaultKind {
	return []runners.FaultKind{
		{Name: "network.partition", Lasts: "{places} is/are cut off from {places}", Ends: "{places} reach(es) {places} again"},
		{Name: "pod.lagging", Lasts: "the clock of {pod} lags by {duration}", Begins: "{pod} falls behind"},
		{Name: "server.killed", Begins: "{server} is killed"},
		{Name: "version.partial", Lasts: "version {n} of {model} is copied but for {size}"},
	}
}

func (r *fakeRunner) Build(spec runners.Spec) (runners.Cluster, error) {
	c := &fakeCluster{spec: spec, hash: spec.Seed}
	r.made = append(r.made, c)
	if r.prepare != nil {
		r.prepare(c)
	}
	return c, nil
}

// fakeCluster has a clock, and records what is done to it. Methods that no test needs come from the
// nil interface, and panic.
type fakeCluster struct {
	runners.Cluster
	spec   runners.Spec
	now    time.Duration
	did    []string
	closed bool
	hash   uint64
	broken string
	// invariants holds the broken invariants that the cluster reports.
	invariants []runners.Broken

	// runs reports whether a pod runs at a time. A nil function means that all do.
	runs func(pod string, now time.Duration) bool
	// code is the exit code of pods that do not run.
	code int
	// heartBeat gives the answer to a HeartBeat request. Each answer takes 1 ms.
	heartBeat func(pod string, now time.Duration) ([]runners.Addresses, error)
	// unsupported makes the cluster refuse every action as one that its runner cannot do.
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

func (c *fakeCluster) Publish(layout, model string, subGraphs ...string) error {
	return c.do("publish %s %s %s", layout, model, strings.Join(subGraphs, ","))
}

func (c *fakeCluster) Declare(model, subGraph, basePath, policy string) error {
	return c.do("declare %s %s %s %s", model, subGraph, basePath, policy)
}

func (c *fakeCluster) ExportVersion(basePath string, version, sizeBytes int64) error {
	return c.do("export %s %d %d", basePath, version, sizeBytes)
}

func (c *fakeCluster) BeginFault(f runners.Fault) error { return c.do("begin %+v", f) }
func (c *fakeCluster) EndFault(f runners.Fault) error   { return c.do("end %+v", f) }

func (c *fakeCluster) Now() time.Duration  { return c.now }
func (c *fakeCluster) Pods() []runners.Pod { return c.spec.Pods() }
func (c *fakeCluster) Failure() string     { return c.broken }

func (c *fakeCluster) Invariants() []runners.Broken { return c.invariants }
func (c *fakeCluster) Close()                       { c.closed = true }
func (c *fakeCluster) Stats() runners.Stats         { return runners.Stats{TraceHash: c.hash, Virtual: c.now} }

func (c *fakeCluster) PodState(pod string) (runners.PodState, error) {
	running := c.runs == nil || c.runs(pod, c.now)
	for i, p := range c.Pods() {
		if p.Name == pod {
			return runners.PodState{Running: running, Starts: 1, ExitCode: c.code, IP: fmt.Sprintf("10.0.0.%d", i)}, nil
		}
	}
	return runners.PodState{}, fmt.Errorf("no pod %s", pod)
}

func (c *fakeCluster) HeartBeat(pod, _ string) ([]runners.Addresses, error) {
	c.now += time.Millisecond
	if c.heartBeat == nil {
		return nil, &env.RPCError{Code: rpcerrors.Unavailable, Message: "nobody is there"}
	}
	return c.heartBeat(pod, c.now)
}

func (c *fakeCluster) Divergence(other runners.Cluster) (string, uint64, uint64, bool) {
	return c.diverge(other.(*fakeCluster))
}
