package gotestee

import (
	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// zkMirrorOps are section 8 of the protocol: zk_mirror.py.
var zkMirrorOps = table{"zk_mirror.sequence": (*call).mirrorSequence}

// mirrorRun is a sequence on one mirror.
type mirrorRun struct {
	c     *call
	m     *agent.ZKMirror
	zk    *fakeZK
	calls []any
}

func (c *call) mirrorSequence() (any, error) {
	options := c.in.object("mirror")
	o := agent.MirrorOptions{Bzid: options.str("bzid"), NumShard: options.integerOr("num_tce_shard", 0), Quirks: c.quirks}
	if options.value("tce_shard_id") != nil {
		o.ShardID = pysem.Some(options.integer("tce_shard_id"))
	}
	if options.value("deploy_type") != nil {
		t, err := agent.NewDeployType(options.str("deploy_type"))
		if err != nil {
			return nil, err
		}
		o.DeployType = t
	}
	zk := c.newZK()
	zk.strict = true
	r := &mirrorRun{c: c, zk: zk, m: agent.NewZKMirror(c.env, zk, o)}
	steps := c.sequence(zk, r.do, r.after, "delete")
	data := []any{}
	for _, entry := range r.m.Entries() {
		data = append(data, []any{entry.Path, orNil(entry.Data)})
	}
	return object("steps", steps, "data", data, "tree", zk.tree()), nil
}

// orNil keeps None apart from empty bytes.
func orNil(data []byte) any {
	if data == nil {
		return nil
	}
	return data
}

func (r *mirrorRun) after(_ step, out *pysem.Dict) {
	events := []any{}
	for queue := r.m.Queue(); queue.Len() > 0; {
		e, _ := queue.Get(0)
		var data any
		if e.Data != nil {
			data = textOrBytes(e.Data)
		}
		events = append(events, raw{encode([]any{e.Path, e.EType.String(), data})})
	}
	if len(events) > 0 {
		out.Set("events", events)
	}
	if len(r.calls) > 0 {
		out.Set("calls", r.calls)
		r.calls = nil
	}
}

func (r *mirrorRun) do(s step) (any, error) {
	m := r.m
	switch s.name {
	case "env":
		r.c.setVariables(s.arguments)
		return nil, nil
	case "mirror.start":
		return nil, m.Start(s.flag("is_client"))
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
func (r *mirrorRun) nodes(s step) (v any, ok bool, err error) {
	m := r.m
	switch s.name {
	case "mirror.create":
		return nil, true, m.Create(s.str("path"), s.valueOrEmpty(), env.CreateOptions{
			MakePath: makePath(s), Ephemeral: s.flag("ephemeral"), Sequence: s.flag("sequence"),
		})
	case "mirror.set":
		return nil, true, m.Set(s.str("path"), s.valueOrEmpty())
	case "mirror.get":
		return orNil(m.Get(s.str("path"))), true, nil
	case "mirror.exists":
		found, err := m.Exists(s.str("path"))
		return found, true, err
	case "mirror.delete":
		return nil, true, m.Delete(s.str("path"), !s.has("recursive") || s.flag("recursive"))
	case "mirror.ensure_path":
		return nil, true, m.EnsurePath(s.str("path"))
	case "mirror.get_children":
		return m.Children(s.str("path")), true, nil
	}
	return nil, false, nil
}

// makePath is the default of ZKMirror.create (zk_mirror.py:88).
func makePath(s step) bool { return !s.has("makepath") || s.flag("makepath") }

// changes are the steps that write for a purpose.
func (r *mirrorRun) changes(s step) (v any, ok bool, err error) {
	m := r.m
	switch s.name {
	case "mirror.create_model":
		meta, err := dataOf[agent.ModelMeta](s.object("meta"), agent.DefaultModelMeta)
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
		var replicas []*agent.ReplicaMeta
		for _, a := range s.objects("replicas") {
			meta, err := dataOf[agent.ReplicaMeta](a, agent.DefaultReplicaMeta)
			if err != nil {
				return nil, true, err
			}
			replicas = append(replicas, &meta)
		}
		return nil, true, m.UpdateService(replicas)
	case "mirror.report_resource":
		spec, err := dataOf[agent.ResourceSpec](s.object("resource"), agent.DefaultResourceSpec)
		if err != nil {
			return nil, true, err
		}
		return nil, true, m.ReportResource(&spec)
	}
	return nil, false, nil
}

func (r *mirrorRun) publishes(s step) ([]*agent.PublishMeta, error) {
	list := []arguments{}
	if s.has("infos") {
		list = s.objects("infos")
	} else {
		list = append(list, s.object("info"))
	}
	return publishMetas(list)
}

func publishMetas(list []arguments) ([]*agent.PublishMeta, error) {
	var metas []*agent.PublishMeta
	for _, a := range list {
		meta, err := dataOf[agent.PublishMeta](a, agent.DefaultPublishMeta)
		if err != nil {
			return nil, err
		}
		metas = append(metas, &meta)
	}
	return metas, nil
}

// election stands for election and joins the thread. With asks the leader asks
// whether it leads; with closes the first one loses the connection.
func (r *mirrorRun) election(s step) {
	leaders := 0
	thread := r.m.Election(func(m *agent.ZKMirror) error {
		leaders++
		// The second argument is the reference's scheduler, which the port leaves to
		// the closure.
		r.calls = append(r.calls, []any{"leader", m == r.m, "sched-object"})
		if s.flag("asks") {
			r.calls = append(r.calls, []any{"is_leader", m.IsLeader()})
		}
		if s.flag("closes") && leaders == 1 {
			r.zk.Stop()
			return env.ErrConnectionClosed
		}
		if s.flag("raises") {
			return pysem.Raise("ValueError", "leader failed")
		}
		return nil
	}, s.optStr("identifier"))
	if thread != nil {
		thread.Join()
	}
}

// queries are the steps that only ask.
func (r *mirrorRun) queries(s step) (any, error) {
	m := r.m
	switch s.name {
	case "mirror.expected_loading":
		models, err := m.ExpectedLoading()
		pairs := []any{}
		for _, model := range models {
			pairs = append(pairs, []any{model.Name, model.Meta.Fields()})
		}
		return pairs, err
	case "mirror.get_published_path":
		return m.GetPublishedPath(s.str("model_name")), nil
	case "mirror.get_all_replicas":
		tasks, err := m.GetAllReplicas(s.str("server_type"))
		return metaPairs(tasks), err
	case "mirror.get_model_replicas":
		tasks, err := m.GetModelReplicas(s.str("model_name"), s.str("server_type"))
		return metaPairs(tasks), err
	case "mirror.get_task_replicas":
		metas, err := m.GetTaskReplicas(s.str("model_name"), s.str("server_type"), s.integer("task"))
		return metaList(metas), err
	case "mirror.get_replica":
		meta, err := m.GetReplica(s.str("model_name"), s.str("server_type"), s.integer("task"), s.integer("replica"))
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
		return set(encodeList(paths)), err
	case "mirror.tce_replica_id":
		id, err := m.TCEReplicaID()
		return id, err
	case "mirror.is_leader":
		return m.IsLeader(), nil
	case "mirror.num_tce_replica":
		n, err := m.NumTCEReplica()
		return n, err
	}
	unknownStep(s)
	return nil, nil
}

func metaPairs(tasks []agent.TaskMetas) []any {
	list := []any{}
	for _, t := range tasks {
		list = append(list, []any{t.Key, metaList(t.Replicas)})
	}
	return list
}

func metaList(metas []*agent.ReplicaMeta) []any {
	list := []any{}
	for _, m := range metas {
		list = append(list, m.Fields())
	}
	return list
}
