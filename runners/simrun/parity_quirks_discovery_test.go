package simrun_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/world"
)

// Quirks of discovery (python-quirks, replica_manager.py and tfs_monitor.py).

// replicaData is the data of a replica at host:port in a state.
func replicaData(addr string, state env.ModelState) []byte {
	m := agent.DefaultReplicaMeta()
	m.Address, m.AddressIPv6, m.Stat = pysem.Some(addr), pysem.Some("[fd00::1]:1"), state
	m.ArchonAddress, m.ArchonAddressIPv6 = pysem.Some(addr), pysem.Some("[fd00::1]:1")
	return m.Serialize()
}

// flaps counts what a pod has set in ZooKeeper from a position of the log on.
func flaps(c runners.Cluster, pod string, from int) int {
	n := 0
	for _, o := range c.Log()[from:] {
		if o.Pod == pod && o.Op == "zookeeper.setData" {
			n++
		}
	}
	return n
}

func TestQ109_AfterALostSessionStatesFlapForEver(t *testing.T) {
	const pod = "shard0-replica0"
	for _, test := range []struct {
		quirks string
		// min and max are sets in 5 minutes, 20 minutes after the loss.
		min, max int
	}{
		// Entry and two PS go to UNKNOWN every 10 s and a bit, and to AVAILABLE
		// within a second.
		{"python", 28 * 3 * 2, 30 * 3 * 2},
		{"fixed", 0, 0},
	} {
		t.Run(test.quirks, func(t *testing.T) {
			spec := v1Spec()
			spec.Quirks = test.quirks
			c := build(t, spec)
			do(t, c.Start())
			pass(t, c, 3*time.Minute)
			from := len(c.Log())
			pass(t, c, 5*time.Minute)
			if got := flaps(c, pod, from); got != 0 {
				t.Fatalf("sets before the loss: got %d, want none", got)
			}
			do(t, c.ExpireSession(pod))
			pass(t, c, 20*time.Minute)
			from = len(c.Log())
			pass(t, c, 5*time.Minute)
			if got := flaps(c, pod, from); got < test.min || got > test.max {
				t.Errorf("sets in 5m, 20m after the loss: got %d, want %d to %d", got, test.min, test.max)
			}
			if got := len(znodesBelow(t, c, "/demo/service/ctr/lf:default/entry:0")); got != 4 {
				t.Errorf("replicas of entry:0: got %d, want 4", got)
			}
		})
	}
}

// watched is a fake world with a watcher of deployType and replica 1.
func watched(c *parityCase, deployType string) (*agent.ReplicaWatcher, *recordingZK, *agent.AgentConfig) {
	conf := c.configOf("bzid", "b", "base_name", "n", "deploy_type", deployType, "num_ps", 2)
	conf.ReplicaID = pysem.Some(1)
	zk := c.startedZK()
	w := agent.NewReplicaWatcher(c.env, zk, conf, false)
	c.must(w.WatchData())
	return w, zk, conf
}

var ownShard = map[string]any{"SHARD_ID": "0", "MY_HOST_IP": "10.1.2.3", "PORT": "1000", "PORT3": "1003", "PORT4": "1004"}

// lostBehind deletes a replica without the watches' notice and lets the poll come.
func lostBehind(c *parityCase, zk *recordingZK, path string) {
	c.t.Helper()
	zk.life++
	c.must(zk.Delete(path, env.AnyVersion))
	c.env.Tasks.Sleep(61 * time.Second)
}

func metaAt(c *parityCase, zk env.ZooKeeper, path string) agent.ReplicaMeta {
	c.t.Helper()
	data, _, err := zk.Get(path)
	c.must(err)
	m, err := agent.ParseReplicaMeta(data)
	c.must(err)
	return m
}

func TestQ110_ThePollRegistersAPSAgainWithThePortNone(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		_, zk, _ := watched(c, "ps")
		c.create(zk, "/b/service/n/ps:0/1", replicaData("h:5", env.StateAvailable))
		lostBehind(c, zk, "/b/service/n/ps:0/1")
		m := metaAt(c, zk, "/b/service/n/ps:0/1")
		got := []string{m.Address.V, m.AddressIPv6.V, m.ArchonAddress.V, m.ArchonAddressIPv6.V}
		// A v6 address is cut at its first colon, inside of the address.
		if diff := cmp.Diff([]string{"h:None", "[fd00:None", "h:1000", "[fd00:1000"}, got); diff != "" {
			t.Errorf("addresses (-want +got):\n%s", diff)
		}
	})
}

