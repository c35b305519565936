package simrun_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/monitor"
	"github.com/monosim/monosim/engine/pysem"
)

// testdata/mirror.jsonl has cases of the mirror, of the service on it and of what
// only agents on a mirror do with model servers, those of the protocol's own
// description first. testdata/record_mirror.py made them from the reference.
func TestMirrorAnswersEqualTheReferences(t *testing.T) { runParityCases(t, "testdata/mirror.jsonl") }

func init() {
	operations["zk_mirror.sequence"] = (*parityCase).mirrorSequence
	operations["agent_service.AgentServiceImpl.v2"] = (*parityCase).serviceV2
	operations["tfs_monitor.TFSMonitor.gen_model_config"] = (*parityCase).modelConfigs
	operations["tfs_monitor.TFSMonitor.sequence"] = (*parityCase).monitorSequence
}

// mirrorZK is a fake client whose deletes are recursive only when asked to be: a
// mirror always says.
type mirrorZK struct{ *recordingZK }

func (z mirrorZK) Delete(path string, o env.DeleteOptions) error {
	if o.Recursive {
		return z.recordingZK.Delete(path, o)
	}
	z.note("delete", object("path", path))
	return z.DeleteLeaf(path)
}

// mirrorHost is a host whose variables a case can change.
type mirrorHost struct {
	env.Host
	vars map[string]agent.OptString
}

func (h *mirrorHost) LookupEnv(name string) (string, bool) {
	if v, ok := h.vars[name]; ok {
		return v.V, v.Set
	}
	return h.Host.LookupEnv(name)
}

// mirrorRun is a mirror whose steps are answered.
type mirrorRun struct {
	*parityCase
	host  *mirrorHost
	zk    mirrorZK
	m     *agent.ZKMirror
	queue *monitor.Queue[agent.Event]
	calls []any
}

func (c *parityCase) newMirror(o agent.MirrorOptions) *mirrorRun {
	r := &mirrorRun{parityCase: c, host: &mirrorHost{Host: c.env.Host, vars: map[string]agent.OptString{}}}
	c.env.Host = r.host
	r.zk = mirrorZK{newRecordingZK(c.env)}
	r.queue = monitor.NewQueue[agent.Event](c.env.Tasks, "events")
	o.Queue = r.queue
	r.m = agent.NewZKMirror(c.env, r.zk, o)
	return r
}

// mirrorSequence is section 8 of the protocol.
func (c *parityCase) mirrorSequence() (any, error) {
	given := item(c.in, "mirror").(*pysem.Dict)
	o := agent.MirrorOptions{Bzid: text(given, "bzid"), NumShard: number(given, "num_tce_shard"), DeployType: agent.DeployType(text(given, "deploy_type"))}
	if shard, ok := item(given, "tce_shard_id").(int); ok {
		o.ShardID = pysem.Some(shard)
	}
	r := c.newMirror(o)
	steps := []any{}
	for _, s := range item(c.in, "steps").([]any) {
		steps = append(steps, r.step(s.([]any)[0].(string), s.([]any)[1].(*pysem.Dict)))
	}
	data := []any{}
	for _, entry := range r.m.Entries() {
		data = append(data, []any{entry.Path, hexOrNone(entry.Data)})
	}
	return object("steps", steps, "data", data, "tree", r.zk.tree()), nil
}

func hexOrNone(data []byte) any {
	if data == nil {
		return nil
	}
	return encodeValue(data)
}

func (r *mirrorRun) step(name string, a *pysem.Dict) *pysem.Dict {
	r.zk.calls, r.calls = nil, nil
	var step *pysem.Dict
	if method, ok := strings.CutPrefix(name, "zk."); ok {
		r.zk.quiet = true
		step = attempt(r.onClient(method, a))
		r.zk.quiet = false
	} else {
		step = attempt(r.do(strings.TrimPrefix(name, "mirror."), a))
	}
	set := func(name string, list []any) {
		if len(list) > 0 {
			step.Set(name, list)
		}
	}
	set("writes", r.zk.take("delete"))
	set("events", r.takeEvents())
	set("calls", r.calls)
	return step
}

