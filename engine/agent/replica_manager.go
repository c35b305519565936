package agent

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
)

// ReplicaManager registers the container's own replicas and watches all others
// (replica_manager.py:749).
type ReplicaManager struct {
	watcher *ReplicaWatcher
	updater *ReplicaUpdater
	conf    *AgentConfig
}

// NewReplicaManager makes a manager on a client that is not started yet, with
// archon off (replica_manager.py:39).
func NewReplicaManager(e *env.Env, zk env.ZooKeeper, conf *AgentConfig) (*ReplicaManager, error) {
	updater, err := NewReplicaUpdater(e, zk, conf)
	if err != nil {
		return nil, err
	}
	m := &ReplicaManager{watcher: NewReplicaWatcher(e, zk, conf, false), updater: updater, conf: conf}
	listener := &zkListener{e: e, watcher: m.watcher, updater: updater}
	zk.AddListener(listener.changed)
	return m, nil
}

// Watcher is the watching half.
func (m *ReplicaManager) Watcher() *ReplicaWatcher { return m.watcher }

// Updater is the registering half.
func (m *ReplicaManager) Updater() *ReplicaUpdater { return m.updater }

// Start registers, watches and begins to update (replica_manager.py:767).
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

// Stop ends both halves.
func (m *ReplicaManager) Stop() {
	m.updater.Stop()
	m.watcher.Stop()
}

// IsPSSetStarted says whether each PS task has an AVAILABLE replica here
// (replica_manager.py:796).
func (m *ReplicaManager) IsPSSetStarted() (bool, error) {
	for i := range m.conf.NumPS {
		addrs, err := m.watcher.GetReplicas(agentservice.ServerType_PS, i, m.conf.IDC(), m.conf.Cluster())
		if err != nil || len(addrs) == 0 {
			return false, err
		}
	}
	return true, nil
}

// IsDenseSetStarted says whether dense has an AVAILABLE replica anywhere: idc and
// cluster are not looked at (Q21).
func (m *ReplicaManager) IsDenseSetStarted() (bool, error) {
	addrs, err := m.watcher.GetReplicas(agentservice.ServerType_DENSE, 0, OptString{}, OptString{})
	return len(addrs) > 0, err
}

// zkListener reacts to changes of the session (replica_manager.py:719).
type zkListener struct {
	e       *env.Env
	watcher *ReplicaWatcher
	updater *ReplicaUpdater
	lost    bool
}

// changed stops polling and updating while the session is lost, and asks for a
// new registration after it. It sleeps on the client's connection task, so for
// 5 s neither pings nor answers are handled (Q125).
func (l *zkListener) changed(state env.SessionState) bool {
	switch {
	case state == env.Lost:
		l.lost = true
		l.watcher.shouldPoll = false
		l.updater.shouldUpdate = false
	case state == env.Connected && l.lost:
		l.updater.shouldReregister = true
		l.e.Tasks.Sleep(5 * time.Second)
		l.watcher.shouldPoll = true
		l.lost = false
	}
	return false
}