func TestQ110_AMissingV6AddressKeepsTheOldMirror(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		w, zk, _ := watched(c, "ps")
		m := agent.DefaultReplicaMeta()
		m.Address, m.Stat = pysem.Some("h:5"), env.StateAvailable
		c.create(zk, "/b/service/n/ps:0/1", m.Serialize())
		lostBehind(c, zk, "/b/service/n/ps:0/1")
		if got := w.Replicas(); len(got) != 1 {
			t.Errorf("replicas: got %v, want the one that is gone, as the round failed", got)
		}
		if stat, err := zk.Exists("/b/service/n/ps:0/1"); stat != nil || err != nil {
			t.Errorf("znode: got %v, %v, want none", stat, err)
		}
	})
}

func TestQ111_ReplicaOneAlsoRegistersReplicaTwelveOfAnotherContainer(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		_, zk, _ := watched(c, "ps")
		c.create(zk, "/b/service/n/ps:0/12", replicaData("other:5", env.StateAvailable))
		c.create(zk, "/b/service/n/ps:0/2", replicaData("third:5", env.StateAvailable))
		zk.life++
		c.must(zk.Delete("/b/service/n/ps:0", env.AnyVersion))
		c.env.Tasks.Sleep(61 * time.Second)
		got, err := zk.Children("/b/service/n/ps:0")
		c.must(err)
		if diff := cmp.Diff([]string{"12"}, got); diff != "" {
			t.Errorf("registered again (-want +got):\n%s", diff)
		}
	})
}

func TestQ114_AChangeOfAReplicaWhoseTaskIsUnknownIsAKeyError(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		w, zk, _ := watched(c, "ps")
		c.create(zk, "/b/service/n/ps:0/1", replicaData("h:5", env.StateAvailable))
		c.env.Tasks.Go("stop", w.Stop)
		c.env.Tasks.Sleep(61 * time.Second)
		_, err := zk.Set("/b/service/n/ps:0/1", replicaData("h:6", env.StateAvailable), -1)
		if pysem.TypeOf(err) != "KeyError" {
			t.Errorf("change after stop: got %v, want KeyError out of the watch", err)
		}
	})
}

func TestQ115_ReplicaNamesLoseTheirPadding(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		w, zk, _ := watched(c, "mixed")
		c.create(zk, "/b/service/n/entry:0/00000000007", replicaData("h:5", env.StateAvailable))
		c.create(zk, "/b/service/n/entry:0/7", replicaData("h:6", env.StateAvailable))
		addrs, err := w.GetReplica(agentservice.ServerType_ENTRY, 0, 7, agent.OptString{}, agent.OptString{})
		c.must(err)
		if diff := cmp.Diff([]agent.OptString{pysem.Some("h:6")}, addrs); diff != "" {
			t.Errorf("replica 7, of two znodes (-want +got):\n%s", diff)
		}
	})
}

func TestQ37_AnUnknownServerTypeIsAValueError(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		w, _, _ := watched(c, "ps")
		_, err := w.GetAllReplicas(9, agent.OptString{}, agent.OptString{})
		if pysem.TypeOf(err) != "ValueError" {
			t.Errorf("type 9: got %v, want ValueError", err)
		}
	})
}

func TestQ127_StoppingTheWatcherWaitsForItsPoll(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		w, _, _ := watched(c, "ps")
		c.env.Tasks.Sleep(10 * time.Second)
		from := c.env.Clock.Elapsed()
		w.Stop()
		if got := c.env.Clock.Elapsed() - from; got != 50*time.Second {
			t.Errorf("stop 10s after the start: took %s, want the rest of a minute", got)
		}
	})
}

