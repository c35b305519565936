package zookeeper

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
)

// Modes of a watch, as bits. On 3.8 a watch has exactly one, the last one set;
// on 3.9 it can have all (ZK-7.8, ZK-14.2).
const (
	oneShot    uint8 = 1
	sustained  uint8 = 2 // addWatch PERSISTENT
	recursive  uint8 = 4 // addWatch PERSISTENT_RECURSIVE
	everyWatch       = oneShot | sustained | recursive
)

// watch is what one connection wants to hear of one path, in one table.
type watch struct {
	conn  *Conn
	list  *watchList
	modes uint8
	// prev and next link the watches of the path in the order in which they were
	// left; the real server's order is that of a hash set.
	prev, next *watch
	// connPrev and connNext link the watches of the connection.
	connPrev, connNext *watch
}

// watchList has the watches of one path.
type watchList struct {
	path        string
	first, last *watch
	length      int
	// whose has the bit of each connection with a watch in the list, by Conn.slot, once
	// the list is long. Short ones are walked, for there may be very many.
	whose []uint64
}

// longList is from how many watches on a list has bits.
const longList = 16

func (l *watchList) may(slot int) bool {
	word := slot / 64
	return l.whose == nil || word < len(l.whose) && l.whose[word]&(1<<(slot%64)) != 0
}

// joined notes that x is in the list.
func (l *watchList) joined(x *watch) {
	l.length++
	switch {
	case l.whose != nil:
		l.mark(x.conn.slot)
	case l.length == longList:
		for x := l.first; x != nil; x = x.next {
			l.mark(x.conn.slot)
		}
	}
}

func (l *watchList) mark(slot int) {
	for slot/64 >= len(l.whose) {
		l.whose = append(l.whose, 0)
	}
	l.whose[slot/64] |= 1 << (slot % 64)
}

// left notes that the watch of a connection is no longer in the list.
func (l *watchList) left(slot int) {
	l.length--
	switch {
	case l.length == 0:
		l.whose = nil
	case l.whose != nil:
		l.whose[slot/64] &^= 1 << (slot % 64)
	}
}

// watchTable is one of the two tables (ZK-7.1).
type watchTable struct {
	// index selects the connection's list.
	index  int
	byPath map[string]*watchList
	// slots are those of both tables.
	slots *slots
	// recursive counts the recursive watches: without any, an event need not look
	// at the ancestors.
	recursive int
	// Removed watches and lists are used again.
	free      *watch
	freeLists []*watchList
}

// watches are the tables of the server: data for getData and exists, child for
// getChildren.
type watches struct {
	data, child watchTable
	mark        uint64
	slots       *slots
}

// slots numbers the connections that have left watches, from 1.
type slots struct {
	last int
	free []int
}

// The index of each table.
const (
	dataTable = iota
	childTable
	tableCount
)

func newWatches() watches {
	s := &slots{}
	make1 := func(index int) watchTable {
		return watchTable{index: index, byPath: make(map[string]*watchList), slots: s}
	}
	return watches{data: make1(dataTable), child: make1(childTable), slots: s}
}

// newMark starts a round of events: within one, a connection is told once.
func (w *watches) newMark() uint64 {
	w.mark++
	return w.mark
}

// take returns a slot that no connection has.
func (s *slots) take() (slot int) {
	if k := len(s.free); k > 0 {
		slot, s.free = s.free[k-1], s.free[:k-1]
		return slot
	}
	s.last++
	return s.last
}

// forget removes all watches of a connection, and frees its slot.
func (w *watches) forget(c *Conn) {
	for _, t := range []*watchTable{&w.data, &w.child} {
		for c.watches[t.index] != nil {
			t.remove(c.watches[t.index])
		}
	}
	if c.slot != 0 {
		w.slots.free = append(w.slots.free, c.slot)
		c.slot = 0
	}
}

// find is the connection's watch on a path, nil for none. In a long list it walks
// only where there is one.
func (t *watchTable) find(c *Conn, path string) *watch {
	list := t.byPath[path]
	if list == nil || !list.may(c.slot) {
		return nil
	}
	x := list.first
	for x != nil && x.conn != c {
		x = x.next
	}
	return x
}

// fire sends the event to whoever watches path, and for all but child events to
// whoever watches an ancestor recursively. One-shot watches of the path are used
// up. n is the znode whose ACL decides who may hear of it. Connections that the
// mark shows as told are not told again.
func (w *watches) fire(m *Machine, t *watchTable, typ env.EventType, n *znode, path string, mark uint64) {
	if list := t.byPath[path]; list != nil {
		for x := list.first; x != nil; {
			next := x.next
			if typ != children && x.modes&recursive != 0 || x.modes&(oneShot|sustained) != 0 {
				m.tell(x.conn, typ, n, path, mark)
			}
			t.drop(x, oneShot)
			x = next
		}
	}
	if t.recursive == 0 || typ == children {
		return
	}
	for up, ok := ancestor(path); ok; up, ok = ancestor(up) {
		list := t.byPath[up]
		if list == nil {
			continue
		}
		for x := list.first; x != nil; x = x.next {
			if x.modes&recursive != 0 {
				m.tell(x.conn, typ, n, path, mark)
			}
		}
	}
}

