package replicamanager

import (
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/pylog"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// TaskReplicas are the replicas of one task as a watcher knows them.
type TaskReplicas struct {
	// Path is that of the task's znode.
	Path     string
	Replicas []Replica
}

// Replica is one replica of a task. ID is the name of its znode as a number, without
// leading zeros (Q115).
type Replica struct {
	ID   string
	Meta *datadef.ReplicaMeta
}

// Replicas lists the mirror: tasks and replicas in the order in which they came,
// AVAILABLE or not. The replicas are the watcher's own and must not be changed.
func (w *ReplicaWatcher) Replicas() []TaskReplicas {
	list := []TaskReplicas{}
	for path, replicas := range w.replicas.All {
		task := TaskReplicas{Path: path}
		for id, meta := range replicas.all {
			task.Replicas = append(task.Replicas, Replica{ID: id, Meta: meta})
		}
		list = append(list, task)
	}
	return list
}

// TaskAddrs are the addresses of one task.
type TaskAddrs struct {
	// Key is "<type>:<task>", after "<idc>:<cluster>/" when dc_aware.
	Key   string
	Addrs []pysem.OptString
}

// ServerTypeName is the name of a server type in lower case, as paths have it; an
// unknown number is a ValueError (Q37).
func ServerTypeName(t agentservice.ServerType) (string, error) {
	name, ok := agentservice.ServerType_name[int32(t)]
	if !ok {
		return "", pysem.Raise("ValueError", "Enum ServerType has no name defined for value %d", int32(t))
	}
	return strings.ToLower(name), nil
}

// tasksOf calls yield for each task of a type, of one location when dc_aware.
func (w *ReplicaWatcher) tasksOf(t agentservice.ServerType, idc, cluster pysem.OptString, yield func(agentconfig.ZKPath, *replicaMap) error) error {
	name, err := ServerTypeName(t)
	if err != nil {
		return err
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	for path, replicas := range w.replicas.All {
		p := agentconfig.ParseZKPath(w.e, path)
		if p.ServerType.V != name || !p.ServerType.Set || w.conf.DCAware && !p.ShipIn(idc, cluster) {
			continue
		}
		if err := yield(p, replicas); err != nil {
			return err
		}
	}
	return nil
}

// available lists the addresses of those AVAILABLE replicas that keep accepts.
func (w *ReplicaWatcher) available(replicas *replicaMap, keep func(id string) (bool, error)) ([]pysem.OptString, error) {
	var addrs []pysem.OptString
	for id, meta := range replicas.all {
		ok, err := keep(id)
		if err != nil {
			return nil, err
		}
		if !ok || meta.Stat != env.StateAvailable {
			continue
		}
		addr, err := meta.GetAddress(w.useArchon, w.family)
		if err != nil {
			return nil, err
		}
		addrs = append(addrs, addr)
	}
	return addrs, nil
}

// Changes is how often the mirror has changed so far, or might have: as long as it stays
// the same the answers of the queries do. It waits as they do while others hold the
// mirror.
func (w *ReplicaWatcher) Changes() uint64 {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.changes
}

func anyReplica(string) (bool, error) { return true, nil }

// isNumber reports whether text is the number n to Python's int(); other texts are a
// ValueError.
func isNumber(text string, n int) (bool, error) {
	value, err := pysem.ParseInt(text)
	if err != nil {
		return false, err
	}
	return value.IsInt64() && value.Int64() == int64(n), nil
}

// GetAllReplicas lists the tasks of a server type with the addresses of their
// AVAILABLE replicas, those of one location when dc_aware (replica_manager.py:276). A
// task without any is listed too. An unknown type is a ValueError (Q37).
func (w *ReplicaWatcher) GetAllReplicas(t agentservice.ServerType, idc, cluster pysem.OptString) ([]TaskAddrs, error) {
	result := pysem.NewOrderedMap[string, []pysem.OptString]()
	err := w.tasksOf(t, idc, cluster, func(p agentconfig.ZKPath, replicas *replicaMap) error {
		key := p.Task().String()
		if w.conf.DCAware {
			joined, err := pysem.Join(p.Location(), p.Task())
			if err != nil {
				return err
			}
			key = joined
		}
		more, err := w.available(replicas, anyReplica)
		if err != nil {
			return err
		}
		addrs, _ := result.Get(key)
		result.Set(key, append(addrs, more...))
		return nil
	})
	if err != nil {
		return nil, err
	}
	var list []TaskAddrs
	for key, addrs := range result.All {
		list = append(list, TaskAddrs{key, addrs})
	}
	if t == agentservice.ServerType_PS && len(list) == 0 || t == agentservice.ServerType_DENSE && w.conf.DenseAlone && len(list) == 0 {
		name, _ := ServerTypeName(t)
		w.e.Log.Logf(env.Error, "empty replicas %s-%s", w.prefix, name)
		w.e.Log.Logf(env.Info, "all replicas is %v", pylog.Later(w.reprOfReplicas))
	}
	return list, nil
}

// reprOfReplicas is the repr of the mirror.
func (w *ReplicaWatcher) reprOfReplicas() string {
	var tasks []string
	for path, replicas := range w.replicas.All {
		var list []string
		for id, meta := range replicas.all {
			list = append(list, pysem.Repr(id)+": "+datadef.ReplicaMetaClass.Repr(meta))
		}
		tasks = append(tasks, pysem.Repr(path)+": {"+strings.Join(list, ", ")+"}")
	}
	return "{" + strings.Join(tasks, ", ") + "}"
}

// GetReplicas lists the addresses of the AVAILABLE replicas of one task
// (replica_manager.py:309). Location and errors are as for GetAllReplicas.
func (w *ReplicaWatcher) GetReplicas(t agentservice.ServerType, task int, idc, cluster pysem.OptString) ([]pysem.OptString, error) {
	return w.addressesOf(t, task, idc, cluster, anyReplica)
}

// GetReplica lists the addresses of one replica of a task, if it is AVAILABLE: several
// when several locations have one of that number. The reference returns a string, a
// list or None (Q128).
func (w *ReplicaWatcher) GetReplica(t agentservice.ServerType, task, replica int, idc, cluster pysem.OptString) ([]pysem.OptString, error) {
	return w.addressesOf(t, task, idc, cluster, func(id string) (bool, error) { return isNumber(id, replica) })
}

func (w *ReplicaWatcher) addressesOf(t agentservice.ServerType, task int, idc, cluster pysem.OptString, keep func(string) (bool, error)) ([]pysem.OptString, error) {
	var addrs []pysem.OptString
	err := w.tasksOf(t, idc, cluster, func(p agentconfig.ZKPath, replicas *replicaMap) error {
		if ok, err := isNumber(p.Index.V, task); !ok || err != nil {
			return err
		}
		more, err := w.available(replicas, keep)
		addrs = append(addrs, more...)
		return err
	})
	return addrs, err
}
