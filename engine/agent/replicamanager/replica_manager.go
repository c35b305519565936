// Package replicamanager is how agents of version 1 find one another
// (replica_manager.py). Each registers the replicas that its container serves in
// ZooKeeper and keeps their states up to date, and mirrors those of all containers.
//
// Two things to use first:
//
//   - [NewReplicaManager] makes both halves over a ZooKeeper client; Start starts them.
//   - [ReplicaWatcher] is the half that answers where a task is served;
//     [ReplicaUpdater] is the one that registers.
//
// To change
//
//   - what is mirrored, and what it answers, look in replica_watcher.go;
//   - what is registered and reported, in replica_updater.go;
//   - what a lost session does to both, in session.go;
//   - the metrics of versions, in metrics.go.
//
// Unstable: any commit may change it.
package replicamanager

import (
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// ReplicaManager combines a [ReplicaWatcher] and a [ReplicaUpdater] on one ZooKeeper client and
// session (replica_manager.py:749).
type ReplicaManager struct {
	watcher *ReplicaWatcher
	updater *ReplicaUpdater
	conf    *agentconfig.AgentConfig
}

// NewReplicaManager makes a manager. The client zk must not be started yet. Errors are those of
// [NewReplicaUpdater].
func NewReplicaManager(e *env.Env, zk env.ZooKeeper, conf *agentconfig.AgentConfig) (*ReplicaManager, error) {
	watcher := NewReplicaWatcher(e, zk, conf, WatcherOptions{})
	updater, err := NewReplicaUpdater(e, zk, conf)
	if err != nil {
		return nil, err
	}
	m := &ReplicaManager{watcher: watcher, updater: updater, conf: conf}
	m.watcher.session = updater.session
	if !conf.Quirks.Keeps(quirks.Q334) {
		m.watcher.seen = updater.seen
	}
	listener := NewSessionListener(e, updater.session)
	listener.Quirks = conf.Quirks
	zk.AddListener(listener.Changed)
	return m, nil
}

// Watcher returns the half that mirrors the replicas of all containers.
func (m *ReplicaManager) Watcher() *ReplicaWatcher { return m.watcher }

// Updater returns the half that registers this container's replicas.
func (m *ReplicaManager) Updater() *ReplicaUpdater { return m.updater }

// Start registers the container's replicas, mirrors the replicas of all containers, and begins to
// report states (replica_manager.py:767). The client must be connected. After an error, parts that
// were already started keep running.
func (m *ReplicaManager) Start() error {
	if err := m.updater.Register(); err != nil {
		return err
	}
	if err := m.watcher.WatchData(); err != nil {
		return err
	}
	m.updater.Start()
	return nil
}

// Stop ends the watcher and the updater. It waits for their tasks, up to a minute (Q127).
func (m *ReplicaManager) Stop() {
	m.updater.Stop()
	m.watcher.Stop()
}

// IsPSSetStarted reports whether each PS task has an AVAILABLE replica in the agent's own data
// centre and cluster (replica_manager.py:796). An entry waits for that.
func (m *ReplicaManager) IsPSSetStarted() (bool, error) {
	for i := range m.conf.NumPS {
		addrs, err := m.watcher.GetReplicas(agentservice.ServerType_PS, i, m.conf.IDC(), m.conf.Cluster())
		if err != nil || len(addrs) == 0 {
			return false, err
		}
	}
	all, err := m.watcher.GetAllReplicas(agentservice.ServerType_PS, pysem.OptString{}, pysem.OptString{})
	if err != nil {
		return false, err
	}
	m.watcher.e.Log.Logf(env.Info, "get_all_replicas: %v", pylog.Later(func() string { return reprOfTasks(all) }))
	return true, nil
}

func reprOfTasks(tasks []TaskAddrs) string {
	d := &pysem.Dict{}
	for _, t := range tasks {
		d.Set(t.Key, anyAddrs(t.Addrs))
	}
	return pysem.Repr(d)
}

func anyAddrs(addrs []pysem.OptString) []any {
	return lists.Map(addrs, pysem.OptString.Any)
}

// IsDenseSetStarted reports whether dense has an AVAILABLE replica in any data centre and cluster,
// or with Q21 repaired in the agent's own. An entry waits for that if dense runs alone.
func (m *ReplicaManager) IsDenseSetStarted() (bool, error) {
	var idc, cluster pysem.OptString
	if !m.conf.Quirks.Keeps(quirks.Q21) {
		idc, cluster = m.conf.IDC(), m.conf.Cluster()
	}
	addrs, err := m.watcher.GetReplicas(agentservice.ServerType_DENSE, 0, idc, cluster)
	if err != nil || len(addrs) == 0 {
		return false, err
	}
	m.watcher.e.Log.Logf(env.Info, "get_replicas: %v", pylog.Later(func() string { return pysem.Repr(anyAddrs(addrs)) }))
	return true, nil
}

// SyncBackendWrapper lets parameter synchronization find its targets through a replica watcher
// (replica_manager.py:806). In agents of version 3 a ZKBackend does that.
type SyncBackendWrapper struct{ watcher *ReplicaWatcher }

// Start calls WatchData of the watcher.
func (s *SyncBackendWrapper) Start() error { return s.watcher.WatchData() }

// Stop stops the watcher.
func (s *SyncBackendWrapper) Stop() { s.watcher.Stop() }

// SubscribeModel does nothing, because a watcher has only one model.
func (s *SyncBackendWrapper) SubscribeModel(string) {}

// SyncTargets returns the targets of a sub-graph "ps_<task>" in all locations. It ignores what
// follows a second "_". A sub-graph of another server type is an AssertionError.
func (s *SyncBackendWrapper) SyncTargets(subGraph string) (name string, targets []SyncTarget, err error) {
	parts := strings.Split(subGraph, "_")
	if len(parts) < 2 {
		return "", nil, pysem.UnpackError(2, 1)
	}
	if parts[0] != agentconfig.ServerPS {
		return "", nil, &pysem.Error{Type: "AssertionError"}
	}
	task, _, err := pysem.ParseSmallInt(parts[1])
	if err != nil {
		return "", nil, err
	}
	targets, err = s.watcher.GetReplicasWithExtraInfo(agentservice.ServerType_PS, task, pysem.OptString{}, pysem.OptString{})
	return subGraph, targets, err
}
