package simrun_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// Here are the reference's own tests, one by one and under their names, on the
// client that they use. tfs_monitor_test is missing: it tests the sending of
// configurations, which agents v1 and v3 do not do.

// inFakeWorld runs fn in a process of its own on a host with these variables.
func inFakeWorld(t *testing.T, vars map[string]any, fn func(c *parityCase)) {
	t.Helper()
	environ := &pysem.Dict{}
	for k, v := range vars {
		environ.Set(k, v)
	}
	c := newParityCase(t, object("env", environ, "in", object()))
	c.inProcess(func(e *env.Env) {
		c.env = e
		fn(c)
	})
}

// configOf makes a configuration from pairs of names and values.
func (c *parityCase) configOf(pairs ...any) *agent.AgentConfig {
	c.t.Helper()
	c.in.Set("config", object(pairs...))
	conf, err := c.config()
	c.must(err)
	return conf
}

// must ends the test on an error. It is called in the engine's coroutine, where
// FailNow unwinds as it should.
func (c *parityCase) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// startedZK is a fake client with an empty tree.
func (c *parityCase) startedZK() *recordingZK {
	zk := newRecordingZK(c.env)
	c.must(zk.Start(0))
	return zk
}

func (c *parityCase) create(zk env.ZooKeeper, path string, data []byte) {
	c.t.Helper()
	_, err := zk.Create(path, data, env.CreateOptions{MakePath: true})
	c.must(err)
}

// agent_service_test.py, setUpClass.
func serveTwentyPS(c *parityCase) *agent.AgentService {
	conf := c.configOf("bzid", "test_model", "base_name", "test_model_ctr", "deploy_type", "ps",
		"base_path", "/test_model/test_model_ctr/saved_models", "num_ps", 20, "dc_aware", true)
	zk := c.startedZK()
	w := agent.NewReplicaWatcher(c.env, zk, conf, false)
	prefix, err := conf.PathPrefix()
	c.must(err)
	n := 2
	register := func(task string) {
		for replica := range 2 {
			meta := agent.DefaultReplicaMeta()
			meta.Address, meta.Stat = pysem.Some(fmt.Sprintf("192.168.1.%d:%d", n, 30000+n)), env.StateAvailable
			c.create(zk, fmt.Sprintf("%s/%s/%d", prefix, task, replica), meta.Serialize())
			n++
		}
	}
	for task := range 20 {
		register(fmt.Sprintf("ps:%d", task))
	}
	register("entry:0")
	c.must(w.WatchData())
	service := agent.NewAgentService(c.env, conf.AgentPort.V, agent.AnswersV1{Watcher: w})
	c.must(service.Start())
	return service
}

// ask calls the service of the agent on this host.
func (c *parityCase) ask(method string, request, response proto.Message) {
	c.t.Helper()
	raw, err := proto.Marshal(request)
	c.must(err)
	channel := c.env.Network.Dial("127.0.0.1:1002")
	defer channel.Close()
	raw, err = channel.Call(method, raw, 0)
	c.must(err)
	c.must(proto.Unmarshal(raw, response))
}

var servicePorts = map[string]any{"TCE_INTERNAL_IDC": "lf", "TCE_LOGICAL_CLUSTER": "default", "PORT2": "1002"}

func TestUpstreamAgentService_test_heart_beat(t *testing.T) {
	inFakeWorld(t, servicePorts, func(c *parityCase) {
		defer serveTwentyPS(c).Stop()
		var response agentservice.HeartBeatResponse
		c.ask(agent.MethodHeartBeat, &agentservice.HeartBeatRequest{ServerType: agentservice.ServerType_PS}, &response)
		if n := len(response.GetAddresses()); n != 20 {
			t.Errorf("HeartBeat: got %d tasks, want 20", n)
		}
	})
}

func TestUpstreamAgentService_test_get_replicas(t *testing.T) {
	inFakeWorld(t, servicePorts, func(c *parityCase) {
		defer serveTwentyPS(c).Stop()
		var response agentservice.GetReplicasResponse
		c.ask(agent.MethodGetReplicas, &agentservice.GetReplicasRequest{ServerType: agentservice.ServerType_PS, Task: 1}, &response)
		want := []string{"192.168.1.4:30004", "192.168.1.5:30005"}
		if diff := cmp.Diff(want, response.GetAddressList().GetAddress()); diff != "" {
			t.Errorf("addresses of ps:1 (-want +got):\n%s", diff)
		}
	})
}

