package tfs_test

import (
	"testing"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These tests show quirks of the monitor (tfs_monitor.py) that the recorded cases do not.

// monitorOf starts a monitor over a stub of the model servers. The pairs set fields of its
// configuration.
func monitorOf(c *worldtest.Case, pairs ...any) *tfs.TFSMonitor {
	c.Env.Models = agenttest.NewModelServer(env.StateAvailable)
	m := tfs.NewTFSMonitor(c.Env, agenttest.Config(c.T, c.Env, pairs...))
	m.Start()
	return m
}

func TestMonitorQuirks(t *testing.T) {
	for _, test := range []struct {
		name   string
		config []any
		model  string
		stop   bool
		want   string // the class of the error
	}{
		{"Q143 dense without dense_alone is a KeyError", []any{"deploy_type", "mixed"}, "dense_0", false, "KeyError"},
		{"dense with dense_alone answers", []any{"deploy_type", "mixed", "dense_alone", true}, "dense_0", false, ""},
		{"Q146 unified is an AssertionError", []any{"deploy_type", "unified", "agent_version", 3}, "entry", false, "AssertionError"},
		{"Q148 a stopped monitor is a KeyError", []any{"deploy_type", "mixed"}, "entry", true, "KeyError"},
	} {
		t.Run(test.name, func(t *testing.T) {
			worldtest.Run(t, nil, func(c *worldtest.Case) {
				m := monitorOf(c, test.config...)
				if test.stop {
					m.Stop()
				}
				_, err := m.Status(test.model)
				if got := pysem.TypeOf(err); got != test.want || (err != nil) != (test.want != "") {
					t.Errorf("status of %s: got %v, want %q", test.model, err, test.want)
				}
			})
		})
	}
}

// reloadedModels reloads the PS of a container with an empty configuration. It returns how many
// models the caller's configuration has after that.
func reloadedModels(c *worldtest.Case, set quirks.Set) int {
	c.Env.Models = &agenttest.ModelServer{}
	conf := agenttest.Config(c.T, c.Env, "bzid", "b", "base_name", "n", "deploy_type", "ps")
	conf.Quirks = set
	monitor := tfs.NewTFSMonitor(c.Env, conf)
	monitor.Start()
	models := &config.ModelServerConfig{}
	_, err := monitor.Reload(agentconfig.ServerPS, models)
	c.Must(err)
	return len(models.GetModelConfigList().GetConfig())
}

func TestQ144_AReloadAddsTheDefaultModelToItsArgument(t *testing.T) {
	for _, test := range []struct {
		name   string
		quirks quirks.Set
		want   int
	}{{"kept", quirks.Python, 1}, {"repaired", quirks.Python.Repair(quirks.Q144), 0}} {
		t.Run(test.name, func(t *testing.T) {
			vars := map[string]string{"SHARD_ID": "0", "MY_HOST_IP": "10.1.2.3", "PORT": "1000", "PORT3": "1003", "PORT4": "1004"}
			worldtest.Run(t, vars, func(c *worldtest.Case) {
				if got := reloadedModels(c, test.quirks); got != test.want {
					t.Errorf("models of the argument: got %d, want %d", got, test.want)
				}
			})
		})
	}
}
