package agent_test

import (
	"encoding/json"
	"github.com/monosim/monosim/engine/quirks"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/agent/tfs/tfstest"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// agent_v3_test.py, setUpClass.
func startGip(c *worldtest.Case) (*agent.AgentV3, *worldtest.ZooKeeper) {
	conf := agenttest.Config(c.T, c.Env, "bzid", "gip", "deploy_type", "unified", "agent_version", 3, "layout_pattern", "/gip/layout", "zk_servers", "127.0.0.1:8888")
	zk := worldtest.NewZooKeeper(c.Env)
	a, err := agent.NewAgentV3(c.Env, conf, "monolith_serving/logs/log.log", agent.AgentV3Options{
		ZooKeeper: zk,
		Server:    func(path string) tfs.ModelServerProcess { return tfstest.NewFakeTFSWrapper(c.Env, path, quirks.Set{}) },
	})
	c.Must(err)
	c.Must(a.Start())
	for _, graph := range []string{"entry", "ps_0", "ps_1", "ps_2"} {
		deploy, err := json.Marshal(map[string]string{"model_base_path": "/tmp/test_ffm_model/exported_models/" + graph, "version_policy": "latest"})
		c.Must(err)
		c.Create(zk, "/gip/saved_models/test_ffm_model/"+graph, deploy)
	}
	c.Env.Tasks.Sleep(0) // lets the reporting threads begin
	return a, zk
}

// sameInfo compares the exported fields of service infos, and ignores how they were decoded.
var sameInfo = cmp.Options{cmpopts.IgnoreUnexported(datadef.ContainerServiceInfo{})}

func TestUpstreamAgentV3_test_service_info(t *testing.T) {
	worldtest.Run(t, map[string]string{"MY_HOST_IP": "127.0.0.1"}, func(c *worldtest.Case) {
		a, _ := startGip(c)
		defer a.Stop()
		got, err := a.Backend().GetServiceInfo(a.Container())
		c.Must(err)
		if diff := cmp.Diff(a.ServiceInfo(), got, sameInfo); diff != "" {
			t.Errorf("service info (-own +in ZooKeeper):\n%s", diff)
		}
	})
}

func TestUpstreamAgentV3_test_publish_models(t *testing.T) {
	worldtest.Run(t, map[string]string{"MY_HOST_IP": "127.0.0.1"}, func(c *worldtest.Case) {
		a, zk := startGip(c)
		defer a.Stop()
		info := []*datadef.ContainerServiceInfo{a.ServiceInfo()}
		loads := func(want ...string) {
			t.Helper()
			got, err := a.ModelServer().ListSavedModels()
			c.Must(err)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("model config file (-want +got):\n%s", diff)
			}
		}
		serves := func(want ...backends.SubGraphServices) {
			t.Helper()
			c.Must(a.SyncAvailableSavedModels())
			services := backends.ServiceMap{{Model: "test_ffm_model", SubGraphs: want}}
			if diff := cmp.Diff(services, a.Backend().ServiceMap(), sameInfo); diff != "" {
				t.Errorf("service map (-want +got):\n%s", diff)
			}
		}
		loads()
		c.Must(zk.EnsurePath("/gip/layout/test_ffm_model:entry"))
		c.Must(zk.EnsurePath("/gip/layout/test_ffm_model:ps_0"))
		loads("test_ffm_model:entry", "test_ffm_model:ps_0")
		serves(backends.SubGraphServices{SubGraph: "entry", Services: info}, backends.SubGraphServices{SubGraph: "ps_0", Services: info})
		c.Must(zk.Delete("/gip/layout/test_ffm_model:ps_0", env.AnyVersion))
		loads("test_ffm_model:entry")
		serves(backends.SubGraphServices{SubGraph: "entry", Services: info})
	})
}
