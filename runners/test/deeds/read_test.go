package deeds_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/deeds"
)

func at(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// lines returns the deeds of each track as text, by the name of the track.
func lines(l *deeds.Log) map[string][]string {
	found := map[string][]string{}
	for _, t := range l.Tracks {
		for _, d := range t.Deeds {
			found[t.Name] = append(found[t.Name], d.String())
		}
	}
	return found
}

const pod = "shard0-replica1"

// Goal: a log contains everything that was done, without what varies from run to run.
// Method: a list with one observation of each kind.
func TestALogHasWhatWasDone(t *testing.T) {
	info := "/gip/container_service/psm;lf;default:shard0-replica1"
	log := []runners.Observation{
		{At: at(0), Pod: "scenario", Op: "remark", Note: "the cluster starts"},
		{At: at(0), Pod: pod, Op: "process.start", Path: "/usr/bin/agent_service", Note: "--conf=/c/agent.conf", ID: 100},
		{At: at(1), Pod: pod, Op: "process.start", Path: "tensorflow_model_server", ID: 101,
			Note: "--model_config_file=/tmp/tmpab12cd34 --port=30005 --archon_rpc_psm=monolith.serving_ps --enable=true"},
		{At: at(1), Pod: pod, Op: "process.start", Path: "agent_service", Note: "--conf=/c/agent.conf", ID: 102},
		{At: at(1), Pod: pod, Op: "log.info", Path: "agent_service", Note: "hello"},
		{At: at(1), Pod: pod, Op: "zookeeper.createSession", ID: 77},
		{At: at(1), Pod: pod, Op: "zookeeper.create", Path: info, Note: "NoNodeError", Data: "{}"},
		{At: at(1), Pod: pod, Op: "zookeeper.create", Path: "/gip/container_service"},
		{At: at(1), Pod: pod, Op: "zookeeper.create", Path: info, Note: "ephemeral", Data: `{"grpc": "x", "debug_info": "{\"b\": 2, \"a\": 1}"}`},
		{At: at(60), Pod: pod, Op: "zookeeper.setData", Path: info, Note: "ephemeral", Data: `{"debug_info": "{\"b\":2,\"a\":1}", "grpc": "x"}`},
		{At: at(120), Pod: pod, Op: "zookeeper.setData", Path: info, Note: "ephemeral", Data: `{"grpc":"x", "debug_info":"{\"b\": 2, \"a\": 1}"}`},
		{At: at(121), Pod: pod, Op: "modelserver.state", Path: "ctr:entry/1", Note: "END: no such file", ID: 101},
		{At: at(121), Pod: pod, Op: "modelserver.serving", Note: "port 30005", ID: 101},
		{At: at(122), Pod: pod, Op: "rpc", Path: "GetModelStatus", Note: "ctr:entry: NOT_FOUND: no versions", Peer: pod},
		{At: at(123), Pod: pod, Op: "rpc", Path: "GetModelStatus", Note: "ctr:entry: NOT_FOUND: none", Peer: pod},
		{At: at(124), Pod: pod, Op: "rpc", Path: "GetModelStatus", Note: "ctr:entry: OK", Peer: pod},
		{At: at(124), Pod: pod, Op: "rpc", Path: "GetModelStatus", Note: "ctr:entry: UNAVAILABLE: connection refused", Peer: pod},
		{At: at(124), Pod: pod, Op: "rpc", Path: "Report", Note: "OK", Peer: pod},
		{At: at(124), Pod: pod, Op: "probe", Path: "modelserver"},
		{At: at(124), Pod: "operator", Op: "rpc", Path: "HeartBeat", Note: "OK", Peer: pod},
		{At: at(125), Pod: "operator", Op: "zookeeper.create", Path: "/gip/layouts/main/ctr:entry"},
		{At: at(125), Pod: "operator", Op: "zookeeper.delete", Path: "/gip/layouts/main/ctr:entry"},
		{At: at(126), Pod: "operator", Op: "fault.happen", Path: "agent.killed", Note: pod},
		{At: at(126), Pod: pod, Op: "process.exit", Path: "tensorflow_model_server", Note: "code -9", ID: 101},
		{At: at(126), Pod: pod, Op: "process.start", Path: runners.Tester, ID: 103},
		{At: at(127), Pod: pod, Op: "process.exit", Path: runners.Tester, Note: "code 0", ID: 103},
		{At: at(127), Pod: pod, Op: "zookeeper.closeSession", ID: 77},
		{At: at(127), Pod: pod, Op: "zookeeper.delete", Path: info, Note: "with its session"},
	}
	want := map[string][]string{
		"call " + pod + " Report":                    {"t+124.0s " + pod + " is answered OK"},
		"round " + pod + " GetModelStatus ctr:entry": {"t+122.0s " + pod + " asks (3 times until t+124.0s, every 1.00s)"},
		"round " + pod + " probe":                    {"t+124.0s " + pod + " finds a port of its model servers open"},
		"model " + pod + " ctr:entry/1":              {"t+121.0s " + pod + " has it END"},
		"process " + pod + " agent_service":          {"t+0.0s " + pod + " starts it --conf=/c/agent.conf"},
		"process " + pod + " tensorflow_model_server monolith.serving_ps": {
			"t+1.0s " + pod + " starts it --archon_rpc_psm=monolith.serving_ps --enable=true --model_config_file=TEMPORARY --port=port",
			"t+126.0s " + pod + " ends code -9",
		},
		"child " + pod + " agent_service":   {"t+1.0s " + pod + " starts it --conf=/c/agent.conf"},
		"session " + pod:                    {"t+1.0s " + pod + " opens it", "t+127.0s " + pod + " has it no more"},
		"znode /gip/container_service":      {"t+1.0s anybody creates it"},
		"znode /gip/layouts/main/ctr:entry": {"t+125.0s anybody creates it", "t+125.0s operator deletes it"},
		"znode " + info: {
			"t+1.0s " + pod + ` creates it, ephemeral {"debug_info":{"a":1,"b":2},"grpc":"x"}`,
			"t+60.0s " + pod + ` writes {"debug_info":{"a":1,"b":2},"grpc":"x"} (2 times until t+120.0s)`,
			"t+127.0s " + pod + " has its session end, and it with that",
		},
	}
	if diff := cmp.Diff(want, lines(deeds.Read(log))); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// cluster is a stub of which the tests use only its log and its agents' answers.
type cluster struct {
	runners.Cluster
	now time.Duration
	log []runners.Observation
}

func (c *cluster) Now() time.Duration         { return c.now }
func (c *cluster) Log() []runners.Observation { return c.log }
func (c *cluster) Pods() []runners.Pod        { return []runners.Pod{{Name: pod}} }
func (c *cluster) Unseen() []string           { return []string{"rpc", "zookeeper"} }

func (c *cluster) PodState(string) (runners.PodState, error) {
	return runners.PodState{IP: "127.0.0.3", ModelServers: []runners.ModelServerState{{Kind: "ps", ConfigFile: "/tmp/x"}}}, nil
}

func (c *cluster) ReadFile(string, string) ([]byte, error) {
	return []byte("model_config_list {\n  config { name: \"a\" }\n}\n"), nil
}

func (c *cluster) HeartBeat(string, string) ([]runners.Addresses, error) {
	c.now += time.Second
	return []runners.Addresses{{Key: "ctr:entry", Addrs: []string{"127.0.0.3:1234", "127.0.0.2:99"}}}, nil
}

type runner struct{ runners.Runner }

func (runner) Build(runners.Spec) (runners.Cluster, error) { return &cluster{}, nil }

// Goal: the log of a watched cluster contains the last answers of each step and the contents
// of config files. Addresses appear as names of pods.
func TestAWatchedClusterSaysMore(t *testing.T) {
	c, err := deeds.Watch(runner{}).Build(runners.Spec{Detail: true})
	if err != nil {
		t.Fatal(err)
	}
	narrator := c.(runners.Narrator)
	narrator.Remark("a look")
	for range 3 {
		if _, err := c.HeartBeat(pod, "ps"); err != nil {
			t.Fatal(err)
		}
	}
	narrator.Remark("another")
	log := c.Log()
	if want := (runners.Observation{Op: deeds.OpUnseen, Note: "call znode session reads"}); log[0] != want {
		t.Errorf("first: want %v, got %v", want, log[0])
	}
	want := map[string][]string{
		"answer " + pod + " HeartBeat ps":  {"t+3.0s " + pod + " answers ctr:entry: 127.0.0.2:port " + pod + ":port"},
		"file " + pod + " model config ps": {"t+3.0s " + pod + ` has model_config_list { config { name: "a" } }`},
	}
	if diff := cmp.Diff(want, lines(deeds.Read(log))); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// Goal: a cycle counts once, however often it ran and wherever the run ended in it. A
// sequence that repeats only a few times is not reduced.
func TestCyclesCountOnce(t *testing.T) {
	for _, c := range []struct{ did, want string }{
		{"abababab", "ab"}, {"xababababa", "xab"}, {"abcabcabcabcabd", "abcd"}, {"ababab", "ababab"}, {"aaaaaaaa", "a"}, {"abababababy", "aby"},
	} {
		var log []runners.Observation
		for i, letter := range c.did {
			log = append(log, runners.Observation{At: at(float64(i)), Pod: pod, Op: "zookeeper.setData", Path: "/a", Data: string(letter)})
		}
		got, times := "", 0
		for _, d := range deeds.Read(log).Track("znode /a").Deeds {
			got += d.Text[len(d.Text)-1:]
			times += d.Times
		}
		if got != c.want || times != len(c.did) {
			t.Errorf("%s: want %s, got %s with %d deeds of %d", c.did, c.want, got, times, len(c.did))
		}
	}
}

// Goal: the log of a training job leaves out the steps and timestamps of saves and exports,
// because they vary from run to run.
func TestALogOfATrainingJob(t *testing.T) {
	log := []runners.Observation{
		{At: at(1), Pod: "chief", Op: "training.serving", Path: "10.250.0.1:4000"},
		{At: at(60), Pod: "chief", Op: "training.saved", Path: "/train/model/model.ckpt-57"},
		{At: at(61), Pod: "chief", Op: "training.exported", Path: "/models/ctr/entry/1700000061", Note: "step 57"},
		{At: at(62), Pod: pod, Op: "modelserver.state", Path: "ctr:entry/1700000061", Note: "AVAILABLE", ID: 1},
		{At: at(120), Pod: "chief", Op: "training.saved", Path: "/train/model/model.ckpt-117"},
		{At: at(121), Pod: "chief", Op: "training.exported", Path: "/models/ctr/entry/1700000121", Note: "step 117"},
		{At: at(122), Pod: pod, Op: "modelserver.state", Path: "ctr:entry/1700000121", Note: "AVAILABLE", ID: 1},
		{At: at(123), Pod: pod, Op: "modelserver.state", Path: "ctr:entry/1700000061", Note: "END", ID: 1},
		{At: at(130), Pod: "worker1", Op: "training.blocked", Path: "Save"},
	}
	want := map[string][]string{
		"training chief serving":               {"t+1.0s chief comes to serving"},
		"training chief saved":                 {"t+60.0s chief comes to saved: /train/model/model.ckpt-STEP (2 times until t+120.0s)"},
		"training chief exported":              {"t+61.0s chief comes to exported: /models/ctr/entry/VERSION (2 times until t+121.0s)"},
		"training worker1 blocked":             {"t+130.0s worker1 comes to blocked: Save"},
		"model " + pod + " ctr:entry/export 1": {"t+62.0s " + pod + " has it AVAILABLE", "t+123.0s " + pod + " has it END"},
		"model " + pod + " ctr:entry/export 2": {"t+122.0s " + pod + " has it AVAILABLE"},
	}
	if diff := cmp.Diff(want, lines(deeds.Read(log))); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