// registering makes an updater with a status stub behind its monitor.
func registering(c *parityCase, quirks agent.Quirks, pairs ...any) (*agent.ReplicaUpdater, *recordingZK, *agent.AgentConfig, *statusStub) {
	c.t.Helper()
	conf := c.configOf(append([]any{"bzid", "b", "base_name", "n", "num_ps", 2}, pairs...)...)
	conf.Quirks = quirks
	zk := c.startedZK()
	stub := &statusStub{}
	c.env.Models = stub
	u, err := agent.NewReplicaUpdater(c.env, zk, conf)
	c.must(err)
	return u, zk, conf, stub
}

func pathsOf(u *agent.ReplicaUpdater) []string {
	var paths []string
	for _, r := range u.Registered() {
		paths = append(paths, r.Path)
	}
	return paths
}

func TestQ117_ABaseNameWithEntryInItMakesPSNodesSequential(t *testing.T) {
	for _, test := range []struct {
		name   string
		quirks agent.Quirks
		want   []string
		id     int
	}{
		{"python", agent.Python, []string{"/b/service/my_entry/ps:0/-10000000000", "/b/service/my_entry/ps:1/-10000000000"}, -10000000000},
		{"fixed", agent.Fixed, []string{"/b/service/my_entry/ps:0/-1", "/b/service/my_entry/ps:1/-1"}, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			inFakeWorld(t, ownShard, func(c *parityCase) {
				u, _, conf, _ := registering(c, test.quirks, "deploy_type", "ps", "base_name", "my_entry")
				c.must(u.Register())
				if diff := cmp.Diff(test.want, pathsOf(u)); diff != "" || conf.ReplicaID.V != test.id {
					t.Errorf("replica id %d, want %d; registered (-want +got):\n%s", conf.ReplicaID.V, test.id, diff)
				}
			})
		})
	}
}

func TestQ118_WithoutAReplicaIdAMixedPodTakesItsEntrysSequence(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		u, _, conf, _ := registering(c, agent.Python, "deploy_type", "mixed")
		c.must(u.Register())
		want := []string{"/b/service/n/entry:0/00000000000", "/b/service/n/ps:0/0", "/b/service/n/ps:1/0"}
		if diff := cmp.Diff(want, pathsOf(u)); diff != "" || conf.ReplicaID.V != 0 {
			t.Errorf("replica id %d, want 0; registered (-want +got):\n%s", conf.ReplicaID.V, diff)
		}
	})
}

func TestQ118_WithoutAReplicaIdPSPodsShareOneZnode(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		u, zk, conf, _ := registering(c, agent.Python, "deploy_type", "ps")
		c.must(u.Register())
		second, err := agent.NewReplicaUpdater(c.env, zk, conf)
		c.must(err)
		c.must(second.Register())
		got, err := zk.Children("/b/service/n/ps:0")
		c.must(err)
		if diff := cmp.Diff([]string{"-1"}, got); diff != "" {
			t.Errorf("replicas of ps:0 with two pods (-want +got):\n%s", diff)
		}
	})
}

func TestQ119_AHostNameThatDoesNotResolveHidesMyHostIP(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		c.host.ip = ""
		u, zk, _, _ := registering(c, agent.Python, "deploy_type", "ps")
		c.must(u.Register())
		if got := metaAt(c, zk, "/b/service/n/ps:0/-1").Address.V; got != "0.0.0.0:1003" {
			t.Errorf("address with MY_HOST_IP=10.1.2.3: got %q, want 0.0.0.0:1003", got)
		}
	})
}

// failingSets lets the next sets fail.
type failingSets struct {
	*recordingZK
	failures int
}

var errSetFailed = errors.New("the set failed")

func (z *failingSets) Set(path string, data []byte, version int32) (env.Stat, error) {
	if z.failures > 0 {
		z.failures--
		return env.Stat{}, errSetFailed
	}
	return z.recordingZK.Set(path, data, version)
}

func TestQ121_AStateWhoseWriteFailedIsNotWrittenAgain(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		conf := c.configOf("bzid", "b", "base_name", "n", "num_ps", 1, "deploy_type", "ps")
		zk := &failingSets{recordingZK: c.startedZK()}
		c.env.Models = &statusStub{versions: []env.ModelVersionStatus{{Version: 1, State: env.StateAvailable}}}
		u, err := agent.NewReplicaUpdater(c.env, zk, conf)
		c.must(err)
		c.must(u.Register())
		zk.failures = 1
		u.Start()
		c.env.Tasks.Sleep(10 * time.Minute)
		if zk.failures != 0 {
			t.Fatal("no set was tried")
		}
		if got := metaAt(c, zk, "/b/service/n/ps:0/-1").Stat; got != env.StateUnknown {
			t.Errorf("state in ZooKeeper after 10m: got %s, want UNKNOWN still", got)
		}
	})
}

