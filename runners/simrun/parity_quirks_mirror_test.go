package simrun_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/pysem"
)

// Quirks of the mirror and of what stands on it (python-quirks, zk_mirror.py,
// agent_service.py and tfs_monitor.py): each case does the same with the quirk
// kept and with it repaired. What is kept is also held to the reference by the
// vectors.

// mirrorLab is a started mirror on a fake client.
type mirrorLab struct {
	*mirrorRun
	quirks agent.Quirks
}

func (l *mirrorLab) publish(shard, replica int, model string, set ...func(*agent.PublishMeta)) {
	l.t.Helper()
	pm := agent.DefaultPublishMeta()
	pm.ShardID, pm.ReplicaID, pm.ModelName = pysem.Some(shard), replica, pysem.Some(model)
	pm.SubModels = agent.SubModels{{Name: "entry", Path: "/x/entry/1"}}
	for _, fn := range set {
		fn(&pm)
	}
	// A node that is unloaded without being cached raises (Q185).
	_ = l.m.PublishLoading(&pm)
}

func unloaded(pm *agent.PublishMeta) { pm.PType = agent.PublishUnload }
func version2(pm *agent.PublishMeta) {
	pm.SubModels = agent.SubModels{{Name: "entry", Path: "/x/entry/2"}}
}

// serve makes AVAILABLE replicas "<task>/<replica>" of model m.
func (l *mirrorLab) serve(names ...string) {
	l.t.Helper()
	for _, name := range names {
		l.create(l.zk, "/b/service/m/"+name, replicaData("h:"+pysem.Basename(name), env.StateAvailable))
	}
}

// expected lists what is to be loaded.
func (l *mirrorLab) expected() string {
	models, err := l.m.ExpectedLoading()
	l.must(err)
	var list []string
	for _, model := range models {
		path, _ := model.Meta.SubModels.Get("entry")
		list = append(list, model.Name.V+"="+path)
	}
	return strings.Join(list, " ")
}

