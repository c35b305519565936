package zookeeper

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// Node shows a znode to tests and invariant checks.
type Node struct {
	Path string
	// Data belongs to the machine and must not be changed. nil is distinct from empty.
	Data []byte
	Stat Stat
	ACL  []acl.Entry
	// Container and TTLMs are properties that Stat does not contain.
	Container bool
	TTLMs     int64
}

// SessionInfo describes a live session.
type SessionInfo struct {
	ID        int64
	TimeoutMs int64
	// DeadlineMs is when the session expires unless its client sends something.
	DeadlineMs int64
	// Conn is the session's connection. If Attached is false, it has none.
	Conn     ConnID
	Attached bool
	// Ephemerals holds the paths of the session's ephemerals, in the order of a real server's set.
	// It is nil until the session creates its first one, and empty when the last one is deleted.
	Ephemerals []string
}

// WatchInfo describes the watch of one connection on one path in one watch table.
type WatchInfo struct {
	Path string
	Conn ConnID
	// Child says that the watch is in the child table. Otherwise it is in the data table.
	Child                          bool
	OneShot, Persistent, Recursive bool
}

// Zxid returns the last zxid applied.
func (m *Machine) Zxid() int64 { return m.zxid }

// NowMs returns the machine's time, which is the latest time that an input has carried.
func (m *Machine) NowMs() int64 { return m.nowMs }

// Lookup returns the znode at path; false if there is none.
func (m *Machine) Lookup(path string) (Node, bool) {
	n := m.tree.nodes[path]
	if n == nil {
		return Node{}, false
	}
	return n.node(), true
}

func (n *znode) node() Node {
	return Node{
		Path: n.path, Data: n.data, Stat: n.stat(), ACL: slices.Clone(n.acl),
		Container: n.kind == container, TTLMs: n.ttlMs,
	}
}

// Children lists the names below a znode, sorted; nil when the znode does not exist.
func (m *Machine) Children(path string) []string {
	n := m.tree.nodes[path]
	if n == nil {
		return nil
	}
	names := slices.Clone(n.childNames())
	slices.Sort(names)
	return names
}

// Nodes lists all znodes by path, parents before their children.
func (m *Machine) Nodes() []Node {
	nodes := make([]Node, 0, len(m.tree.nodes))
	for n := m.tree.root; n != nil; n = n.after(m.tree.root) {
		nodes = append(nodes, n.node())
	}
	slices.SortFunc(nodes, func(a, b Node) int { return strings.Compare(a.Path, b.Path) })
	return nodes
}

// Sessions lists the live sessions by id.
func (m *Machine) Sessions() []SessionInfo {
	infos := make([]SessionInfo, 0, len(m.sessions))
	//lint:ordered sorted by id below, and owned only reads
	for _, s := range m.sessions {
		info := SessionInfo{ID: s.id, TimeoutMs: s.timeoutMs, DeadlineMs: s.deadlineMs}
		if s.conn != nil {
			info.Conn, info.Attached = s.conn.id, true
		}
		if s.set != nil {
			info.Ephemerals = lists.Map(s.owned(), func(n *znode) string { return n.path })
		}
		infos = append(infos, info)
	}
	slices.SortFunc(infos, func(a, b SessionInfo) int { return cmp.Compare(a.ID, b.ID) })
	return infos
}

// ExpirySets returns the times of the sets in which a real server keeps sessions until they expire,
// in order. Sessions are in the sets of their deadlines; the others are empty.
func (m *Machine) ExpirySets() []int64 { return slices.Clone(m.expiry.sets.Times(m.nowMs)) }

// Connected reports whether the connection is established.
func (m *Machine) Connected(id ConnID) bool { return m.conns[id] != nil }

// ZnodeCount returns how many znodes there are.
func (m *Machine) ZnodeCount() int { return len(m.tree.nodes) }

// ZnodeBytes returns the total size of all paths and data in bytes.
func (m *Machine) ZnodeBytes() (sum int64) {
	for n := m.tree.root; n != nil; n = n.after(m.tree.root) {
		sum += int64(len(n.path) + len(n.data))
	}
	return sum
}

// SessionCount returns how many sessions are live.
func (m *Machine) SessionCount() int { return len(m.sessions) }

