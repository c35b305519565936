package replicamanager

import (
	"bytes"
	"slices"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkbulk"
	"github.com/monosim/monosim/engine/pysem"
)

// treeReader reads the tree below a prefix again and again, once a minute in
// every container, and nearly always finds what it found before. It therefore
// remembers names and contents with what was made of them; a round in which
// nothing has changed costs no more than the requests and comparisons.
type treeReader struct {
	zk      env.ZooKeeper
	shared  env.Shared
	dcAware bool
	root    *treeNode
	tasks   []*treeNode // of the last round, in its order
}

// treeNode is the root, a location or a task, with the names of its children as
// last read.
type treeNode struct {
	path  string
	names []string
	below []*treeNode // of the root and locations

	// Of a task: a leaf and a path for each name, and the replicas that were read, by id.
	leaves   []treeLeaf
	paths    []string     // shared
	reads    zkbulk.Reads // of the leaves, nil before the first round
	replicas sharedReplicas
	regular  bool // the replicas are those of the leaves
	// common says that other agents have the leaves, too: they are copied before one is
	// changed.
	common bool
}

// sharedReplicas are the replicas of a task, by id. They are never changed: all agents
// that have read the same have the same.
type sharedReplicas struct {
	ids   []string
	metas []*datadef.ReplicaMeta
}

// treeLeaf is one replica: its content, and what that says. There are many, which
// are gone through in order, so they are small and lie side by side.
type treeLeaf struct {
	data []byte
	meta *datadef.ReplicaMeta // nil when there is no content
}

func newTreeReader(zk env.ZooKeeper, shared env.Shared, prefix string, dcAware bool) *treeReader {
	return &treeReader{zk: zk, shared: shared, dcAware: dcAware, root: &treeNode{path: prefix}}
}

// read reads everything (replica_manager.py:188-228). One replica that vanishes
// in between fails the round.
func (r *treeReader) read() error {
	if err := r.findTasks(); err != nil {
		return err
	}
	for _, task := range r.tasks {
		names, err := r.zk.Children(task.path)
		if err != nil {
			return err
		}
		task.setLeaves(r.shared, names)
		if err := task.readLeaves(r); err != nil {
			return err
		}
		if err := task.collect(r.shared); err != nil {
			return err
		}
	}
	return nil
}

// findTasks lists the locations, then the tasks of each.
func (r *treeReader) findTasks() error {
	r.tasks = r.tasks[:0]
	if err := r.children(r.root); err != nil {
		return err
	}
	if !r.dcAware {
		r.tasks = append(r.tasks, r.root.below...)
		return nil
	}
	for _, location := range r.root.below {
		if err := r.children(location); err != nil {
			return err
		}
		r.tasks = append(r.tasks, location.below...)
	}
	return nil
}

// children lists the children of the root or a location. Nodes whose names are
// still there are kept.
func (r *treeReader) children(n *treeNode) error {
	names, err := r.zk.Children(n.path)
	if err != nil || sameStrings(n.names, names) {
		return err
	}
	below := make([]*treeNode, len(names))
	for i, name := range names {
		if old := slices.Index(n.names, name); old >= 0 {
			below[i] = n.below[old]
		} else {
			below[i] = &treeNode{path: pysem.JoinStrings(n.path, name)}
		}
	}
	n.names, n.below = names, below
	return nil
}

