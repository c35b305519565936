package zookeeper

import "bytes"

// setData replaces the data of a znode. It makes the checks in the order of ZK-6.3.
func (m *Machine) setData(c *Conn, req *Request, _ bool) outcome {
	n, code := m.named(req.Path)
	if n == nil {
		return outcome{code: code}
	}
	if !m.permitted(c, n, req.Op) {
		return outcome{code: noAuth}
	}
	grown := int64(len(req.Data) - len(n.data))
	if code := m.checkQuota(req.Path, grown, 0); code != CodeOK {
		return outcome{code: code}
	}
	if req.Version != -1 && req.Version != n.version {
		return outcome{code: badVersion}
	}
	m.changes = append(m.changes, savedBefore(n, grown))
	if len(req.Data) == 0 || !bytes.Equal(n.data, req.Data) {
		m.contentChanges(n.parent, n)
		n.data = req.Data // equal data keeps the old slice, so that what is cached about it stays valid
	}
	n.mzxid, n.mtimeMs = m.zxid, m.wallMs()
	n.version++
	return outcome{node: n}
}

// setACL replaces the ACL of a znode. It compares Version with the znode's aversion (ZK-6.4).
func (m *Machine) setACL(c *Conn, req *Request, _ bool) outcome {
	if !validPath(req.Path) {
		return outcome{code: badArguments}
	}
	acl, code := m.expandACL(c, req.ACL)
	if code != CodeOK {
		return outcome{code: code}
	}
	n := m.tree.lookup(req.Path)
	if n == nil {
		return outcome{code: noNode}
	}
	if !m.permitted(c, n, req.Op) {
		return outcome{code: noAuth}
	}
	if req.Version != -1 && req.Version != n.aversion {
		return outcome{code: badVersion}
	}
	m.contentChanges(n.parent, n)
	m.changes = append(m.changes, change{kind: nodeACLSet, node: n, acl: n.acl, aversion: n.aversion})
	n.acl = acl
	n.aversion++
	return outcome{node: n}
}
