package simrun_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/processes"
)

// Quirks of agent v3, its wrapper and its service (python-quirks, agent_v3.py,
// agent_service.py and tfs_wrapper.py).

// v3With makes an agent v3 over a fake client, with a configuration changed by
// more.
func v3With(c *parityCase, quirks agent.Quirks, server agent.ModelServerProcess, more ...any) (*agent.AgentV3, error) {
	pairs := []any{"bzid", "gip", "base_name", "n", "deploy_type", "unified", "agent_version", 3, "layout_pattern", "/gip/layout", "zk_servers", "127.0.0.1:1"}
	conf := c.configOf(append(pairs, more...)...)
	conf.Quirks = quirks
	return agent.NewAgentV3(c.env, conf, "/log", agent.AgentV3Options{
		ZooKeeper: newRecordingZK(c.env),
		Server: func(path string) agent.ModelServerProcess {
			if server == nil {
				return agent.NewFakeTFSWrapper(c.env, path)
			}
			return server
		},
	})
}

func TestQ22_AFilterWithoutASemicolonIsAValueError(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		_, err := v3With(c, agent.Python, nil, "layout_filters", []any{"ps_0"})
		if pysem.TypeOf(err) != "ValueError" {
			t.Errorf("python: got %v, want ValueError", err)
		}
		a, err := v3With(c, agent.Fixed, nil, "layout_filters", []any{"ps_0"})
		c.must(err)
		if diff := cmp.Diff([][2]string{{"ps_0", "True"}}, a.LayoutFilters()); diff != "" {
			t.Errorf("fixed (-want +got):\n%s", diff)
		}
	})
}

func TestQ23_FiltersMatchPrefixes(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		a, err := v3With(c, agent.Python, nil, "layout_filters", []any{"ps_{i};i == 1", "entry;True"})
		c.must(err)
		var models []agent.LayoutModel
		for _, graph := range []string{"ps_1_backup", "ps_10", "entry_x", "my_entry"} {
			models = append(models, agent.LayoutModel{Model: agent.SavedModel{ModelName: "m", SubGraph: graph},
				Deploy: agent.SavedModelDeployConfig{ModelBasePath: pysem.Some("/m"), VersionPolicy: pysem.Some("latest")}})
		}
		c.must(a.LayoutUpdated(models))
		got, err := a.ModelServer().ListSavedModels()
		c.must(err)
		if diff := cmp.Diff([]string{"m:ps_1_backup", "m:entry_x"}, got); diff != "" {
			t.Errorf("models (-want +got):\n%s", diff)
		}
	})
}

// configOfServer is the model config file of a pod with one server.
func configOfServer(t *testing.T, c runners.Cluster, pod string) string {
	t.Helper()
	state, err := c.PodState(pod)
	do(t, err)
	if len(state.ModelServers) != 1 {
		t.Fatalf("model servers of %s: got %v, want one", pod, state.ModelServers)
	}
	data, err := c.ReadFile(pod, state.ModelServers[0].ConfigFile)
	do(t, err)
	return string(data)
}

func TestQ25_ALayoutWithLatestOnceIsNeverLoaded(t *testing.T) {
	for _, test := range []struct {
		quirks string
		loaded bool
	}{{"python", false}, {"fixed", true}} {
		t.Run(test.quirks, func(t *testing.T) {
			spec := v3Spec()
			spec.Replicas, spec.Quirks = 1, test.quirks
			c := build(t, spec)
			do(t, c.Start())
			pass(t, c, 10*time.Second)
			do(t, c.Declare("ctr", "ps_0", "/models/ctr/ps_0", "latest_once"))
			do(t, c.Publish("", "ctr", "ps_0"))
			do(t, c.Declare("ctr", "entry", "/models/ctr/entry", "latest"))
			do(t, c.Publish("", "ctr", "entry"))
			pass(t, c, time.Minute)
			written := configOfServer(t, c, "shard0-replica0")
			for _, model := range []string{"ctr:ps_0", "ctr:entry"} {
				if got := strings.Contains(written, model); got != test.loaded {
					t.Errorf("%s in the model config file: got %v, want %v:\n%s", model, got, test.loaded, written)
				}
			}
		})
	}
}

