package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: show quirks that appear only when all parts of agents run together. Method: a cluster of
// pods that run agent.Main, with a ZooKeeper server and model servers. The tests read its log, its
// znodes and the state of its pods.

const confV1 = `bzid demo
base_name ctr
base_path /models/ctr
stand_alone_serving true
agent_version 1
num_ps 4
num_shard 2
zk_servers 127.0.0.1:2181
dc_aware true
`

// v1Spec describes a cluster of two shards with two replicas each. A pod has an entry and two PS.
func v1Spec() cluster.Spec {
	return cluster.Spec{
		Conf: confV1, Shards: 2, Replicas: 2,
		Models: []cluster.Model{exported("/models/ctr", "entry", "ps_0", "ps_1", "ps_2", "ps_3")},
	}
}

const confV3 = `bzid demo
base_name ctr
base_path /models/ctr
deploy_type unified
agent_version 3
layout_pattern ctr
zk_servers 127.0.0.1:2181
dc_aware false
`

// layoutV3 is the path of the layout that the layout_pattern of confV3 selects.
const layoutV3 = "/demo/layouts/ctr"

// onlyPod is the name of the single pod in v3Spec.
const onlyPod = "shard0-replica0"

// v3Spec has one pod.
func v3Spec() cluster.Spec {
	return cluster.Spec{
		Conf:   confV3,
		Models: []cluster.Model{exported("/models/ctr", "entry")},
	}
}

func exported(basePath string, subGraphs ...string) cluster.Model {
	m := cluster.Model{BasePath: basePath}
	for _, name := range subGraphs {
		m.SubGraphs = append(m.SubGraphs, cluster.SubGraph{Name: name, SizeBytes: 300 << 20, Versions: []int64{1}})
	}
	return m
}

// testCluster is a cluster whose pods run agents.
type testCluster struct{ *worldtest.Cluster }

func newCluster(t *testing.T, spec cluster.Spec, q quirks.Set) testCluster {
	t.Helper()
	return testCluster{worldtest.NewCluster(t, spec, func(e *env.Env, confPath string) {
		agent.Main(e, agent.Options{ConfPath: confPath, Quirks: q})
	})}
}

func (c testCluster) start() {
	c.T.Helper()
	worldtest.Must(c.T, c.Start())
}

func (c testCluster) backend(fn func(b *backends.ZKBackend) error) {
	c.T.Helper()
	c.Operate(func(e *env.Env, zk env.ZooKeeper) {
		worldtest.Must(c.T, fn(backends.NewZKBackend(e, "demo", zk)))
	})
}

// publish declares a sub-graph of the model ctr and adds it to the layout.
func (c testCluster) publish(subGraph, policy string) {
	c.T.Helper()
	model := datadef.SavedModel{ModelName: "ctr", SubGraph: subGraph}
	c.backend(func(b *backends.ZKBackend) error {
		return b.DeclSavedModel(model, &datadef.SavedModelDeployConfig{
			ModelBasePath: pysem.Some("/models/ctr/" + subGraph), VersionPolicy: pysem.Some(policy),
		})
	})
	c.backend(func(b *backends.ZKBackend) error { return b.AddToLayout(layoutV3, model) })
}

func (c testCluster) unpublish(subGraph string) {
	c.T.Helper()
	c.backend(func(b *backends.ZKBackend) error {
		return b.RemoveFromLayout(layoutV3, datadef.SavedModel{ModelName: "ctr", SubGraph: subGraph})
	})
}

func (c testCluster) signal(pod string, sig env.Signal) {
	c.T.Helper()
	worldtest.Must(c.T, c.Pod(pod).Agent().Signal(sig))
}

// children lists the names of the znodes below a path. It is empty for a missing path.
func (c testCluster) children(path string) []string { return c.ZooKeeper().Machine().Children(path) }

// modelConfig returns the model config file of a pod, which must have exactly one model server.
func (c testCluster) modelConfig(pod string) string {
	c.T.Helper()
	servers := c.Pod(pod).ModelServers()
	if len(servers) != 1 {
		c.T.Fatalf("model servers of %s: got %d, want one", pod, len(servers))
	}
	data, err := c.Pod(pod).Machine().FS.ReadFile(servers[0].ConfigFile)
	worldtest.Must(c.T, err)
	return string(data)
}

// sets counts the setData requests of a pod in the log from the given position on.
func (c testCluster) sets(pod string, from int) int {
	n := 0
	for _, o := range c.Log[from:] {
		if o.Pod == pod && o.Op == "zookeeper.setData" {
			n++
		}
	}
	return n
}

// Goal: an agent whose model manager cannot start kills itself before it has started anything (Q7,
// Q101). Method: a rough sort model without a path to receive it, which cannot be copied.
func TestQ7_Q101_AModelManagerThatCannotStartEndsTheAgent(t *testing.T) {
	spec := v1Spec()
	spec.Conf += "rough_sort_model_name rough\nrough_sort_model_loaded_server none\n"
	c := newCluster(t, spec, quirks.Python)
	c.start()
	c.Pass(time.Minute)
	if pod := c.Pod("shard0-replica0"); pod.Running() || pod.ExitCode() != -9 {
		t.Errorf("pod: got running %t and exit code %d, want an end with -9", pod.Running(), pod.ExitCode())
	}
	for _, o := range c.Log {
		if o.Op == "process.start" && strings.Contains(o.Path, "tensorflow_model_server") {
			t.Errorf("a model server was started: %+v", o)
		}
	}
}

