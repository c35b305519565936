package replicamanager_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These tests show quirks of the updater (replica_manager.py:393) that need time or threads. Other
// quirks are in the recorded suite replica_manager.

// registering makes an updater, with a stub in place of the model servers.
func registering(c *worldtest.Case, quirks quirks.Set, pairs ...any) (*replicamanager.ReplicaUpdater, *worldtest.ZooKeeper, *agentconfig.AgentConfig, *agenttest.ModelServer) {
	c.T.Helper()
	conf := agenttest.Config(c.T, c.Env, append([]any{"bzid", "b", "base_name", "n", "num_ps", 2}, pairs...)...)
	conf.Quirks = quirks
	zk := c.StartedZooKeeper()
	stub := &agenttest.ModelServer{}
	c.Env.Models = stub
	u, err := replicamanager.NewReplicaUpdater(c.Env, zk, conf)
	c.Must(err)
	return u, zk, conf, stub
}

func pathsOf(u *replicamanager.ReplicaUpdater) []string {
	var paths []string
	for _, r := range u.Registrations() {
		paths = append(paths, r.Path)
	}
	return paths
}

func TestQ117_ABaseNameWithEntryInItMakesPSNodesSequential(t *testing.T) {
	for _, test := range []struct {
		name   string
		quirks quirks.Set
		want   []string
		id     int
	}{
		{"python", quirks.Python, []string{"/b/service/my_entry/ps:0/-10000000000", "/b/service/my_entry/ps:1/-10000000000"}, -10000000000},
		{"fixed", quirks.Fixed, []string{"/b/service/my_entry/ps:0/-1", "/b/service/my_entry/ps:1/-1"}, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			worldtest.Run(t, ownShard, func(c *worldtest.Case) {
				u, _, conf, _ := registering(c, test.quirks, "deploy_type", "ps", "base_name", "my_entry")
				c.Must(u.Register())
				if diff := cmp.Diff(test.want, pathsOf(u)); diff != "" || conf.ReplicaID.V != test.id {
					t.Errorf("replica id %d, want %d; registered (-want +got):\n%s", conf.ReplicaID.V, test.id, diff)
				}
			})
		})
	}
}

func TestQ118_WithoutAReplicaIdAMixedPodTakesItsEntrysSequence(t *testing.T) {
	worldtest.Run(t, ownShard, func(c *worldtest.Case) {
		u, _, conf, _ := registering(c, quirks.Python, "deploy_type", "mixed")
		c.Must(u.Register())
		want := []string{"/b/service/n/entry:0/00000000000", "/b/service/n/ps:0/0", "/b/service/n/ps:1/0"}
		if diff := cmp.Diff(want, pathsOf(u)); diff != "" || conf.ReplicaID.V != 0 {
			t.Errorf("replica id %d, want 0; registered (-want +got):\n%s", conf.ReplicaID.V, diff)
		}
	})
}

func TestQ118_WithoutAReplicaIdPSPodsShareOneZnode(t *testing.T) {
	worldtest.Run(t, ownShard, func(c *worldtest.Case) {
		u, zk, conf, _ := registering(c, quirks.Python, "deploy_type", "ps")
		c.Must(u.Register())
		second, err := replicamanager.NewReplicaUpdater(c.Env, zk, conf)
		c.Must(err)
		c.Must(second.Register())
		got, err := zk.Children("/b/service/n/ps:0")
		c.Must(err)
		if diff := cmp.Diff([]string{"-1"}, got); diff != "" {
			t.Errorf("replicas of ps:0 with two pods (-want +got):\n%s", diff)
		}
	})
}

func TestQ119_AHostNameThatDoesNotResolveHidesMyHostIP(t *testing.T) {
	worldtest.Run(t, ownShard, func(c *worldtest.Case) {
		c.IP = ""
		u, zk, _, _ := registering(c, quirks.Python, "deploy_type", "ps")
		c.Must(u.Register())
		if got := metaAt(c, zk, "/b/service/n/ps:0/-1").Address.V; got != "0.0.0.0:1003" {
			t.Errorf("address with MY_HOST_IP=10.1.2.3: got %q, want 0.0.0.0:1003", got)
		}
	})
}

// failingSets is a fake ZooKeeper client whose next set requests fail.
type failingSets struct {
	*worldtest.ZooKeeper
	failures int
}

var errSetFailed = errors.New("the set failed")

func (z *failingSets) Set(path string, data []byte, version int32) error {
	if z.failures > 0 {
		z.failures--
		return errSetFailed
	}
	return z.ZooKeeper.Set(path, data, version)
}