// The threads of an agent whose first look at its layout raises run already, and
// the interpreter waits for them before it ends with 1. The watch was left before
// it raised, so later layouts are followed.
func TestQ209_AnAgentThatCannotReadItsFirstLayoutLivesOnAndFollowsLaterOnes(t *testing.T) {
	const pod = "shard0-replica0"
	spec := v3Spec()
	spec.Replicas = 1
	c := build(t, spec)
	do(t, c.Declare("ctr", "ps_0", "/models/ctr/ps_0", "latest_once"))
	do(t, c.Publish("", "ctr", "ps_0"))
	do(t, c.Start())
	pass(t, c, 10*time.Minute)
	if state, err := c.PodState(pod); err != nil || !state.Running {
		t.Fatalf("pod: got %+v, %v, want it running", state, err)
	}
	if got := configOfServer(t, c, pod); got != "model_config_list {}" {
		t.Errorf("model config file: got %q, want it empty", got)
	}
	do(t, c.Declare("ctr", "entry", "/models/ctr/entry", "latest"))
	do(t, c.Unpublish("", "ctr", "ps_0"))
	do(t, c.Publish("", "ctr", "entry"))
	pass(t, c, 3*time.Minute)
	if got := znodesBelow(t, c, "/demo/binding/ctr"); len(got) != 1 {
		t.Errorf("bindings: got %v, want that of entry", got)
	}
	do(t, c.StopAgent(pod))
	pass(t, c, 61*time.Second)
	if state, err := c.PodState(pod); err != nil || state.Running || state.ExitCode != 1 {
		t.Errorf("61s after SIGTERM: got %+v, %v, want it ended with 1", state, err)
	}
}

func TestQ27_AModelWithoutVersionsStopsAllUpdatesOfTheRound(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		stub := &roundStub{statuses: []agent.SavedModelStatus{{Name: "m:a", Status: env.ModelVersionStatus{State: env.StateAvailable}}}}
		a, err := v3With(c, agent.Python, stub)
		c.must(err)
		c.must(a.Backend().Start())
		c.must(a.SyncAvailableSavedModels())
		stub.statuses = []agent.SavedModelStatus{
			{Name: "m:a", Status: env.ModelVersionStatus{State: env.StateEnd}},
			{Name: "m:b", Status: env.ModelVersionStatus{State: env.StateAvailable}},
			{Name: "m:c", Missing: true},
		}
		if err := a.SyncAvailableSavedModels(); pysem.TypeOf(err) != "AttributeError" {
			t.Errorf("round: got %v, want AttributeError", err)
		}
		if diff := cmp.Diff([]agent.SavedModel{{ModelName: "m", SubGraph: "a"}}, a.Backend().Available()); diff != "" {
			t.Errorf("bound models (-want +got):\n%s", diff)
		}
	})
}

// roundStub is a model server whose statuses change between rounds.
type roundStub struct {
	agent.ModelServerProcess
	statuses []agent.SavedModelStatus
}

func (s *roundStub) ListSavedModelsStatus() ([]agent.SavedModelStatus, error) { return s.statuses, nil }

func TestQ28_HeartBeatOverTheFakeWrapperFailsOnceThereAreAddresses(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		a, err := v3With(c, agent.Python, nil)
		c.must(err)
		graph := agent.SubGraphServices{SubGraph: "e"}
		if _, err := a.AddressMap(agent.ServiceMap{{Model: "m", SubGraphs: []agent.SubGraphServices{graph}}}); err != nil {
			t.Errorf("without addresses: got %v, want no error", err)
		}
		graph.Services = append(graph.Services, gipInfo())
		if _, err := a.AddressMap(agent.ServiceMap{{Model: "m", SubGraphs: []agent.SubGraphServices{graph}}}); pysem.TypeOf(err) != "AttributeError" {
			t.Errorf("with an address: got %v, want AttributeError", err)
		}
	})
}

func TestQ29Q30_AnAgentV3EndsWithin62SecondsOfSIGTERMWith137(t *testing.T) {
	for _, test := range []struct {
		running, ends time.Duration // since the start; until the end
	}{
		// The service info thread sleeps for 60 s, the bindings thread for 30 s, both
		// from the start on; the end comes a second after they have been joined.
		{65 * time.Second, 56 * time.Second},
		{115 * time.Second, 6 * time.Second},
	} {
		t.Run(test.running.String(), func(t *testing.T) {
			spec := v3Spec()
			spec.Replicas = 1
			c := build(t, spec)
			do(t, c.Start())
			pass(t, c, test.running)
			do(t, c.StopAgent("shard0-replica0"))
			running := func() bool {
				state, err := c.PodState("shard0-replica0")
				do(t, err)
				return state.Running
			}
			from := c.Now()
			met, err := c.Pass(2*time.Minute, func() bool { return !running() })
			do(t, err)
			took := c.Now() - from
			if !met || took < test.ends-time.Second || took > test.ends+time.Second {
				t.Errorf("end: got %v after %s, want it after about %s", met, took, test.ends)
			}
			state, err := c.PodState("shard0-replica0")
			do(t, err)
			if state.ExitCode != -9 {
				t.Errorf("exit code: got %d, want -9 (137 in a shell)", state.ExitCode)
			}
		})
	}
}

