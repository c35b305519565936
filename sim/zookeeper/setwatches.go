package zookeeper

import "github.com/monosim/monosim/engine/env"

// setWatches tells a reconnected client what it has missed and sets the other watches (ZK-7.5). All
// events come before the reply. A change that shows in two lists is reported twice. setWatches2 has
// two more lists, whose watches are set without events (ZK-7.6).
func (m *Machine) setWatches(c *Conn, req *Request) {
	if lists := req.Watches; lists != nil {
		m.catchUpData(c, lists)
		m.catchUpExist(c, lists)
		m.catchUpChild(c, lists)
		if req.Op == OpSetWatches2 {
			for _, path := range lists.Persistent {
				m.sustain(c, path, sustained)
			}
			for _, path := range lists.PersistentRecursive {
				m.sustain(c, path, recursive)
			}
		}
	}
	m.reply(c, req)
}

// Catch-up events have zxid -1 on every version and are not filtered (DataTree.java setWatches).
func (m *Machine) catchUp(c *Conn, typ env.EventType, path string) { m.event(c, typ, path, -1) }

func (m *Machine) catchUpData(c *Conn, lists *WatchLists) {
	for _, path := range lists.Data {
		switch n := m.tree.lookup(path); {
		case n == nil:
			m.catchUp(c, deleted, path)
		case n.mzxid > lists.RelativeZxid:
			m.catchUp(c, changed, path)
		default:
			m.watches.data.add(m.cfg.Profile, c, path, oneShot)
		}
	}
}

func (m *Machine) catchUpExist(c *Conn, lists *WatchLists) {
	for _, path := range lists.Exist {
		if m.tree.lookup(path) != nil {
			m.catchUp(c, created, path)
		} else {
			m.watches.data.add(m.cfg.Profile, c, path, oneShot)
		}
	}
}

func (m *Machine) catchUpChild(c *Conn, lists *WatchLists) {
	for _, path := range lists.Child {
		switch n := m.tree.lookup(path); {
		case n == nil:
			m.catchUp(c, deleted, path)
		case n.pzxid > lists.RelativeZxid:
			m.catchUp(c, children, path)
		default:
			m.watches.child.add(m.cfg.Profile, c, path, oneShot)
		}
	}
}

// addWatch sets a persistent watch (ZK-7.7).
func (m *Machine) addWatch(c *Conn, req *Request) {
	r := m.reply(c, req)
	switch req.Mode {
	case ModePersistent:
		m.sustain(c, req.Path, sustained)
	case ModePersistentRecursive:
		m.sustain(c, req.Path, recursive)
	default:
		r.Err = marshallingError
	}
}

// sustain sets a persistent watch in both tables. On 3.9 a recursive watch needs only the data
// table (ZK-14.11, DataTree.java addWatch of 3.9.3).
func (m *Machine) sustain(c *Conn, path string, mode uint8) {
	m.watches.data.add(m.cfg.Profile, c, path, mode)
	if m.cfg.Profile == V38 || mode == sustained {
		m.watches.child.add(m.cfg.Profile, c, path, mode)
	}
}