// events are the queue's, as type, name and the action or type inside.
func (l *mirrorLab) events() string {
	var list []string
	for l.queue.Len() > 0 {
		e, _ := l.queue.Get(0)
		text := e.EType.String() + " " + pysem.Basename(e.Path.V)
		if e.EType == agent.EventPortal {
			mm, err := agent.ParseModelMeta(e.Data)
			l.must(err)
			text += " " + mm.Action
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func addresses(replicas []*agent.ReplicaMeta, err error) string {
	if err != nil {
		return pysem.TypeOf(err)
	}
	var list []string
	for _, rm := range replicas {
		list = append(list, rm.Address.V)
	}
	return strings.Join(list, " ")
}

func taskAddresses(tasks []agent.TaskMetas, err error) string {
	if err != nil {
		return pysem.TypeOf(err)
	}
	var list []string
	for _, t := range tasks {
		list = append(list, t.Key+"="+addresses(t.Replicas, nil))
	}
	return strings.Join(list, " ")
}

func (l *mirrorLab) service() agent.AnswersV2 {
	conf := l.configOf("bzid", "b", "base_name", "n", "deploy_type", "mixed", "agent_version", 2)
	conf.Quirks = l.quirks
	return agent.AnswersV2{Env: l.env, Conf: conf, Mirror: l.m}
}

var mirrorQuirks = []struct {
	quirk          agent.Quirk
	name           string
	do             func(l *mirrorLab) string
	kept, repaired string
}{
	{agent.Q33, "replicas of a task over the service", func(l *mirrorLab) string {
		l.serve("ps:0/1", "ps:0/2", "entry:0/1")
		r, err := l.service().GetReplicas(&agentservice.GetReplicasRequest{ServerType: agentservice.ServerType_PS, ModelName: "m"})
		return fmt.Sprintf("%v %s", r.GetAddressList().GetAddress(), pysem.TypeOf(err))
	}, "[] AttributeError", "[h:1 h:2] "},
	{agent.Q33, "replicas of a type over the service", func(l *mirrorLab) string {
		l.serve("ps:0/1", "ps:1/2", "entry:0/1")
		r, err := l.service().HeartBeat(&agentservice.HeartBeatRequest{ServerType: agentservice.ServerType_PS})
		l.must(err)
		return fmt.Sprint(r.Addresses["m:ps:0"].GetAddress(), r.Addresses["m:ps:1"].GetAddress(), len(r.Addresses))
	}, "[] [] 0", "[h:1] [h:2] 2"},
	{agent.Q144, "argument of a reload", func(l *mirrorLab) string {
		l.env.Models = &statusStub{}
		conf := l.configOf("bzid", "b", "base_name", "n", "deploy_type", "ps")
		conf.Quirks = l.quirks
		monitor := agent.NewTFSMonitor(l.env, conf)
		monitor.Start()
		c := &config.ModelServerConfig{}
		_, err := monitor.Reload(agent.ServerPS, c)
		l.must(err)
		return fmt.Sprint(len(c.GetModelConfigList().GetConfig()))
	}, "1", "0"},
	{agent.Q178, "number of replicas", func(l *mirrorLab) string {
		l.must(l.m.WatchResource())
		report := func(shard, replica int) {
			spec := agent.DefaultResourceSpec()
			spec.ShardID, spec.ReplicaID = pysem.Some(shard), pysem.Some(replica)
			l.must(l.m.ReportResource(&spec))
		}
		report(-1, -1) // entries do not count
		for _, replica := range []int{0, 1} {
			report(0, replica)
			report(1, replica)
		}
		report(0, 2)
		l.env.Tasks.Go("late shard", func() {
			l.env.Tasks.Sleep(12 * time.Second)
			report(1, 2)
		})
		from := l.env.Clock.Elapsed()
		n, err := l.m.NumTCEReplica()
		return fmt.Sprintf("%d after %v %s", n, l.env.Clock.Elapsed()-from, pysem.TypeOf(err))
	}, "0 after 0s AttributeError", "3 after 15s "},
	{agent.Q179, "stop after an election", func(l *mirrorLab) string {
		l.m.Election(func(*agent.ZKMirror) error { return nil }, agent.OptString{}).Join()
		return fmt.Sprint(pysem.TypeOf(l.m.Stop()), " ", l.zk.State())
	}, "AttributeError CONNECTED", " LOST"},
	{agent.Q180, "children of a path that is a prefix", func(l *mirrorLab) string {
		l.serve("ps:1/0", "ps:10/0", "ps:1/1")
		return strings.Join(l.m.Children("/b/service/m/ps:1"), " ") + " | " + addresses(l.m.GetTaskReplicas("m", "ps", 1))
	}, "0 0 1 | h:0 h:0 h:1", "0 1 | h:0 h:1"},
	{agent.Q180, "replicas of a model", func(l *mirrorLab) string {
		l.serve("ps:0/0", "ps:0/1", "ps:1/0", "ps:1/1")
		return taskAddresses(l.m.GetModelReplicas("m", "ps"))
	}, "m:ps:0=h:0 h:1 h:0 h:1 m:ps:1=h:0 h:1 h:0 h:1", "m:ps:0=h:0 h:1 m:ps:1=h:0 h:1"},
	{agent.Q181, "a publish that is changed", func(l *mirrorLab) string {
		l.publish(0, 0, "m")
		l.publish(0, 0, "m", version2)
		return l.expected()
	}, "m=/x/entry/1", "m=/x/entry/2"},
	{agent.Q181, "a publish that is changed to unload", func(l *mirrorLab) string {
		l.publish(0, 0, "m")
		l.publish(0, 0, "m", unloaded)
		return l.expected()
	}, "m=/x/entry/1", ""},
	{agent.Q182, "paths of a model that another ends in", func(l *mirrorLab) string {
		l.publish(0, 0, "m")
		l.publish(0, 0, "xm")
		return strings.Join(l.m.GetPublishedPath("m"), " ")
	}, "/b/publish/0:0:m /b/publish/0:0:xm", "/b/publish/0:0:m"},
	{agent.Q182, "orphans of a model that another ends in", func(l *mirrorLab) string {
		l.publish(0, 0, "m")
		l.publish(0, 0, "xm")
		l.create(l.zk, "/b/portal/xm", nil)
		l.must(l.m.WatchPortal())
		return l.expected()
	}, "", "xm=/x/entry/1"},
	{agent.Q184, "a replica without data", func(l *mirrorLab) string {
		l.serve("ps:0/1")
		l.create(l.zk, "/b/service/m/ps:0/2", []byte{})
		return taskAddresses(l.m.GetAllReplicas("ps"))
	}, "TypeError", "m:ps:0=h:1"},
	{agent.Q185, "an unload of what is not cached", func(l *mirrorLab) string {
		l.publish(0, 0, "m", unloaded)
		return l.events()
	}, "", "PUBLISH 0:0:m"},
	{agent.Q186, "a replica below a location", func(l *mirrorLab) string {
		l.serve("ps:0/1")
		l.create(l.zk, "/b/service/m/lf:def/ps:3", replicaData("h:9", env.StateAvailable))
		l.must(l.m.WatchService())
		return taskAddresses(l.m.GetAllReplicas("ps"))
	}, "ValueError", "m:ps:0=h:1"},
	{agent.Q187, "a second request for a model", func(l *mirrorLab) string {
		l.must(l.m.WatchPortal())
		for range 2 {
			l.must(l.m.Create("/b/portal/m", []byte("{}"), env.CreateOptions{MakePath: true}))
		}
		return l.events()
	}, "PORTAL m NONE", "PORTAL m NONE, PORTAL m CHANGED"},
	{agent.Q192, "the leader while it leads and after", func(l *mirrorLab) string {
		leads := false
		l.m.Election(func(m *agent.ZKMirror) error {
			leads = m.IsLeader()
			return nil
		}, agent.OptString{}).Join()
		return fmt.Sprint(leads, l.m.IsLeader())
	}, "false false", "true false"},
}

func TestMirrorQuirksAreKeptOrRepaired(t *testing.T) {
	for _, q := range mirrorQuirks {
		for _, profile := range []struct {
			name   string
			quirks agent.Quirks
			want   string
		}{{"kept", agent.Python, q.kept}, {"repaired", agent.Python.Repair(q.quirk), q.repaired}} {
			t.Run(fmt.Sprintf("%s/%s/%s", q.quirk, q.name, profile.name), func(t *testing.T) {
				inFakeWorld(t, ownShard, func(c *parityCase) {
					l := &mirrorLab{c.newMirror(agent.MirrorOptions{Bzid: "b", ShardID: pysem.Some(0), NumShard: 2, Quirks: profile.quirks}), profile.quirks}
					l.must(l.m.Start(false))
					if diff := cmp.Diff(profile.want, q.do(l)); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				})
			})
		}
	}
}

// slowCreates is a client whose creates take a minute.
type slowCreates struct {
	env.ZooKeeper
	tasks env.Tasks
}

func (z slowCreates) Create(path string, data []byte, o env.CreateOptions) (string, error) {
	z.tasks.Sleep(time.Minute)
	return z.ZooKeeper.Create(path, data, o)
}

// In the reference the second mirror would wait for the create of the first.
func TestQ189_TheMirrorsOfAProcessDoNotShareALock(t *testing.T) {
	inFakeWorld(t, nil, func(c *parityCase) {
		slow := agent.NewZKMirror(c.env, slowCreates{c.startedZK(), c.env.Tasks}, agent.MirrorOptions{Bzid: "b"})
		quick := agent.NewZKMirror(c.env, c.startedZK(), agent.MirrorOptions{Bzid: "b"})
		for range 2 {
			c.env.Tasks.Go("first mirror", func() { _ = slow.Create("/b/x", nil, env.CreateOptions{MakePath: true}) })
		}
		c.env.Tasks.Sleep(time.Second)
		for _, test := range []struct {
			name     string
			m        *agent.ZKMirror
			min, max time.Duration
		}{
			{"second mirror", quick, 0, 0},
			// It waits for the first two creates, and sleeps through its own.
			{"first mirror", slow, 150 * time.Second, 3 * time.Minute},
		} {
			from := c.env.Clock.Elapsed()
			c.must(test.m.Create("/b/y", nil, env.CreateOptions{MakePath: true}))
			if took := c.env.Clock.Elapsed() - from; took < test.min || took > test.max {
				t.Errorf("a create of the %s took %s, want %s to %s", test.name, took, test.min, test.max)
			}
		}
	})
}