// sameStrings reports whether two lists are equal, at once when they are one and the
// same.
func sameStrings(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// setLeaves makes the leaves of a task those with the names; what is known of one
// that is still there is kept.
func (n *treeNode) setLeaves(shared env.Shared, names []string) {
	if sameStrings(n.names, names) {
		return
	}
	known := make(map[string]treeLeaf, len(n.leaves))
	for i, name := range n.names {
		known[name] = n.leaves[i]
	}
	leaves := make([]treeLeaf, len(names))
	for i, name := range names {
		leaves[i] = known[name]
	}
	n.names, n.leaves, n.reads, n.regular, n.common = names, leaves, nil, false, false
	n.paths = namesOf(shared, n.path).Paths(names)
}

// namesOf numbers the children of a znode, for all agents of the world where there is one.
func namesOf(shared env.Shared, path string) *env.Names {
	if shared == nil {
		return env.NewNames(path)
	}
	return shared.Names(path)
}

// readLeaves reads all replicas of a task.
func (n *treeNode) readLeaves(r *treeReader) error {
	if n.reads == nil {
		n.reads = zkbulk.NewReads(r.zk, n.paths)
	}
	return n.reads.Each(func(i int, data []byte, err error) error {
		if err != nil {
			return err
		}
		return n.readLeaf(r.shared, i, data)
	})
}

// readLeaf takes the content of one replica.
func (n *treeNode) readLeaf(shared env.Shared, i int, data []byte) error {
	if n.leaves[i].holds(data) {
		return nil
	}
	if n.common {
		n.leaves, n.common = slices.Clone(n.leaves), false
	}
	if err := n.leaves[i].parse(shared, n.paths[i], data); err != nil {
		return err
	}
	n.regular = false
	return nil
}

// holds reports whether the content is what it was, and was understood.
func (l *treeLeaf) holds(data []byte) bool {
	return l.meta != nil && data != nil && bytes.Equal(l.data, data)
}

// parse takes new content, nil for none. A name that is no id is found out only
// after the content, as in the reference.
func (l *treeLeaf) parse(shared env.Shared, path string, data []byte) error {
	l.data, l.meta = nil, nil
	if data == nil {
		return nil
	}
	meta, err := datadef.SharedReplicaMeta(shared, data)
	if err != nil {
		return err
	}
	if _, err := replicaKey(path); err != nil {
		return err
	}
	l.data, l.meta = data, meta
	return nil
}

// collect gathers the replicas of a task. Two names may be one id: the later
// content counts.
func (n *treeNode) collect(shared env.Shared) error {
	if n.regular {
		return nil
	}
	replicas := &replicaMap{}
	for i := range n.leaves {
		if n.leaves[i].meta == nil {
			continue
		}
		id, err := replicaKey(n.paths[i])
		if err != nil {
			return err
		}
		replicas.set(id, n.leaves[i].meta)
	}
	n.replicas, n.regular = sharedReplicas{replicas.ids, replicas.metas}, true
	if shared != nil {
		n.share(shared)
	}
	return nil
}

// share takes the leaves and replicas of another agent in place of those just made, where
// they are equal.
func (n *treeNode) share(shared env.Shared) {
	n.leaves = shared.Same("leaves of "+n.path, n.leaves, func(last any) bool {
		return slices.EqualFunc(last.([]treeLeaf), n.leaves, treeLeaf.is)
	}).([]treeLeaf)
	n.common = true
	n.replicas = shared.Same("replicas of "+n.path, n.replicas, func(last any) bool {
		return n.replicas.equal(last.(sharedReplicas))
	}).(sharedReplicas)
}

// is reports whether two leaves are one and the same, which equal contents nearly always
// are.
func (l treeLeaf) is(other treeLeaf) bool {
	return l.meta == other.meta && len(l.data) == len(other.data) && (len(l.data) == 0 || &l.data[0] == &other.data[0])
}

func (r sharedReplicas) equal(other sharedReplicas) bool {
	if len(r.metas) == len(other.metas) && len(r.metas) > 0 && &r.metas[0] == &other.metas[0] {
		return sameStrings(r.ids, other.ids)
	}
	return slices.Equal(r.metas, other.metas) && sameStrings(r.ids, other.ids)
}

// holds reports whether replicas are those that were read, in the same order.
func (n *treeNode) holds(replicas *replicaMap) bool {
	return n.replicas.equal(sharedReplicas{replicas.ids, replicas.metas})
}

// unchanged reports whether what was read is what the mirror has.
func (r *treeReader) unchanged(mirror *pysem.OrderedMap[string, *replicaMap]) bool {
	if mirror.Len() != len(r.tasks) {
		return false
	}
	i := 0
	for path, replicas := range mirror.All {
		if path != r.tasks[i].path || !r.tasks[i].holds(replicas) {
			return false
		}
		i++
	}
	return true
}

// mirror makes a mirror of what was read.
func (r *treeReader) mirror() *pysem.OrderedMap[string, *replicaMap] {
	fresh := pysem.NewOrderedMap[string, *replicaMap]()
	for _, task := range r.tasks {
		fresh.Set(task.path, &replicaMap{ids: slices.Clip(task.replicas.ids), metas: task.replicas.metas, shared: true})
	}
	return fresh
}
