package agent

import "github.com/monosim/monosim/engine/env"

// This file opens discovery to those who hold it against the reference one step
// at a time: runners that answer single operations, and reports.

// TaskReplicas are the replicas of one task as a watcher knows them.
type TaskReplicas struct {
	// Path is that of the task's znode.
	Path     string
	Replicas []Replica
}

// Replica is one replica of a task; ID is its name without padding.
type Replica struct {
	ID   string
	Meta *ReplicaMeta
}

// Replicas lists what the watcher knows, in the order in which it came.
func (w *ReplicaWatcher) Replicas() []TaskReplicas {
	list := []TaskReplicas{}
	for path, replicas := range w.replicas.all {
		task := TaskReplicas{Path: path}
		for id, meta := range replicas.all {
			task.Replicas = append(task.Replicas, Replica{ID: id, Meta: meta})
		}
		list = append(list, task)
	}
	return list
}

// Watch is WatchData without the poll that it starts.
func (w *ReplicaWatcher) Watch() error {
	if w.conf.DCAware {
		return w.watchLocations(w.prefix)
	}
	return w.watchTasks(w.prefix)
}

// Poll is one round of the poll, without its pause (replica_manager.py:194-269).
func (w *ReplicaWatcher) Poll() error { return w.reconcile() }

// Family is the family of the addresses that the watcher answers.
func (w *ReplicaWatcher) Family() string { return w.family }

// UseFamily makes a watcher answer the addresses of a family, as the
// constructor's argument does (replica_manager.py:48); agents never give it.
func (w *ReplicaWatcher) UseFamily(family string) { w.family = family }

// PathPrefix is the root of the watched tree.
func (w *ReplicaWatcher) PathPrefix() string { return w.prefix }

// Registered is one replica that an updater keeps up to date.
type Registered struct {
	Path string
	Meta *ReplicaMeta
}

// Registered lists the replicas that the updater keeps up to date, in the order in
// which they came.
func (u *ReplicaUpdater) Registered() []Registered {
	list := []Registered{}
	for path, meta := range u.meta.all {
		list = append(list, Registered{Path: path, Meta: meta})
	}
	return list
}

// UseStatus replaces the monitor's answers about models, as a case does that fakes
// them.
func (u *ReplicaUpdater) UseStatus(status func(name string) ([]env.ModelVersionStatus, error)) {
	u.status, u.faked = status, true
}

// Update is one round for one model (replica_manager.py:530).
func (u *ReplicaUpdater) Update(name string) error { return u.update(name) }
