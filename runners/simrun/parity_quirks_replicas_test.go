package simrun_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/world"
)

// Quirks of replica_manager.py (python-quirks) that take time, threads or a real
// ZooKeeper; the others are recorded, suite replica_manager.

// configWith is the configuration of a pod with these fields and one PS.
func configWith(t *testing.T, e *env.Env, more ...agent.Field) *agent.AgentConfig {
	t.Helper()
	conf, err := agent.NewConfig(e, append(more, agent.Field{Name: "bzid", Value: "b"}, agent.Field{Name: "base_name", Value: "n"})...)
	do(t, err)
	return conf
}

func psConfig(t *testing.T, e *env.Env, more ...agent.Field) *agent.AgentConfig {
	t.Helper()
	return configWith(t, e, append(more, agent.Field{Name: "deploy_type", Value: "ps"})...)
}

// availablePS are the addresses of task 0 that the watcher knows.
func availablePS(t *testing.T, w *agent.ReplicaWatcher) int {
	t.Helper()
	list, err := w.GetReplicas(agentservice.ServerType_PS, 0, agent.OptString{}, agent.OptString{})
	do(t, err)
	return len(list)
}

// The data watch of a replica outlives its deletion; the children watch of a task
// does not.
func TestQ210_OfATaskThatWasMadeAgainThePollAloneFindsNewReplicas(t *testing.T) {
	const task = "/b/service/n/ps:0"
	inServerWorld(t, func(_ *world.World, e *env.Env) {
		zk, other := e.ZooKeeper.NewClient("", env.ZooKeeperOptions{}), e.ZooKeeper.NewClient("", env.ZooKeeperOptions{})
		do(t, zk.Start(0))
		do(t, other.Start(0))
		register := func(replica string) func() {
			return func() {
				_, err := other.Create(task+"/"+replica, replicaData("h:"+replica, env.StateAvailable), env.CreateOptions{MakePath: true})
				do(t, err)
			}
		}
		register("1")()
		w := agent.NewReplicaWatcher(e, zk, psConfig(t, e), false)
		do(t, w.WatchData())
		for _, step := range []struct {
			what  string
			do    func()
			after time.Duration
			want  int
		}{
			{"one from the beginning", func() {}, time.Second, 1},
			{"a second one", register("2"), time.Second, 2},
			{"the task deleted", func() { do(t, other.Delete(task, env.DeleteOptions{Version: -1, Recursive: true})) }, time.Second, 0},
			{"the task made again with the first one", register("1"), time.Second, 1},
			{"a third one", register("3"), 50 * time.Second, 1},
			{"a round of the poll later", func() {}, 15 * time.Second, 2},
		} {
			step.do()
			e.Tasks.Sleep(step.after)
			if got := availablePS(t, w); got != step.want {
				t.Errorf("%s: got %d replicas, want %d", step.what, got, step.want)
			}
		}
	})
}

// goingZnode is a client on which a znode goes between the list and the read.
type goingZnode struct {
	*recordingZK
	path string
}

func (z *goingZnode) Get(path string) ([]byte, env.Stat, error) {
	if path == z.path {
		return nil, env.Stat{}, env.ErrNoNode
	}
	return z.recordingZK.Get(path)
}

func TestQ211_OneReplicaThatGoesWhileThePollReadsCostsTheRound(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		zk := &goingZnode{recordingZK: c.startedZK()}
		w := agent.NewReplicaWatcher(c.env, zk, psConfig(t, c.env), false)
		c.must(w.WatchData())
		zk.life++ // what comes now is for the poll to find
		c.create(zk, "/b/service/n/ps:0/1", replicaData("h:1", env.StateAvailable))
		c.create(zk, "/b/service/n/ps:0/2", replicaData("h:2", env.StateAvailable))
		zk.path = "/b/service/n/ps:0/2"
		c.env.Tasks.Sleep(10 * time.Minute)
		if got := availablePS(t, w); got != 0 {
			t.Errorf("with one replica that goes: got %d replicas, want none", got)
		}
		zk.path = ""
		c.env.Tasks.Sleep(61 * time.Second)
		if got := availablePS(t, w); got != 2 {
			t.Errorf("with replicas that stay: got %d, want 2", got)
		}
	})
}

// The watch of the created znode is called inside of the create and wants the lock
// that the poll holds.
func TestQ113_OverTheFakeThePollWaitsForItself(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		const path = "/b/service/n/ps:0/1"
		w, zk, _ := watched(c, "ps")
		c.create(zk, path, replicaData("h:5", env.StateAvailable))
		life := zk.life
		zk.life++
		c.must(zk.Delete(path, env.AnyVersion))
		zk.life = life // the watches hear of what comes next
		c.env.Tasks.Sleep(61 * time.Second)
		answered := false
		c.env.Tasks.Go("asks", func() {
			_, _ = w.GetReplicas(agentservice.ServerType_PS, 0, agent.OptString{}, agent.OptString{})
			answered = true
		})
		c.env.Tasks.Sleep(time.Hour)
		if answered {
			t.Error("the watcher answers, want its lock held for good")
		}
	})
}

func TestQ123_StatesAreToldWithinASecondWhateverTheIntervalSays(t *testing.T) {
	inFakeWorld(t, ownShard, func(c *parityCase) {
		zk := c.startedZK()
		stub := &statusStub{versions: []env.ModelVersionStatus{{Version: 1, State: env.StateLoading}}}
		c.env.Models = stub
		u, err := agent.NewReplicaUpdater(c.env, zk, psConfig(t, c.env, agent.Field{Name: "update_model_status_interval", Value: 60}))
		c.must(err)
		c.must(u.Register())
		u.Start()
		for _, state := range []env.ModelState{env.StateLoading, env.StateAvailable, env.StateUnloading} {
			stub.versions[0].State = state
			c.env.Tasks.Sleep(1100 * time.Millisecond)
			if got := metaAt(c, zk, "/b/service/n/ps:0/-1").Stat; got != state {
				t.Errorf("1.1s later: got %s, want %s", got, state)
			}
		}
	})
}

// failingCreates is a client whose creates fail as long as it is told to.
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
	for _, failing := range []bool{false, true} {
		inServerWorld(t, func(w *world.World, e *env.Env) {
			e.Models = &statusStub{versions: []env.ModelVersionStatus{{Version: 1, State: env.StateAvailable}}}
			zk := &failingCreates{ZooKeeper: e.ZooKeeper.NewClient("", env.ZooKeeperOptions{})}
			conf := configWith(t, e, agent.Field{Name: "deploy_type", Value: "entry"})
			conf.ReplicaID = pysem.Some(1)
			m, err := agent.NewReplicaManager(e, zk, conf)
			do(t, err)
			do(t, zk.Start(0))
			do(t, m.Updater().Register())
			m.Updater().Start()
			e.Tasks.Sleep(5 * time.Second)
			zk.failing = failing
			for _, id := range w.ZooKeeper().SessionsOf("pod") {
				w.ZooKeeper().KillSession(id)
			}
			e.Tasks.Sleep(30 * time.Second)
			zk.failing = false
			e.Tasks.Sleep(10 * time.Minute)
			stat, err := zk.Exists("/b/service/n/entry:0/00000000001")
			do(t, err)
			if registered := stat != nil; registered == failing {
				t.Errorf("registered 10m after a create that failed %v: got %v, want %v", failing, registered, !failing)
			}
		})
	}
}
