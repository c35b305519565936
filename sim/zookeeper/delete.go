package zookeeper

// delete removes a leaf. It makes the checks in the order of ZK-6.2. The client needs DELETE on the
// parent.
func (m *Machine) delete(c *Conn, req *Request, _ bool) outcome {
	if req.NullPath {
		return outcome{code: marshallingError}
	}
	above, ok := parentPath(req.Path)
	if !ok || systemPath(req.Path) {
		return outcome{code: badArguments}
	}
	parent := m.tree.lookup(above)
	if parent == nil {
		return outcome{code: noNode}
	}
	if !m.permitted(c, parent, req.Op) {
		return outcome{code: noAuth}
	}
	n := m.tree.lookup(req.Path)
	if n == nil {
		return outcome{code: noNode}
	}
	if req.Version != -1 && req.Version != n.version {
		return outcome{code: badVersion}
	}
	if n.numChildren > 0 {
		return outcome{code: notEmpty}
	}
	m.removeNode(n)
	return outcome{node: n}
}

// removeNode removes a leaf as part of the present transaction.
func (m *Machine) removeNode(n *znode) {
	m.contentChanges(n.parent, n)
	m.keep(n.parent, n)
	m.changes = append(m.changes, change{kind: nodeDeleted, node: n, parentPzxid: n.parent.pzxid, bytes: -int64(len(n.data))})
	m.tree.remove(n)
	n.parent.pzxid = m.zxid
}
