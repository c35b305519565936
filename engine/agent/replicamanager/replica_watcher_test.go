package replicamanager_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/sim/world"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These tests show quirks of the watcher (replica_manager.py:42) that need time, threads or a real
// ZooKeeper. Other quirks are in the recorded suite replica_manager.

// psConfig makes the configuration of a pod with one PS, changed by the given pairs of field and
// value.
func psConfig(t *testing.T, e *env.Env, pairs ...any) *agentconfig.AgentConfig {
	t.Helper()
	return agenttest.Config(t, e, append([]any{"bzid", "b", "base_name", "n", "deploy_type", "ps"}, pairs...)...)
}

// availablePS returns how many addresses of PS task 0 the watcher knows.
func availablePS(t *testing.T, w *replicamanager.ReplicaWatcher) int {
	t.Helper()
	list, err := w.GetReplicas(agentservice.ServerType_PS, 0, pysem.OptString{}, pysem.OptString{})
	worldtest.Must(t, err)
	return len(list)
}

// Goal: if a task is deleted and created again, only the poll finds its new replicas. The data
// watch of a replica survives the deletion, but the children watch of the task does not.
func TestQ210_OfATaskThatWasMadeAgainThePollAloneFindsNewReplicas(t *testing.T) {
	agenttest.BothWays(t, quirks.Q210, func(t *testing.T, keep quirks.Set) {
		const task = "/b/service/n/ps:0"
		third := 1 // just before the poll begins a round
		if !keep.Keeps(quirks.Q210) {
			third = 2
		}
		worldtest.RunInPod(t, func(_ *world.World, e *env.Env) {
			zk, other := e.ZooKeeper.NewClient("", env.ZooKeeperOptions{}), e.ZooKeeper.NewClient("", env.ZooKeeperOptions{})
			worldtest.Must(t, zk.Start(0))
			worldtest.Must(t, other.Start(0))
			register := func(replica string) func() {
				return func() {
					_, err := other.Create(task+"/"+replica, agenttest.ReplicaData("h:"+replica, env.StateAvailable), env.CreateOptions{MakePath: true})
					worldtest.Must(t, err)
				}
			}
			register("1")()
			conf := psConfig(t, e)
			conf.Quirks = keep
			w := replicamanager.NewReplicaWatcher(e, zk, conf, replicamanager.WatcherOptions{})
			worldtest.Must(t, w.WatchData())
			for _, step := range []struct {
				what  string
				do    func()
				after time.Duration
				want  int
			}{
				{"one from the beginning", func() {}, time.Second, 1},
				{"a second one", register("2"), time.Second, 2},
				{"the task deleted", func() { worldtest.Must(t, other.Delete(task, env.DeleteOptions{Version: -1, Recursive: true})) }, time.Second, 0},
				{"the task made again with the first one", register("1"), time.Second, 1},
				{"a third one", register("3"), 50 * time.Second, third},
				{"a round of the poll later", func() {}, 15 * time.Second, 2},
			} {
				step.do()
				e.Tasks.Sleep(step.after)
				if got := availablePS(t, w); got != step.want {
					t.Errorf("%s: got %d replicas, want %d", step.what, got, step.want)
				}
			}
		})
	})
}

func TestQ211_OneReplicaThatGoesWhileThePollReadsCostsTheRound(t *testing.T) {
	agenttest.BothWays(t, quirks.Q211, func(t *testing.T, keep quirks.Set) {
		worldtest.Run(t, ownShard, func(c *worldtest.Case) {
			zk := c.StartedZooKeeper()
			conf, want := psConfig(t, c.Env), 0
			if conf.Quirks = keep; !keep.Keeps(quirks.Q211) {
				want = 1
			}
			w := replicamanager.NewReplicaWatcher(c.Env, zk, conf, replicamanager.WatcherOptions{})
			c.Must(w.WatchData())
			zk.Deaf = true // from now on only the poll can find changes, because watches are deaf
			c.Create(zk, "/b/service/n/ps:0/1", agenttest.ReplicaData("h:1", env.StateAvailable))
			c.Create(zk, "/b/service/n/ps:0/2", agenttest.ReplicaData("h:2", env.StateAvailable))
			zk.Gone = "/b/service/n/ps:0/2"
			c.Env.Tasks.Sleep(10 * time.Minute)
			if got := availablePS(t, w); got != want {
				t.Errorf("with one replica that goes: got %d replicas, want %d", got, want)
			}
			zk.Gone = ""
			c.Env.Tasks.Sleep(61 * time.Second)
			if got := availablePS(t, w); got != 2 {
				t.Errorf("with replicas that stay: got %d, want 2", got)
			}
		})
	})
}

