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
	replicas *replicaMap  // shared
	regular  bool         // the replicas are those of the leaves
	// common says that other agents have the leaves, too: they are copied before one is
	// changed.
	common bool
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
			below[i] = &treeNode{path: oneText(r.shared, pysem.JoinStrings(n.path, name))}
		}
	}
	n.names, n.below = names, below
	return nil
}

// oneText is a text that many agents have, one for all of them.
func oneText(shared env.Shared, text string) string {
	if shared == nil {
		return text
	}
	return shared.Same("text "+text, text, func(any) bool { return true }).(string)
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
	var leaves []treeLeaf
	if len(known) > 0 || shared == nil {
		leaves = make([]treeLeaf, len(names))
		for i, name := range names {
			leaves[i] = known[name]
		}
	}
	n.names, n.leaves, n.reads, n.regular, n.common = names, leaves, nil, false, false
	n.paths = namesOf(shared, n.path).Paths(names)
	if n.leaves == nil {
		n.borrow(shared)
	}
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
	}, func(i int, data []byte) bool {
		return n.leaves[i].holds(data) || understood(r.shared, n.paths[i], data)
	})
}

// understood reports whether the content of a replica has a meaning.
func understood(shared env.Shared, path string, data []byte) bool {
	if len(data) == 0 {
		return false
	}
	if _, err := replicaKey(path); err != nil {
		return false
	}
	_, err := datadef.SharedReplicaMeta(shared, data)
	return err == nil
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
	replicas := newReplicaMap(shared, n.path)
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
	n.replicas, n.regular = replicas, true
	if shared != nil {
		n.share(shared)
	}
	return nil
}

// share takes the leaves and replicas of another agent in place of those just made, where
// they are equal.
func (n *treeNode) share(shared env.Shared) {
	own := pathLeaves{n.paths, n.leaves}
	n.leaves = shared.Same(n.leavesPlace(), own, func(last any) bool { return last.(pathLeaves).is(own) }).(pathLeaves).leaves
	n.common = true
	n.replicas = shared.Same("replicas of "+n.path, n.replicas, func(last any) bool {
		return n.replicas.equal(last.(*replicaMap))
	}).(*replicaMap)
}

// borrow begins with the leaves that another agent has found at the same paths: what is
// read is compared with them, and most of it is the same. Thousands of agents read for the
// first time at once.
func (n *treeNode) borrow(shared env.Shared) {
	last := shared.Same(n.leavesPlace(), pathLeaves{}, func(any) bool { return true }).(pathLeaves)
	if last.of(n.paths) {
		n.leaves, n.common = last.leaves, true
	} else {
		n.leaves = make([]treeLeaf, len(n.names))
	}
}

func (n *treeNode) leavesPlace() string { return "leaves of " + n.path }

// pathLeaves are the leaves that an agent has found at paths.
type pathLeaves struct {
	paths  []string // shared
	leaves []treeLeaf
}

// of reports whether they are those of the paths.
func (l pathLeaves) of(paths []string) bool {
	return len(paths) > 0 && len(l.paths) == len(paths) && &l.paths[0] == &paths[0]
}

func (l pathLeaves) is(other pathLeaves) bool {
	return l.of(other.paths) && slices.EqualFunc(l.leaves, other.leaves, treeLeaf.is)
}

// is reports whether two leaves are one and the same, which equal contents nearly always
// are.
func (l treeLeaf) is(other treeLeaf) bool {
	return l.meta == other.meta && len(l.data) == len(other.data) && (len(l.data) == 0 || &l.data[0] == &other.data[0])
}

// unchanged reports whether what was read is what the mirror has.
func (r *treeReader) unchanged(mirror *pysem.OrderedMap[string, *replicaMap]) bool {
	if mirror.Len() != len(r.tasks) {
		return false
	}
	i := 0
	for path, replicas := range mirror.All {
		if path != r.tasks[i].path || !r.tasks[i].replicas.equal(replicas) {
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
		replicas := *task.replicas
		replicas.shared = true
		fresh.Set(task.path, &replicas)
	}
	return fresh
}