func (r *mirrorRun) takeEvents() []any {
	var events []any
	for r.queue.Len() > 0 {
		e, _ := r.queue.Get(0)
		data := hexOrNone(e.Data)
		if e.Data != nil && utf8.Valid(e.Data) {
			data = string(e.Data)
		}
		events = append(events, []any{e.Path.Any(), e.EType.String(), data})
	}
	return events
}

func (r *mirrorRun) onClient(method string, a *pysem.Dict) (any, error) {
	if method == "start" {
		return nil, r.zk.Start(0)
	}
	return r.zk.do(method, a)
}

func (r *mirrorRun) do(name string, a *pysem.Dict) (any, error) {
	path, value := text(a, "path"), data(a, "value")
	switch name {
	case "env":
		for _, v := range a.Items {
			r.host.vars[v.Key] = optional(v.Value)
		}
		return nil, nil
	case "start":
		return nil, r.m.Start(isTrue(a, "is_client"))
	case "stop":
		return nil, r.m.Stop()
	case "create":
		makePath, given := a.Get("makepath")
		return nil, r.m.Create(path, append([]byte{}, value...), env.CreateOptions{
			MakePath: !given || makePath == true, Ephemeral: isTrue(a, "ephemeral"), Sequence: isTrue(a, "sequence")})
	case "set":
		return nil, r.m.Set(path, append([]byte{}, value...))
	case "get":
		return hexOrNone(r.m.Get(path)), nil
	case "exists":
		return r.m.Exists(path)
	case "delete":
		recursive, given := a.Get("recursive")
		return nil, r.m.Delete(path, !given || recursive == true)
	case "ensure_path":
		return nil, r.m.EnsurePath(path)
	case "get_children":
		return r.m.Children(path), nil
	case "set_leader":
		r.m.SetLeader()
		return nil, nil
	case "is_leader":
		return r.m.IsLeader(), nil
	case "election":
		return nil, r.election(a)
	}
	if strings.HasPrefix(name, "watch_") {
		return nil, r.watch(name)
	}
	return r.use(name, a)
}

func (r *mirrorRun) watch(name string) error {
	return map[string]func() error{
		"watch_portal": r.m.WatchPortal, "watch_publish": r.m.WatchPublish,
		"watch_resource": r.m.WatchResource, "watch_service": r.m.WatchService,
	}[name]()
}

func (r *mirrorRun) election(a *pysem.Dict) error {
	task := r.m.Election(func(m *agent.ZKMirror) error {
		r.calls = append(r.calls, []any{"leader", m == r.m, "sched-object"})
		if isTrue(a, "raises") {
			return pysem.Raise("ValueError", "leader failed")
		}
		return nil
	}, optional(item(a, "identifier")))
	if task != nil {
		task.Join()
	}
	return nil
}

// use is a step that deals with payloads.
func (r *mirrorRun) use(name string, a *pysem.Dict) (any, error) {
	model, server, task := text(a, "model_name"), text(a, "server_type"), number(a, "task")
	switch name {
	case "create_model":
		mm := agent.DefaultModelMeta()
		fill(r.t, &mm, item(a, "meta"))
		path, err := mm.GetPath(r.m.Paths().Portal)
		if err != nil {
			return nil, err
		}
		return nil, r.m.Create(path, mm.Serialize(), env.CreateOptions{MakePath: true})
	case "publish_loadding":
		return nil, r.m.PublishLoading(publishes(r.t, a)...)
	case "expected_loading":
		models, err := r.m.ExpectedLoading()
		list := []any{}
		for _, model := range models {
			list = append(list, []any{model.Name.Any(), fieldsOf(model.Meta)})
		}
		return list, err
	case "get_published_path":
		return r.m.GetPublishedPath(model), nil
	case "update_service":
		return nil, r.m.UpdateService(replicaMetas(r.t, item(a, "replicas")))
	case "report_resource":
		spec := agent.DefaultResourceSpec()
		fill(r.t, &spec, item(a, "resource"))
		return nil, r.m.ReportResource(&spec)
	case "resources":
		specs, err := r.m.Resources()
		return allFields(specs), err
	case "num_tce_replica":
		return r.m.NumTCEReplica()
	case "tce_replica_id":
		return r.m.TCEReplicaID()
	case "local_replica_paths":
		paths, err := r.m.LocalReplicaPaths()
		return object("$set", encodeValue(paths)), err
	case "get_all_replicas":
		return taskFields(r.m.GetAllReplicas(server))
	case "get_model_replicas":
		return taskFields(r.m.GetModelReplicas(model, server))
	case "get_task_replicas":
		replicas, err := r.m.GetTaskReplicas(model, server, task)
		return allFields(replicas), err
	case "get_replica":
		rm, err := r.m.GetReplica(model, server, task, number(a, "replica"))
		if rm == nil {
			return nil, err
		}
		return fieldsOf(rm), err
	}
	panic("mirror step " + name)
}

