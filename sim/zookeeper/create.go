package zookeeper

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper/field"
)

// maxTTLMs is the longest time to live in ms, about 34 years (EphemeralType.java: the low 40 bits).
const maxTTLMs = 1<<40 - 1

// create makes a znode. It makes the checks in the order of ZK-6.1.
func (m *Machine) create(c *Conn, req *Request, inMulti bool) outcome {
	if !validFlags(req.Flags) {
		return outcome{code: badArguments}
	}
	if code := m.checkTTL(req, inMulti); code != CodeOK {
		return outcome{code: code}
	}
	if req.NullPath {
		return outcome{code: marshallingError}
	}
	above, ok := parentPath(req.Path)
	if !ok {
		return outcome{code: badArguments}
	}
	acl, code := m.expandACL(c, req.ACL)
	if code != CodeOK {
		return outcome{code: code}
	}
	parent := m.tree.lookup(above)
	if parent == nil {
		return outcome{code: noNode}
	}
	if !m.permitted(c, parent, req.Op) {
		return outcome{code: noAuth}
	}
	path := req.Path
	if sequential(req.Flags) {
		// Java's %010d and Go's also agree for negative numbers (ZK-5.2).
		path = fmt.Sprintf("%s%010d", path, m.counterOf(parent))
	}
	if n, code := m.named(path); n != nil {
		return outcome{code: nodeExists}
	} else if code == badArguments {
		return outcome{code: code}
	}
	if parent.kind == ephemeral {
		return outcome{code: noChildrenForEphemerals}
	}
	if code := m.checkQuota(path, int64(len(req.Data)), 1); code != CodeOK {
		return outcome{code: code}
	}
	n := &znode{
		path: path, name: path[strings.LastIndexByte(path, '/')+1:],
		data: req.Data, acl: acl, kind: m.kindOf(req, inMulti),
		czxid: m.zxid, mzxid: m.zxid, pzxid: m.zxid,
		ctimeMs: m.wallMs(), mtimeMs: m.wallMs(),
	}
	switch n.kind {
	case ephemeral:
		n.session = c.session
	case ttl:
		n.ttlMs = req.TTLMs
	}
	if n.kind == container || n.kind == ttl {
		m.sweep.wake(m.nowMs, len(m.tree.mortals))
	}
	m.add(parent, n)
	return outcome{node: n}
}

// add puts a new znode below its parent, and records what a rollback must restore.
func (m *Machine) add(parent, n *znode) {
	m.contentChanges(parent, n)
	made := change{
		kind: nodeCreated, node: n, bytes: int64(len(n.data)), parentPzxid: parent.pzxid,
		creates: parent.creates, counter: m.counterOf(parent),
	}
	m.keep(parent, n)
	m.changes = append(m.changes, made)
	m.tree.insert(parent, n)
	m.underWay(parent, parent.countCreate(made.counter, m.zxid))
}

// countCreate counts the creation of a child, and returns the next value of counter. The tree
// stores the returned value only if it exceeds the tree's own counter. So when the counter wraps
// after the largest int32, only requests in progress see the wrapped value (ZK-5.2, DataTree.java
// createNode).
func (n *znode) countCreate(counter int32, zxid int64) (next int32) {
	next = counter + 1
	if next > n.creates {
		n.creates, n.pzxid = next, zxid
	}
	return next
}

// SetCounters sets the internal cversion, the version and the aversion of a znode; a nil argument
// leaves its counter unchanged. It returns false if the znode does not exist. It is not a
// transaction.
func (m *Machine) SetCounters(path string, sequence, version, aversion *int32) bool {
	n := m.tree.nodes[path]
	if n == nil {
		return false
	}
	m.contentChanges(n.parent, n)
	set := func(field, to *int32) {
		if to != nil {
			*field = *to
		}
	}
	set(&n.creates, sequence)
	set(&n.version, version)
	set(&n.aversion, aversion)
	delete(m.ahead, n)
	if m.notes.on {
		m.notes.add(n, notedNode)
	}
	return true
}

// counterOf returns the number for the name of the parent's next sequential child.
func (m *Machine) counterOf(parent *znode) int32 {
	if counter, ok := m.ahead[parent]; ok {
		return counter
	}
	return parent.creates
}

// underWay sets the counter that requests in progress see for a parent. Only a counter that has
// wrapped differs from the tree's, so ahead holds only such counters.
func (m *Machine) underWay(parent *znode, counter int32) {
	switch {
	case counter != parent.creates && m.ahead == nil:
		m.ahead = map[*znode]int32{parent: counter}
	case counter != parent.creates:
		m.ahead[parent] = counter
	default:
		delete(m.ahead, parent)
	}
}

// checkTTL checks that a TTL node has a valid time to live and that the extended types are enabled
// (ZK-3.7, PrepRequestProcessor.java:997). Only createTTL carries a time to live. In a multi the
// flags decide which kind of node is made. createTTL may then make a node without a time to live,
// and a TTL flag in another create fails the whole multi (Op.java:105, a failed cast).
func (m *Machine) checkTTL(req *Request, inMulti bool) Code {
	carries := req.Op.entry().takes(field.TTL)
	switch {
	case !ttlFlags(req.Flags):
		if carries && !inMulti {
			return badArguments
		}
		return CodeOK
	case !carries && inMulti:
		return marshallingError
	case !m.cfg.ExtendedTypes:
		return unimplemented
	case !carries || req.TTLMs <= 0 || req.TTLMs > maxTTLMs:
		return badArguments
	}
	return CodeOK
}

func validFlags(flags int32) bool {
	return flags >= FlagPersistent && flags <= flagPersistentSequentialTTL
}

func ttlFlags(flags int32) bool { return flags == FlagTTL || flags == flagPersistentSequentialTTL }

func sequential(flags int32) bool {
	return flags == FlagPersistentSequential || flags == FlagEphemeralSequential || flags == flagPersistentSequentialTTL
}

// kindOf returns the kind of node that a request makes. Outside a multi the opcode decides. In a
// multi the flags decide, because the server reads all creates in it alike (on 3.9 except
// createContainer, ZK-14.7). A plain create with the container flag makes a persistent node
// (PrepRequestProcessor.java:699, Op.java:272).
func (m *Machine) kindOf(req *Request, inMulti bool) nodeKind {
	alike := inMulti && m.cfg.Profile == V38
	switch {
	case ttlFlags(req.Flags):
		return ttl
	case req.Op == OpCreateContainer && !alike, req.Flags == flagContainer && inMulti:
		return container
	case ephemeralFlags(req):
		return ephemeral
	}
	return persistent
}

// ephemeralFlags reports whether a request's flags ask for an ephemeral.
func ephemeralFlags(req *Request) bool {
	return req.Op.Effect() == EffectCreate && (req.Flags == FlagEphemeral || req.Flags == FlagEphemeralSequential)
}
