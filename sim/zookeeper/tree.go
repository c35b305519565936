package zookeeper

import "github.com/monosim/monosim/sim/zookeeper/acl"

// tree holds the znodes. Its methods keep the links, the owners of ephemerals and the list for the
// sweep consistent. Checks and events are implemented elsewhere.
type tree struct {
	nodes map[string]*znode
	root  *znode
	// mortals holds the containers and TTL nodes, which the sweep may delete, in no particular
	// order.
	mortals []*znode
	// quotas holds the paths that have a quota (see quota.go).
	quotas []string
}

// newTree makes the initial tree (ZK-5.4). The visible cversion of / is -1 and that of /zookeeper
// is -2, because the server's own znodes count as children but not as creations.
func newTree() *tree {
	t := &tree{nodes: make(map[string]*znode)}
	t.root = &znode{path: "/", data: []byte{}, acl: acl.Everyone}
	t.root.tree = t
	t.nodes["/"] = t.root
	system := &znode{path: "/zookeeper", name: "zookeeper", data: []byte{}, acl: acl.Everyone}
	t.insert(t.root, system)
	// The configuration is readable by all, and only a super user may change it (DataTree.java
	// addConfigNode).
	t.insert(system, &znode{path: "/zookeeper/config", name: "config", data: []byte{}, acl: acl.Readers, aversion: -1})
	t.insert(system, &znode{path: "/zookeeper/quota", name: "quota", data: []byte{}, acl: acl.Everyone})
	return t
}

// lookup returns the znode at a path. The empty path also means the root (DataTree.java:268).
func (t *tree) lookup(path string) *znode {
	if n := t.nodes[path]; n != nil {
		return n
	}
	if path == "" {
		return t.root
	}
	return nil
}

// named returns the znode that a request names. If there is none, the code says whether the path is
// invalid or the znode is missing.
func (m *Machine) named(path string) (*znode, Code) {
	if n := m.tree.nodes[path]; n != nil {
		return n, CodeOK
	}
	if !validPath(path) {
		return nil, badArguments
	}
	return nil, noNode
}

// insert adds a leaf below parent.
func (t *tree) insert(parent, n *znode) {
	t.nodes[n.path], n.tree = n, t
	parent.linkChild(n)
	t.enlist(n)
	if n.session != nil {
		n.session.own(n)
	}
}

// remove removes a leaf from the tree.
func (t *tree) remove(n *znode) {
	delete(t.nodes, n.path)
	n.tree = nil
	n.parent.unlinkChild(n)
	t.discharge(n)
	if n.session != nil {
		n.session.disown(n)
	}
}

// restore undoes remove, provided that all later changes were undone before.
func (t *tree) restore(n *znode) {
	t.nodes[n.path], n.tree = n, t
	n.parent.relinkChild(n)
	t.enlist(n)
	if n.session != nil {
		n.session.relink(n)
	}
}

func (t *tree) enlist(n *znode) {
	if n.kind == container || n.kind == ttl {
		n.mortal = int32(len(t.mortals))
		t.mortals = append(t.mortals, n)
	}
}

func (t *tree) discharge(n *znode) {
	if n.kind == container || n.kind == ttl {
		last := t.mortals[len(t.mortals)-1]
		t.mortals[n.mortal], last.mortal = last, n.mortal
		t.mortals[len(t.mortals)-1] = nil
		t.mortals = t.mortals[:len(t.mortals)-1]
	}
}