// Goal: over the fake client the poll deadlocks. The fake calls the watch of a created znode inside
// of the create, and the watch needs the lock that the poll holds.
func TestQ113_OverTheFakeThePollWaitsForItself(t *testing.T) {
	worldtest.Run(t, ownShard, func(c *worldtest.Case) {
		const path = "/b/service/n/ps:0/1"
		w, zk, _ := watched(c, "ps")
		c.Create(zk, path, agenttest.ReplicaData("h:5", env.StateAvailable))
		zk.Deaf = true
		c.Must(zk.Delete(path, env.AnyVersion))
		zk.Deaf = false // from now on watches hear of changes again
		c.Env.Tasks.Sleep(61 * time.Second)
		answered := false
		c.Env.Tasks.Go("asks", func() {
			_, _ = w.GetReplicas(agentservice.ServerType_PS, 0, pysem.OptString{}, pysem.OptString{})
			answered = true
		})
		c.Env.Tasks.Sleep(time.Hour)
		if answered {
			t.Error("the watcher answers, want its lock held for good")
		}
	})
}

// watched makes a watcher over a fake ZooKeeper, for replica 1 of the given deploy type.
func watched(c *worldtest.Case, deployType string) (*replicamanager.ReplicaWatcher, *worldtest.ZooKeeper, *agentconfig.AgentConfig) {
	conf := agenttest.Config(c.T, c.Env, "bzid", "b", "base_name", "n", "deploy_type", deployType, "num_ps", 2)
	conf.ReplicaID = pysem.Some(1)
	zk := c.StartedZooKeeper()
	w := replicamanager.NewReplicaWatcher(c.Env, zk, conf, replicamanager.WatcherOptions{})
	c.Must(w.WatchData())
	return w, zk, conf
}

var ownShard = map[string]string{"SHARD_ID": "0", "MY_HOST_IP": "10.1.2.3", "PORT": "1000", "PORT3": "1003", "PORT4": "1004"}

// lostBehind deletes a replica without firing its watches, and waits until the poll has run.
func lostBehind(c *worldtest.Case, zk *worldtest.ZooKeeper, path string) {
	c.T.Helper()
	zk.Deaf = true
	c.Must(zk.Delete(path, env.AnyVersion))
	c.Env.Tasks.Sleep(61 * time.Second)
}

func metaAt(c *worldtest.Case, zk env.ZooKeeper, path string) datadef.ReplicaMeta {
	c.T.Helper()
	data, _, err := zk.Get(path)
	c.Must(err)
	m, err := datadef.ParseReplicaMeta(data)
	c.Must(err)
	return m
}

func TestQ110_ThePollRegistersAPSAgainWithThePortNone(t *testing.T) {
	agenttest.BothWays(t, quirks.Q110, func(t *testing.T, keep quirks.Set) {
		worldtest.Run(t, ownShard, func(c *worldtest.Case) {
			_, zk, conf := watched(c, "ps")
			conf.Quirks = keep
			c.Create(zk, "/b/service/n/ps:0/1", agenttest.ReplicaData("h:5", env.StateAvailable))
			lostBehind(c, zk, "/b/service/n/ps:0/1")
			m := metaAt(c, zk, "/b/service/n/ps:0/1")
			got := []string{m.Address.V, m.AddressIPv6.V, m.ArchonAddress.V, m.ArchonAddressIPv6.V}
			// The first colon of an IPv6 address is inside of the address, so the cut damages it.
			want := []string{"h:None", "[fd00:None", "h:1000", "[fd00:1000"}
			if port := conf.TFSPSPort.String(); !keep.Keeps(quirks.Q110) {
				want = []string{"h:" + port, "[fd00::1]:" + port, "h:1000", "[fd00::1]:1000"}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("addresses (-want +got):\n%s", diff)
			}
		})
	})
}

