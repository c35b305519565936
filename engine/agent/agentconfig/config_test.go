package agentconfig

import (
	"errors"
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
)

// Goal: the configuration looks for a free port as often as the reference, even where a port is
// given. A simulated host numbers ports in the order of the calls, so the number of calls matters.
// The expected numbers were counted in the reference.
func TestQ165_AFreePortIsLookedForWhereOneIsGiven(t *testing.T) {
	ports := map[string]string{"PORT": "1", "PORT2": "2", "PORT3": "3", "PORT4": "4", "PORT5": "5", "PORT6": "6", "PORT7": "7", "PORT8": "8", "PORT9": "9", "PORT10": "10"}
	for _, c := range []struct {
		name, conf string
		want       int
	}{
		{"mixed", "deploy_type mixed\n", 8},
		{"mixed with dense", "deploy_type mixed\ndense_alone 1\n", 11},
		{"entry", "deploy_type entry\n", 8},
		{"entry with dense", "deploy_type entry\ndense_alone 1\n", 11},
		{"ps", "deploy_type ps\n", 8},
		{"ps with dense", "deploy_type ps\ndense_alone 1\n", 11},
		{"dense", "deploy_type dense\ndense_alone 1\n", 11},
		{"unified", "deploy_type unified\n", 4},
		{"unified with agent_port", "deploy_type unified\nagent_port 5\n", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := envtest.New(map[string]string{"a.conf": c.conf}, ports)
			if _, err := FromFile(e, "a.conf"); err != nil {
				t.Fatal(err)
			}
			if got := e.Host.(*envtest.Host).FreePorts; got != c.want {
				t.Errorf("FreePort was called %d times, want %d", got, c.want)
			}
		})
	}
}

func TestErrorsAreFoundByType(t *testing.T) {
	_, err := FromFile(envtest.New(nil, nil), "missing.conf")
	var raised *pysem.Error
	if !errors.As(err, &raised) || raised.Type != "AssertionError" {
		t.Errorf("got %v, want an AssertionError", err)
	}
}

func TestPlatformConfigFileIsRemovedWhenItCannotBeMade(t *testing.T) {
	e := envtest.New(map[string]string{"a.conf": "deploy_type ps\nplatform_config_file p.cfg\n", "p.cfg": "old"}, map[string]string{"MY_CPU_LIMIT": "many"})
	if _, err := FromFile(e, "a.conf"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Files.Stat("p.cfg"); err == nil {
		t.Error("the old file is still there")
	}
}

func BenchmarkFromFile(b *testing.B) {
	e := envtest.New(map[string]string{"a.conf": "bzid b1\nbase_name n1\nbase_path /m/x\ndeploy_type mixed\nnum_ps 20\ndense_alone true\nagent_version 1\nzk_servers 10.0.0.1:2181\nplatform_config_file p.cfg\n"},
		map[string]string{"MY_HOST_IP": "10.1.2.3", "SHARD_ID": "1", "MONOLITH_HOST_SHARD_N": "3"})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FromFile(e, "a.conf"); err != nil {
			b.Fatal(err)
		}
	}
}
