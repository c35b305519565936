package gotestee

import (
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/zkmirror"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// zkMirrorOps holds the operation of section 8 of the protocol, on zk_mirror.py.
var zkMirrorOps = table{"zk_mirror.sequence": (*call).mirrorSequence}

// mirrorRun is one run of a sequence of steps on a mirror.
type mirrorRun struct {
	c     *call
	m     *zkmirror.ZKMirror
	zk    *caseworld.ZooKeeper
	calls []any
}

func (c *call) mirrorSequence() (any, error) {
	options := c.In.Object("mirror")
	o := zkmirror.MirrorOptions{Bzid: options.Str("bzid"), NumShard: options.IntegerOr("num_tce_shard", 0), Quirks: c.Quirks}
	if options.Value("tce_shard_id") != nil {
		o.ShardID = pysem.Some(options.Integer("tce_shard_id"))
	}
	if options.Value("deploy_type") != nil {
		t, err := agentconfig.NewDeployType(options.Str("deploy_type"))
		if err != nil {
			return nil, err
		}
		o.DeployType = t
	}
	zk := c.NewZK()
	zk.Strict = true
	r := &mirrorRun{c: c, zk: zk, m: zkmirror.NewZKMirror(c.Env, zk, o)}
	steps := c.Run(caseworld.Sequence{Do: r.do(), ZK: zk, Sorted: []string{"delete"}, After: r.after})
	data := lists.Map(r.m.Entries(), func(entry zkmirror.MirrorEntry) any { return []any{entry.Path, orNil(entry.Data)} })
	return caseworld.Object("steps", steps, "data", data, "tree", zk.Tree()), nil
}

// orNil returns an untyped nil, which is encoded as None, if data is nil. Empty bytes stay bytes.
func orNil(data []byte) any {
	if data == nil {
		return nil
	}
	return data
}

func (r *mirrorRun) after(_ caseworld.Step, out *pysem.Dict) {
	events := []any{}
	for queue := r.m.Queue(); queue.Len() > 0; {
		e, _ := queue.Get(0)
		var data any
		if e.Data != nil {
			data = caseworld.TextOrBytes(e.Data)
		}
		events = append(events, caseworld.Raw{V: caseworld.Encode([]any{e.Path, e.EType.String(), data})})
	}
	if len(events) > 0 {
		out.Set("events", events)
	}
	if len(r.calls) > 0 {
		out.Set("calls", r.calls)
		r.calls = nil
	}
}

func (r *mirrorRun) do() caseworld.Do {
	m := r.m
	do := caseworld.Do{
		"env":                       func(s caseworld.Step) { r.c.SetVariables(s.Arguments) },
		"mirror.start":              m.Start,
		"mirror.stop":               m.Stop,
		"mirror.watch_portal":       m.WatchPortal,
		"mirror.watch_publish":      m.WatchPublish,
		"mirror.watch_resource":     m.WatchResource,
		"mirror.watch_service":      m.WatchService,
		"mirror.set_leader":         m.SetLeader,
		"mirror.election":           r.election,
		"mirror.set":                func(path string, value []byte) error { return m.Set(path, orEmpty(value)) },
		"mirror.get":                func(path string) any { return orNil(m.Get(path)) },
		"mirror.exists":             m.Exists,
		"mirror.ensure_path":        m.EnsurePath,
		"mirror.get_children":       m.Children,
		"mirror.get_published_path": m.GetPublishedPath,
		"mirror.tce_replica_id":     m.TCEReplicaID,
		"mirror.is_leader":          m.IsLeader,
		"mirror.num_tce_replica":    m.NumTCEReplica,
		// Missing arguments get the default values of ZKMirror (zk_mirror.py:88).
		"mirror.create": func(path string, value []byte, makePath pysem.OptBool, ephemeral, sequence bool) error {
			return m.Create(path, orEmpty(value), env.CreateOptions{MakePath: makePath.Or(true), Ephemeral: ephemeral, Sequence: sequence})
		},
		"mirror.delete": func(path string, recursive pysem.OptBool) error { return m.Delete(path, recursive.Or(true)) },
	}
	return do.WithPrefix("", r.metas()).WithPrefix("", r.reads())
}

// orEmpty returns empty bytes if data is nil, and otherwise a copy.
func orEmpty(data []byte) []byte { return append([]byte{}, data...) }

// metas returns the steps that write znodes by the mirror's methods for metadata.
func (r *mirrorRun) metas() caseworld.Do {
	m := r.m
	return caseworld.Do{
		"mirror.create_model": func(a caseworld.Arguments) error {
			meta, err := dataOf[datadef.ModelMeta](a, datadef.DefaultModelMeta)
			if err != nil {
				return err
			}
			path, err := meta.GetPath(m.Paths().Portal)
			if err != nil {
				return err
			}
			return m.Create(path, meta.Serialize(), env.CreateOptions{MakePath: true})
		},
		"mirror.publish_loadding": func(s caseworld.Step) error {
			metas, err := r.publishes(s)
			if err != nil {
				return err
			}
			return m.PublishLoading(metas...)
		},
		"mirror.update_service": func(list []caseworld.Arguments) error {
			var replicas []*datadef.ReplicaMeta
			for _, a := range list {
				meta, err := dataOf[datadef.ReplicaMeta](a, datadef.DefaultReplicaMeta)
				if err != nil {
					return err
				}
				replicas = append(replicas, &meta)
			}
			return m.UpdateService(replicas)
		},
		"mirror.report_resource": func(a caseworld.Arguments) error {
			spec, err := dataOf[datadef.ResourceSpec](a, datadef.DefaultResourceSpec)
			if err != nil {
				return err
			}
			return m.ReportResource(&spec)
		},
	}
}

// reads returns the steps that read from the mirror.
func (r *mirrorRun) reads() caseworld.Do {
	m := r.m
	return caseworld.Do{
		"mirror.expected_loading": func() ([]any, error) {
			models, err := m.ExpectedLoading()
			return lists.Map(models, func(model zkmirror.ExpectedModel) any { return []any{model.Name, model.Meta.Fields()} }), err
		},
		"mirror.get_all_replicas": func(serverType string) ([]any, error) {
			tasks, err := m.GetAllReplicas(serverType)
			return metaPairs(tasks), err
		},
		"mirror.get_model_replicas": func(model, serverType string) ([]any, error) {
			tasks, err := m.GetModelReplicas(model, serverType)
			return metaPairs(tasks), err
		},
		"mirror.get_task_replicas": func(model, serverType string, task int) ([]any, error) {
			metas, err := m.GetTaskReplicas(model, serverType, task)
			return listOf(metas), err
		},
		"mirror.get_replica": m.GetReplica,
		"mirror.resources": func() ([]any, error) {
			specs, err := m.Resources()
			return listOf(specs), err
		},
		"mirror.local_replica_paths": func() (any, error) {
			paths, err := m.LocalReplicaPaths()
			return caseworld.Set(caseworld.EncodeList(paths)), err
		},
	}
}

// listOf returns items as a list of values, which are encoded by their fields.
func listOf[T any](items []T) []any {
	return lists.Map(items, func(item T) any { return item })
}

func (r *mirrorRun) publishes(s caseworld.Step) ([]*datadef.PublishMeta, error) {
	list := []caseworld.Arguments{}
	if s.Has("infos") {
		list = s.Objects("infos")
	} else {
		list = append(list, s.Object("info"))
	}
	return publishMetas(list)
}

func publishMetas(list []caseworld.Arguments) ([]*datadef.PublishMeta, error) {
	var metas []*datadef.PublishMeta
	for _, a := range list {
		meta, err := dataOf[datadef.PublishMeta](a, datadef.DefaultPublishMeta)
		if err != nil {
			return nil, err
		}
		metas = append(metas, &meta)
	}
	return metas, nil
}

// election takes part in an election and waits until the thread has ended. With asks, the leader
// also asks whether it leads. With closes, the first connection is lost.
func (r *mirrorRun) election(s caseworld.Step) {
	leaders := 0
	thread := r.m.Election(func(m *zkmirror.ZKMirror) error {
		leaders++
		// In the reference the second argument is the scheduler. In the port the closure has it.
		r.calls = append(r.calls, []any{"leader", m == r.m, "sched-object"})
		if s.Flag("asks") {
			r.calls = append(r.calls, []any{"is_leader", m.IsLeader()})
		}
		if s.Flag("closes") && leaders == 1 {
			r.happen(s)
			r.zk.Stop()
			return zkerrors.ErrConnectionClosed
		}
		if s.Flag("raises") {
			return pysem.Raise("ValueError", "leader failed")
		}
		return nil
	}, s.OptStr("identifier"))
	if thread != nil {
		thread.Join()
	}
}

// happen runs the steps that the election step lists as happening before the connection closes.
func (r *mirrorRun) happen(s caseworld.Step) {
	if !s.Has("happens") {
		return
	}
	for _, step := range s.Steps("happens") {
		if _, err := r.zk.DoQuietly(step); err != nil {
			caseworld.BadCasef("%s: %s: %v", s.Where, step.Name, err)
		}
	}
}

func metaPairs(tasks []zkmirror.TaskMetas) []any {
	return lists.Map(tasks, func(t zkmirror.TaskMetas) any { return []any{t.Key, listOf(t.Replicas)} })
}
