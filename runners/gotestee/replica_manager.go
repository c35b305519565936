package gotestee

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// replicaManagerOps are section 9 of the protocol: replica_manager.py.
var replicaManagerOps = table{
	"replica_manager.ReplicaWatcher.sequence": (*call).watcherSequence,
	"replica_manager.ReplicaUpdater.sequence": (*call).updaterSequence,
	"replica_manager.ReplicaManager":          (*call).replicaManager,
	"replica_manager.ZKListener":              (*call).zkListener,
}

// setConf is the step conf.
func setConf(conf *agent.AgentConfig, s step) (any, error) {
	for _, item := range s.Items {
		if err := conf.Set(item.Key, item.Value); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// watcher makes a watcher on a started client.
func (c *call) watcher(conf *agent.AgentConfig, archon bool, family agent.OptString) (*agent.ReplicaWatcher, *fakeZK, error) {
	zk, err := c.startedZK()
	if err != nil {
		return nil, nil, err
	}
	w := agent.NewReplicaWatcher(c.env, zk, conf, archon)
	if family.Set && family.V != agent.FamilyIPv4 {
		w.UseFamily(family.V)
	}
	return w, zk, nil
}

func (c *call) watcherSequence() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	w, zk, err := c.watcher(conf, c.in.flag("use_archon"), c.in.optStr("zk_watch_address_family"))
	if err != nil {
		return nil, err
	}
	r := &watcherRun{w: w, zk: zk, conf: conf, archon: c.in.flag("use_archon")}
	steps := c.sequence(zk, r.do, r.after, "delete")
	return object("steps", steps, "family", w.Family(), "path_prefix", w.PathPrefix()), nil
}

type watcherRun struct {
	w      *agent.ReplicaWatcher
	zk     *fakeZK
	conf   *agent.AgentConfig
	archon bool
}

func (r *watcherRun) after(s step, out *pysem.Dict) {
	if strings.HasPrefix(s.name, "zk.") || slices.Contains([]string{"watch_data", "conf", "poll", "stop"}, s.name) {
		out.Set("replicas", raw{encode(replicasOf(r.w))})
	}
}

func (r *watcherRun) do(s step) (any, error) {
	switch s.name {
	case "watch_data":
		return nil, r.w.Watch()
	case "conf":
		return setConf(r.conf, s)
	case "poll":
		if s.has("should_poll") && !s.flag("should_poll") {
			return 60, nil
		}
		_ = r.w.Poll() // an error ends the round only (replica_manager.py:270)
		return 60, nil
	case "stop":
		r.w.Stop()
		return nil, nil
	case "drop_watches":
		r.zk.life++
		return nil, nil
	case "get_all_replicas":
		tasks, err := r.w.GetAllReplicas(serverType(s), s.optStr("idc"), s.optStr("cluster"))
		return taskPairs(tasks), err
	case "get_replicas":
		addrs, err := r.w.GetReplicas(serverType(s), s.integer("task"), s.optStr("idc"), s.optStr("cluster"))
		return addrs, err
	case "get_replica":
		addrs, err := r.w.GetReplica(serverType(s), s.integer("task"), s.integer("replica"), s.optStr("idc"), s.optStr("cluster"))
		return oneOrMore(addrs), err
	case "get_replicas_with_extra_info":
		targets, err := r.w.GetReplicasWithExtraInfo(serverType(s), s.integer("task"), s.optStr("idc"), s.optStr("cluster"))
		return syncTargets(targets), err
	case "sync.get_sync_targets":
		name, targets, err := r.w.ToSyncWrapper().SyncTargets(s.str("sub_graph"))
		return []any{name, syncTargets(targets)}, err
	}
	unknownStep(s)
	return nil, nil
}

func serverType(s step) agentservice.ServerType {
	return agentservice.ServerType(s.integer("server_type"))
}

func syncTargets(targets []agent.SyncTarget) []any {
	list := []any{}
	for _, t := range targets {
		list = append(list, []any{t.Addr, pb(t.Info)})
	}
	return list
}

// oneOrMore is what get_replica makes of its list (Q128).
func oneOrMore(addrs []agent.OptString) any {
	switch len(addrs) {
	case 0:
		return nil
	case 1:
		return addrs[0]
	}
	return addrs
}

func taskPairs(tasks []agent.TaskAddrs) []any {
	list := []any{}
	for _, t := range tasks {
		list = append(list, []any{t.Key, t.Addrs})
	}
	return list
}

func replicasOf(w *agent.ReplicaWatcher) []any {
	list := []any{}
	for _, task := range w.Replicas() {
		replicas := []any{}
		for _, r := range task.Replicas {
			replicas = append(replicas, []any{r.ID, r.Meta.Fields()})
		}
		list = append(list, []any{task.Path, replicas})
	}
	return list
}

// statusStub is a model server that answers one status, or the error.
type statusStub struct {
	versions []env.ModelVersionStatus
	err      error
}

func (s *statusStub) Dial(string) env.ModelServer { return s }

func (s *statusStub) Status(env.ModelSpec, time.Duration) ([]env.ModelVersionStatus, error) {
	return s.versions, s.err
}

func (s *statusStub) Reload([]byte, time.Duration) (env.StatusProto, error) {
	return env.StatusProto{}, nil
}

func (s *statusStub) Close() {}

// take takes over the status of a step: a list of [version, state, code,
// message], null, or the text of an error.
func (s *statusStub) take(a step) {
	*s = statusStub{}
	switch status := a.value("status").(type) {
	case nil:
	case string:
		s.err = pysem.Raise("RuntimeError", "%s", status)
	case []any:
		for _, v := range status {
			s.versions = append(s.versions, versionStatus(a, v))
		}
	default:
		a.wrong("status", "a list, a string or null")
	}
}

// versionStatus reads [version, state], or these with an error code and message.
func versionStatus(a step, v any) env.ModelVersionStatus {
	l, ok := v.([]any)
	if !ok || len(l) != 2 && len(l) != 4 {
		a.wrong("status", "[version, state] or [version, state, code, message]")
	}
	n := make([]int, 3)
	for i := range min(len(l), 3) {
		if n[i], ok = l[i].(int); !ok {
			a.wrong("status", "ints for version, state and code")
		}
	}
	status := env.ModelVersionStatus{Version: int64(n[0]), State: env.ModelState(n[1]), Status: env.StatusProto{Code: env.Code(n[2])}}
	if len(l) == 4 {
		status.Status.Message, _ = l[3].(string)
	}
	return status
}

func (c *call) updaterSequence() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	zk, err := c.startedZK()
	if err != nil {
		return nil, err
	}
	stub := &statusStub{}
	c.env.Models = stub
	u, err := agent.NewReplicaUpdater(c.env, zk, conf)
	if err != nil {
		return nil, err
	}
	u.UseStatus(func(string) ([]env.ModelVersionStatus, error) { return stub.versions, stub.err })
	// Its threads never turn, because no time passes.
	u.Start()
	metrics, err := c.newMetricsLog(conf, stub)
	if err != nil {
		return nil, err
	}
	do := func(s step) (any, error) {
		switch s.name {
		case "conf":
			return setConf(conf, s)
		case "register":
			return nil, u.Register()
		case "props":
			names, err := u.ModelNames()
			paths := u.Paths("3")
			return object("model_names", attempt(names, err), "entry_path", attempt(paths.Entry, nil), "path_prefix", attempt(paths.Prefix, nil),
				"ps_path(3)", attempt(paths.PS, nil), "dense_path()", attempt(paths.Dense, nil)), nil
		case "update":
			stub.take(s)
			return nil, u.Update(s.str("name"))
		case "check_version":
			stub.take(s)
			return nil, metrics.check(c, u, s)
		case "latest_version_in_fs":
			dir, err := u.LatestVersionInFS(s.str("name"))
			return dir, err
		}
		unknownStep(s)
		return nil, nil
	}
	steps := c.sequence(zk, do, metrics.after, "delete")
	if onlyLooksAtFiles(c.in.steps("steps")) {
		return steps, nil
	}
	meta := []any{}
	for _, r := range u.Registered() {
		meta = append(meta, []any{r.Path, r.Meta.Fields()})
	}
	return object("steps", steps, "replica_id", conf.ReplicaID, "meta", meta, "tree", zk.tree()), nil
}