// Goal: the poll of replica 1 registers replica 12, too, once that is gone, and with Q111 repaired only
// replica 1 itself.
func TestQ111_ThePollTakesOverAReplicaWhoseIDBeginsWithTheOwn(t *testing.T) {
	agenttest.BothWays(t, quirks.Q111, func(t *testing.T, keep quirks.Set) {
		worldtest.Run(t, ownShard, func(c *worldtest.Case) {
			_, zk, conf := watched(c, "ps")
			conf.Quirks = keep
			c.Create(zk, "/b/service/n/ps:0/1", agenttest.ReplicaData("h:5", env.StateAvailable))
			c.Create(zk, "/b/service/n/ps:0/12", agenttest.ReplicaData("h:6", env.StateAvailable))
			c.Create(zk, "/b/service/n/ps:0/21", agenttest.ReplicaData("h:7", env.StateAvailable))
			zk.Deaf = true
			for _, id := range []string{"1", "12", "21"} {
				c.Must(zk.Delete("/b/service/n/ps:0/"+id, env.AnyVersion))
			}
			c.Env.Tasks.Sleep(61 * time.Second)
			got, err := zk.Children("/b/service/n/ps:0")
			c.Must(err)
			want := []string{"1", "12"}
			if !keep.Keeps(quirks.Q111) {
				want = []string{"1"}
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("replicas (-want +got):\n%s", diff)
			}
		})
	})
}

func TestQ110_AMissingV6AddressKeepsTheOldMirror(t *testing.T) {
	worldtest.Run(t, ownShard, func(c *worldtest.Case) {
		w, zk, _ := watched(c, "ps")
		m := datadef.DefaultReplicaMeta()
		m.Address, m.Stat = pysem.Some("h:5"), env.StateAvailable
		c.Create(zk, "/b/service/n/ps:0/1", m.Serialize())
		lostBehind(c, zk, "/b/service/n/ps:0/1")
		if got := w.Replicas(); got.Len() != 1 {
			t.Errorf("replicas: got %v, want the one that is gone, as the round failed", got)
		}
		if stat, err := zk.Exists("/b/service/n/ps:0/1"); stat != nil || err != nil {
			t.Errorf("znode: got %v, %v, want none", stat, err)
		}
	})
}

// Goal: a change of a replica whose task the mirror lacks is a KeyError, and with Q114 repaired the replica
// is listed.
func TestQ114_AChangeOfAReplicaWhoseTaskIsUnknownIsAKeyError(t *testing.T) {
	agenttest.BothWays(t, quirks.Q114, func(t *testing.T, keep quirks.Set) {
		worldtest.Run(t, ownShard, func(c *worldtest.Case) {
			w, zk, conf := watched(c, "ps")
			conf.Quirks = keep
			c.Create(zk, "/b/service/n/ps:0/1", agenttest.ReplicaData("h:5", env.StateAvailable))
			c.Env.Tasks.Go("stop", w.Stop)
			c.Env.Tasks.Sleep(61 * time.Second)
			err := zk.Set("/b/service/n/ps:0/1", agenttest.ReplicaData("h:6", env.StateAvailable), -1)
			if got, want := pysem.TypeOf(err) == "KeyError", keep.Keeps(quirks.Q114); got != want {
				t.Errorf("change after stop: got %v, want a KeyError out of the watch: %t", err, want)
			}
			if got, want := availablePS(t, w) == 1, !keep.Keeps(quirks.Q114); got != want {
				t.Errorf("listed: got %t, want %t", got, want)
			}
		})
	})
}

