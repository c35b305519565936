package tfs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// monitored ports setUpClass of tfs_monitor_test.py: a monitor, and the reference's fake model
// servers for entry and PS.
type monitored struct {
	*tfs.TFSMonitor
	c    *worldtest.Case
	conf *agentconfig.AgentConfig
}

var monitoredVars = map[string]string{"MONOLITH_HOST_SHARD_N": "10", "SHARD_ID": "1", "REPLICA_ID": "2"}

func inMonitored(t *testing.T, fn func(m *monitored)) {
	worldtest.Run(t, monitoredVars, func(c *worldtest.Case) {
		conf := agenttest.Config(c.T, c.Env, "bzid", "bzid", "deploy_type", "mixed")
		conf.TFSEntryPort, conf.TFSPSPort = pysem.Some(20001), pysem.Some(20002)
		startFakeServer(c, 20001)
		startFakeServer(c, 20002)
		c.Env.Tasks.Sleep(2 * time.Second)
		m := &monitored{TFSMonitor: tfs.NewTFSMonitor(c.Env, conf), c: c, conf: conf}
		m.Start()
		fn(m)
		m.Stop()
	})
}

func startFakeServer(c *worldtest.Case, port int) {
	options := tfserving.DefaultOptions(tfserving.ProfilePythonFake)
	options.Port, options.InitialConfig, options.FakeBugs = port, &modelconfig.ServerConfig{Kind: modelconfig.ModelList}, true
	c.StartModelServer(options)
}

const exportedVersion = 1634631496

func exportedPath(subModel string) string {
	return fmt.Sprintf("/tmp/monolith/agent_service/test_data/ckpt/exported_models/%s/%d", subModel, exportedVersion)
}

// publish makes a publish of a model for this container.
func (m *monitored) publish(model string, numPS int, subModels ...string) *datadef.PublishMeta {
	m.c.T.Helper()
	shard, err := m.conf.ShardID()
	m.c.Must(err)
	pm := datadef.DefaultPublishMeta()
	pm.ShardID, pm.ReplicaID = pysem.Some(shard), m.conf.ReplicaID.V
	pm.ModelName, pm.NumPS = pysem.Some(model), pysem.Some(numPS)
	for _, name := range subModels {
		pm.SubModels = pm.SubModels.With(name, exportedPath(name))
	}
	return &pm
}

// reloadTests makes the servers load the models test_<first> to test_9: the entry of each and every
// third PS. The reference draws the number of PS at random from 5 to 20. Here it varies from model
// to model.
func (m *monitored) reloadTests(first int) {
	m.c.T.Helper()
	var pms []*datadef.PublishMeta
	for i := first; i < 10; i++ {
		numPS := 5 + i*7%16
		var names []string
		for k := 0; k < numPS; k += 3 {
			names = append(names, fmt.Sprintf("ps_%d", k))
		}
		pms = append(pms, m.publish(fmt.Sprintf("test_%d", i), numPS, append(names, agentconfig.ServerEntry)...))
	}
	configs, err := m.GenModelConfig(pms, false)
	m.c.Must(err)
	if n := len(configs.Dense.GetModelConfigList().GetConfig()); n > 0 {
		m.c.T.Errorf("dense has %d models, want none: it does not run alone", n)
	}
	for _, server := range []string{agentconfig.ServerEntry, agentconfig.ServerPS} {
		status, err := m.Reload(server, configs.Of(server))
		m.c.Must(err)
		if status != (env.StatusProto{}) {
			m.c.T.Errorf("reload of %s: got %+v, want OK", server, status)
		}
	}
	m.c.Env.Tasks.Sleep(time.Second)
}

// wantStatus compares the versions of test_1's sub-models with the arguments. -1 means NOT_FOUND,
// and any other version must be AVAILABLE. The paths must be those of the publish.
func (m *monitored) wantStatus(entry, ps0, ps3, ps5 int64) {
	m.c.T.Helper()
	names := []string{"entry", "ps_0", "ps_3", "ps_5"}
	got, err := m.PublishStatus(m.publish("test_1", 5, names...), false)
	m.c.Must(err)
	var want []tfs.SubModelStatus
	for i, version := range []int64{entry, ps0, ps3, ps5} {
		name := "test_1:" + names[i]
		status := env.ModelVersionStatus{Version: version, State: env.StateAvailable}
		if version == -1 {
			status = env.ModelVersionStatus{Version: -1, Status: env.StatusProto{Code: rpcerrors.NotFound, Message: name + " is not found"}}
		}
		want = append(want, tfs.SubModelStatus{Name: name, Path: exportedPath(names[i]), Status: status})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		m.c.T.Errorf("status of test_1 (-want +got):\n%s", diff)
	}
}

// Goal: after a reload the entry has the newest version, which the fake counts from 1, and each PS
// has the version in its path. The reference's test also accepts models that did not load.
func TestUpstreamTFSMonitor_test_reload_config(t *testing.T) {
	inMonitored(t, func(m *monitored) {
		m.wantStatus(-1, -1, -1, -1)
		m.reloadTests(0)
		m.wantStatus(1, exportedVersion, exportedVersion, -1)
	})
}

// Goal: a reload removes models. In the reference this test removes the models that another test
// has loaded, and if it runs alone it removes nothing. Here it loads the models first.
func TestUpstreamTFSMonitor_test_remove_config(t *testing.T) {
	inMonitored(t, func(m *monitored) {
		m.reloadTests(0)
		m.wantStatus(1, exportedVersion, exportedVersion, -1)
		m.reloadTests(5)
		m.wantStatus(-1, -1, -1, -1)
	})
}
