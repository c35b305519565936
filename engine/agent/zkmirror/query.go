package zkmirror

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks"
)

// MirrorEntry is one znode in the mirror's cache.
type MirrorEntry struct {
	Path string
	Data []byte // nil stands for None (quirk Q184)
}

// Entries lists the znodes in the cache, in the order in which they were first seen.
func (m *ZKMirror) Entries() []MirrorEntry {
	list := []MirrorEntry{}
	for path, data := range m.data.All {
		list = append(list, MirrorEntry{path, data})
	}
	return list
}

// Get returns the cached data of a path, nil if the path is not in the cache.
func (m *ZKMirror) Get(path string) []byte {
	data, _ := m.data.Get(path)
	return data
}

// Children returns the names below a path in the cache: one for each znode in the subtree, so names
// repeat. Znodes whose path only begins with the same letters count, too (zk_mirror.py:144, Q180).
//
// Cost: a call grows with the znodes of the cache, all of which it walks. GetModelReplicas does
// that for each task, which makes it quadratic.
func (m *ZKMirror) Children(path string) []string {
	depth := strings.Count(path, "/") + 1
	prefix := path
	if !m.keeps(quirks.Q180) {
		prefix = strings.TrimSuffix(path, "/") + "/"
	}
	children := []string{}
	for p := range m.data.All {
		if !strings.HasPrefix(p, prefix) {
			continue
		}
		parts := strings.Split(p, "/")
		if len(parts) <= depth || !m.keeps(quirks.Q180) && slices.Contains(children, parts[depth]) {
			continue
		}
		children = append(children, parts[depth])
	}
	return children
}

// mirrored decodes the cached data of a znode. Data of None is a TypeError (Q184).
func mirrored[T any](class *dataclass.Class[T], data []byte) (*T, error) {
	if data == nil {
		return nil, pysem.Raise("TypeError", "decoding to str: need a bytes-like object, NoneType found")
	}
	return class.Decode(data)
}

// Resources lists what the containers offer, from the cache. The list is empty before
// WatchResource.
func (m *ZKMirror) Resources() ([]*datadef.ResourceSpec, error) {
	list := []*datadef.ResourceSpec{}
	for _, child := range m.Children(m.paths.Resource) {
		spec, err := mirrored(datadef.ResourceSpecClass, m.Get(pysem.JoinStrings(m.paths.Resource, child)))
		if err != nil {
			return nil, err
		}
		list = append(list, spec)
	}
	return list, nil
}

// replicaCountPeriod is how often NumTCEReplica looks again (zk_mirror.py:188).
const replicaCountPeriod = 5 * time.Second

// NumTCEReplica returns the number of replicas. It waits until all shards of each replica have
// reported their resources, and looks every 5 s. In the reference it always raises an
// AttributeError (Q178).
func (m *ZKMirror) NumTCEReplica() (int, error) {
	for {
		replicas, err := m.shardsByReplica()
		if err != nil {
			return 0, err
		}
		if m.keeps(quirks.Q178) {
			return 0, pysem.AttributeError(nil, "values")
		}
		complete := true
		for _, shards := range replicas.All {
			complete = complete && shards == m.shards
		}
		if complete {
			return replicas.Len(), nil
		}
		m.e.Tasks.Sleep(replicaCountPeriod)
	}
}

// shardsByReplica counts the reported resources of each replica. It ignores entries.
func (m *ZKMirror) shardsByReplica() (*pysem.OrderedMap[string, int], error) {
	seen := pysem.NewOrderedMap[string, int]()
	for path := range m.data.All {
		if !strings.HasPrefix(path, m.paths.Resource) {
			continue
		}
		name := pysem.Basename(path)
		replica, err := pysem.ParseInt(name[strings.LastIndexByte(name, ':')+1:])
		if err != nil {
			return nil, err
		}
		if id := replica.String(); id != "-1" {
			n, _ := seen.Get(id)
			seen.Set(id, n+1)
		}
	}
	return seen, nil
}

