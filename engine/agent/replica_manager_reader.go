package agent

import (
	"bytes"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// treeReader reads the tree below a prefix again and again, once a minute in
// every container, and nearly always finds what it found before. It therefore
// remembers names and contents with what was made of them; a round in which
// nothing has changed costs no more than the requests and comparisons.
type treeReader struct {
	zk      env.ZooKeeper
	dcAware bool
	root    *treeNode
	tasks   []*treeNode // of the last round, in its order
}

// treeNode is one znode and what is known of it.
type treeNode struct {
	path string
	// names are those of the children, below the children themselves.
	names []string
	below []*treeNode

	// Of a replica: its content, and what that says. idErr is why the name is not
	// an id.
	id    string
	idErr error
	data  []byte
	meta  *ReplicaMeta

	// Of a task: the replicas that were read, by id. The ids are replaced, never
	// changed.
	ids     []string
	metas   []*ReplicaMeta
	regular bool // ids are those of all children, each once
}

func newTreeReader(zk env.ZooKeeper, prefix string, dcAware bool) *treeReader {
	return &treeReader{zk: zk, dcAware: dcAware, root: &treeNode{path: prefix}}
}

// read reads everything (replica_manager.py:188-228). One replica that vanishes
// in between fails the round.
func (r *treeReader) read() error {
	if err := r.findTasks(); err != nil {
		return err
	}
	for _, task := range r.tasks {
		if err := r.children(task); err != nil {
			return err
		}
		for _, replica := range task.below {
			data, _, err := r.zk.Get(replica.path)
			if err != nil {
				return err
			}
			if err := replica.take(data); err != nil {
				return err
			}
		}
		task.collect()
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

// children lists the children of a node. Nodes whose names are still there are
// kept.
func (r *treeReader) children(n *treeNode) error {
	names, err := r.zk.Children(n.path)
	if err != nil || sameSlice(n.names, names) || slices.Equal(n.names, names) {
		return err
	}
	known := make(map[string]*treeNode, len(n.below))
	for i, name := range n.names {
		known[name] = n.below[i]
	}
	n.names, n.below, n.regular = names, make([]*treeNode, len(names)), false
	for i, name := range names {
		child := known[name]
		if child == nil {
			child = &treeNode{path: pysem.JoinStrings(n.path, name)}
			child.id, child.idErr = replicaKey(child.path)
		}
		n.below[i] = child
	}
	return nil
}

// sameSlice says whether two slices are one and the same, which spares the look
// at their elements.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// take parses the content of a replica, unless it is what it was.
func (n *treeNode) take(data []byte) error {
	if data == nil {
		n.data, n.meta = nil, nil
		return nil
	}
	if n.meta == nil || !bytes.Equal(n.data, data) {
		n.data, n.meta = nil, nil
		meta, err := ParseReplicaMeta(data)
		if err != nil {
			return err
		}
		n.data, n.meta = data, &meta
	}
	return n.idErr
}

// collect gathers the replicas of a task. Two names may be one id: the later
// content counts.
func (n *treeNode) collect() {
	n.metas = n.metas[:0]
	for _, replica := range n.below {
		n.metas = append(n.metas, replica.meta)
	}
	if n.regular && !slices.Contains(n.metas, nil) {
		return
	}
	replicas := &replicaMap{}
	for _, replica := range n.below {
		if replica.meta != nil {
			replicas.set(replica.id, replica.meta)
		}
	}
	n.ids, n.metas, n.regular = replicas.ids, replicas.metas, len(replicas.ids) == len(n.below)
}

// holds says whether replicas are those that were read, in the same order.
func (n *treeNode) holds(replicas *replicaMap) bool {
	return slices.Equal(n.metas, replicas.metas) &&
		(sameSlice(n.ids, replicas.ids) || slices.Equal(n.ids, replicas.ids))
}

// unchanged says whether what was read is what the mirror has.
func (r *treeReader) unchanged(mirror *ordered[string, *replicaMap]) bool {
	if mirror.len() != len(r.tasks) {
		return false
	}
	for i, path := range mirror.keys {
		if path != r.tasks[i].path || !r.tasks[i].holds(mirror.values[path]) {
			return false
		}
	}
	return true
}

// mirror makes a mirror of what was read.
func (r *treeReader) mirror() *ordered[string, *replicaMap] {
	fresh := newOrdered[string, *replicaMap]()
	for _, task := range r.tasks {
		fresh.set(task.path, &replicaMap{ids: slices.Clip(task.ids), metas: slices.Clone(task.metas)})
	}
	return fresh
}
