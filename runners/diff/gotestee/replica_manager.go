package gotestee

import (
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/message"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// replicaManagerOps holds the operations of section 9 of the protocol, on replica_manager.py.
var replicaManagerOps = table{
	"replica_manager.ReplicaWatcher.sequence": caseworld.With((*call).config, (*call).watcherSequence),
	"replica_manager.ReplicaUpdater.sequence": caseworld.With((*call).countedConfig, (*call).updaterSequence),
	"replica_manager.ReplicaManager":          caseworld.With((*call).config, (*call).replicaManager),
	"replica_manager.ReplicaManager.sequence": (*call).replicaManagerSequence,
	"replica_manager.ZKListener":              (*call).zkListener,
}

// setConf runs the step conf, which changes settings of the configuration.
func setConf(conf *agentconfig.AgentConfig, s caseworld.Step) error {
	for _, item := range s.Items {
		if err := conf.Set(item.Key, item.Value); err != nil {
			return err
		}
	}
	return skipManyShards(conf)
}

// watcher makes a ReplicaWatcher with a started client.
func (c *call) watcher(conf *agentconfig.AgentConfig, archon bool, family pysem.OptString) (*replicamanager.ReplicaWatcher, *caseworld.ZooKeeper, error) {
	zk, err := c.StartedZK()
	if err != nil {
		return nil, nil, err
	}
	return replicamanager.NewReplicaWatcher(c.Env, zk, conf, replicamanager.WatcherOptions{UseArchon: archon, Family: family.V}), zk, nil
}

func (c *call) watcherSequence(conf *agentconfig.AgentConfig) (any, error) {
	threads := &steppedTasks{Tasks: c.Env.Tasks}
	c.Env.Tasks = threads
	w, zk, err := c.watcher(conf, c.In.Flag("use_archon"), c.In.OptStr("zk_watch_address_family"))
	if err != nil {
		return nil, err
	}
	r := &watcherRun{w: w, zk: zk, conf: conf, threads: threads}
	steps := c.Run(caseworld.Sequence{Do: r.do(), ZK: zk, Sorted: []string{"delete"}, After: r.after})
	return caseworld.Object("steps", steps, "family", w.Family(), "path_prefix", w.PathPrefix()), nil
}

type watcherRun struct {
	w       *replicamanager.ReplicaWatcher
	zk      *caseworld.ZooKeeper
	conf    *agentconfig.AgentConfig
	threads *steppedTasks
}

func (r *watcherRun) after(s caseworld.Step, out *pysem.Dict) {
	if strings.HasPrefix(s.Name, "zk.") || slices.Contains([]string{"watch_data", "conf", "poll", "stop"}, s.Name) {
		out.Set("replicas", caseworld.Raw{V: caseworld.Encode(replicasOf(r.w))})
	}
}

func (r *watcherRun) do() caseworld.Do {
	w := r.w
	return caseworld.Do{
		"watch_data": w.WatchData,
		"conf":       func(s caseworld.Step) error { return setConf(r.conf, s) },
		"poll": func(shouldPoll pysem.OptBool) any {
			w.Session().Poll = shouldPoll.Or(true)
			return r.threads.sleepFirst(w.Poll)
		},
		"stop":         w.Stop,
		"drop_watches": func() { r.zk.Life++ },
		"get_all_replicas": func(t agentservice.ServerType, idc, cluster pysem.OptString) (any, error) {
			tasks, err := w.GetAllReplicas(t, idc, cluster)
			return taskPairs(tasks), err
		},
		"get_replicas": w.GetReplicas,
		"get_replica": func(t agentservice.ServerType, task, replica int, idc, cluster pysem.OptString) (any, error) {
			addrs, err := w.GetReplica(t, task, replica, idc, cluster)
			return oneOrMore(addrs), err
		},
		"get_replicas_with_extra_info": func(t agentservice.ServerType, task int, idc, cluster pysem.OptString) (any, error) {
			targets, err := w.GetReplicasWithExtraInfo(t, task, idc, cluster)
			return syncTargets(targets), err
		},
		"sync.get_sync_targets": func(graph string) (any, error) {
			name, targets, err := w.ToSyncWrapper().SyncTargets(graph)
			return []any{name, syncTargets(targets)}, err
		},
	}
}

func syncTargets(targets []replicamanager.SyncTarget) []any {
	return lists.Map(targets, func(t replicamanager.SyncTarget) any { return []any{t.Addr, caseworld.PB(t.Info)} })
}

// oneOrMore returns what get_replica returns for a list of addresses: None if it is empty, its only
// member, or the whole list (Q128).
func oneOrMore(addrs []pysem.OptString) any {
	switch len(addrs) {
	case 0:
		return nil
	case 1:
		return addrs[0]
	}
	return addrs
}

func taskPairs(tasks []replicamanager.TaskAddrs) []any {
	return lists.Map(tasks, func(t replicamanager.TaskAddrs) any { return []any{t.Key, t.Addrs} })
}

func replicasOf(w *replicamanager.ReplicaWatcher) []any {
	list := []any{}
	for path, known := range w.Replicas().All {
		replicas := []any{}
		for id, replica := range known.All {
			meta := replica.Value()
			replicas = append(replicas, []any{id, meta.Fields()})
		}
		list = append(list, []any{path, replicas})
	}
	return list
}

// statusStub is a fake model server. It always answers with the same status, or the same error.
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

// take sets the answer of the stub. A step gives a list of [version, state, code, message], null
// for an empty list, or the text of an error.
func (s *statusStub) take(a caseworld.Step) {
	*s = statusStub{}
	switch status := a.Value("status").(type) {
	case nil:
	case string:
		s.err = pysem.Raise("RuntimeError", "%s", status)
	case []any:
		for _, v := range status {
			version, err := versionStatus(a, v)
			if err != nil {
				*s = statusStub{err: err}
				return
			}
			s.versions = append(s.versions, version)
		}
	default:
		a.Wrong("status", "a list, a string or null")
	}
}

// versionStatus parses [version, state], or [version, state, error code, message]. A number beyond
// its field is a ValueError, which utils.gen_model_version_status raises.
func versionStatus(a caseworld.Step, v any) (env.ModelVersionStatus, error) {
	l, ok := v.([]any)
	if !ok || len(l) != 2 && len(l) != 4 {
		a.Wrong("status", "[version, state] or [version, state, code, message]")
	}
	var version apis.ModelVersionStatus
	var status util.StatusProto
	for i, field := range []struct {
		of   proto.Message
		name string
	}{{&version, "version"}, {&version, "state"}, {&status, "error_code"}} {
		if i == len(l) {
			break
		}
		if _, isInt := pysem.Big(l[i]); !isInt {
			a.Wrong("status", "ints for version, state and code")
		}
		if err := message.Set(field.of, field.name, l[i]); err != nil {
			return env.ModelVersionStatus{}, err
		}
	}
	made := env.ModelVersionStatus{
		Version: version.GetVersion(), State: env.ModelState(version.GetState()), Status: env.StatusProto{Code: rpcerrors.Code(status.GetErrorCode())},
	}
	if len(l) == 4 {
		made.Status.Message, _ = l[3].(string)
	}
	return made, nil
}

// stateOf returns a field as the state of a version's status. A number beyond the field is a
// ValueError.
func stateOf(a caseworld.Arguments, name string) (env.ModelState, error) {
	if _, isInt := pysem.Big(a.Value(name)); !isInt {
		a.Wrong(name, "an int")
	}
	var status apis.ModelVersionStatus
	err := message.Set(&status, "state", a.Value(name))
	return env.ModelState(status.GetState()), err
}

func (c *call) updaterSequence(conf *agentconfig.AgentConfig) (any, error) {
	zk, err := c.StartedZK()
	if err != nil {
		return nil, err
	}
	stub := &statusStub{}
	c.Env.Models = stub
	u, err := replicamanager.NewReplicaUpdater(c.Env, zk, conf)
	if err != nil {
		return nil, err
	}
	u.SetStatus(func(string) ([]env.ModelVersionStatus, error) { return stub.versions, stub.err })
	c.takeMetrics(u)
	steps := c.Run(caseworld.Sequence{ZK: zk, Sorted: []string{"delete"}, Do: caseworld.Do{
		"conf":     func(s caseworld.Step) error { return setConf(conf, s) },
		"register": u.Register,
		"props": func() any {
			names, err := u.ModelNames()
			return caseworld.Object("model_names", caseworld.Attempt(names, err), "entry_path", caseworld.Attempt(u.EntryPath(), nil), "path_prefix", caseworld.Attempt(u.PathPrefix(), nil),
				"ps_path(3)", caseworld.Attempt(u.PSPath("3"), nil), "dense_path()", caseworld.Attempt(u.DensePath(), nil))
		},
		"update": func(s caseworld.Step, name string) error {
			stub.take(s)
			return u.Update(name)
		},
		"check_version": func(s caseworld.Step) error {
			stub.take(s)
			return c.checkVersions(u, s)
		},
		"latest_version_in_fs": u.LatestVersionInFS,
	}})
	if onlyLooksAtFiles(c.In.Steps("steps")) {
		return steps, nil
	}
	meta := lists.Map(u.Registrations(), func(r replicamanager.Registration) any { return []any{r.Path, r.Meta.Fields()} })
	return caseworld.Object("steps", steps, "replica_id", conf.ReplicaID, "meta", meta, "tree", zk.Tree()), nil
}

func (c *call) replicaManager(conf *agentconfig.AgentConfig) (any, error) {
	zk, err := c.StartedZK()
	if err != nil {
		return nil, err
	}
	m, err := replicamanager.NewReplicaManager(c.Env, zk, conf)
	if err != nil {
		return nil, err
	}
	w := m.Watcher()
	if err := w.Watch(); err != nil {
		return nil, err
	}
	for _, n := range c.In.Rows("nodes", "path", "stat") {
		if _, err := zk.Create(n.Str("path"), replicaWith(n.Integer("stat")), env.CreateOptions{MakePath: true}); err != nil {
			return nil, err
		}
	}
	ps, errPS := m.IsPSSetStarted()
	dense, errDense := m.IsDenseSetStarted()
	tasks, errAll := w.GetAllReplicas(agentservice.ServerType_PS, pysem.OptString{}, pysem.OptString{})
	all := caseworld.Object()
	for _, t := range tasks {
		all.Set(t.Key, t.Addrs)
	}
	addrs, errAddrs := w.GetReplicas(agentservice.ServerType_PS, 0, pysem.Some("lf"), pysem.Some("def"))
	one, errOne := w.GetReplica(agentservice.ServerType_PS, 0, 1, pysem.OptString{}, pysem.OptString{})
	return caseworld.Object(
		"ps_set", caseworld.Attempt(ps, errPS), "dense_set", caseworld.Attempt(dense, errDense), "all_ps", caseworld.Attempt(all, errAll),
		"replicas", caseworld.Attempt(addrs, errAddrs), "replica", caseworld.Attempt(oneOrMore(one), errOne)), nil
}

// zkListener calls the session listener of a manager with a list of states, one after another.
func (c *call) zkListener() (any, error) {
	tasks := &caseworld.Sleeper{Tasks: c.Env.Tasks}
	c.Env.Tasks = tasks
	session := replicamanager.NewSession()
	listener := replicamanager.NewSessionListener(c.Env, session)
	out := []any{}
	for _, name := range c.In.Strings("states") {
		state, ok := states[name]
		if !ok {
			c.In.Wrong("states", "CONNECTED, SUSPENDED and LOST")
		}
		removed := listener.Changed(state)
		out = append(out, caseworld.Object("state", name, "return", removed, "has_lost", session.Lost,
			"should_poll", session.Poll, "should_update", session.Update, "should_reregister", session.Reregister,
			"sleeps", append([]any{}, tasks.SleptSec...)))
	}
	return out, nil
}

var states = map[string]env.SessionState{"CONNECTED": env.Connected, "SUSPENDED": env.Suspended, "LOST": env.Lost}
