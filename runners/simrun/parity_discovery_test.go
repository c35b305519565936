package simrun_test

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// setConf is the step conf.
func setConf(conf *agent.AgentConfig, a *pysem.Dict) {
	for _, f := range a.Items {
		if f.Key != "replica_id" {
			panic("conf step sets " + f.Key)
		}
		conf.ReplicaID = pysem.Some(f.Value.(int))
	}
}

// watcher makes a watcher on a started client.
func (c *parityCase) watcher(archon bool, family string) (*agent.ReplicaWatcher, *recordingZK, *agent.AgentConfig, error) {
	conf, err := c.config()
	if err != nil {
		return nil, nil, nil, err
	}
	zk := newRecordingZK(c.env)
	if err := zk.Start(0); err != nil {
		return nil, nil, nil, err
	}
	w := agent.NewReplicaWatcher(c.env, zk, conf, archon)
	if family != "" && family != agent.FamilyIPv4 {
		w.UseFamily(family)
	}
	return w, zk, conf, nil
}

// watcherSequence is section 9 of the protocol.
func (c *parityCase) watcherSequence() (any, error) {
	w, zk, conf, err := c.watcher(isTrue(c.in, "use_archon"), text(c.in, "zk_watch_address_family"))
	if err != nil {
		return nil, err
	}
	do := func(name string, a *pysem.Dict) (any, error) {
		t, task, replica := agentservice.ServerType(number(a, "server_type")), number(a, "task"), number(a, "replica")
		idc, cluster := optional(item(a, "idc")), optional(item(a, "cluster"))
		switch name {
		case "watch_data":
			return nil, w.Watch()
		case "conf":
			setConf(conf, a)
			return nil, nil
		case "poll":
			_ = w.Poll() // an error ends the round only (replica_manager.py:270)
			return 60, nil
		case "stop":
			w.Stop()
			return nil, nil
		case "drop_watches":
			zk.life++
			return nil, nil
		case "get_all_replicas":
			tasks, err := w.GetAllReplicas(t, idc, cluster)
			return taskPairs(tasks), err
		case "get_replicas":
			return answerOf(w.GetReplicas(t, task, idc, cluster))
		case "get_replica":
			addrs, err := w.GetReplica(t, task, replica, idc, cluster)
			return oneOrMore(addrs), err
		case "get_replicas_with_extra_info":
			targets, err := w.GetReplicasWithExtraInfo(t, task, idc, cluster)
			return targetPairs(targets), err
		case "sync.get_sync_targets":
			name, targets, err := w.ToSyncWrapper().SyncTargets(text(a, "sub_graph"))
			return []any{name, targetPairs(targets)}, err
		}
		panic("watcher step " + name)
	}
	after := func(name string, step *pysem.Dict) {
		if strings.HasPrefix(name, "zk.") || slices.Contains([]string{"watch_data", "conf", "poll", "stop"}, name) {
			step.Set("replicas", replicasOf(w))
		}
	}
	steps := c.sequence(zk, do, after, "delete")
	return object("steps", steps, "family", w.Family(), "path_prefix", w.PathPrefix()), nil
}

func answerOf(addrs []agent.OptString, err error) (any, error) { return encodeValue(addrs), err }

// oneOrMore is what get_replica makes of its list (Q128).
func oneOrMore(addrs []agent.OptString) any {
	switch len(addrs) {
	case 0:
		return nil
	case 1:
		return addrs[0].Any()
	}
	return encodeValue(addrs)
}

func taskPairs(tasks []agent.TaskAddrs) []any {
	list := []any{}
	for _, t := range tasks {
		list = append(list, []any{t.Key, encodeValue(t.Addrs)})
	}
	return list
}

func replicasOf(w *agent.ReplicaWatcher) []any {
	list := []any{}
	for _, task := range w.Replicas() {
		replicas := []any{}
		for _, r := range task.Replicas {
			replicas = append(replicas, []any{r.ID, encodeValue(r.Meta.Fields())})
		}
		list = append(list, []any{task.Path, replicas})
	}
	return list
}

// statusStub is a model server that answers one status, or the error.
type statusStub struct {
	versions []env.ModelVersionStatus
	err      error
	// only, when set, is the port of the one server that can be reached.
	only string
}