// agent_v3_test.py, setUpClass.
func startGip(c *parityCase) (*agent.AgentV3, *recordingZK) {
	conf := c.configOf("bzid", "gip", "deploy_type", "unified", "agent_version", 3, "layout_pattern", "/gip/layout", "zk_servers", "127.0.0.1:8888")
	zk := newRecordingZK(c.env)
	a, err := agent.NewAgentV3(c.env, conf, "monolith_serving/logs/log.log", agent.AgentV3Options{
		ZooKeeper: zk,
		Server:    func(path string) agent.ModelServerProcess { return agent.NewFakeTFSWrapper(c.env, path) },
	})
	c.must(err)
	c.must(a.Start())
	for _, graph := range []string{"entry", "ps_0", "ps_1", "ps_2"} {
		deploy, err := json.Marshal(map[string]string{"model_base_path": "/tmp/test_ffm_model/exported_models/" + graph, "version_policy": "latest"})
		c.must(err)
		c.create(zk, "/gip/saved_models/test_ffm_model/"+graph, deploy)
	}
	c.env.Tasks.Sleep(0) // the reporting threads have begun
	return a, zk
}

var sameInfo = cmp.Options{cmpopts.IgnoreUnexported(agent.ContainerServiceInfo{})}

func TestUpstreamAgentV3_test_service_info(t *testing.T) {
	inFakeWorld(t, map[string]any{"MY_HOST_IP": "127.0.0.1"}, func(c *parityCase) {
		a, _ := startGip(c)
		defer a.Stop()
		got, err := a.Backend().GetServiceInfo(a.Container())
		c.must(err)
		if diff := cmp.Diff(a.ServiceInfo(), got, sameInfo); diff != "" {
			t.Errorf("service info (-own +in ZooKeeper):\n%s", diff)
		}
	})
}

func TestUpstreamAgentV3_test_publish_models(t *testing.T) {
	inFakeWorld(t, map[string]any{"MY_HOST_IP": "127.0.0.1"}, func(c *parityCase) {
		a, zk := startGip(c)
		defer a.Stop()
		info := []*agent.ContainerServiceInfo{a.ServiceInfo()}
		loads := func(want ...string) {
			t.Helper()
			got, err := a.ModelServer().ListSavedModels()
			c.must(err)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("model config file (-want +got):\n%s", diff)
			}
		}
		serves := func(want ...agent.SubGraphServices) {
			t.Helper()
			c.must(a.SyncAvailableSavedModels())
			services := agent.ServiceMap{{Model: "test_ffm_model", SubGraphs: want}}
			if diff := cmp.Diff(services, a.Backend().ServiceMap(), sameInfo); diff != "" {
				t.Errorf("service map (-want +got):\n%s", diff)
			}
		}
		loads()
		c.must(zk.EnsurePath("/gip/layout/test_ffm_model:entry"))
		c.must(zk.EnsurePath("/gip/layout/test_ffm_model:ps_0"))
		loads("test_ffm_model:entry", "test_ffm_model:ps_0")
		serves(agent.SubGraphServices{SubGraph: "entry", Services: info}, agent.SubGraphServices{SubGraph: "ps_0", Services: info})
		c.must(zk.Delete("/gip/layout/test_ffm_model:ps_0", env.AnyVersion))
		loads("test_ffm_model:entry")
		serves(agent.SubGraphServices{SubGraph: "entry", Services: info})
	})
}

// gipBackend is backends_test.py, setUpClass.
type gipBackend struct {
	*agent.ZKBackend
	c      *parityCase
	zk     *recordingZK
	layout []agent.LayoutModel
}

const gipLayout = "/gip/layouts/test_layout/mixed"

var gipContainer = agent.Container{Cluster: "default", ID: "asdf"}

func gipInfo() *agent.ContainerServiceInfo {
	return &agent.ContainerServiceInfo{
		GRPC: pysem.Some("localhost:8888"), HTTP: pysem.Some("localhost:8889"),
		Archon: pysem.Some("localhost:8890"), Agent: pysem.Some("localhost:8891"), IDC: pysem.Some("IDC"),
	}
}