// ancestor is the path one level up; ok is false at the root.
func ancestor(path string) (up string, ok bool) {
	if path == "/" {
		return "", false
	}
	above, ok := parentPath(path)
	if above == "" {
		above = "/"
	}
	return above, ok
}

func (m *Machine) tell(c *Conn, typ env.EventType, n *znode, path string, mark uint64) {
	if c.told == mark {
		return
	}
	c.told = mark
	if !m.cfg.UnfilteredEvents && !m.allowed(c, n.acl, PermRead) {
		return
	}
	m.event(c, typ, path, m.zxid)
}

// add leaves a watch, or changes the modes of the one that is there.
func (t *watchTable) add(p Profile, c *Conn, path string, mode uint8) {
	x := t.find(c, path)
	if x == nil {
		x = t.link(c, path)
	}
	modes := mode
	if p == V39 {
		modes |= x.modes
	}
	t.setModes(x, modes)
}

// drop takes modes away, and the watch when none is left. It reports whether
// the watch had one of them.
func (t *watchTable) drop(x *watch, modes uint8) bool {
	had := x.modes & modes
	if rest := x.modes &^ modes; rest != 0 {
		t.setModes(x, rest)
	} else {
		t.remove(x)
	}
	return had != 0
}

func (t *watchTable) setModes(x *watch, modes uint8) {
	t.recursive += int(modes&recursive/recursive) - int(x.modes&recursive/recursive)
	x.modes = modes
}

func (t *watchTable) link(c *Conn, path string) *watch {
	list := t.byPath[path]
	if list == nil {
		if k := len(t.freeLists); k > 0 {
			list, t.freeLists = t.freeLists[k-1], t.freeLists[:k-1]
		} else {
			list = &watchList{}
		}
		list.path = path
		t.byPath[path] = list
	}
	x := t.free
	if x != nil {
		t.free = x.next
	} else {
		x = &watch{}
	}
	*x = watch{conn: c, list: list, prev: list.last, connNext: c.watches[t.index]}
	if list.last != nil {
		list.last.next = x
	} else {
		list.first = x
	}
	list.last = x
	if x.connNext != nil {
		x.connNext.connPrev = x
	}
	c.watches[t.index] = x
	if c.slot == 0 {
		c.slot = t.slots.take()
	}
	list.joined(x)
	return x
}

func (t *watchTable) remove(x *watch) {
	t.setModes(x, 0)
	list := x.list
	if x.prev != nil {
		x.prev.next = x.next
	} else {
		list.first = x.next
	}
	if x.next != nil {
		x.next.prev = x.prev
	} else {
		list.last = x.prev
	}
	if x.connPrev != nil {
		x.connPrev.connNext = x.connNext
	} else {
		x.conn.watches[t.index] = x.connNext
	}
	if x.connNext != nil {
		x.connNext.connPrev = x.connPrev
	}
	list.left(x.conn.slot)
	if list.first == nil {
		delete(t.byPath, list.path)
		list.path = ""
		t.freeLists = append(t.freeLists, list)
	}
	*x = watch{next: t.free}
	t.free = x
}

// removePath takes modes of the connection's watch on path away and reports
// whether there was one.
func (t *watchTable) removePath(c *Conn, path string, modes uint8) bool {
	x := t.find(c, path)
	return x != nil && t.drop(x, modes)
}

func (t *watchTable) has(c *Conn, path string, modes uint8) bool {
	x := t.find(c, path)
	return x != nil && x.modes&modes != 0
}

// checkWatches asks whether the connection has such a watch (ZK-7.9, ZK-14.10).
func (m *Machine) checkWatches(c *Conn, req *Request) {
	r := m.reply(c, req)
	if !m.knownWatchType(req.Mode) {
		r.Err = marshallingError
		return
	}
	found := false
	if m.cfg.Profile == V38 {
		if req.Path != "" && !strings.Contains(req.Path, "/") {
			r.Err = marshallingError // walking up from it is an exception (PathParentIterator.java)
			return
		}
		// Any connection's watch on the path counts (WatchManager.java of 3.8.0,
		// containsWatcher, which walks up the path and so finds nothing at "").
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

// removeWatches removes the connection's watches of a type from a path. On 3.8 a
// type names a table, on 3.9 a mode (ZK-7.9, ZK-14.3).
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

// tablesOfType is 3.8's meaning of a type: which modes to take from the child
// and from the data table. 1 is children, 2 data, 3 both.
func tablesOfType(typ int32) (child, data uint8) {
	if typ&watchTypeChildren != 0 {
		child = everyWatch
	}
	if typ&watchTypeData != 0 {
		data = everyWatch
	}
	return child, data
}

// modesOfType is 3.9's (DataTree.java removeWatch of 3.9.3).
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
