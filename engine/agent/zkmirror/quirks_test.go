package zkmirror_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/zkmirror"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: each quirk of the mirror (zk_mirror.py) can be kept or repaired. Method: each case does the
// same in both ways. The recorded cases also compare the results with the quirk kept with the
// reference.

// mirrorLab is a started mirror on a fake ZooKeeper client.
type mirrorLab struct {
	*mirrorRun
	quirks quirks.Set
}

func (l *mirrorLab) publish(shard, replica int, model string, set ...func(*datadef.PublishMeta)) {
	l.T.Helper()
	pm := datadef.DefaultPublishMeta()
	pm.ShardID, pm.ReplicaID, pm.ModelName = pysem.Some(shard), replica, pysem.Some(model)
	pm.SubModels = datadef.SubModels{{Name: "entry", Path: "/x/entry/1"}}
	for _, fn := range set {
		fn(&pm)
	}
	// The error is ignored: an unload of a publish that is not in the cache raises (Q185).
	_ = l.m.PublishLoading(&pm)
}

func unloaded(pm *datadef.PublishMeta) { pm.PType = datadef.PublishUnload }

func version2(pm *datadef.PublishMeta) {
	pm.SubModels = datadef.SubModels{{Name: "entry", Path: "/x/entry/2"}}
}

// serve registers AVAILABLE replicas of the model m, given as "<task>/<replica>".
func (l *mirrorLab) serve(names ...string) {
	l.T.Helper()
	for _, name := range names {
		l.Create(l.zk, "/b/service/m/"+name, agenttest.ReplicaData("h:"+pysem.Basename(name), env.StateAvailable))
	}
}

// expected formats the list of models that the container has to load.
func (l *mirrorLab) expected() string {
	models, err := l.m.ExpectedLoading()
	l.Must(err)
	var list []string
	for _, model := range models {
		path, _ := model.Meta.SubModels.Get("entry")
		list = append(list, model.Name.V+"="+path)
	}
	return strings.Join(list, " ")
}

