package simrun_test

import (
	"fmt"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// zk_mirror_test.py, setUpClass: shard 2 of 10, replica 2.
func inMirror(t *testing.T, fn func(r *mirrorRun)) {
	vars := map[string]any{"MONOLITH_HOST_SHARD_N": "10", "SHARD_ID": "2", "REPLICA_ID": "2"}
	inFakeWorld(t, vars, func(c *parityCase) {
		r := c.newMirror(agent.MirrorOptions{Bzid: "bzid", ShardID: pysem.Some(2), NumShard: 10})
		c.must(r.m.Start(false))
		fn(r)
		c.must(r.m.Stop())
	})
}

func TestUpstreamZKMirror_test_crud(t *testing.T) {
	inMirror(t, func(r *mirrorRun) {
		exists := func(want bool) {
			t.Helper()
			got, err := r.m.Exists("/model/crud")
			r.must(err)
			if got != want {
				t.Errorf("/model/crud exists: got %t, want %t", got, want)
			}
		}
		holds := func(want string) {
			t.Helper()
			got, _, err := r.zk.Get("/model/crud/data")
			r.must(err)
			if string(got) != want {
				t.Errorf("/model/crud/data: got %q, want %q", got, want)
			}
		}
		exists(false)
		r.must(r.m.EnsurePath("/model/crud"))
		exists(true)
		r.must(r.m.Create("/model/crud/data", []byte("test"), env.CreateOptions{MakePath: true}))
		holds("test")
		r.must(r.m.Set("/model/crud/data", []byte("new_test")))
		holds("new_test")
		r.must(r.m.Delete("/model/crud", false)) // its child goes with it all the same
		exists(false)

		replica, err := r.m.TCEReplicaID()
		r.must(err)
		if got, want := [3]int{r.m.NumTCEShard(), replica, r.m.TCEShardID()}, [3]int{10, 2, 2}; got != want {
			t.Errorf("number of shards, replica, shard: got %v, want %v", got, want)
		}
	})
}

// mirroredModel is the model of the test, mirroredVersion the version to load.
const (
	mirroredModel   = "model"
	mirroredVersion = "123456"
)

// schedule publishes the model, whose shards go to containers of which this is the
// first. The reference draws the others; here they are given.
func (r *mirrorRun) schedule(mm agent.ModelMeta) {
	r.t.Helper()
	const numPS, numReplicas = 10, 3
	var pms []*agent.PublishMeta
	for i, shard := range []int{r.m.TCEShardID(), 7, 0, 9, 4} {
		var sub agent.SubModels
		for k := i; k < numPS; k += mm.NumShard {
			sub = sub.With(fmt.Sprintf("ps_%d", k), versionPath(mm, fmt.Sprintf("ps_%d", k)))
		}
		sub = sub.With("entry", versionPath(mm, "entry"))
		for replica := range numReplicas {
			pm := agent.DefaultPublishMeta()
			pm.ShardID, pm.ReplicaID = pysem.Some(shard), replica
			pm.ModelName, pm.NumPS, pm.SubModels = mm.ModelName, pysem.Some(numPS), sub
			pms = append(pms, &pm)
		}
	}
	for _, pm := range pms {
		pm.TotalPublishNum = len(pms)
	}
	r.must(r.m.PublishLoading(pms...))
}

func versionPath(mm agent.ModelMeta, subModel string) string {
	return mm.ModelDir.V + "/" + subModel + "/" + mirroredVersion
}

// replicaOf is this container's AVAILABLE replica of a task.
func (r *mirrorRun) replicaOf(serverType string, task int) *agent.ReplicaMeta {
	rm := agent.DefaultReplicaMeta()
	rm.Address, rm.ModelName = pysem.Some(agent.LocalIP(r.env)+":8080"), pysem.Some(mirroredModel)
	rm.ServerType, rm.Task, rm.Replica = pysem.Some(serverType), task, 2
	rm.Stat = env.StateAvailable
	return &rm
}

func TestUpstreamZKMirror_test_zk_mirror(t *testing.T) {
	inMirror(t, func(r *mirrorRun) {
		r.must(r.m.WatchPortal())
		r.must(r.m.WatchResource())
		r.schedule(r.requestLoading())
		r.expectsOwnShard()
		entry, ps0, ps5 := r.replicaOf("entry", 0), r.replicaOf("ps", 0), r.replicaOf("ps", 5)
		r.must(r.m.UpdateService([]*agent.ReplicaMeta{ps0, ps5, entry}))
		r.findsReplicas(entry, ps0, ps5)
		r.reportsResources()
	})
}

// requestLoading asks for a model and answers what the mirror tells of it.
func (r *mirrorRun) requestLoading() agent.ModelMeta {
	r.t.Helper()
	mm := agent.DefaultModelMeta()
	mm.ModelName, mm.ModelDir, mm.NumShard = pysem.Some(mirroredModel), pysem.Some("/tmp/model/saved_models"), 5
	portal := path.Join(r.m.Paths().Portal, mirroredModel)
	r.must(r.m.Create(portal, mm.Serialize(), env.CreateOptions{MakePath: true}))
	if n := r.queue.Len(); n != 1 {
		r.t.Fatalf("got %d events, want that of the portal", n)
	}
	event, _ := r.queue.Get(0)
	if event.EType != agent.EventPortal || event.Path != pysem.Some(portal) {
		r.t.Errorf("event: got %s of %s, want PORTAL of %s", event.EType, event.Path, portal)
	}
	told, err := agent.ParseModelMeta(event.Data)
	r.must(err)
	if told.ModelName != mm.ModelName || told.ModelDir != mm.ModelDir || told.NumShard != mm.NumShard {
		r.t.Errorf("event: got %s, want the model of %s", told.Serialize(), mm.Serialize())
	}
	return told
}

// expectsOwnShard wants the one model to be loaded, with the PS of the first part.
func (r *mirrorRun) expectsOwnShard() {
	r.t.Helper()
	models, err := r.m.ExpectedLoading()
	r.must(err)
	if len(models) != 1 || models[0].Name != pysem.Some(mirroredModel) {
		r.t.Fatalf("expected models: got %v, want %s alone", models, mirroredModel)
	}
	pm := models[0].Meta
	if pm.ShardID != pysem.Some(2) {
		r.t.Errorf("shard: got %s, want 2", pm.ShardID)
	}
	want := agent.SubModels{
		{Name: "ps_0", Path: "/tmp/model/saved_models/ps_0/123456"},
		{Name: "ps_5", Path: "/tmp/model/saved_models/ps_5/123456"},
		{Name: "entry", Path: "/tmp/model/saved_models/entry/123456"},
	}
	if diff := cmp.Diff(want, pm.SubModels); diff != "" {
		r.t.Errorf("sub-models (-want +got):\n%s", diff)
	}
}

func (r *mirrorRun) findsReplicas(entry, ps0, ps5 *agent.ReplicaMeta) {
	r.t.Helper()
	all, err := r.m.GetAllReplicas("ps")
	r.must(err)
	r.hasTasks("all PS", all, task("model:ps:0", ps0), task("model:ps:5", ps5))
	ofModel, err := r.m.GetModelReplicas(mirroredModel, "entry")
	r.must(err)
	r.hasTasks("entry of the model", ofModel, task("model:entry:0", entry))
	ofTask, err := r.m.GetTaskReplicas(mirroredModel, "ps", 0)
	r.must(err)
	r.hasTasks("PS 0", []agent.TaskMetas{{Key: "model:ps:0", Replicas: ofTask}}, task("model:ps:0", ps0))
	one, err := r.m.GetReplica(mirroredModel, "ps", 5, 2)
	r.must(err)
	if one == nil || !one.Equal(ps5) {
		r.t.Errorf("replica 2 of PS 5: got %v, want %s", one, ps5.Serialize())
	}
	paths, err := r.m.LocalReplicaPaths()
	r.must(err)
	want := []string{"/bzid/service/model/entry:0/2", "/bzid/service/model/ps:0/2", "/bzid/service/model/ps:5/2"}
	if diff := cmp.Diff(want, paths); diff != "" {
		r.t.Errorf("local replicas (-want +got):\n%s", diff)
	}
}

func task(key string, replica *agent.ReplicaMeta) agent.TaskMetas {
	return agent.TaskMetas{Key: key, Replicas: []*agent.ReplicaMeta{replica}}
}

// hasTasks wants these tasks in their order, each with its replica.
func (r *mirrorRun) hasTasks(what string, got []agent.TaskMetas, want ...agent.TaskMetas) {
	r.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (r *mirrorRun) reportsResources() {
	r.t.Helper()
	spec := agent.DefaultResourceSpec()
	spec.Address = pysem.Some(agent.LocalIP(r.env) + ":1234")
	spec.ShardID, spec.ReplicaID, spec.Memory = pysem.Some(2), pysem.Some(2), pysem.Some(12345)
	spec.CPU, spec.Network, spec.WorkLoad = 5.6, 3.2, 0.7
	r.must(r.m.ReportResource(&spec))
	got, err := r.m.Resources()
	r.must(err)
	if len(got) != 1 || !got[0].Equal(&spec) {
		r.t.Errorf("resources: got %v, want %s alone", got, spec.Serialize())
	}
}
