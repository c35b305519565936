package simrun_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
)

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