// WatchCounts returns how many watches there are in the data table and in the child table.
func (m *Machine) WatchCounts() (data, child int) {
	for _, list := range m.watches.data.byPath { //lint:ordered a sum
		data += list.live
	}
	for _, list := range m.watches.child.byPath { //lint:ordered a sum
		child += list.live
	}
	return data, child
}

// Watches lists the watches by path and table, and then in the order in which they are notified.
func (m *Machine) Watches() []WatchInfo {
	var infos []WatchInfo
	for _, t := range []*watchTable{&m.watches.data, &m.watches.child} {
		for _, path := range slices.Sorted(maps.Keys(t.byPath)) {
			infos = t.appendInfos(infos, t.byPath[path])
		}
	}
	slices.SortStableFunc(infos, func(a, b WatchInfo) int { return strings.Compare(a.Path, b.Path) })
	return infos
}

// Watching is a connection with the paths of its watches, in the order of a real server's table.
type Watching struct {
	Conn  ConnID
	Paths []string
}

// Watched is a path with the connections that watch it, which have no order.
type Watched struct {
	Path  string
	Conns []ConnID
}

// WatchedPaths lists the paths of the data table in the order of a real server's table
// (WatchManager.java, watchTable). It needs Config.ShowWatches.
func (m *Machine) WatchedPaths() []Watched {
	t := &m.watches.data
	return lists.Map(t.shown.paths.Listed(), func(path string) Watched {
		w := Watched{Path: path}
		for slot := range t.byPath[path].all {
			w.Conns = append(w.Conns, t.slots.conns[slot].id)
		}
		return w
	})
}

// WatchingConns lists the connections, each with the paths of its watches in the data table. It
// also lists a connection whose watches have all fired (WatchManager.java, watch2Paths). It needs
// Config.ShowWatches.
func (m *Machine) WatchingConns() []Watching {
	shown := m.watches.data.shown
	list := make([]Watching, 0, len(shown.ofConn))
	for c, paths := range shown.ofConn { //lint:ordered sorted below
		list = append(list, Watching{c.id, paths.Listed()})
	}
	slices.SortFunc(list, func(a, b Watching) int { return cmp.Compare(a.Conn, b.Conn) })
	return list
}

// shownWatches holds what the four-letter words about watches show of a watch table: copies of the
// two hash tables of a real server. Their order depends on everything that was ever in them.
type shownWatches struct {
	paths  *java.Table
	ofConn map[*Conn]*java.Table
	// dropsEmpty reports whether remove also drops a connection that has no watch left, as 3.9
	// does.
	dropsEmpty bool
}

func newShownWatches(p Profile) *shownWatches {
	return &shownWatches{paths: java.NewTable(usualBuckets), ofConn: map[*Conn]*java.Table{}, dropsEmpty: p == V39}
}

func (s *shownWatches) add(c *Conn, path string) {
	if s == nil {
		return
	}
	if s.ofConn[c] == nil {
		s.ofConn[c] = java.NewTable(usualBuckets)
	}
	s.paths.Add(path)
	s.ofConn[c].Add(path)
}

// fire drops the path of a watch that has fired. The path leaves the table of the watch's
// connection.
func (s *shownWatches) fire(c *Conn, path string) {
	if s != nil {
		s.ofConn[c].Remove(path)
	}
}

// remove drops the path of a watch that ended at the client's request or with its connection. With
// dropsEmpty it also drops the connection if this was its last path.
func (s *shownWatches) remove(c *Conn, path string) {
	if s == nil {
		return
	}
	paths := s.ofConn[c]
	if paths.Remove(path); paths.Len() == 0 && s.dropsEmpty {
		delete(s.ofConn, c)
	}
}

// close drops a path that no connection watches any more.
func (s *shownWatches) close(path string) {
	if s != nil {
		s.paths.Remove(path)
	}
}

// forget removes a connection that has ended.
func (s *shownWatches) forget(c *Conn) {
	if s != nil {
		delete(s.ofConn, c)
	}
}

func (t *watchTable) appendInfos(infos []WatchInfo, list *watchList) []WatchInfo {
	for slot := range list.all {
		modes := list.modesOf(slot)
		infos = append(infos, WatchInfo{
			Path: list.path, Conn: t.slots.conns[slot].id, Child: t.index == childTable,
			OneShot: modes&oneShot != 0, Persistent: modes&sustained != 0, Recursive: modes&recursive != 0,
		})
	}
	return infos
}