// events takes all events from the queue, and formats each as its type, its name, and the action or
// type in its data.
func (l *mirrorLab) events() string {
	var list []string
	for l.queue.Len() > 0 {
		e, _ := l.queue.Get(0)
		text := e.EType.String() + " " + pysem.Basename(e.Path.V)
		if e.EType == datadef.EventPortal {
			mm, err := datadef.ParseModelMeta(e.Data)
			l.Must(err)
			text += " " + mm.Action
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func addresses(replicas []*datadef.ReplicaMeta, err error) string {
	if err != nil {
		return pysem.TypeOf(err)
	}
	var list []string
	for _, rm := range replicas {
		list = append(list, rm.Address.V)
	}
	return strings.Join(list, " ")
}

func taskAddresses(tasks []zkmirror.TaskMetas, err error) string {
	if err != nil {
		return pysem.TypeOf(err)
	}
	var list []string
	for _, t := range tasks {
		list = append(list, t.Key+"="+addresses(t.Replicas, nil))
	}
	return strings.Join(list, " ")
}

var mirrorQuirks = []struct {
	quirk          quirks.Quirk
	name           string
	do             func(l *mirrorLab) string
	kept, repaired string
}{
	{quirks.Q178, "number of replicas", func(l *mirrorLab) string {
		l.Must(l.m.WatchResource())
		report := func(shard, replica int) {
			spec := datadef.DefaultResourceSpec()
			spec.ShardID, spec.ReplicaID = pysem.Some(shard), pysem.Some(replica)
			l.Must(l.m.ReportResource(&spec))
		}
		report(-1, -1) // shard -1 and replica -1 stand for an entry, which is not counted
		for _, replica := range []int{0, 1} {
			report(0, replica)
			report(1, replica)
		}
		report(0, 2)
		l.Env.Tasks.Go("late shard", func() {
			l.Env.Tasks.Sleep(12 * time.Second)
			report(1, 2)
		})
		from := l.Env.Clock.Elapsed()
		n, err := l.m.NumTCEReplica()
		return fmt.Sprintf("%d after %v %s", n, l.Env.Clock.Elapsed()-from, pysem.TypeOf(err))
	}, "0 after 0s AttributeError", "3 after 15s "},
	{quirks.Q179, "stop after an election", func(l *mirrorLab) string {
		l.m.Election(func(*zkmirror.ZKMirror) error { return nil }, pysem.OptString{}).Join()
		return fmt.Sprint(pysem.TypeOf(l.m.Stop()), " ", l.zk.State())
	}, "AttributeError CONNECTED", " LOST"},
	{quirks.Q180, "children of a path that is a prefix", func(l *mirrorLab) string {
		l.serve("ps:1/0", "ps:10/0", "ps:1/1")
		return strings.Join(l.m.Children("/b/service/m/ps:1"), " ") + " | " + addresses(l.m.GetTaskReplicas("m", "ps", 1))
	}, "0 0 1 | h:0 h:0 h:1", "0 1 | h:0 h:1"},
	{quirks.Q180, "replicas of a model", func(l *mirrorLab) string {
		l.serve("ps:0/0", "ps:0/1", "ps:1/0", "ps:1/1")
		return taskAddresses(l.m.GetModelReplicas("m", "ps"))
	}, "m:ps:0=h:0 h:1 h:0 h:1 m:ps:1=h:0 h:1 h:0 h:1", "m:ps:0=h:0 h:1 m:ps:1=h:0 h:1"},
	{quirks.Q181, "a publish that is changed", func(l *mirrorLab) string {
		l.publish(0, 0, "m")
		l.publish(0, 0, "m", version2)
		return l.expected()
	}, "m=/x/entry/1", "m=/x/entry/2"},
	{quirks.Q181, "a publish that is changed to unload", func(l *mirrorLab) string {
		l.publish(0, 0, "m")
		l.publish(0, 0, "m", unloaded)
		return l.expected()
	}, "m=/x/entry/1", ""},
	{quirks.Q182, "paths of a model that another ends in", func(l *mirrorLab) string {
		l.publish(0, 0, "m")
		l.publish(0, 0, "xm")
		return strings.Join(l.m.GetPublishedPath("m"), " ")
	}, "/b/publish/0:0:m /b/publish/0:0:xm", "/b/publish/0:0:m"},
	{quirks.Q182, "orphans of a model that another ends in", func(l *mirrorLab) string {
		l.publish(0, 0, "m")
		l.publish(0, 0, "xm")
		l.Create(l.zk, "/b/portal/xm", nil)
		l.Must(l.m.WatchPortal())
		return l.expected()
	}, "", "xm=/x/entry/1"},
	{quirks.Q184, "a replica without data", func(l *mirrorLab) string {
		l.serve("ps:0/1")
		l.Create(l.zk, "/b/service/m/ps:0/2", []byte{})
		return taskAddresses(l.m.GetAllReplicas("ps"))
	}, "TypeError", "m:ps:0=h:1"},
	{quirks.Q185, "an unload of what is not cached", func(l *mirrorLab) string {
		l.publish(0, 0, "m", unloaded)
		return l.events()
	}, "", "PUBLISH 0:0:m"},
	{quirks.Q186, "a replica below a location", func(l *mirrorLab) string {
		l.serve("ps:0/1")
		l.Create(l.zk, "/b/service/m/lf:def/ps:3", agenttest.ReplicaData("h:9", env.StateAvailable))
		l.Must(l.m.WatchService())
		return taskAddresses(l.m.GetAllReplicas("ps"))
	}, "ValueError", "m:ps:0=h:1"},
	{quirks.Q187, "a second request for a model", func(l *mirrorLab) string {
		l.Must(l.m.WatchPortal())
		for range 2 {
			l.Must(l.m.Create("/b/portal/m", []byte("{}"), env.CreateOptions{MakePath: true}))
		}
		return l.events()
	}, "PORTAL m NONE", "PORTAL m NONE, PORTAL m CHANGED"},
	{quirks.Q192, "the leader while it leads and after", func(l *mirrorLab) string {
		leads := false
		l.m.Election(func(m *zkmirror.ZKMirror) error {
			leads = m.IsLeader()
			return nil
		}, pysem.OptString{}).Join()
		return fmt.Sprint(leads, l.m.IsLeader())
	}, "false false", "true false"},
}

func TestMirrorQuirksAreKeptOrRepaired(t *testing.T) {
	for _, q := range mirrorQuirks {
		for _, profile := range []struct {
			name   string
			quirks quirks.Set
			want   string
		}{{"kept", quirks.Python, q.kept}, {"repaired", quirks.Python.Repair(q.quirk), q.repaired}} {
			t.Run(fmt.Sprintf("%s/%s/%s", q.quirk, q.name, profile.name), func(t *testing.T) {
				worldtest.Run(t, map[string]string{"SHARD_ID": "0", "MY_HOST_IP": "10.1.2.3"}, func(c *worldtest.Case) {
					l := &mirrorLab{newMirror(c, zkmirror.MirrorOptions{Bzid: "b", ShardID: pysem.Some(0), NumShard: 2, Quirks: profile.quirks}), profile.quirks}
					l.Must(l.m.Start(false))
					if diff := cmp.Diff(profile.want, q.do(l)); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				})
			})
		}
	}
}

// slowCreates is a ZooKeeper client whose create requests take a minute.
type slowCreates struct {
	env.ZooKeeper
	tasks env.Tasks
}

func (z slowCreates) Create(path string, data []byte, o env.CreateOptions) (string, error) {
	z.tasks.Sleep(time.Minute)
	return z.ZooKeeper.Create(path, data, o)
}

// Goal: two mirrors of a process do not block each other. In the reference they share a lock, so
// the second mirror would wait for a create of the first.
func TestQ189_TheMirrorsOfAProcessDoNotShareALock(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		slow := zkmirror.NewZKMirror(c.Env, slowCreates{c.StartedZooKeeper(), c.Env.Tasks}, zkmirror.MirrorOptions{Bzid: "b"})
		quick := zkmirror.NewZKMirror(c.Env, c.StartedZooKeeper(), zkmirror.MirrorOptions{Bzid: "b"})
		for range 2 {
			c.Env.Tasks.Go("first mirror", func() { _ = slow.Create("/b/x", nil, env.CreateOptions{MakePath: true}) })
		}
		c.Env.Tasks.Sleep(time.Second)
		for _, test := range []struct {
			name     string
			m        *zkmirror.ZKMirror
			min, max time.Duration
		}{
			{"second mirror", quick, 0, 0},
			// The create waits for the two earlier requests, and then takes a minute itself.
			{"first mirror", slow, 150 * time.Second, 3 * time.Minute},
		} {
			from := c.Env.Clock.Elapsed()
			c.Must(test.m.Create("/b/y", nil, env.CreateOptions{MakePath: true}))
			if took := c.Env.Clock.Elapsed() - from; took < test.min || took > test.max {
				t.Errorf("a create of the %s took %s, want %s to %s", test.name, took, test.min, test.max)
			}
		}
	})
}
