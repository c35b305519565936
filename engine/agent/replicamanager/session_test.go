package replicamanager_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/sim/world"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These tests show what happens to the watcher and the updater of a manager when their session is
// lost (replica_manager.py:719), on a real server.

func TestQ125_TheClientIsDeafFor5sAfterALostSession(t *testing.T) {
	agenttest.BothWays(t, quirks.Q125, func(t *testing.T, keep quirks.Set) {
		worldtest.RunInPod(t, func(w *world.World, e *env.Env) {
			zk := e.ZooKeeper.NewClient("", env.ZooKeeperOptions{})
			conf := psConfig(t, e)
			conf.Quirks = keep
			m, err := replicamanager.NewReplicaManager(e, zk, conf)
			worldtest.Must(t, err)
			var connected time.Duration
			zk.AddListener(func(state env.SessionState) bool {
				connected = e.Clock.Elapsed()
				return false
			})
			worldtest.Must(t, zk.Start(0))
			for _, id := range w.ZooKeeper().SessionsOf(worldtest.OnlyPod) {
				w.ZooKeeper().KillSession(id)
			}
			e.Tasks.Sleep(time.Second) // the client learns that its session is lost, and connects anew
			from := e.Clock.Elapsed()
			_ = zk.Retry(func() error {
				_, err := zk.Exists("/")
				return err
			})
			waited, heard := e.Clock.Elapsed()-from, connected
			if !keep.Keeps(quirks.Q125) {
				if waited > time.Second || heard > from {
					t.Errorf("a read 1s after the loss took %s, and the next listener heard at %s, want no wait for what goes on 5s later", waited, heard)
				}
				if s := m.Watcher().Session(); s.Poll || !s.Lost {
					t.Errorf("%s after the loss: got %+v, want no poll yet", e.Clock.Elapsed()-from, *s)
				}
				e.Tasks.Sleep(6 * time.Second)
				if s := m.Watcher().Session(); !s.Poll || s.Lost {
					t.Errorf("7s after the loss: got %+v, want polls", *s)
				}
				return
			}
			if waited < 3*time.Second || waited > 6*time.Second {
				t.Errorf("a read 1s after the loss: took %s, want what is left of 5s", waited)
			}
			// The second listener is called only after the first one has slept.
			if heard < from+3*time.Second {
				t.Errorf("the next listener heard of the connection at %s, want after the sleep that began before %s", heard, from)
			}
		})
	})
}

// failingCreates is a ZooKeeper client whose create requests fail while failing is set.
type failingCreates struct {
	env.ZooKeeper
	failing bool
}

func (z *failingCreates) Create(path string, data []byte, o env.CreateOptions) (string, error) {
	if z.failing {
		return "", pysem.Raise("OSError", "the create failed")
	}
	return z.ZooKeeper.Create(path, data, o)
}

func TestQ124_OneErrorEndsTheThreadThatRegistersAnew(t *testing.T) {
	agenttest.BothWays(t, quirks.Q124, func(t *testing.T, keep quirks.Set) {
		for _, failing := range []bool{false, true} {
			worldtest.RunInPod(t, func(w *world.World, e *env.Env) {
				e.Models = agenttest.NewModelServer(env.StateAvailable)
				zk := &failingCreates{ZooKeeper: e.ZooKeeper.NewClient("", env.ZooKeeperOptions{})}
				conf := psConfig(t, e, "deploy_type", "entry")
				conf.ReplicaID, conf.Quirks = pysem.Some(1), keep
				m, err := replicamanager.NewReplicaManager(e, zk, conf)
				worldtest.Must(t, err)
				worldtest.Must(t, zk.Start(0))
				worldtest.Must(t, m.Updater().Register())
				m.Updater().Start()
				e.Tasks.Sleep(5 * time.Second)
				zk.failing = failing
				for _, id := range w.ZooKeeper().SessionsOf(worldtest.OnlyPod) {
					w.ZooKeeper().KillSession(id)
				}
				e.Tasks.Sleep(30 * time.Second)
				zk.failing = false
				e.Tasks.Sleep(10 * time.Minute)
				stat, err := zk.Exists("/b/service/n/entry:0/00000000001")
				worldtest.Must(t, err)
				want := !failing || !keep.Keeps(quirks.Q124)
				if registered := stat != nil; registered != want {
					t.Errorf("registered 10m after a create that failed %v: got %v, want %v", failing, registered, want)
				}
			})
		}
	})
}

// sleeper is an env.Tasks that does not sleep but records the durations.
type sleeper struct {
	env.Tasks
	slept []time.Duration
}

func (s *sleeper) Sleep(d time.Duration) { s.slept = append(s.slept, d) }

// Goal: sequences of session states have the same effect as in the reference. The expected values
// were recorded from its ZKListener by passing it the states one after another.
func TestSessionStatesSwitchPollUpdateAndReregister(t *testing.T) {
	const lost, suspended, connected = env.Lost, env.Suspended, env.Connected
	for _, test := range []struct {
		name   string
		states []env.SessionState
		want   replicamanager.Session
		slept  time.Duration
	}{
		{"first connection", []env.SessionState{connected}, replicamanager.Session{Poll: true, Update: true}, 0},
		{"suspended and back", []env.SessionState{suspended, connected}, replicamanager.Session{Poll: true, Update: true}, 0},
		{"lost", []env.SessionState{lost}, replicamanager.Session{Lost: true}, 0},
		{"lost twice", []env.SessionState{lost, lost}, replicamanager.Session{Lost: true}, 0},
		{"lost and suspended", []env.SessionState{lost, suspended}, replicamanager.Session{Lost: true}, 0},
		{"lost and back", []env.SessionState{lost, connected}, replicamanager.Session{Poll: true, Reregister: true}, 5 * time.Second},
		{"lost, back, and once more", []env.SessionState{lost, connected, connected, lost, connected}, replicamanager.Session{Poll: true, Reregister: true}, 10 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			tasks := &sleeper{}
			session := replicamanager.NewSession()
			l := replicamanager.NewSessionListener(&env.Env{Tasks: tasks, Log: envtest.Quiet{}}, session)
			for _, state := range test.states {
				if l.Changed(state) {
					t.Errorf("%s: got true, want false: the listener stays", state)
				}
			}
			slept := time.Duration(0)
			for _, d := range tasks.slept {
				slept += d
			}
			if diff := cmp.Diff(test.want, *session); diff != "" || slept != test.slept {
				t.Errorf("slept %s, want %s; session (-want +got):\n%s", slept, test.slept, diff)
			}
		})
	}
}
