package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// MirrorEntry is one znode of the cache.
type MirrorEntry struct {
	Path string
	Data []byte // nil is None (Q184)
}

// Entries lists the cache in the order in which the paths came.
func (m *ZKMirror) Entries() []MirrorEntry {
	list := []MirrorEntry{}
	for path, data := range m.data.all {
		list = append(list, MirrorEntry{path, data})
	}
	return list
}

// Get is the cached data of a path, nil for none.
func (m *ZKMirror) Get(path string) []byte {
	data, _ := m.data.get(path)
	return data
}

// Children are the names below a path as the cache has them: one for each znode
// in the subtree, so names repeat, and znodes count whose path merely begins
// alike (zk_mirror.py:144, Q180).
//
// Speed: a walk over the whole cache for each call, and once more for each task with
// GetModelReplicas: the square of the number of znodes.
func (m *ZKMirror) Children(path string) []string {
	depth := strings.Count(path, "/") + 1
	prefix := path
	if !m.keeps(Q180) {
		prefix = strings.TrimSuffix(path, "/") + "/"
	}
	children := []string{}
	for p := range m.data.all {
		if !strings.HasPrefix(p, prefix) {
			continue
		}
		parts := strings.Split(p, "/")
		if len(parts) <= depth || !m.keeps(Q180) && slices.Contains(children, parts[depth]) {
			continue
		}
		children = append(children, parts[depth])
	}
	return children
}

// mirrored reads an object of the cache; None is a TypeError (Q184).
func mirrored[T any](class *dataClass[T], data []byte) (*T, error) {
	if data == nil {
		return nil, pysem.Raise("TypeError", "decoding to str: need a bytes-like object, NoneType found")
	}
	return class.decode(data)
}

// Resources are what the containers offer, once they are watched.
func (m *ZKMirror) Resources() ([]*ResourceSpec, error) {
	list := []*ResourceSpec{}
	for _, child := range m.Children(m.paths.Resource) {
		spec, err := mirrored(&resourceSpecClass, m.Get(pysem.JoinStrings(m.paths.Resource, child)))
		if err != nil {
			return nil, err
		}
		list = append(list, spec)
	}
	return list, nil
}

// replicaCountPeriod is how often NumTCEReplica looks (zk_mirror.py:188).
const replicaCountPeriod = 5 * time.Second

// NumTCEReplica waits until each replica is seen with all its shards and counts
// the replicas. In the reference it always raises (Q178).
func (m *ZKMirror) NumTCEReplica() (int, error) {
	for {
		replicas, err := m.shardsByReplica()
		if err != nil {
			return 0, err
		}
		if m.keeps(Q178) {
			return 0, pysem.AttributeError(nil, "values")
		}
		complete := true
		for _, shards := range replicas.all {
			complete = complete && shards == m.shards
		}
		if complete {
			return replicas.len(), nil
		}
		m.e.Tasks.Sleep(replicaCountPeriod)
	}
}

// shardsByReplica counts the resources of each replica but the entries.
func (m *ZKMirror) shardsByReplica() (*ordered[string, int], error) {
	seen := newOrdered[string, int]()
	for path := range m.data.all {
		if !strings.HasPrefix(path, m.paths.Resource) {
			continue
		}
		name := pysem.Basename(path)
		replica, err := pysem.ParseInt(name[strings.LastIndexByte(name, ':')+1:])
		if err != nil {
			return nil, err
		}
		if id := replica.String(); id != "-1" {
			n, _ := seen.get(id)
			seen.set(id, n+1)
		}
	}
	return seen, nil
}

// TCEReplicaID is REPLICA_ID, or a hash of the pod's name; it is read at each
// call (zk_mirror.py:197).
func (m *ZKMirror) TCEReplicaID() (int, error) {
	if text, ok := m.e.Host.LookupEnv("REPLICA_ID"); ok {
		id, _, err := pysem.ParseSmallInt(text)
		if err != nil || id != -1 {
			return id, err
		}
	}
	return replicaIDFromPodName(m.e), nil
}

// TaskMetas are the AVAILABLE replicas of one task.
type TaskMetas struct {
	Key      string // "<model>:<type>:<task>"
	Replicas []*ReplicaMeta
}

