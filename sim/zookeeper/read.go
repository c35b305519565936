package zookeeper

import "strings"

// exists leaves its watch also on a missing znode (ZK-7.2). It needs no
// permission on 3.8 and READ on 3.9 (ZK-9.5).
func (m *Machine) exists(c *conn, req *Request) {
	r := m.reply(c, req)
	if strings.IndexByte(req.Path, 0) >= 0 {
		r.Err = badArguments
		return
	}
	n := m.tree.lookup(req.Path)
	if n != nil && m.cfg.Profile == V39 && !m.allowed(c, n.acl, PermRead) {
		r.Err = noAuth
		return
	}
	if req.Watch {
		m.watches.data.add(m.cfg.Profile, c, req.Path, oneShot)
	}
	if n == nil {
		r.Err = noNode
		return
	}
	r.Stat = n.stat()
}

// readable finds a znode that the connection may read.
func (m *Machine) readable(c *conn, path string) (*znode, Code) {
	n := m.tree.lookup(path)
	if n == nil {
		return nil, noNode
	}
	if !m.allowed(c, n.acl, PermRead) {
		return nil, noAuth
	}
	return n, CodeOK
}

// getData leaves no watch when it fails (ZK-7.2).
func (m *Machine) getData(c *conn, req *Request) {
	r := m.reply(c, req)
	n, code := m.readable(c, req.Path)
	if r.Err = code; code != CodeOK {
		return
	}
	if req.Watch {
		m.watches.data.add(m.cfg.Profile, c, req.Path, oneShot)
	}
	r.Data, r.Stat = n.data, n.stat()
}

// readAgain is Handle of a getData without a watch whose path is known: it leaves
// the reply in the request's place and nothing in the outbox. It reports false, and
// has no effect, when there is more to do than to answer.
func (m *Machine) readAgain(nowMs int64, c *conn, req *Request) bool {
	k, s := req.known, c.session
	if c.gone || nowMs < m.nowMs || req.scratch == nil || len(m.outbox) > 0 {
		return false
	}
	if dueMs, ok := m.NextExpiryMs(); ok && dueMs <= nowMs {
		return false
	}
	deadlineMs := m.expiry.deadline(nowMs + s.timeoutMs)
	if s.filedMs == 0 || deadlineMs < s.filedMs {
		return false
	}
	if k.node == nil || k.node.tree != m.tree {
		if k.node = m.tree.lookup(req.Path); k.node == nil {
			return false
		}
	}
	if !m.allowed(c, k.node.acl, PermRead) {
		return false
	}
	m.nowMs, s.deadlineMs = nowMs, deadlineMs
	m.counters.count(OpGetData)
	r := req.scratch
	if r.Op != OpGetData {
		*r = Reply{Op: OpGetData} // else nothing is left of it but what is set here
	}
	r.Xid, r.Zxid, r.Err, r.Data, r.Stat = req.Xid, m.zxid, CodeOK, k.node.data, k.node.stat()
	return true
}

// getChildren answers getChildren and, with the stat, getChildren2. A failed one
// leaves no watch.
func (m *Machine) getChildren(c *conn, req *Request) {
	r := m.reply(c, req)
	n, code := m.readable(c, req.Path)
	if r.Err = code; code != CodeOK {
		return
	}
	if req.Watch {
		m.watches.child.add(m.cfg.Profile, c, req.Path, oneShot)
	}
	r.Children = m.childrenOf(n)
	if req.Op == OpGetChildren2 {
		r.Stat = n.stat()
	}
}

// childrenOf lists the children in the order that clients see: sorted, unless
// the configuration reorders them (ZK-5.8 leaves the order to us).
func (m *Machine) childrenOf(n *znode) []string {
	names := n.childNames()
	if m.cfg.ChildOrder != nil {
		return m.cfg.ChildOrder(n.path, names)
	}
	return names
}

// getAllChildrenNumber counts all descendants.
func (m *Machine) getAllChildrenNumber(c *conn, req *Request) {
	r := m.reply(c, req)
	n, code := m.readable(c, req.Path)
	if r.Err = code; code != CodeOK {
		return
	}
	r.Count = n.descendants()
	if req.Path == "" {
		// The root is below its other name (DataTree.java:268).
		r.Count++
	}
}

// getEphemerals lists the caller's ephemerals below a prefix, sorted
// (FinalRequestProcessor.java:535: a blank prefix means all, and Java's trim
// takes control characters for blanks).
func (m *Machine) getEphemerals(c *conn, req *Request) {
	paths := []string{}
	trimmed := strings.TrimFunc(req.Path, func(c rune) bool { return c <= ' ' })
	for _, n := range c.session.owned() {
		if trimmed == "" || trimmed == "/" || strings.HasPrefix(n.path, req.Path) {
			paths = append(paths, n.path)
		}
	}
	m.reply(c, req).Children = paths
}

// multiRead does several reads, each of which may fail by itself (ZK-1.8). They
// leave no watches.
func (m *Machine) multiRead(c *conn, req *Request) {
	r := m.reply(c, req)
	for i := range req.Ops {
		if op := req.Ops[i].Op; op != OpGetData && op != OpGetChildren {
			r.Err = marshallingError
			return
		}
	}
	r.Results = make([]Result, len(req.Ops))
	for i := range req.Ops {
		r.Results[i] = m.readOne(c, &req.Ops[i])
	}
}

func (m *Machine) readOne(c *conn, op *Request) Result {
	n, code := m.readable(c, op.Path)
	if code != CodeOK {
		return Result{Op: OpError, Err: code}
	}
	if op.Op == OpGetChildren {
		return Result{Op: op.Op, Children: m.childrenOf(n)}
	}
	return Result{Op: op.Op, Data: n.data, Stat: n.stat()}
}
