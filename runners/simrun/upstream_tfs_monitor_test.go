package simrun_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/tfserving"
)

// monitored is tfs_monitor_test.py, setUpClass: a monitor and the reference's fake
// model servers, for the entry and for PS.
type monitored struct {
	*agent.TFSMonitor
	c    *parityCase
	conf *agent.AgentConfig
}

var monitoredVars = map[string]any{"MONOLITH_HOST_SHARD_N": "10", "SHARD_ID": "1", "REPLICA_ID": "2"}

func inMonitored(t *testing.T, fn func(m *monitored)) {
	inFakeWorld(t, monitoredVars, func(c *parityCase) {
		conf := c.configOf("bzid", "bzid", "deploy_type", "mixed")
		conf.TFSEntryPort, conf.TFSPSPort = pysem.Some(20001), pysem.Some(20002)
		c.startFakeServer(20001)
		c.startFakeServer(20002)
		c.env.Tasks.Sleep(2 * time.Second)
		m := &monitored{TFSMonitor: agent.NewTFSMonitor(c.env, conf), c: c, conf: conf}
		m.Start()
		fn(m)
		m.Stop()
	})
}

func (c *parityCase) startFakeServer(port int) {
	options := tfserving.DefaultOptions(tfserving.ProfilePythonFake)
	options.Port, options.InitialConfig, options.FakeBugs = port, &tfserving.ServerConfig{Kind: tfserving.ModelList}, true
	tfserving.StartNode(tfserving.NodeConfig{
		Options: options, Proc: c.machine.Node.NewProcess(fmt.Sprint("fake model server ", port)),
		Host: c.machine.Net, Files: c.machine.FS, Dir: "/",
		Exit: func(code int, stdout string) { c.t.Errorf("the fake at port %d ended with %d: %s", port, code, stdout) },
	})
}

const exportedVersion = 1634631496

func exportedPath(subModel string) string {
	return fmt.Sprintf("/tmp/monolith/agent_service/test_data/ckpt/exported_models/%s/%d", subModel, exportedVersion)
}

// publish is a publish of a model for this container.
func (m *monitored) publish(model string, numPS int, subModels ...string) *agent.PublishMeta {
	m.c.t.Helper()
	shard, err := m.conf.ShardID()
	m.c.must(err)
	pm := agent.DefaultPublishMeta()
	pm.ShardID, pm.ReplicaID = pysem.Some(shard), m.conf.ReplicaID.V
	pm.ModelName, pm.NumPS = pysem.Some(model), pysem.Some(numPS)
	for _, name := range subModels {
		pm.SubModels = pm.SubModels.With(name, exportedPath(name))
	}
	return &pm
}

// reloadTests makes the servers load test_<first> to test_9: of each the entry and
// every third PS. The reference takes a random number of PS from 5 to 20; here it
// differs from model to model.
func (m *monitored) reloadTests(first int) {
	m.c.t.Helper()
	var pms []*agent.PublishMeta
	for i := first; i < 10; i++ {
		numPS := 5 + i*7%16
		var names []string
		for k := 0; k < numPS; k += 3 {
			names = append(names, fmt.Sprintf("ps_%d", k))
		}
		pms = append(pms, m.publish(fmt.Sprintf("test_%d", i), numPS, append(names, agent.ServerEntry)...))
	}
	configs, err := m.GenModelConfig(pms, false)
	m.c.must(err)
	if n := len(configs.Dense.GetModelConfigList().GetConfig()); n > 0 {
		m.c.t.Errorf("dense has %d models, want none: it does not run alone", n)
	}
	for _, server := range []string{agent.ServerEntry, agent.ServerPS} {
		status, err := m.Reload(server, configs.Of(server))
		m.c.must(err)
		if status != (env.StatusProto{}) {
			m.c.t.Errorf("reload of %s: got %+v, want OK", server, status)
		}
	}
	m.c.env.Tasks.Sleep(time.Second)
}

// wantStatus compares the versions of the sub-models of test_1, whose paths stay
// what the publish says; -1 is NOT_FOUND, and all others are to be AVAILABLE.
func (m *monitored) wantStatus(entry, ps0, ps3, ps5 int64) {
	m.c.t.Helper()
	names := []string{"entry", "ps_0", "ps_3", "ps_5"}
	got, err := m.PublishStatus(m.publish("test_1", 5, names...), false)
	m.c.must(err)
	var want []agent.SubModelStatus
	for i, version := range []int64{entry, ps0, ps3, ps5} {
		name := "test_1:" + names[i]
		status := env.ModelVersionStatus{Version: version, State: env.StateAvailable}
		if version == -1 {
			status = env.ModelVersionStatus{Version: -1, Status: env.StatusProto{Code: env.NotFound, Message: name + " is not found"}}
		}
		want = append(want, agent.SubModelStatus{Name: name, Path: exportedPath(names[i]), Status: status})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		m.c.t.Errorf("status of test_1 (-want +got):\n%s", diff)
	}
}

// The entry follows the newest version, which the fake counts from 1; PS load that
// of their path. The reference's test also takes models that did not load.
func TestUpstreamTFSMonitor_test_reload_config(t *testing.T) {
	inMonitored(t, func(m *monitored) {
		m.wantStatus(-1, -1, -1, -1)
		m.reloadTests(0)
		m.wantStatus(1, exportedVersion, exportedVersion, -1)
	})
}

// The reference's test removes what the other test has left on the servers, and
// removes nothing when it runs alone; here the models are loaded first.
func TestUpstreamTFSMonitor_test_remove_config(t *testing.T) {
	inMonitored(t, func(m *monitored) {
		m.reloadTests(0)
		m.wantStatus(1, exportedVersion, exportedVersion, -1)
		m.reloadTests(5)
		m.wantStatus(-1, -1, -1, -1)
	})
}