func TestServiceQuirks(t *testing.T) {
	none := []agent.OptString{pysem.Some("a:1"), {}}
	for _, test := range []struct {
		name string
		vars map[string]any
		ask  func(a agent.AnswersV3) error
		want string
	}{
		{"Q34 GetReplicas of v3 is not implemented", nil, func(a agent.AnswersV3) error {
			_, err := a.GetReplicas(&agentservice.GetReplicasRequest{})
			return err
		}, "NotImplementedError"},
		{"Q35 a replica id from a pod name does not fit", map[string]any{"MY_POD_NAME": "shard0-replica0"}, func(a agent.AnswersV3) error {
			_, err := a.GetResource(&agentservice.GetResourceRequest{})
			return err
		}, "ValueError"},
		{"a small replica id fits", map[string]any{"REPLICA_ID": "5", "SHARD_ID": "1"}, func(a agent.AnswersV3) error {
			_, err := a.GetResource(&agentservice.GetResourceRequest{})
			return err
		}, ""},
		{"Q36 an address of None fails the whole HeartBeat", nil, func(a agent.AnswersV3) error {
			a.Addrs = func() ([]agent.ModelAddresses, error) {
				return []agent.ModelAddresses{{Name: "m:a", Addrs: none[:1]}, {Name: "m:b", Addrs: none}}, nil
			}
			_, err := a.HeartBeat(&agentservice.HeartBeatRequest{})
			return err
		}, "TypeError"},
	} {
		t.Run(test.name, func(t *testing.T) {
			inFakeWorld(t, test.vars, func(c *parityCase) {
				conf := c.configOf("bzid", "b", "base_name", "n", "deploy_type", "unified", "agent_version", 3)
				err := test.ask(agent.AnswersV3{Env: c.env, Conf: conf})
				if got := pysem.TypeOf(err); got != test.want || (err != nil) != (test.want != "") {
					t.Errorf("got %v, want %q", err, test.want)
				}
			})
		})
	}
}

func TestQ149_WithoutABinaryAProgramCalledNoneIsStartedInArchonMode(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		w := agent.NewTFSWrapper(c.env, c.configOf("bzid", "b", "deploy_type", "unified", "agent_version", 3), "/m.cfg", "/log")
		if grpc, err := w.IsGRPCRemoteOp(); grpc || err != nil {
			t.Errorf("gRPC: got %v, %v, want archon", grpc, err)
		}
		if program, _, _ := strings.Cut(w.Command(), " "); program != "None" {
			t.Errorf("program: got %q, want None", program)
		}
		if err := w.Start(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("start: got %v, want a file that is not there", err)
		}
	})
}

func TestQ150_StoppingTheWrapperBeforeItsStartIsAnAttributeError(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		w := agent.NewTFSWrapper(c.env, c.configOf("bzid", "b", "deploy_type", "unified", "agent_version", 3), "/m.cfg", "/log")
		if err := w.Stop(); pysem.TypeOf(err) != "AttributeError" {
			t.Errorf("stop: got %v, want AttributeError", err)
		}
	})
}

// The reference changes into the directory of its own code (find_main) first.
func TestQ218_TheModelServerStaysInTheDirectoryOfItsAgent(t *testing.T) {
	inFakeWorld(t, map[string]any{"MONOLITH_TFS_BINARY": caseDir + "/server"}, func(c *parityCase) {
		c.write(map[string]string{caseDir + "/server": "a model server"})
		var dirs []string
		c.machine.Procs.Register("server", func(*processes.Process) {})
		c.machine.Procs.OnStart(func(p *processes.Process) { dirs = append(dirs, p.Dir()) })
		w := agent.NewTFSWrapper(c.env, c.configOf("bzid", "b", "deploy_type", "unified", "agent_version", 3), "/m.cfg", caseDir+"/log")
		c.must(w.Start())
		c.env.Tasks.Sleep(time.Second)
		if diff := cmp.Diff([]string{caseDir}, dirs); diff != "" {
			t.Errorf("directories of started programs (-want +got):\n%s", diff)
		}
	})
}