func (c *call) replicaManager() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	zk, err := c.startedZK()
	if err != nil {
		return nil, err
	}
	m, err := agent.NewReplicaManager(c.env, zk, conf)
	if err != nil {
		return nil, err
	}
	w := m.Watcher()
	if err := w.Watch(); err != nil {
		return nil, err
	}
	for _, v := range c.in.list("nodes") {
		n, ok := v.([]any)
		if !ok || len(n) != 2 {
			c.in.wrong("nodes", "a list of [path, stat]")
		}
		path, okPath := n[0].(string)
		stat, okStat := n[1].(int)
		if !okPath || !okStat {
			c.in.wrong("nodes", "a list of [path, stat]")
		}
		if _, err := zk.Create(path, replicaWith(stat), env.CreateOptions{MakePath: true}); err != nil {
			return nil, err
		}
	}
	ps, errPS := m.IsPSSetStarted()
	dense, errDense := m.IsDenseSetStarted()
	tasks, errAll := w.GetAllReplicas(agentservice.ServerType_PS, agent.OptString{}, agent.OptString{})
	all := object()
	for _, t := range tasks {
		all.Set(t.Key, t.Addrs)
	}
	addrs, errAddrs := w.GetReplicas(agentservice.ServerType_PS, 0, pysem.Some("lf"), pysem.Some("def"))
	one, errOne := w.GetReplica(agentservice.ServerType_PS, 0, 1, agent.OptString{}, agent.OptString{})
	return object(
		"ps_set", attempt(ps, errPS), "dense_set", attempt(dense, errDense), "all_ps", attempt(all, errAll),
		"replicas", attempt(addrs, errAddrs), "replica", attempt(oneOrMore(one), errOne)), nil
}

// zkListener gives states to the listener of a manager, one after another.
func (c *call) zkListener() (any, error) {
	tasks := &sleeper{Tasks: c.env.Tasks}
	c.env.Tasks = tasks
	listener := agent.NewSessionListener(c.env)
	out := []any{}
	for _, name := range c.in.strings("states") {
		state, ok := states[name]
		if !ok {
			c.in.wrong("states", "CONNECTED, SUSPENDED and LOST")
		}
		removed := listener.Changed(state)
		flags := listener.Flags()
		out = append(out, object("state", name, "return", removed, "has_lost", flags.Lost,
			"should_poll", flags.Poll, "should_update", flags.Update, "should_reregister", flags.Reregister,
			"sleeps", append([]any{}, tasks.sleptSec...)))
	}
	return out, nil
}

var states = map[string]env.SessionState{"CONNECTED": env.Connected, "SUSPENDED": env.Suspended, "LOST": env.Lost}
