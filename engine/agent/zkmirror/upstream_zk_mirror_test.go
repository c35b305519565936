package zkmirror_test

import (
	"fmt"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/zkmirror"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// inMirror ports setUpClass of zk_mirror_test.py: a mirror for shard 2 of 10, replica 2.
func inMirror(t *testing.T, fn func(r *mirrorRun)) {
	vars := map[string]string{"MONOLITH_HOST_SHARD_N": "10", "SHARD_ID": "2", "REPLICA_ID": "2"}
	worldtest.Run(t, vars, func(c *worldtest.Case) {
		r := newMirror(c, zkmirror.MirrorOptions{Bzid: "bzid", ShardID: pysem.Some(2), NumShard: 10})
		c.Must(r.m.Start(false))
		fn(r)
		c.Must(r.m.Stop())
	})
}

func TestUpstreamZKMirror_test_crud(t *testing.T) {
	inMirror(t, func(r *mirrorRun) {
		exists := func(want bool) {
			t.Helper()
			got, err := r.m.Exists("/model/crud")
			r.Must(err)
			if got != want {
				t.Errorf("/model/crud exists: got %t, want %t", got, want)
			}
		}
		holds := func(want string) {
			t.Helper()
			got, _, err := r.zk.Get("/model/crud/data")
			r.Must(err)
			if string(got) != want {
				t.Errorf("/model/crud/data: got %q, want %q", got, want)
			}
		}
		exists(false)
		r.Must(r.m.EnsurePath("/model/crud"))
		exists(true)
		r.Must(r.m.Create("/model/crud/data", []byte("test"), env.CreateOptions{MakePath: true}))
		holds("test")
		r.Must(r.m.Set("/model/crud/data", []byte("new_test")))
		holds("new_test")
		r.Must(r.m.Delete("/model/crud", false)) // the child is deleted as well, although the delete is not recursive
		exists(false)

		replica, err := r.m.TCEReplicaID()
		r.Must(err)
		if got, want := [3]int{r.m.NumTCEShard(), replica, r.m.TCEShardID()}, [3]int{10, 2, 2}; got != want {
			t.Errorf("number of shards, replica, shard: got %v, want %v", got, want)
		}
	})
}

// mirroredModel is the name of the model in the test, and mirroredVersion is the version to load.
const (
	mirroredModel   = "model"
	mirroredVersion = "123456"
)

// schedule publishes the model to several containers, of which this one is the first. The reference
// draws the others at random. Here they are fixed.
func (r *mirrorRun) schedule(mm datadef.ModelMeta) {
	r.T.Helper()
	const numPS, numReplicas = 10, 3
	var pms []*datadef.PublishMeta
	for i, shard := range []int{r.m.TCEShardID(), 7, 0, 9, 4} {
		var sub datadef.SubModels
		for k := i; k < numPS; k += mm.NumShard {
			sub = sub.With(fmt.Sprintf("ps_%d", k), versionPath(mm, fmt.Sprintf("ps_%d", k)))
		}
		sub = sub.With("entry", versionPath(mm, "entry"))
		for replica := range numReplicas {
			pm := datadef.DefaultPublishMeta()
			pm.ShardID, pm.ReplicaID = pysem.Some(shard), replica
			pm.ModelName, pm.NumPS, pm.SubModels = mm.ModelName, pysem.Some(numPS), sub
			pms = append(pms, &pm)
		}
	}
	for _, pm := range pms {
		pm.TotalPublishNum = len(pms)
	}
	r.Must(r.m.PublishLoading(pms...))
}

func versionPath(mm datadef.ModelMeta, subModel string) string {
	return mm.ModelDir.V + "/" + subModel + "/" + mirroredVersion
}

// replicaOf makes this container's AVAILABLE replica of a task.
func (r *mirrorRun) replicaOf(serverType string, task int) *datadef.ReplicaMeta {
	rm := datadef.DefaultReplicaMeta()
	rm.Address, rm.ModelName = pysem.Some(agentconfig.LocalIP(r.Env)+":8080"), pysem.Some(mirroredModel)
	rm.ServerType, rm.Task, rm.Replica = pysem.Some(serverType), task, 2
	rm.Stat = env.StateAvailable
	return &rm
}

func TestUpstreamZKMirror_test_zk_mirror(t *testing.T) {
	inMirror(t, func(r *mirrorRun) {
		r.Must(r.m.WatchPortal())
		r.Must(r.m.WatchResource())
		r.schedule(r.requestLoading())
		r.expectsOwnShard()
		entry, ps0, ps5 := r.replicaOf("entry", 0), r.replicaOf("ps", 0), r.replicaOf("ps", 5)
		r.Must(r.m.UpdateService([]*datadef.ReplicaMeta{ps0, ps5, entry}))
		r.findsReplicas(entry, ps0, ps5)
		r.reportsResources()
	})
}

// requestLoading requests a model, and returns the request that the mirror puts into its queue.
func (r *mirrorRun) requestLoading() datadef.ModelMeta {
	r.T.Helper()
	mm := datadef.DefaultModelMeta()
	mm.ModelName, mm.ModelDir, mm.NumShard = pysem.Some(mirroredModel), pysem.Some("/tmp/model/saved_models"), 5
	portal := path.Join(r.m.Paths().Portal, mirroredModel)
	r.Must(r.m.Create(portal, mm.Serialize(), env.CreateOptions{MakePath: true}))
	if n := r.queue.Len(); n != 1 {
		r.T.Fatalf("got %d events, want that of the portal", n)
	}
	event, _ := r.queue.Get(0)
	if event.EType != datadef.EventPortal || event.Path != pysem.Some(portal) {
		r.T.Errorf("event: got %s of %s, want PORTAL of %s", event.EType, event.Path, portal)
	}
	told, err := datadef.ParseModelMeta(event.Data)
	r.Must(err)
	if told.ModelName != mm.ModelName || told.ModelDir != mm.ModelDir || told.NumShard != mm.NumShard {
		r.T.Errorf("event: got %s, want the model of %s", told.Serialize(), mm.Serialize())
	}
	return told
}

// expectsOwnShard checks that the container has to load exactly the one model, with the PS of its
// own shard.
func (r *mirrorRun) expectsOwnShard() {
	r.T.Helper()
	models, err := r.m.ExpectedLoading()
	r.Must(err)
	if len(models) != 1 || models[0].Name != pysem.Some(mirroredModel) {
		r.T.Fatalf("expected models: got %v, want %s alone", models, mirroredModel)
	}
	pm := models[0].Meta
	if pm.ShardID != pysem.Some(2) {
		r.T.Errorf("shard: got %s, want 2", pm.ShardID)
	}
	want := datadef.SubModels{
		{Name: "ps_0", Path: "/tmp/model/saved_models/ps_0/123456"},
		{Name: "ps_5", Path: "/tmp/model/saved_models/ps_5/123456"},
		{Name: "entry", Path: "/tmp/model/saved_models/entry/123456"},
	}
	if diff := cmp.Diff(want, pm.SubModels); diff != "" {
		r.T.Errorf("sub-models (-want +got):\n%s", diff)
	}
}

func (r *mirrorRun) findsReplicas(entry, ps0, ps5 *datadef.ReplicaMeta) {
	r.T.Helper()
	all, err := r.m.GetAllReplicas("ps")
	r.Must(err)
	r.hasTasks("all PS", all, task("model:ps:0", ps0), task("model:ps:5", ps5))
	ofModel, err := r.m.GetModelReplicas(mirroredModel, "entry")
	r.Must(err)
	r.hasTasks("entry of the model", ofModel, task("model:entry:0", entry))
	ofTask, err := r.m.GetTaskReplicas(mirroredModel, "ps", 0)
	r.Must(err)
	r.hasTasks("PS 0", []zkmirror.TaskMetas{{Key: "model:ps:0", Replicas: ofTask}}, task("model:ps:0", ps0))
	one, err := r.m.GetReplica(mirroredModel, "ps", 5, 2)
	r.Must(err)
	if one == nil || !one.Equal(ps5) {
		r.T.Errorf("replica 2 of PS 5: got %v, want %s", one, ps5.Serialize())
	}
	paths, err := r.m.LocalReplicaPaths()
	r.Must(err)
	want := []string{"/bzid/service/model/entry:0/2", "/bzid/service/model/ps:0/2", "/bzid/service/model/ps:5/2"}
	if diff := cmp.Diff(want, paths); diff != "" {
		r.T.Errorf("local replicas (-want +got):\n%s", diff)
	}
}

func task(key string, replica *datadef.ReplicaMeta) zkmirror.TaskMetas {
	return zkmirror.TaskMetas{Key: key, Replicas: []*datadef.ReplicaMeta{replica}}
}

// hasTasks compares a list of tasks with the wanted ones, in order and with their replicas.
func (r *mirrorRun) hasTasks(what string, got []zkmirror.TaskMetas, want ...zkmirror.TaskMetas) {
	r.T.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		r.T.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (r *mirrorRun) reportsResources() {
	r.T.Helper()
	spec := datadef.DefaultResourceSpec()
	spec.Address = pysem.Some(agentconfig.LocalIP(r.Env) + ":1234")
	spec.ShardID, spec.ReplicaID, spec.Memory = pysem.Some(2), pysem.Some(2), pysem.Some(12345)
	spec.CPU, spec.Network, spec.WorkLoad = 5.6, 3.2, 0.7
	r.Must(r.m.ReportResource(&spec))
	got, err := r.m.Resources()
	r.Must(err)
	if len(got) != 1 || !got[0].Equal(&spec) {
		r.T.Errorf("resources: got %v, want %s alone", got, spec.Serialize())
	}
}
