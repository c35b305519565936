package gotestee

import (
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/zkmirror"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// zkMirrorOps are section 8 of the protocol: zk_mirror.py.
var zkMirrorOps = table{"zk_mirror.sequence": (*call).mirrorSequence}

// mirrorRun is a sequence on one mirror.
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
	steps := c.Sequence(zk, r.do, r.after, "delete")
	data := []any{}
	for _, entry := range r.m.Entries() {
		data = append(data, []any{entry.Path, orNil(entry.Data)})
	}
	return caseworld.Object("steps", steps, "data", data, "tree", zk.Tree()), nil
}

// orNil keeps None apart from empty bytes.
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

func (r *mirrorRun) do(s caseworld.Step) (any, error) {
	m := r.m
	switch s.Name {
	case "env":
		r.c.SetVariables(s.Arguments)
		return nil, nil
	case "mirror.start":
		return nil, m.Start(s.Flag("is_client"))
	case "mirror.stop":
		return nil, m.Stop()
	case "mirror.watch_portal":
		return nil, m.WatchPortal()
	case "mirror.watch_publish":
		return nil, m.WatchPublish()
	case "mirror.watch_resource":
		return nil, m.WatchResource()
	case "mirror.watch_service":
		return nil, m.WatchService()
	case "mirror.set_leader":
		m.SetLeader()
		return nil, nil
	case "mirror.election":
		r.election(s)
		return nil, nil
	}
	if v, ok, err := r.nodes(s); ok {
		return v, err
	}
	if v, ok, err := r.changes(s); ok {
		return v, err
	}
	return r.queries(s)
}

// nodes are the steps on single znodes.
func (r *mirrorRun) nodes(s caseworld.Step) (v any, ok bool, err error) {
	m := r.m
	switch s.Name {
	case "mirror.create":
		return nil, true, m.Create(s.Str("path"), s.ValueOrEmpty(), env.CreateOptions{
			MakePath: makePath(s), Ephemeral: s.Flag("ephemeral"), Sequence: s.Flag("sequence"),
		})
	case "mirror.set":
		return nil, true, m.Set(s.Str("path"), s.ValueOrEmpty())
	case "mirror.get":
		return orNil(m.Get(s.Str("path"))), true, nil
	case "mirror.exists":
		found, err := m.Exists(s.Str("path"))
		return found, true, err
	case "mirror.delete":
		return nil, true, m.Delete(s.Str("path"), !s.Has("recursive") || s.Flag("recursive"))
	case "mirror.ensure_path":
		return nil, true, m.EnsurePath(s.Str("path"))
	case "mirror.get_children":
		return m.Children(s.Str("path")), true, nil
	}
	return nil, false, nil
}

// makePath is the default of ZKMirror.create (zk_mirror.py:88).
func makePath(s caseworld.Step) bool { return !s.Has("makepath") || s.Flag("makepath") }

// changes are the steps that write for a purpose.
func (r *mirrorRun) changes(s caseworld.Step) (v any, ok bool, err error) {
	m := r.m
	switch s.Name {
	case "mirror.create_model":
		meta, err := dataOf[datadef.ModelMeta](s.Object("meta"), datadef.DefaultModelMeta)
		if err != nil {
			return nil, true, err
		}
		path, err := meta.GetPath(m.Paths().Portal)
		if err != nil {
			return nil, true, err
		}
		return nil, true, m.Create(path, meta.Serialize(), env.CreateOptions{MakePath: true})
	case "mirror.publish_loadding":
		metas, err := r.publishes(s)
		if err != nil {
			return nil, true, err
		}
		return nil, true, m.PublishLoading(metas...)
	case "mirror.update_service":
		var replicas []*datadef.ReplicaMeta
		for _, a := range s.Objects("replicas") {
			meta, err := dataOf[datadef.ReplicaMeta](a, datadef.DefaultReplicaMeta)
			if err != nil {
				return nil, true, err
			}
			replicas = append(replicas, &meta)
		}
		return nil, true, m.UpdateService(replicas)
	case "mirror.report_resource":
		spec, err := dataOf[datadef.ResourceSpec](s.Object("resource"), datadef.DefaultResourceSpec)
		if err != nil {
			return nil, true, err
		}
		return nil, true, m.ReportResource(&spec)
	}
	return nil, false, nil
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

// election stands for election and joins the thread. With asks the leader asks
// whether it leads; with closes the first one loses the connection.
func (r *mirrorRun) election(s caseworld.Step) {
	leaders := 0
	thread := r.m.Election(func(m *zkmirror.ZKMirror) error {
		leaders++
		// The second argument is the reference's scheduler, which the port leaves to
		// the closure.
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

// happen does what happens before the connection closes.
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

// queries are the steps that only ask.
func (r *mirrorRun) queries(s caseworld.Step) (any, error) {
	m := r.m
	switch s.Name {
	case "mirror.expected_loading":
		models, err := m.ExpectedLoading()
		pairs := []any{}
		for _, model := range models {
			pairs = append(pairs, []any{model.Name, model.Meta.Fields()})
		}
		return pairs, err
	case "mirror.get_published_path":
		return m.GetPublishedPath(s.Str("model_name")), nil
	case "mirror.get_all_replicas":
		tasks, err := m.GetAllReplicas(s.Str("server_type"))
		return metaPairs(tasks), err
	case "mirror.get_model_replicas":
		tasks, err := m.GetModelReplicas(s.Str("model_name"), s.Str("server_type"))
		return metaPairs(tasks), err
	case "mirror.get_task_replicas":
		metas, err := m.GetTaskReplicas(s.Str("model_name"), s.Str("server_type"), s.Integer("task"))
		return metaList(metas), err
	case "mirror.get_replica":
		meta, err := m.GetReplica(s.Str("model_name"), s.Str("server_type"), s.Integer("task"), s.Integer("replica"))
		if err != nil || meta == nil {
			return nil, err
		}
		return meta.Fields(), nil
	case "mirror.resources":
		specs, err := m.Resources()
		list := []any{}
		for _, spec := range specs {
			list = append(list, spec.Fields())
		}
		return list, err
	case "mirror.local_replica_paths":
		paths, err := m.LocalReplicaPaths()
		return caseworld.Set(caseworld.EncodeList(paths)), err
	case "mirror.tce_replica_id":
		id, err := m.TCEReplicaID()
		return id, err
	case "mirror.is_leader":
		return m.IsLeader(), nil
	case "mirror.num_tce_replica":
		n, err := m.NumTCEReplica()
		return n, err
	}
	caseworld.UnknownStep(s)
	return nil, nil
}

func metaPairs(tasks []zkmirror.TaskMetas) []any {
	list := []any{}
	for _, t := range tasks {
		list = append(list, []any{t.Key, metaList(t.Replicas)})
	}
	return list
}

func metaList(metas []*datadef.ReplicaMeta) []any {
	list := []any{}
	for _, m := range metas {
		list = append(list, m.Fields())
	}
	return list
}