func TestQ121_AStateWhoseWriteFailedIsNotWrittenAgain(t *testing.T) {
	agenttest.BothWays(t, quirks.Q121, func(t *testing.T, keep quirks.Set) {
		worldtest.Run(t, ownShard, func(c *worldtest.Case) {
			conf, want := agenttest.Config(c.T, c.Env, "bzid", "b", "base_name", "n", "num_ps", 1, "deploy_type", "ps"), env.StateUnknown
			if conf.Quirks = keep; !keep.Keeps(quirks.Q121) {
				want = env.StateAvailable
			}
			zk := &failingSets{ZooKeeper: c.StartedZooKeeper()}
			c.Env.Models = agenttest.NewModelServer(env.StateAvailable)
			u, err := replicamanager.NewReplicaUpdater(c.Env, zk, conf)
			c.Must(err)
			c.Must(u.Register())
			zk.failures = 1
			u.Start()
			c.Env.Tasks.Sleep(10 * time.Minute)
			if zk.failures != 0 {
				t.Fatal("no set was tried")
			}
			if got := metaAt(c, zk, "/b/service/n/ps:0/-1").Stat; got != want {
				t.Errorf("state in ZooKeeper after 10m: got %s, want %s", got, want)
			}
		})
	})
}

// oneBroken is a fake model server. Its status is an error for one model and AVAILABLE for all
// others.
type oneBroken struct {
	agenttest.ModelServer
	broken string
}

func (s *oneBroken) Dial(string) env.ModelServer { return s }

func (s *oneBroken) Status(spec env.ModelSpec, _ time.Duration) ([]env.ModelVersionStatus, error) {
	v := env.ModelVersionStatus{Version: 1, State: env.StateAvailable}
	if spec.Name == s.broken {
		v.State, v.Status = env.StateEnd, env.StatusProto{Code: rpcerrors.NotFound, Message: "gone"}
	}
	return []env.ModelVersionStatus{v}, nil
}

func TestQ122_AnErrorStatusKeepsTheLastStateAndStarvesLaterModels(t *testing.T) {
	agenttest.BothWays(t, quirks.Q122, func(t *testing.T, keep quirks.Set) {
		worldtest.Run(t, ownShard, func(c *worldtest.Case) {
			conf := agenttest.Config(c.T, c.Env, "bzid", "b", "base_name", "n", "num_ps", 3, "deploy_type", "ps")
			broken, later := "AVAILABLE UNKNOWN UNKNOWN", "AVAILABLE AVAILABLE AVAILABLE"
			if conf.Quirks = keep; !keep.Keeps(quirks.Q122) {
				broken, later = "AVAILABLE END AVAILABLE", "END AVAILABLE AVAILABLE"
			}
			zk := c.StartedZooKeeper()
			stub := &oneBroken{broken: "ps_1"}
			c.Env.Models = stub
			u, err := replicamanager.NewReplicaUpdater(c.Env, zk, conf)
			c.Must(err)
			c.Must(u.Register())
			u.Start()
			states := func() string {
				var list []string
				for _, task := range []string{"0", "1", "2"} {
					list = append(list, metaAt(c, zk, "/b/service/n/ps:"+task+"/-1").Stat.String())
				}
				return strings.Join(list, " ")
			}
			c.Env.Tasks.Sleep(10 * time.Minute)
			if got := states(); got != broken {
				t.Errorf("with ps_1 broken: got %s, want %s", got, broken)
			}
			stub.broken = ""
			c.Env.Tasks.Sleep(2 * time.Second)
			stub.broken = "ps_0"
			c.Env.Tasks.Sleep(10 * time.Minute)
			if got := states(); got != later {
				t.Errorf("with ps_0 removed later: got %s, want %s", got, later)
			}
		})
	})
}

func TestQ123_StatesAreToldWithinASecondWhateverTheIntervalSays(t *testing.T) {
	worldtest.Run(t, ownShard, func(c *worldtest.Case) {
		zk := c.StartedZooKeeper()
		stub := agenttest.NewModelServer(env.StateLoading)
		c.Env.Models = stub
		u, err := replicamanager.NewReplicaUpdater(c.Env, zk, psConfig(t, c.Env, "update_model_status_interval", 60))
		c.Must(err)
		c.Must(u.Register())
		u.Start()
		for _, state := range []env.ModelState{env.StateLoading, env.StateAvailable, env.StateUnloading} {
			stub.Versions[0].State = state
			c.Env.Tasks.Sleep(1100 * time.Millisecond)
			if got := metaAt(c, zk, "/b/service/n/ps:0/-1").Stat; got != state {
				t.Errorf("1.1s later: got %s, want %s", got, state)
			}
		}
	})
}
