package agent_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: each agent of a dense pod has its own environment and log, and the pod lives as long as one
// of its agents (agent.py:86-107). Method: a world of one pod, and the pod's process table.

const denseConf = `bzid demo
base_name ctr
base_path /models/ctr
deploy_type dense
dense_alone true
agent_version 1
zk_servers 127.0.0.1:2181
`

// denseLab is a cluster with a single dense pod.
type denseLab struct{ testCluster }

func startDense(t *testing.T, conf string, vars map[string]string) denseLab {
	t.Helper()
	spec := cluster.Spec{
		Conf:   denseConf + conf,
		Env:    []cluster.EnvVar{{Key: "MY_POD_NAME", Value: "pod"}},
		Models: []cluster.Model{{BasePath: "/models/ctr", SubGraphs: []cluster.SubGraph{{Name: "dense_0", SizeBytes: 1 << 20, Versions: []int64{1}}}}},
	}
	for _, key := range slices.Sorted(maps.Keys(vars)) {
		spec.Env = append(spec.Env, cluster.EnvVar{Key: key, Value: vars[key]})
	}
	lab := denseLab{newCluster(t, spec, quirks.Python)}
	lab.start()
	lab.Pass(time.Minute)
	return lab
}

// servers describes the running model servers. They inherit the environment of their agents, which
// shows which agent started which server and where it logs.
func (lab denseLab) servers() []string {
	var got []string
	for _, p := range lab.Pod(onlyPod).Machine().Procs.Running() {
		if p.Name() != "tensorflow_model_server" {
			continue
		}
		vars := map[string]string{}
		for _, kv := range p.Environ() {
			key, value, _ := strings.Cut(kv, "=")
			vars[key] = value
		}
		got = append(got, fmt.Sprintf("%s %s %s", vars["REPLICA_ID"], vars["DENSE_SERVICE_IDX"], p.Output()))
	}
	slices.Sort(got) // the order in which they start is not tested
	return got
}

func (lab denseLab) wantServers(want ...string) {
	lab.T.Helper()
	if diff := cmp.Diff(want, lab.servers()); diff != "" {
		lab.T.Errorf("model servers (-want +got):\n%s", diff)
	}
}

// exits returns the exit codes of the agents that have ended so far.
func (lab denseLab) exits() []string {
	var got []string
	for _, o := range lab.Log {
		if o.Op == "process.exit" && o.Path == "agent_service" {
			got = append(got, o.Note)
		}
	}
	return got
}

func (lab denseLab) wantExits(want ...string) {
	lab.T.Helper()
	if diff := cmp.Diff(want, lab.exits()); diff != "" {
		lab.T.Errorf("ends of agents (-want +got):\n%s", diff)
	}
}

// znodes are the registrations.
func (lab denseLab) znodes() []string { return lab.children("/demo/service/ctr/dense:0") }

// Goal: a dense agent's replica id is three times the pod's, plus its index. The hash of a pod's
// name has 40 bits, so the id has 42. The expected numbers are Python's:
// int(md5(b"pod").hexdigest()[10:20], 16) * 3 + i.
func TestQ3_TheReplicaIDsOfDenseAgentsAreMadeOfThatOfThePod(t *testing.T) {
	for _, c := range []struct {
		name, conf string
		vars       map[string]string
		want       []string
	}{
		{"the hash of a pod's name, and three agents by default", "", nil, []string{
			"1764326679693 0 /var/log/dense_tfs.std.log.mps0", "1764326679694 1 /var/log/dense_tfs.std.log.mps1", "1764326679695 2 /var/log/dense_tfs.std.log.mps2"}},
		{"no pod name", "dense_service_num 2\n", map[string]string{"MY_POD_NAME": ""}, []string{
			"-1 1 /var/log/dense_tfs.std.log.mps1", "-2 0 /var/log/dense_tfs.std.log.mps0"}},
		{"one dense service is no fan-out", "dense_service_num 1\n", nil, []string{"0  /var/log/dense_tfs.std.log"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			lab := startDense(t, c.conf, c.vars)
			lab.wantServers(c.want...)
			lab.wantExits()
		})
	}
}

func TestQ2_DenseAgentsOfVersion1ShareOneZnode(t *testing.T) {
	lab := startDense(t, "", nil)
	if got := len(lab.znodes()); got != 1 || len(lab.servers()) != 3 {
		t.Errorf("found %d znodes for %d model servers, want 1 for 3", got, len(lab.servers()))
	}
	opened := lab.ZooKeeper().Counters().SessionsOpened
	if opened != 3 {
		t.Errorf("found %d sessions, want one for each agent", opened)
	}
}

// Goal: the registration disappears with the agent whose session created the znode, although the
// other agents still serve.
func TestQ2_TheEndOfOneDenseAgentTakesTheRegistrationOfAll(t *testing.T) {
	lab := startDense(t, "", nil)
	for left := 2; len(lab.znodes()) > 0; left-- {
		if left == 0 {
			t.Fatal("the registration has outlived two of three agents: none of them owned it")
		}
		server, err := lab.Pod(onlyPod).ModelServer("dense")
		worldtest.Must(t, err)
		worldtest.Must(t, server.Process.Signal(env.SIGKILL))
		lab.Pass(10 * time.Minute)
	}
	if len(lab.servers()) == 0 {
		t.Error("no model server runs, want one at least that nobody is told of")
	}
}

// Goal: all dense agents serve on one port, and each connection reaches any one of them.
func TestQ5_DenseAgentsShareOnePort(t *testing.T) {
	lab := startDense(t, "", map[string]string{"PORT2": "1002"})
	lab.wantExits()
	if got := len(lab.servers()); got != 3 {
		t.Errorf("found %d model servers, want 3", got)
	}
	if !lab.Pod(onlyPod).Running() {
		t.Error("the pod has ended with agents running in it")
	}
}

func TestADensePodEndsWithItsLastAgent(t *testing.T) {
	lab := startDense(t, "dense_service_num 2\n", nil)
	for i, want := range [][]string{{"code -9"}, {"code -9", "code -9", "code 0"}} {
		if running := lab.Pod(onlyPod).Running(); !running {
			t.Fatalf("the pod has ended before server %d was killed", i)
		}
		server, err := lab.Pod(onlyPod).ModelServer("dense")
		worldtest.Must(t, err)
		worldtest.Must(t, server.Process.Signal(env.SIGKILL))
		lab.Pass(time.Minute)
		lab.wantExits(want...)
	}
	if pod := lab.Pod(onlyPod); pod.Running() || pod.ExitCode() != 0 {
		t.Errorf("the pod runs: %v, exit code %d, want an end with 0", pod.Running(), pod.ExitCode())
	}
}

func TestTheEndOfADensePodEndsItsAgents(t *testing.T) {
	lab := startDense(t, "", nil)
	lab.signal(onlyPod, env.SIGTERM)
	lab.Pass(time.Second)
	lab.wantExits("code -15", "code -9", "code -9", "code -9")
	if n := len(lab.Pod(onlyPod).Machine().Procs.Running()); n != 0 {
		t.Errorf("%d processes run on", n)
	}
}
