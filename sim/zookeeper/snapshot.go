package zookeeper

import (
	"maps"
	"slices"

	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// Snapshot holds what a server has on disk: the tree, the last zxid and the sessions. It shares no
// mutable memory with its machine.
type Snapshot struct {
	zxid, epoch   int64
	nextSessionID int64
	// nodes lists parents before their children.
	nodes    []savedNode
	sessions []savedSession
	quotas   []string
}

type savedNode struct {
	// node is a copy of the znode without its links.
	node       znode
	parentPath string
	owner      int64
}

type savedSession struct {
	id, timeoutMs int64
	// owned holds the paths of the session's ephemerals in the order of creation. set is their Java
	// set; nil if it is to be filled in that order.
	owned []string
	set   *java.Set
}

// Snapshot returns the durable state: znodes, sessions and the zxid, but not connections and
// watches.
func (m *Machine) Snapshot() *Snapshot {
	s := &Snapshot{zxid: m.zxid, epoch: m.epoch, nextSessionID: m.nextSessionID, quotas: slices.Clone(m.tree.quotas)}
	for n := m.tree.root; n != nil; n = n.after(m.tree.root) {
		saved := n.save()
		saved.node.set = n.set.Clone()
		s.nodes = append(s.nodes, saved)
	}
	for _, id := range slices.Sorted(maps.Keys(m.sessions)) {
		if session := m.sessions[id]; !session.local {
			s.sessions = append(s.sessions, session.save())
		}
	}
	return s
}

func (s *session) save() savedSession {
	saved := savedSession{id: s.id, timeoutMs: s.loggedMs, set: s.set.Clone()}
	for n := s.firstOwned; n != nil; n = n.ownerNext {
		saved.owned = append(saved.owned, n.path)
	}
	return saved
}

func (n *znode) save() savedNode {
	saved := savedNode{node: n.unlinked(), owner: n.owner()}
	if n.parent != nil {
		saved.parentPath = n.parent.path
	}
	return saved
}

// unlinked returns a copy of the znode without its place in the tree. Data and ACLs are never
// modified, so the copy shares them.
func (n *znode) unlinked() znode {
	return znode{
		path: n.path, name: n.name, data: n.data, acl: n.acl, kind: n.kind, ttlMs: n.ttlMs,
		czxid: n.czxid, mzxid: n.mzxid, pzxid: n.pzxid, ctimeMs: n.ctimeMs, mtimeMs: n.mtimeMs,
		version: n.version, aversion: n.aversion, creates: n.creates,
	}
}

// BeginEpoch prepares the snapshot for the next leader. Its last zxid becomes the first zxid of the
// new epoch, which belongs to no transaction (ZK-4.4, Leader.java lead).
func (s *Snapshot) BeginEpoch() {
	s.epoch = max(s.epoch, s.zxid>>32) + 1
	s.zxid = s.epoch << 32
}

// Restore starts a server at nowMs with the state of a snapshot. It keeps the tree, the zxid
// (ZK-2.4) and the sessions. Connections and watches are gone, and each session has its full
// timeout from nowMs on (SessionTrackerImpl.java:118). A snapshot may be restored many times.
func Restore(cfg Config, nowMs int64, s *Snapshot) *Machine {
	m := New(cfg, nowMs)
	m.load(s)
	for _, saved := range s.sessions {
		m.touch(m.sessions[saved.id])
	}
	return m
}

// loaded returns the Java set of a loaded znode or session: a clone of saved, if the snapshot has the
// set, or else filled, the set that was filled while loading.
func loaded(filled, saved *java.Set) *java.Set {
	if saved == nil {
		return filled
	}
	return saved.Clone()
}

// load copies a snapshot into a new machine. Sessions that were loaded do not expire before they
// are touched.
func (m *Machine) load(s *Snapshot) {
	m.zxid, m.epoch = s.zxid, s.epoch
	m.nextSessionID = max(m.nextSessionID, s.nextSessionID)
	for _, saved := range s.sessions {
		m.sessions[saved.id] = &session{id: saved.id, timeoutMs: saved.timeoutMs, loggedMs: saved.timeoutMs}
	}
	m.tree = &tree{nodes: make(map[string]*znode, len(s.nodes))}
	for i := range s.nodes {
		saved := &s.nodes[i]
		n := saved.node
		n.set, n.acl = nil, acl.Reread(n.acl)
		if i == 0 {
			m.tree.root, n.tree = &n, m.tree
			m.tree.nodes[n.path] = &n
			continue
		}
		m.tree.insert(m.tree.nodes[saved.parentPath], &n)
	}
	for _, saved := range s.sessions {
		session := m.sessions[saved.id]
		for _, path := range saved.owned {
			n := m.tree.nodes[path]
			n.session = session
			session.own(n)
		}
		session.set = loaded(session.set, saved.set)
	}
	for i := range s.nodes {
		saved := &s.nodes[i]
		n := m.tree.nodes[saved.node.path]
		n.set = loaded(n.set, saved.node.set)
	}
	m.tree.quotas = append(m.tree.quotas, s.quotas...)
	m.tellMembers()
	m.countDigests()
}
