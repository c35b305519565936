package replicamanager

import (
	"slices"

	"github.com/monosim/monosim/engine/agent/datadef"
)

// replicaMap is the replicas of one task by id without leading zeros, in the
// order in which they came. The ids may be shared with a [treeReader]: they are
// replaced or grown, never written to below their length. The replicas are
// shared too; whoever changes one puts a changed copy in its place.
type replicaMap struct {
	ids   []string
	metas []*datadef.ReplicaMeta
	// shared says that metas are those of a treeReader: they are copied before one is
	// replaced.
	shared bool
	// places finds an id where there are many; nil until it is needed.
	places map[string]int
}

// manyReplicas is from where on a map is quicker than a look at each id.
const manyReplicas = 16

func (m *replicaMap) find(id string) int {
	if len(m.ids) < manyReplicas {
		return slices.Index(m.ids, id)
	}
	if m.places == nil {
		m.places = make(map[string]int, len(m.ids))
		for i, id := range m.ids {
			m.places[id] = i
		}
	}
	if i, ok := m.places[id]; ok {
		return i
	}
	return -1
}

func (m *replicaMap) get(id string) (*datadef.ReplicaMeta, bool) {
	if i := m.find(id); i >= 0 {
		return m.metas[i], true
	}
	return nil, false
}

// set adds a replica at the end, or replaces the one of that id in its place.
func (m *replicaMap) set(id string, meta *datadef.ReplicaMeta) {
	m.own()
	if i := m.find(id); i >= 0 {
		m.metas[i] = meta
		return
	}
	if m.places != nil {
		m.places[id] = len(m.ids)
	}
	m.ids = append(m.ids, id)
	m.metas = append(m.metas, meta)
}

func (m *replicaMap) delete(id string) {
	i := m.find(id)
	if i < 0 {
		return
	}
	m.own()
	m.ids = append(m.ids[:i:i], m.ids[i+1:]...)
	m.metas = slices.Delete(m.metas, i, i+1)
	m.places = nil
}

// own makes the metas its own.
func (m *replicaMap) own() {
	if m.shared {
		m.metas, m.shared = slices.Clone(m.metas), false
	}
}

func (m *replicaMap) len() int { return len(m.ids) }

// all calls yield with each replica in order, until it returns false.
func (m *replicaMap) all(yield func(string, *datadef.ReplicaMeta) bool) {
	for i, id := range m.ids {
		if !yield(id, m.metas[i]) {
			return
		}
	}
}