func (s *statusStub) Dial(addr string) env.ModelServer {
	if s.only != "" && !strings.HasSuffix(addr, ":"+s.only) {
		return &statusStub{err: &env.RPCError{Code: env.Unavailable, Message: "failed to connect"}}
	}
	return s
}

func (s *statusStub) Status(env.ModelSpec, time.Duration) ([]env.ModelVersionStatus, error) {
	return s.versions, s.err
}

func (s *statusStub) Reload([]byte, time.Duration) (env.StatusProto, error) {
	return env.StatusProto{}, nil
}

func (s *statusStub) Close() {}

// set takes over the status of a step: a list of [version, state, code, message],
// null, or the text of an error.
func (s *statusStub) set(status any) {
	*s = statusStub{}
	switch status := status.(type) {
	case string:
		s.err = pysem.Raise("RuntimeError", "%s", status)
	case []any:
		for _, v := range status {
			v := v.([]any)
			s.versions = append(s.versions, env.ModelVersionStatus{
				Version: int64(v[0].(int)), State: env.ModelState(v[1].(int)),
				Status: env.StatusProto{Code: env.Code(v[2].(int)), Message: optional(v[3]).V},
			})
		}
	}
}

// updaterSequence is section 9 of the protocol. The updater's threads never turn,
// because no time passes.
func (c *parityCase) updaterSequence() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	zk := newRecordingZK(c.env)
	if err := zk.Start(0); err != nil {
		return nil, err
	}
	stub := &statusStub{}
	c.env.Models = stub
	u, err := agent.NewReplicaUpdater(c.env, zk, conf)
	if err != nil {
		return nil, err
	}
	u.Start()
	do := func(name string, a *pysem.Dict) (any, error) {
		switch name {
		case "conf":
			setConf(conf, a)
			return nil, nil
		case "register":
			return nil, u.Register()
		case "props":
			names, err := u.ModelNames()
			return object("model_names", attempt(names, err)), nil
		case "update":
			stub.set(item(a, "status"))
			return nil, u.Update(text(a, "name"))
		}
		panic("updater step " + name)
	}
	steps := c.sequence(zk, do, func(string, *pysem.Dict) {}, "delete")
	meta := []any{}
	for _, r := range u.Registered() {
		meta = append(meta, []any{r.Path, encodeValue(r.Meta.Fields())})
	}
	return object("steps", steps, "replica_id", conf.ReplicaID.V, "meta", meta, "tree", zk.tree()), nil
}

// replicaManager is section 9 of the protocol.
func (c *parityCase) replicaManager() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	zk := newRecordingZK(c.env)
	if err := zk.Start(0); err != nil {
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
	for _, n := range item(c.in, "nodes").([]any) {
		n := n.([]any)
		meta := agent.DefaultReplicaMeta()
		meta.Address, meta.AddressIPv6 = pysem.Some("h:5"), pysem.Some("[fd00::1]:5")
		meta.ArchonAddress, meta.ArchonAddressIPv6 = pysem.Some("h:6"), pysem.Some("[fd00::1]:6")
		meta.Stat = env.ModelState(n[1].(int))
		if _, err := zk.Create(n[0].(string), meta.Serialize(), env.CreateOptions{MakePath: true}); err != nil {
			return nil, err
		}
	}
	ps, errPS := m.IsPSSetStarted()
	dense, errDense := m.IsDenseSetStarted()
	tasks, errAll := w.GetAllReplicas(agentservice.ServerType_PS, agent.OptString{}, agent.OptString{})
	all := &pysem.Dict{}
	for _, t := range tasks {
		all.Set(t.Key, encodeValue(t.Addrs))
	}
	addrs, errAddrs := w.GetReplicas(agentservice.ServerType_PS, 0, pysem.Some("lf"), pysem.Some("def"))
	one, errOne := w.GetReplica(agentservice.ServerType_PS, 0, 1, agent.OptString{}, agent.OptString{})
	return object(
		"ps_set", attempt(ps, errPS), "dense_set", attempt(dense, errDense), "all_ps", attempt(all, errAll),
		"replicas", attempt(addrs, errAddrs), "replica", attempt(oneOrMore(one), errOne)), nil
}