// payload is what all data definitions have.
type payload interface {
	Set(name string, value any) error
	Fields() []agent.Field
}

// fill sets keyword arguments; types of publishes are given by name.
func fill(t *testing.T, p payload, arguments any) {
	t.Helper()
	for _, f := range arguments.(*pysem.Dict).Items {
		if f.Key == "ptype" {
			f.Value = 1 + slices.Index([]any{"LOAD", "UNLOAD"}, f.Value)
		}
		if err := p.Set(f.Key, f.Value); err != nil {
			t.Fatal(err)
		}
	}
}

// publishes are the publishes of "info", "pm", or of the lists "infos" or "pms".
func publishes(t *testing.T, a *pysem.Dict) []*agent.PublishMeta {
	t.Helper()
	var given []any
	for _, f := range a.Items {
		switch f.Key {
		case "info", "pm":
			given = []any{f.Value}
		case "infos", "pms":
			given = f.Value.([]any)
		}
	}
	var list []*agent.PublishMeta
	for _, arguments := range given {
		pm := agent.DefaultPublishMeta()
		fill(t, &pm, arguments)
		list = append(list, &pm)
	}
	return list
}

func replicaMetas(t *testing.T, given any) []*agent.ReplicaMeta {
	t.Helper()
	var list []*agent.ReplicaMeta
	for _, arguments := range given.([]any) {
		rm := agent.DefaultReplicaMeta()
		fill(t, &rm, arguments)
		list = append(list, &rm)
	}
	return list
}

// fieldsOf is an object of fields, with enum members and floats as such.
func fieldsOf(p payload) *pysem.Dict {
	d := &pysem.Dict{}
	for _, f := range p.Fields() {
		value := encodeValue(f.Value)
		switch v := f.Value.(type) {
		case agent.PublishType:
			value = object("$enum", "PublishType", "name", v.String(), "value", int(v))
		case float64:
			value = object("$f64", pysem.FloatRepr(v))
		}
		d.Set(f.Name, value)
	}
	return d
}

func allFields[P payload](list []P) []any {
	out := []any{}
	for _, p := range list {
		out = append(out, fieldsOf(p))
	}
	return out
}

func taskFields(tasks []agent.TaskMetas, err error) (any, error) {
	list := []any{}
	for _, t := range tasks {
		list = append(list, []any{t.Key, allFields(t.Replicas)})
	}
	return list, err
}

// serviceV2 is section 11 of the protocol.
func (c *parityCase) serviceV2() (any, error) {
	r := c.newMirror(agent.MirrorOptions{Bzid: "b", ShardID: pysem.Some(0)})
	if err := r.m.Start(false); err != nil {
		return nil, err
	}
	if err := r.m.UpdateService(replicaMetas(c.t, item(c.in, "replicas"))); err != nil {
		return nil, err
	}
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	return c.answered(agent.AnswersV2{Env: c.env, Conf: conf, Mirror: r.m}), nil
}