func inGip(t *testing.T, fn func(b *gipBackend)) {
	inFakeWorld(t, nil, func(c *parityCase) {
		b := &gipBackend{c: c, zk: newRecordingZK(c.env)}
		b.ZKBackend = agent.NewZKBackend(c.env, "gip", b.zk)
		c.must(b.Start())
		c.must(b.ReportServiceInfo(gipContainer, gipInfo()))
		c.must(b.RegisterLayoutCallback(gipLayout, func(models []agent.LayoutModel) error {
			b.layout = models
			return nil
		}))
		fn(b)
		b.Stop()
	})
}

func ffm(graphs ...string) []agent.SavedModel {
	var models []agent.SavedModel
	for _, g := range graphs {
		models = append(models, agent.SavedModel{ModelName: "test_ffm_model", SubGraph: g})
	}
	return models
}

func (b *gipBackend) sync(graphs ...string) {
	b.c.t.Helper()
	b.c.must(b.SyncAvailableSavedModels(gipContainer, ffm(graphs...)))
}

func TestUpstreamBackends_test_register_service(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		got, err := b.GetServiceInfo(gipContainer)
		b.c.must(err)
		if diff := cmp.Diff(gipInfo(), got, sameInfo); diff != "" {
			t.Errorf("service info (-want +got):\n%s", diff)
		}
	})
}

func TestUpstreamBackends_test_layout_callback(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		wants := func(graphs ...string) {
			t.Helper()
			var want, got []string
			for _, m := range ffm(graphs...) {
				want = append(want, m.String()+" /exported_models/"+m.SubGraph+" latest")
			}
			for _, m := range b.layout {
				got = append(got, m.Model.String()+" "+m.Deploy.ModelBasePath.V+" "+m.Deploy.VersionPolicy.V)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("layout (-want +got):\n%s", diff)
			}
		}
		for _, m := range ffm("entry", "ps_0", "ps_1", "ps_2") {
			b.c.must(b.DeclSavedModel(m, &agent.SavedModelDeployConfig{
				ModelBasePath: pysem.Some("/exported_models/" + m.SubGraph), VersionPolicy: pysem.Some("latest"),
			}))
			b.c.must(b.AddToLayout(gipLayout, m))
		}
		wants("entry", "ps_0", "ps_1", "ps_2")
		b.c.must(b.RemoveFromLayout(gipLayout, ffm("entry")[0]))
		wants("ps_0", "ps_1", "ps_2")
	})
}

func TestUpstreamBackends_test_sync_available_models(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		b.sync("entry", "ps_0", "ps_1")
		got, err := b.zk.Children("/gip/binding/test_ffm_model")
		b.c.must(err)
		if diff := cmp.Diff([]string{"entry:default:asdf", "ps_0:default:asdf", "ps_1:default:asdf"}, got); diff != "" {
			t.Errorf("bindings (-want +got):\n%s", diff)
		}
	})
}

// The reference's assertion cannot fail (Q53): no model is in the layout, so its
// map stays empty. Here the models are published first.
func TestUpstreamBackends_test_service_map(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		for _, m := range ffm("entry", "ps_0") {
			b.c.must(b.DeclSavedModel(m, &agent.SavedModelDeployConfig{ModelBasePath: pysem.Some("/m"), VersionPolicy: pysem.Some("latest")}))
			b.c.must(b.AddToLayout(gipLayout, m))
		}
		b.sync("entry", "ps_0")
		info := []*agent.ContainerServiceInfo{gipInfo()}
		want := agent.ServiceMap{{Model: "test_ffm_model", SubGraphs: []agent.SubGraphServices{{SubGraph: "entry", Services: info}, {SubGraph: "ps_0", Services: info}}}}
		if diff := cmp.Diff(want, b.ServiceMap(), sameInfo); diff != "" {
			t.Errorf("service map (-want +got):\n%s", diff)
		}
	})
}

func TestUpstreamBackends_test_sync_backend(t *testing.T) {
	inGip(t, func(b *gipBackend) {
		b.c.must(b.SubscribeModel("test_ffm_model"))
		b.sync("ps_0", "ps_1", "ps_2")
		name, addrs, err := b.SyncTargets("ps_1")
		b.c.must(err)
		if name != "test_ffm_model:ps_1" {
			t.Errorf("target: got %q, want test_ffm_model:ps_1", name)
		}
		if diff := cmp.Diff([]agent.OptString{pysem.Some("localhost:8888")}, addrs); diff != "" {
			t.Errorf("addresses (-want +got):\n%s", diff)
		}
	})
}