// oneBroken answers an error status for one model and AVAILABLE for the others.
type oneBroken struct {
	statusStub
	broken string
}

func (s *oneBroken) Dial(string) env.ModelServer { return s }

func (s *oneBroken) Status(spec env.ModelSpec, _ time.Duration) ([]env.ModelVersionStatus, error) {
	v := env.ModelVersionStatus{Version: 1, State: env.StateAvailable}
	if spec.Name == s.broken {
		v.State, v.Status = env.StateEnd, env.StatusProto{Code: env.NotFound, Message: "gone"}
	}
	return []env.ModelVersionStatus{v}, nil
}

func TestQ122_AnErrorStatusKeepsTheLastStateAndStarvesLaterModels(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		conf := c.configOf("bzid", "b", "base_name", "n", "num_ps", 3, "deploy_type", "ps")
		zk := c.startedZK()
		stub := &oneBroken{broken: "ps_1"}
		c.env.Models = stub
		u, err := agent.NewReplicaUpdater(c.env, zk, conf)
		c.must(err)
		c.must(u.Register())
		u.Start()
		states := func() string {
			var list []string
			for _, task := range []string{"0", "1", "2"} {
				list = append(list, metaAt(c, zk, "/b/service/n/ps:"+task+"/-1").Stat.String())
			}
			return strings.Join(list, " ")
		}
		c.env.Tasks.Sleep(10 * time.Minute)
		if got := states(); got != "AVAILABLE UNKNOWN UNKNOWN" {
			t.Errorf("with ps_1 broken: got %s, want ps_2 starved", got)
		}
		stub.broken = ""
		c.env.Tasks.Sleep(2 * time.Second)
		stub.broken = "ps_0"
		c.env.Tasks.Sleep(10 * time.Minute)
		if got := states(); got != "AVAILABLE AVAILABLE AVAILABLE" {
			t.Errorf("with ps_0 removed later: got %s, want its last state kept", got)
		}
	})
}

func TestQ125_TheClientIsDeafFor5sAfterALostSession(t *testing.T) {
	inServerWorld(t, func(w *world.World, e *env.Env) {
		conf, err := agent.NewConfig(e, agent.Field{Name: "bzid", Value: "b"}, agent.Field{Name: "base_name", Value: "n"}, agent.Field{Name: "deploy_type", Value: "ps"})
		do(t, err)
		zk := e.ZooKeeper.NewClient("", env.ZooKeeperOptions{})
		_, err = agent.NewReplicaManager(e, zk, conf)
		do(t, err)
		var connected time.Duration
		zk.AddListener(func(state env.SessionState) bool {
			connected = e.Clock.Elapsed()
			return false
		})
		do(t, zk.Start(0))
		for _, id := range w.ZooKeeper().SessionsOf("pod") {
			w.ZooKeeper().KillSession(id)
		}
		e.Tasks.Sleep(time.Second) // the client learns of it and connects anew
		from := e.Clock.Elapsed()
		_ = zk.Retry(func() error {
			_, err := zk.Exists("/")
			return err
		})
		if waited := e.Clock.Elapsed() - from; waited < 3*time.Second || waited > 6*time.Second {
			t.Errorf("a read 1s after the loss: took %s, want what is left of 5s", waited)
		}
		// The second listener hears of the connection after the first has slept.
		if connected < from+3*time.Second {
			t.Errorf("the next listener heard of the connection at %s, want after the sleep that began before %s", connected, from)
		}
	})
}

// monitorOf is a started monitor of a deploy type over a stub.
func monitorOf(c *parityCase, pairs ...any) *agent.TFSMonitor {
	c.env.Models = &statusStub{versions: []env.ModelVersionStatus{{Version: 1, State: env.StateAvailable}}}
	m := agent.NewTFSMonitor(c.env, c.configOf(pairs...))
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
			inFakeWorld(t, nil, func(c *parityCase) {
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