// taskMetas collects replicas by task.
type taskMetas struct{ list []TaskMetas }

func (t *taskMetas) add(key string, rm *ReplicaMeta) {
	for i := range t.list {
		if t.list[i].Key == key {
			t.list[i].Replicas = append(t.list[i].Replicas, rm)
			return
		}
	}
	t.list = append(t.list, TaskMetas{Key: key, Replicas: []*ReplicaMeta{rm}})
}

func (m *ReplicaMeta) isAvailable() bool {
	return pysem.Equal(replicaMetaClass.get(m, "stat"), int(env.StateAvailable))
}

// GetAllReplicas lists the replicas of all models of one server type, which is
// compared exactly (zk_mirror.py:334).
func (m *ZKMirror) GetAllReplicas(serverType string) ([]TaskMetas, error) {
	return m.allReplicas(func(t string) bool { return t == serverType })
}

// servicePathParts are model, type, task and replica. What stands below a location
// as discovery of v1 has it, and whatever else is there, has others (Q186).
const servicePathParts = 4

func (m *ZKMirror) allReplicas(wanted func(serverType string) bool) ([]TaskMetas, error) {
	var found taskMetas
	for path, data := range m.data.all {
		if !strings.HasPrefix(path, m.paths.Service) {
			continue
		}
		parts := strings.Split(strings.ReplaceAll(strings.Trim(path[len(m.paths.Service):], "/"), "/", ":"), ":")
		if len(parts) != servicePathParts {
			if m.keeps(Q186) {
				return nil, pysem.UnpackError(servicePathParts, len(parts))
			}
			continue
		}
		model, serverType, task := parts[0], parts[1], parts[2]
		if !wanted(serverType) {
			continue
		}
		rm, err := mirrored(&replicaMetaClass, data)
		if err != nil {
			return nil, err
		}
		if rm.isAvailable() {
			found.add(model+":"+serverType+":"+task, rm)
		}
	}
	return found.list, nil
}

// GetModelReplicas lists the replicas of one model whose tasks begin with the
// server type (zk_mirror.py:350). With Q180 a replica is there many times.
func (m *ZKMirror) GetModelReplicas(model, serverType string) ([]TaskMetas, error) {
	var found taskMetas
	base := pysem.JoinStrings(m.paths.Service, model)
	for _, task := range m.Children(base) {
		if !strings.HasPrefix(task, pysem.Lower(serverType)) {
			continue
		}
		replicas, err := m.availableBelow(pysem.JoinStrings(base, task))
		if err != nil {
			return nil, err
		}
		for _, rm := range replicas {
			found.add(model+":"+task, rm)
		}
	}
	return found.list, nil
}

// GetTaskReplicas lists the replicas of one task (zk_mirror.py:368).
func (m *ZKMirror) GetTaskReplicas(model, serverType string, task int) ([]*ReplicaMeta, error) {
	return m.availableBelow(m.taskPath(model, serverType, task))
}

func (m *ZKMirror) taskPath(model, serverType string, task int) string {
	return pysem.JoinStrings(m.paths.Service, model, pysem.Lower(serverType)+":"+pysem.Str(task))
}

func (m *ZKMirror) availableBelow(path string) ([]*ReplicaMeta, error) {
	list := []*ReplicaMeta{}
	for _, child := range m.Children(path) {
		rm, err := m.availableAt(pysem.JoinStrings(path, child))
		if err != nil {
			return nil, err
		}
		if rm != nil {
			list = append(list, rm)
		}
	}
	return list, nil
}

// availableAt is the replica at a path, nil when there is none or it is not
// AVAILABLE.
func (m *ZKMirror) availableAt(path string) (*ReplicaMeta, error) {
	data := m.Get(path)
	if data == nil {
		return nil, nil
	}
	rm, err := replicaMetaClass.decode(data)
	if err != nil || !rm.isAvailable() {
		return nil, err
	}
	return rm, nil
}

// GetReplica is one replica, nil when it is not there or not AVAILABLE
// (zk_mirror.py:382).
func (m *ZKMirror) GetReplica(model, serverType string, task, replica int) (*ReplicaMeta, error) {
	return m.availableAt(pysem.JoinStrings(m.taskPath(model, serverType, task), pysem.Str(replica)))
}
