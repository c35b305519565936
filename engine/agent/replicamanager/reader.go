package replicamanager

import (
	"bytes"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
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

	// Of a task: a leaf for each name, and the replicas that were read, by id. The
	// ids are replaced, never changed.
	leaves  []treeLeaf
	reads   env.Reads // of the leaves, nil before the first round
	ids     []string
	metas   []*datadef.ReplicaMeta
	regular bool // ids and metas are those of the leaves
}

// treeLeaf is one replica: its content, and what that says. There are many, which
// are gone through in order, so they are small and lie side by side.
type treeLeaf struct {
	path string
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
		task.setLeaves(names)
		if err := task.readLeaves(r); err != nil {
			return err
		}
		if err := task.collect(); err != nil {
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
func (n *treeNode) setLeaves(names []string) {
	if sameStrings(n.names, names) {
		return
	}
	known := make(map[string]treeLeaf, len(n.leaves))
	for i, name := range n.names {
		known[name] = n.leaves[i]
	}
	leaves := make([]treeLeaf, len(names))
	ends := make([]int, len(names))
	var paths strings.Builder // in one piece, as they are gone through in order
	for i, name := range names {
		leaves[i] = known[name]
		paths.WriteString(pysem.JoinStrings(n.path, name))
		ends[i] = paths.Len()
	}
	begin := 0
	for i, end := range ends {
		leaves[i].path = paths.String()[begin:end]
		begin = end
	}
	n.names, n.leaves, n.reads, n.regular = names, leaves, nil, false
}

// readLeaves reads all replicas of a task.
func (n *treeNode) readLeaves(r *treeReader) error {
	if n.reads == nil {
		paths := make([]string, len(n.leaves))
		for i := range n.leaves {
			paths[i] = n.leaves[i].path
		}
		n.reads = env.NewReads(r.zk, paths)
	}
	return n.reads.Each(func(i int, data []byte) error { return n.readLeaf(r.shared, i, data) })
}

// readLeaf takes the content of one replica.
func (n *treeNode) readLeaf(shared env.Shared, i int, data []byte) error {
	replica := &n.leaves[i]
	if replica.holds(data) {
		return nil
	}
	if err := replica.parse(shared, data); err != nil {
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
func (l *treeLeaf) parse(shared env.Shared, data []byte) error {
	l.data, l.meta = nil, nil
	if data == nil {
		return nil
	}
	meta, err := datadef.SharedReplicaMeta(shared, data)
	if err != nil {
		return err
	}
	if _, err := replicaKey(l.path); err != nil {
		return err
	}
	l.data, l.meta = data, meta
	return nil
}

// collect gathers the replicas of a task. Two names may be one id: the later
// content counts.
func (n *treeNode) collect() error {
	if n.regular {
		return nil
	}
	replicas := &replicaMap{}
	for i := range n.leaves {
		if n.leaves[i].meta == nil {
			continue
		}
		id, err := replicaKey(n.leaves[i].path)
		if err != nil {
			return err
		}
		replicas.set(id, n.leaves[i].meta)
	}
	n.ids, n.metas, n.regular = replicas.ids, replicas.metas, true
	return nil
}

// holds reports whether replicas are those that were read, in the same order.
func (n *treeNode) holds(replicas *replicaMap) bool {
	return slices.Equal(n.metas, replicas.metas) && sameStrings(n.ids, replicas.ids)
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
		fresh.Set(task.path, &replicaMap{ids: slices.Clip(task.ids), metas: slices.Clone(task.metas)})
	}
	return fresh
}