// TCEReplicaID returns the container's replica number: REPLICA_ID, or a hash of the pod's name. It
// reads the environment at each call (zk_mirror.py:197). A REPLICA_ID that is not a number is a
// ValueError.
func (m *ZKMirror) TCEReplicaID() (int, error) {
	if text, ok := m.e.Host.LookupEnv("REPLICA_ID"); ok {
		id, _, err := pysem.ParseSmallInt(text)
		if err != nil || id != -1 {
			return id, err
		}
	}
	return agentconfig.ReplicaIDFromPodName(m.e), nil
}

// TaskMetas holds the AVAILABLE replicas of one task.
type TaskMetas struct {
	Key      string // "<model>:<type>:<task>"
	Replicas []*datadef.ReplicaMeta
}

// taskMetas groups replicas by task.
type taskMetas struct{ list []TaskMetas }

func (t *taskMetas) add(key string, rm *datadef.ReplicaMeta) {
	for i := range t.list {
		if t.list[i].Key == key {
			t.list[i].Replicas = append(t.list[i].Replicas, rm)
			return
		}
	}
	t.list = append(t.list, TaskMetas{Key: key, Replicas: []*datadef.ReplicaMeta{rm}})
}

// GetAllReplicas lists the AVAILABLE replicas of all models for a server type, which is in lower
// case. The list is grouped by task (zk_mirror.py:334). If a znode below the services is not a
// replica of a task, it is a ValueError (Q186).
func (m *ZKMirror) GetAllReplicas(serverType string) ([]TaskMetas, error) {
	return m.AllReplicas(func(t string) bool { return t == serverType })
}

// servicePathParts is the number of parts in a replica's path: model, type, task and replica. Paths
// below a location, which agents of version 1 make, have another number of parts (Q186).
const servicePathParts = 4

// AllReplicas works as [ZKMirror.GetAllReplicas], for all server types that the function wanted
// accepts.
func (m *ZKMirror) AllReplicas(wanted func(serverType string) bool) ([]TaskMetas, error) {
	var found taskMetas
	for path, data := range m.data.All {
		if !strings.HasPrefix(path, m.paths.Service) {
			continue
		}
		parts := strings.Split(strings.ReplaceAll(strings.Trim(path[len(m.paths.Service):], "/"), "/", ":"), ":")
		if len(parts) != servicePathParts {
			if m.keeps(quirks.Q186) {
				return nil, pysem.UnpackError(servicePathParts, len(parts))
			}
			continue
		}
		model, serverType, task := parts[0], parts[1], parts[2]
		if !wanted(serverType) {
			continue
		}
		rm, err := mirrored(datadef.ReplicaMetaClass, data)
		if err != nil {
			return nil, err
		}
		if rm.IsAvailable() {
			found.add(model+":"+serverType+":"+task, rm)
		}
	}
	return found.list, nil
}

// GetModelReplicas lists the AVAILABLE replicas of one model, grouped by task. It takes the tasks
// whose names begin with the server type (zk_mirror.py:350). In the reference a replica appears
// many times (Q180).
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

// GetTaskReplicas lists the AVAILABLE replicas of one task (zk_mirror.py:368).
func (m *ZKMirror) GetTaskReplicas(model, serverType string, task int) ([]*datadef.ReplicaMeta, error) {
	return m.availableBelow(m.taskPath(model, serverType, task))
}

func (m *ZKMirror) taskPath(model, serverType string, task int) string {
	return pysem.JoinStrings(m.paths.Service, model, pysem.Lower(serverType)+":"+pysem.Str(task))
}

func (m *ZKMirror) availableBelow(path string) ([]*datadef.ReplicaMeta, error) {
	list := []*datadef.ReplicaMeta{}
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

// availableAt returns the replica at a path, or nil if there is none or it is not AVAILABLE.
func (m *ZKMirror) availableAt(path string) (*datadef.ReplicaMeta, error) {
	data := m.Get(path)
	if data == nil {
		return nil, nil
	}
	rm, err := datadef.ReplicaMetaClass.Decode(data)
	if err != nil || !rm.IsAvailable() {
		return nil, err
	}
	return rm, nil
}

// GetReplica returns one replica, or nil if it does not exist or is not AVAILABLE
// (zk_mirror.py:382).
func (m *ZKMirror) GetReplica(model, serverType string, task, replica int) (*datadef.ReplicaMeta, error) {
	return m.availableAt(pysem.JoinStrings(m.taskPath(model, serverType, task), pysem.Str(replica)))
}
