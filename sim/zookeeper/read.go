package zookeeper

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/recipes/bulk"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// exists returns the stat of a znode. It sets the watch even if the znode is missing (ZK-7.2). It
// needs no permission on 3.8 and READ on 3.9 (ZK-9.5).
func (m *Machine) exists(c *Conn, req *Request) {
	r := m.reply(c, req)
	if strings.IndexByte(req.Path, 0) >= 0 {
		r.Err = badArguments
		return
	}
	n := m.tree.lookup(req.Path)
	if n != nil && m.cfg.Profile == V39 && !m.permitted(c, n, req.Op) {
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

// readable returns the znode of a request if the connection may read it, else an error code.
func (m *Machine) readable(c *Conn, req *Request) (*znode, Code) {
	n := m.tree.lookup(req.Path)
	if n == nil {
		return nil, noNode
	}
	if !m.permitted(c, n, req.Op) {
		return nil, noAuth
	}
	return n, CodeOK
}

// getData returns the data of a znode. If it fails, it sets no watch (ZK-7.2).
func (m *Machine) getData(c *Conn, req *Request) {
	r := m.reply(c, req)
	n, code := m.readable(c, req)
	if r.Err = code; code != CodeOK {
		return
	}
	if req.Watch {
		m.watches.data.add(m.cfg.Profile, c, req.Path, oneShot)
	}
	r.Data, r.Stat = n.data, n.stat()
}

// getChildren answers getChildren and getChildren2. Only the answer to getChildren2 contains the
// stat. If it fails, it sets no watch.
func (m *Machine) getChildren(c *Conn, req *Request) {
	r := m.reply(c, req)
	n, code := m.readable(c, req)
	if r.Err = code; code != CodeOK {
		return
	}
	if req.Watch {
		m.watches.child.add(m.cfg.Profile, c, req.Path, oneShot)
	}
	if req.Blocks && m.cfg.ChildOrder == nil {
		r.Names = n.childBlocks()
	} else if r.Children = m.childrenOf(n); req.Blocks {
		r.Names, r.Children = bulk.NamesOf(r.Children), nil
	}
	if req.Op.entry().replies(field.Stat) {
		r.Stat = n.stat()
	}
}

// childrenOf lists the children in the order that clients see. It is a real server's order, unless
// Config.ChildOrder is set (ZK-5.8).
func (m *Machine) childrenOf(n *znode) []string {
	if m.cfg.ChildOrder == nil {
		return n.childNames()
	}
	names := slices.Clone(n.childNames())
	slices.Sort(names)
	return m.cfg.ChildOrder(n.path, names)
}

// getAllChildrenNumber counts all descendants.
func (m *Machine) getAllChildrenNumber(c *Conn, req *Request) {
	r := m.reply(c, req)
	n, code := m.readable(c, req)
	if r.Err = code; code != CodeOK {
		return
	}
	r.Count = n.descendants()
	if req.Path == "" {
		// The root itself is counted too, because the server also stores it under the path ""
		// (DataTree.java:268).
		r.Count++
	}
}

// getEphemerals lists the caller's ephemerals below a prefix, in the order of a copied Java set
// (FinalRequestProcessor.java:535). A blank prefix means all. Java's trim also removes control
// characters.
func (m *Machine) getEphemerals(c *Conn, req *Request) {
	paths := []string{}
	trimmed := strings.TrimFunc(req.Path, func(c rune) bool { return c <= ' ' })
	for _, n := range c.session.leaving() {
		if trimmed == "" || trimmed == "/" || strings.HasPrefix(n.path, req.Path) {
			paths = append(paths, n.path)
		}
	}
	m.reply(c, req).Children = paths
}

// multiRead executes several reads. Each of them may fail separately (ZK-1.8). They set no watches.
func (m *Machine) multiRead(c *Conn, req *Request) {
	r := m.reply(c, req)
	if m.decodes(req) != decoded {
		r.Err = marshallingError
		return
	}
	r.Results = make([]Result, 0, len(req.Ops))
	for i := range req.Ops {
		if req.Ops[i].NullPath || !holds(req.Ops, inMultiRead) {
			r.Err = marshallingError // the answer contains the results up to here (ZK-8.6)
			return
		}
		r.Results = append(r.Results, m.readOne(c, &req.Ops[i]))
	}
}

func (m *Machine) readOne(c *Conn, op *Request) Result {
	n, code := m.readable(c, op)
	if code != CodeOK {
		return Result{Op: OpError, Err: code}
	}
	r := Result{Op: op.Op}
	for _, f := range op.Op.ReplyFields() {
		switch f {
		case field.Data:
			r.Data = n.data
		case field.Stat:
			r.Stat = n.stat()
		case field.Children:
			r.Children = m.childrenOf(n)
		}
	}
	return r
}
