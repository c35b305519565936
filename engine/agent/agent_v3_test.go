package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/agent/tfs/tfstest"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These tests show quirks of agent v3 (agent_v3.py) over the fake ZooKeeper client. Quirks that
// need the agent's threads and its model server are in cluster_test.go.

// v3With makes an agent v3 over a fake ZooKeeper client. The pairs in more change the
// configuration.
func v3With(c *worldtest.Case, quirks quirks.Set, server tfs.ModelServerProcess, more ...any) (*agent.AgentV3, error) {
	pairs := []any{"bzid", "gip", "base_name", "n", "deploy_type", "unified", "agent_version", 3, "layout_pattern", "/gip/layout", "zk_servers", "127.0.0.1:1"}
	conf := agenttest.Config(c.T, c.Env, append(pairs, more...)...)
	conf.Quirks = quirks
	return agent.NewAgentV3(c.Env, conf, "/log", agent.AgentV3Options{
		ZooKeeper: worldtest.NewZooKeeper(c.Env),
		Server: func(path string) tfs.ModelServerProcess {
			if server == nil {
				return tfstest.NewFakeTFSWrapper(c.Env, path, quirks)
			}
			return server
		},
	})
}

func TestQ22_AFilterWithoutASemicolonIsAValueError(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		_, err := v3With(c, quirks.Python, nil, "layout_filters", []any{"ps_0"})
		if pysem.TypeOf(err) != "ValueError" {
			t.Errorf("python: got %v, want ValueError", err)
		}
		a, err := v3With(c, quirks.Fixed, nil, "layout_filters", []any{"ps_0"})
		c.Must(err)
		if diff := cmp.Diff([][2]string{{"ps_0", "True"}}, a.LayoutFilters()); diff != "" {
			t.Errorf("fixed (-want +got):\n%s", diff)
		}
	})
}

func TestQ23_FiltersMatchPrefixes(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		a, err := v3With(c, quirks.Python, nil, "layout_filters", []any{"ps_{i};i == 1", "entry;True"})
		c.Must(err)
		var models []backends.LayoutModel
		for _, graph := range []string{"ps_1_backup", "ps_10", "entry_x", "my_entry"} {
			models = append(models, backends.LayoutModel{Model: datadef.SavedModel{ModelName: "m", SubGraph: graph},
				Deploy: datadef.SavedModelDeployConfig{ModelBasePath: pysem.Some("/m"), VersionPolicy: pysem.Some("latest")}})
		}
		c.Must(a.LayoutUpdated(models))
		got, err := a.ModelServer().ListSavedModels()
		c.Must(err)
		if diff := cmp.Diff([]string{"m:ps_1_backup", "m:entry_x"}, got); diff != "" {
			t.Errorf("models (-want +got):\n%s", diff)
		}
	})
}

func TestQ27_AModelWithoutVersionsStopsAllUpdatesOfTheRound(t *testing.T) {
	agenttest.BothWays(t, quirks.Q27, func(t *testing.T, keep quirks.Set) {
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			stub := &roundStub{statuses: []tfs.SavedModelStatus{{Name: "m:a", Status: env.ModelVersionStatus{State: env.StateAvailable}}}}
			a, err := v3With(c, keep, stub)
			c.Must(err)
			c.Must(a.Backend().Start())
			c.Must(a.SyncAvailableSavedModels())
			stub.statuses = []tfs.SavedModelStatus{
				{Name: "m:a", Status: env.ModelVersionStatus{State: env.StateEnd}},
				{Name: "m:b", Status: env.ModelVersionStatus{State: env.StateAvailable}},
				{Name: "m:c", Missing: true},
			}
			wrong, bound := "AttributeError", "a"
			if !keep.Keeps(quirks.Q27) {
				wrong, bound = "", "b"
			}
			if err := a.SyncAvailableSavedModels(); pysem.TypeOf(err) != wrong {
				t.Errorf("round: got %v, want %q", err, wrong)
			}
			if diff := cmp.Diff([]datadef.SavedModel{{ModelName: "m", SubGraph: bound}}, a.Backend().Available()); diff != "" {
				t.Errorf("bound models (-want +got):\n%s", diff)
			}
		})
	})
}

// roundStub is a model server whose statuses change between rounds.
type roundStub struct {
	tfs.ModelServerProcess
	statuses []tfs.SavedModelStatus
}

func (s *roundStub) ListSavedModelsStatus() ([]tfs.SavedModelStatus, error) { return s.statuses, nil }

func TestQ28_HeartBeatOverTheFakeWrapperFailsOnceThereAreAddresses(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		a, err := v3With(c, quirks.Python, nil)
		c.Must(err)
		graph := backends.SubGraphServices{SubGraph: "e"}
		if _, err := a.AddressMap(backends.ServiceMap{{Model: "m", SubGraphs: []backends.SubGraphServices{graph}}}); err != nil {
			t.Errorf("without addresses: got %v, want no error", err)
		}
		graph.Services = append(graph.Services, &datadef.ContainerServiceInfo{GRPC: pysem.Some("localhost:8888"), Archon: pysem.Some("localhost:8890")})
		if _, err := a.AddressMap(backends.ServiceMap{{Model: "m", SubGraphs: []backends.SubGraphServices{graph}}}); pysem.TypeOf(err) != "AttributeError" {
			t.Errorf("with an address: got %v, want AttributeError", err)
		}
	})
}