func TestQ109_AfterALostSessionStatesFlapForEver(t *testing.T) {
	const pod = "shard0-replica0"
	for _, test := range []struct {
		quirks quirks.Set
		// min and max bound the number of setData requests in 5 minutes, 20 minutes after the lost
		// session.
		min, max int
	}{
		// Entry and two PS change to UNKNOWN about every 10 s, and back to AVAILABLE within a
		// second.
		{quirks.Python, 28 * 3 * 2, 30 * 3 * 2},
		{quirks.Fixed, 0, 0},
	} {
		t.Run(test.quirks.String(), func(t *testing.T) {
			c := newCluster(t, v1Spec(), test.quirks)
			c.start()
			c.Pass(3 * time.Minute)
			from := len(c.Log)
			c.Pass(5 * time.Minute)
			if got := c.sets(pod, from); got != 0 {
				t.Fatalf("sets before the loss: got %d, want none", got)
			}
			sessions := c.ZooKeeper().SessionsOf(pod)
			if len(sessions) == 0 {
				t.Fatalf("sessions of %s: got none, want one to lose", pod)
			}
			for _, id := range sessions {
				c.ZooKeeper().KillSession(id)
			}
			c.Pass(20 * time.Minute)
			from = len(c.Log)
			c.Pass(5 * time.Minute)
			if got := c.sets(pod, from); got < test.min || got > test.max {
				t.Errorf("sets in 5m, 20m after the loss: got %d, want %d to %d", got, test.min, test.max)
			}
			if got := len(c.children("/demo/service/ctr/lf:default/entry:0")); got != 4 {
				t.Errorf("replicas of entry:0: got %d, want 4", got)
			}
		})
	}
}

func TestQ40_AnAgentThatRestartsWithinItsSessionLosesItsServiceInfoUntilTheNextReport(t *testing.T) {
	spec := v3Spec()
	spec.RestartAfter = 2 * time.Second
	c := newCluster(t, spec, quirks.Python)
	c.start()
	c.Pass(time.Minute)
	c.signal(onlyPod, env.SIGKILL)
	for _, at := range []struct {
		after time.Duration
		count int
		whose string
	}{
		{4 * time.Second, 1, "that of the old session, set by the new agent"},
		{16 * time.Second, 0, "gone with the old session"},
		{60 * time.Second, 1, "reported again"},
	} {
		c.Pass(at.after)
		if got := c.children("/demo/container_service"); len(got) != at.count {
			t.Errorf("service info after %s more: got %v, want %d: %s", at.after, got, at.count, at.whose)
		}
	}
}

func TestQ25_ALayoutWithLatestOnceIsNeverLoaded(t *testing.T) {
	for _, test := range []struct {
		quirks quirks.Set
		loaded bool
	}{{quirks.Python, false}, {quirks.Fixed, true}} {
		t.Run(test.quirks.String(), func(t *testing.T) {
			c := newCluster(t, v3Spec(), test.quirks)
			c.start()
			c.Pass(10 * time.Second)
			c.publish("ps_0", "latest_once")
			c.publish("entry", "latest")
			c.Pass(time.Minute)
			written := c.modelConfig(onlyPod)
			for _, model := range []string{"ctr:ps_0", "ctr:entry"} {
				if got := strings.Contains(written, model); got != test.loaded {
					t.Errorf("%s in the model config file: got %v, want %v:\n%s", model, got, test.loaded, written)
				}
			}
		})
	}
}

// Goal: an agent that fails at its first read of the layout lives on, and follows later layouts.
// Its threads already run, and the interpreter waits for them before it exits with 1. The watch was
// set before the error, so it still fires.
func TestQ209_AnAgentThatCannotReadItsFirstLayoutLivesOnAndFollowsLaterOnes(t *testing.T) {
	c := newCluster(t, v3Spec(), quirks.Python)
	c.publish("ps_0", "latest_once")
	c.start()
	c.Pass(10 * time.Minute)
	if !c.Pod(onlyPod).Running() {
		t.Fatalf("pod: it ended with %d, want it running", c.Pod(onlyPod).ExitCode())
	}
	if got := c.modelConfig(onlyPod); got != "model_config_list {}" {
		t.Errorf("model config file: got %q, want it empty", got)
	}
	c.unpublish("ps_0")
	c.publish("entry", "latest")
	c.Pass(3 * time.Minute)
	if got := c.children("/demo/binding/ctr"); len(got) != 1 {
		t.Errorf("bindings: got %v, want that of entry", got)
	}
	c.signal(onlyPod, env.SIGTERM)
	c.Pass(61 * time.Second)
	if pod := c.Pod(onlyPod); pod.Running() || pod.ExitCode() != 1 {
		t.Errorf("61s after SIGTERM: got running %t, exit code %d, want it ended with 1", pod.Running(), pod.ExitCode())
	}
}

func TestQ29Q30_AnAgentV3EndsWithin62SecondsOfSIGTERMWith137(t *testing.T) {
	for _, test := range []struct {
		running, ends time.Duration // running is the time since the start, and ends the time until the end
	}{
		// From the start of the agent on, the service info thread sleeps 60 s at a time, the
		// bindings thread 30 s. The agent ends one second after both have been joined.
		{65 * time.Second, 56 * time.Second},
		{115 * time.Second, 6 * time.Second},
	} {
		t.Run(test.running.String(), func(t *testing.T) {
			c := newCluster(t, v3Spec(), quirks.Python)
			c.start()
			c.Pass(test.running)
			c.signal(onlyPod, env.SIGTERM)
			from := c.Engine().Now()
			ended := c.PassUntil(2*time.Minute, func() bool { return !c.Pod(onlyPod).Running() })
			took := c.Engine().Now() - from
			if !ended || took < test.ends-time.Second || took > test.ends+time.Second {
				t.Errorf("end: got %v after %s, want it after about %s", ended, took, test.ends)
			}
			if code := c.Pod(onlyPod).ExitCode(); code != -9 {
				t.Errorf("exit code: got %d, want -9 (137 in a shell)", code)
			}
		})
	}
}