func TestQ115_ReplicaNamesLoseTheirPadding(t *testing.T) {
	worldtest.Run(t, ownShard, func(c *worldtest.Case) {
		w, zk, _ := watched(c, "mixed")
		c.Create(zk, "/b/service/n/entry:0/00000000007", agenttest.ReplicaData("h:5", env.StateAvailable))
		c.Create(zk, "/b/service/n/entry:0/7", agenttest.ReplicaData("h:6", env.StateAvailable))
		addrs, err := w.GetReplica(agentservice.ServerType_ENTRY, 0, 7, pysem.OptString{}, pysem.OptString{})
		c.Must(err)
		if diff := cmp.Diff([]pysem.OptString{pysem.Some("h:6")}, addrs); diff != "" {
			t.Errorf("replica 7, of two znodes (-want +got):\n%s", diff)
		}
	})
}

func TestQ37_AnUnknownServerTypeIsAValueError(t *testing.T) {
	worldtest.Run(t, ownShard, func(c *worldtest.Case) {
		w, _, _ := watched(c, "ps")
		_, err := w.GetAllReplicas(9, pysem.OptString{}, pysem.OptString{})
		if pysem.TypeOf(err) != "ValueError" {
			t.Errorf("type 9: got %v, want ValueError", err)
		}
	})
}

func TestQ127_StoppingTheWatcherWaitsForItsPoll(t *testing.T) {
	worldtest.Run(t, ownShard, func(c *worldtest.Case) {
		w, _, _ := watched(c, "ps")
		c.Env.Tasks.Sleep(10 * time.Second)
		from := c.Env.Clock.Elapsed()
		w.Stop()
		if got := c.Env.Clock.Elapsed() - from; got != 50*time.Second {
			t.Errorf("stop 10s after the start: took %s, want the rest of a minute", got)
		}
	})
}

// slowReads is a client on which something happens during each read of a znode's data, after the server
// has answered.
type slowReads struct {
	env.ZooKeeper
	during func(path string)
}

func (s *slowReads) Get(path string) ([]byte, env.Stat, error) {
	data, stat, err := s.ZooKeeper.Get(path)
	s.during(path)
	return data, stat, err
}

// Goal: what a watch tells while the poll reads is overwritten by what the poll has read before, until the
// next round. With Q335 repaired the poll reads again; where watches tell of changes during all of its
// readings, the mirror stays as they have it.
func TestQ335_WhatAWatchTellsWhileThePollReadsIsOverwritten(t *testing.T) {
	for _, writes := range []int{1, 5} {
		agenttest.BothWays(t, quirks.Q335, func(t *testing.T, keep quirks.Set) {
			worldtest.RunInPod(t, func(_ *world.World, e *env.Env) {
				other := e.ZooKeeper.NewClient("", env.ZooKeeperOptions{})
				worldtest.Must(t, other.Start(0))
				state := func(s env.ModelState) []byte { return agenttest.ReplicaData("h:1", s) }
				const path = "/b/service/n/ps:0/1"
				_, err := other.Create(path, state(env.StateLoading), env.CreateOptions{MakePath: true})
				worldtest.Must(t, err)
				zk := &slowReads{ZooKeeper: e.ZooKeeper.NewClient("", env.ZooKeeperOptions{}), during: func(string) {}}
				worldtest.Must(t, zk.Start(0))
				conf := psConfig(t, e)
				conf.Quirks = keep
				w := replicamanager.NewReplicaWatcher(e, zk, conf, replicamanager.WatcherOptions{})
				worldtest.Must(t, w.Watch())
				e.Tasks.Sleep(time.Second)
				left := writes
				zk.during = func(string) {
					if left > 0 {
						left--
						worldtest.Must(t, other.Set(path, state([]env.ModelState{env.StateAvailable, env.StateLoading}[left%2]), -1))
						e.Tasks.Sleep(time.Second)
					}
				}
				worldtest.Must(t, w.Reconcile())
				want := 1
				if keep.Keeps(quirks.Q335) {
					want = 0
				}
				if got := availablePS(t, w); got != want {
					t.Errorf("%d writes: found %d AVAILABLE replicas, want %d", writes, got, want)
				}
				zk.during = func(string) {}
				worldtest.Must(t, w.Reconcile())
				if data, _, err := other.Get(path); err != nil || (availablePS(t, w) == 1) != (string(data) == string(state(env.StateAvailable))) {
					t.Errorf("%d writes: after a quiet round found %d AVAILABLE replicas of %s, %v", writes, availablePS(t, w), data, err)
				}
			})
		})
	}
}
