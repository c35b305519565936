package zookeeper

import "github.com/monosim/monosim/sim/zookeeper/acl"

// tree holds the znodes. Its methods keep links, ownership and the sweep's list consistent. Rules
// and events are elsewhere.
type tree struct {
	nodes map[string]*znode
	root  *znode
	// mortals holds the containers and TTL nodes, in no particular order.
	mortals []*znode
	// quotas holds the paths that have a quota (see quota.go).
	quotas []string
}

// newTree makes an initial tree (ZK-5.4). The visible cversion of / is -1 and that of /zookeeper
// -2, because the server's own nodes count as children but not as creates.
func newTree() *tree {
	t := &tree{nodes: make(map[string]*znode)}
	t.root = &znode{path: "/", data: []byte{}, acl: acl.Everyone}
	t.root.tree = t
	t.nodes["/"] = t.root
	system := &znode{path: "/zookeeper", name: "zookeeper", data: []byte{}, acl: acl.Everyone}
	t.insert(t.root, system)
	// Only a super user may change the configuration (DataTree.java addConfigNode).
	t.insert(system, &znode{path: "/zookeeper/config", name: "config", data: []byte{}, acl: acl.Readers, aversion: -1})
	t.insert(system, &znode{path: "/zookeeper/quota", name: "quota", data: []byte{}, acl: acl.Everyone})
	return t
}

// lookup returns the znode at a path. The empty path is the root, too (DataTree.java:268).
func (t *tree) lookup(path string) *znode {
	if n := t.nodes[path]; n != nil {
		return n
	}
	if path == "" {
		return t.root
	}
	return nil
}

// named returns the znode that a request names. Otherwise the code tells whether the path could
// name a znode or is invalid.
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

// remove takes a leaf out.
func (t *tree) remove(n *znode) {
	delete(t.nodes, n.path)
	n.tree = nil
	n.parent.unlinkChild(n)
	t.discharge(n)
	if n.session != nil {
		n.session.disown(n)
	}
}

// restore undoes remove, if everything done after it was undone before.
func (t *tree) restore(n *znode) {
	t.nodes[n.path], n.tree = n, t
	n.parent.relinkChild(n)
	t.enlist(n)
	if n.session != nil {
		n.session.link(n)
	}
}

func (t *tree) enlist(n *znode) {
	if n.kind == container || n.kind == ttl {
		n.mortal = len(t.mortals)
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
