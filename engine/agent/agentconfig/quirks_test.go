package agentconfig

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// Goal: each quirk of the configuration can be kept or repaired. Method: read a configuration in
// both ways. The results with the quirk kept are the reference's (see vectors).
func TestConfigQuirksCanBeRepaired(t *testing.T) {
	conf := func(lines ...string) string {
		return strings.Join(append([]string{"bzid b", "base_name n", "base_path /m"}, lines...), "\n")
	}
	for _, c := range []struct {
		name     string
		quirk    quirks.Quirk
		conf     string
		env      map[string]string
		read     func(*AgentConfig) any
		kept     any
		repaired any
	}{
		{"third duplicate", quirks.Q152, conf("deploy_type unified", "layout_filters a", "layout_filters b", "layout_filters c"), nil,
			func(c *AgentConfig) any { return strings.Join(c.LayoutFilters, " ") }, "a b", "a b c"},
		{"inline comment", quirks.Q153, conf("deploy_type ps", "dc_aware false # c"), nil,
			func(c *AgentConfig) any { return c.DCAware }, true, false},
		{"duplicate scalar takes the last", quirks.Q156, conf("deploy_type ps", "num_ps 3", "num_ps 4"), nil,
			func(c *AgentConfig) any { return c.NumPS }, 1, 4},
		{"replica id of the file", quirks.Q160, conf("deploy_type ps", "replica_id 5"), nil,
			func(c *AgentConfig) any { return c.ReplicaID.V }, -1, 5},
		{"no SHARD_ID", quirks.Q161, conf("deploy_type ps", "num_ps 2"), nil,
			func(c *AgentConfig) any { s, _ := c.ServerSchedule(ServerPS); return len(s) }, 0, 2},
		{"unified port", quirks.Q162, conf("deploy_type unified"), map[string]string{"PORT3": "1003"},
			func(c *AgentConfig) any {
				_, port, _ := c.CmdAndPort("B", pysem.OptString{}, pysem.Some("/c"))
				return port.String()
			}, "None", "1003"},
		{"dense batching flag", quirks.Q163, conf("deploy_type dense", "dense_alone 1", "enable_batching 1"), nil,
			func(c *AgentConfig) any {
				cmd, _, _ := c.CmdAndPort("B", pysem.OptString{}, pysem.Some("/c"))
				return strings.Count(cmd, "--enable_batching")
			}, 2, 1},
		{"unknown location", quirks.Q116, conf("deploy_type ps", "dc_aware 1"), nil,
			func(c *AgentConfig) any {
				prefix, err := c.PathPrefix()
				return prefix + pysem.TypeOf(err)
			}, "TypeError", "/b/service/n"},
		{"container cluster", quirks.Q172, conf("deploy_type ps"), nil,
			func(c *AgentConfig) any { return c.ContainerCluster() }, "unknown;None;None", "unknown;;"},
		{"latest_once", quirks.Q25, conf("deploy_type entry", "version_policy latest_once"), nil,
			func(c *AgentConfig) any {
				m, err := c.ModelServerConfig(pysem.OptString{})
				return pysem.TypeOf(err) + strings.Repeat("m", len(m.GetModelConfigList().GetConfig()))
			}, "AttributeError", "m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, profile := range []struct {
				quirks quirks.Set
				want   any
			}{{quirks.Python, c.kept}, {quirks.Python.Repair(c.quirk), c.repaired}} {
				e := envtest.New(map[string]string{"a.conf": c.conf}, c.env)
				got, err := Loader{Env: e, Quirks: profile.quirks}.FromFile("a.conf")
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(profile.want, c.read(got)); diff != "" {
					t.Errorf("%s kept=%v (-want +got):\n%s", c.quirk, profile.quirks.Keeps(c.quirk), diff)
				}
			}
		})
	}
}

func TestRepairedFileErrorsAreTold(t *testing.T) {
	for _, c := range []struct {
		name  string
		quirk quirks.Quirk
		conf  string
		want  *pysem.Error
	}{
		{"unknown bool word", quirks.Q154, "deploy_type ps\ndc_aware on\n", &pysem.Error{Type: "ValueError", Message: `dc_aware: found "on", want true or false`}},
		{"bad number", quirks.Q158, "deploy_type ps\nnum_ps x\n", &pysem.Error{Type: "NameError", Message: "num_ps: name 'x' is not defined"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := envtest.New(map[string]string{"a.conf": c.conf}, nil)
			if _, err := FromFile(e, "a.conf"); err != nil {
				t.Fatalf("with the quirk kept: %v", err)
			}
			_, err := Loader{Env: e, Quirks: quirks.Python.Repair(c.quirk, quirks.Q158)}.FromFile("a.conf")
			if diff := cmp.Diff(c.want, err); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSingleNumbersExpandOnceRepaired(t *testing.T) {
	got, err := ExpandPattern("ps_[1,4-6]", quirks.Python.Repair(quirks.Q166))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ps_1", "ps_4", "ps_5"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
