package zookeeper

import "github.com/monosim/monosim/engine/env"

// setWatches sends a reconnected client the events that it has missed, and sets its other watches
// again (ZK-7.5). All events come before the reply. A change that concerns two lists is reported
// twice. setWatches2 has two more lists, whose watches are set without events (ZK-7.6).
func (m *Machine) setWatches(c *Conn, req *Request) {
	if lists := req.Watches; lists != nil {
		m.catchUp(c, lists.Data, &m.watches.data, func(n *znode) (env.EventType, bool) {
			if n == nil {
				return deleted, true
			}
			return changed, n.mzxid > lists.RelativeZxid
		})
		m.catchUp(c, lists.Exist, &m.watches.data, func(n *znode) (env.EventType, bool) { return created, n != nil })
		m.catchUp(c, lists.Child, &m.watches.child, func(n *znode) (env.EventType, bool) {
			if n == nil {
				return deleted, true
			}
			return children, n.pzxid > lists.RelativeZxid
		})
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

// catchUp sends for each path the event that the client has missed. If there is none, it sets the
// watch. The events have zxid -1 in every version and are not filtered by permissions
// (DataTree.java setWatches).
func (m *Machine) catchUp(c *Conn, paths []string, table *watchTable, missed func(*znode) (env.EventType, bool)) {
	for _, path := range paths {
		if typ, ok := missed(m.tree.lookup(path)); ok {
			m.event(c, typ, path, -1)
		} else {
			table.add(m.cfg.Profile, c, path, oneShot)
		}
	}
}

// addWatch sets a persistent or persistent recursive watch (ZK-7.7).
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

// sustain sets a persistent watch in both tables. On 3.9 a recursive watch is only in the data
// table (ZK-14.11, DataTree.java addWatch of 3.9.3).
func (m *Machine) sustain(c *Conn, path string, mode uint8) {
	m.watches.data.add(m.cfg.Profile, c, path, mode)
	if m.cfg.Profile == V38 || mode == sustained {
		m.watches.child.add(m.cfg.Profile, c, path, mode)
	}
}
