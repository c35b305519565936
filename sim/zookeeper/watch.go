package zookeeper

import (
	"cmp"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// These bits are the modes of a watch. On 3.8 a watch has only the mode that was set last. On 3.9
// it can have several (ZK-7.8, ZK-14.2).
const (
	oneShot    uint8 = 1
	sustained  uint8 = 2 // addWatch PERSISTENT
	recursive  uint8 = 4 // addWatch PERSISTENT_RECURSIVE
	everyWatch       = oneShot | sustained | recursive
)

// watches holds the server's watch tables: data for getData and exists, child for getChildren.
type watches struct {
	data, child watchTable
	mark        uint64
	slots       *slots
}

// dataTable and childTable are the indices of the watch tables.
const (
	dataTable = iota
	childTable
	tableCount
)

func newWatches(cfg Config) watches {
	s := &slots{}
	make1 := func(index int) watchTable {
		return watchTable{index: index, byPath: make(map[string]*watchList), slots: s}
	}
	w := watches{data: make1(dataTable), child: make1(childTable), slots: s}
	if cfg.ShowWatches {
		w.data.shown = newShownWatches(cfg.Profile)
	}
	return w
}

// newMark starts a round of events. In one round each connection is notified only once.
func (w *watches) newMark() uint64 {
	w.mark++
	return w.mark
}

// fire sends an event to the connections that watch path. Unless it is a child event, it also sends
// it to recursive watches of the ancestors. It removes the one-shot watches of the path. The ACL of
// n decides who may receive the event. Connections that were already notified with this mark are
// skipped.
func (w *watches) fire(m *Machine, t *watchTable, typ env.EventType, n *znode, path string, mark uint64) {
	if list := t.byPath[path]; list != nil {
		for slot := range list.all {
			if modes := list.modesOf(slot); typ != children && modes&recursive != 0 || modes&(oneShot|sustained) != 0 {
				m.tell(w.slots.conns[slot], typ, n, path, mark)
			}
		}
		t.useUp(list)
	}
	if t.recursive == 0 || typ == children {
		return
	}
	for up, ok := ancestor(path); ok; up, ok = ancestor(up) {
		list := t.byPath[up]
		if list == nil {
			continue
		}
		for slot := range list.all {
			if list.modesOf(slot)&recursive != 0 {
				m.tell(w.slots.conns[slot], typ, n, path, mark)
			}
		}
	}
}

// ancestor returns the parent path; ok is false at the root.
func ancestor(path string) (up string, ok bool) {
	if path == "/" {
		return "", false
	}
	above, ok := parentPath(path)
	above = cmp.Or(above, "/")
	return above, ok
}

func (m *Machine) tell(c *Conn, typ env.EventType, n *znode, path string, mark uint64) {
	if c.told == mark {
		return
	}
	c.told = mark
	if !m.cfg.UnfilteredEvents && !m.allowed(c, n.acl, acl.Read) {
		return
	}
	m.event(c, typ, path, m.zxid)
}

// checkWatches answers whether the connection has a watch of a type on a path (ZK-7.9, ZK-14.10).
func (m *Machine) checkWatches(c *Conn, req *Request) {
	r := m.reply(c, req)
	if !m.knownWatchType(req.Mode) {
		r.Err = marshallingError
		return
	}
	found := false
	if m.cfg.Profile == V38 {
		if req.Path != "" && !strings.Contains(req.Path, "/") {
			r.Err = marshallingError // a path without a slash is an exception (PathParentIterator.java)
			return
		}
		// On 3.8 the watches of all connections count. The server's code walks up the path and so
		// finds nothing for "" (WatchManager.java of 3.8.0, containsWatcher).
		found = req.Path != "" && (req.Mode&watchTypeChildren != 0 && m.watches.child.byPath[req.Path] != nil ||
			req.Mode&watchTypeData != 0 && m.watches.data.byPath[req.Path] != nil)
	} else {
		child, data := modesOfType(req.Mode)
		found = m.watches.child.has(c, req.Path, child) || m.watches.data.has(c, req.Path, data)
	}
	if !found {
		r.Err = CodeNoWatcher
	}
}

// removeWatches removes the connection's watches of a type from a path. On 3.8 a type means a
// table, and on 3.9 a mode (ZK-7.9, ZK-14.3).
func (m *Machine) removeWatches(c *Conn, req *Request) {
	r := m.reply(c, req)
	if !m.knownWatchType(req.Mode) {
		r.Err = marshallingError
		return
	}
	child, data := modesOfType(req.Mode)
	if m.cfg.Profile == V38 {
		child, data = tablesOfType(req.Mode)
	}
	removed := child != 0 && m.watches.child.removePath(c, req.Path, child)
	removed = data != 0 && m.watches.data.removePath(c, req.Path, data) || removed
	if !removed {
		r.Err = CodeNoWatcher
	}
}

func (m *Machine) knownWatchType(typ int32) bool {
	last := watchTypeAny
	if m.cfg.Profile == V39 {
		last = watchTypePersistentRecursive
	}
	return typ >= watchTypeChildren && typ <= last
}

// tablesOfType returns the meaning of a watch type on 3.8: the modes to remove from the child table
// and from the data table. 1 means children, 2 data, 3 both.
func tablesOfType(typ int32) (child, data uint8) {
	if typ&watchTypeChildren != 0 {
		child = everyWatch
	}
	if typ&watchTypeData != 0 {
		data = everyWatch
	}
	return child, data
}

// modesOfType returns the meaning of a watch type on 3.9: the modes to remove from each table
// (DataTree.java removeWatch of 3.9.3).
func modesOfType(typ int32) (child, data uint8) {
	switch typ {
	case watchTypeChildren:
		return oneShot, 0
	case watchTypeData:
		return 0, oneShot
	case watchTypeAny:
		return everyWatch, everyWatch
	case watchTypePersistent:
		return sustained, sustained
	}
	return 0, recursive
}
