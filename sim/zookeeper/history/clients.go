package history

import (
	"github.com/monosim/monosim/sim/zookeeper"
)

// client is what one client has seen up to some point of the history.
type client struct {
	place int // place is the position of the last answer, counted from 1
	// armed maps each set watch to the index of the answer that set it.
	armed map[watch]int
}

// clients checks the observations of each client. A client must never see an older state than
// before, and its watches must fire before it sees the change itself.
func (c *check) clients() error {
	clients := map[int]*client{}
	for i := range c.h.Seen {
		s := &c.h.Seen[i]
		at := clients[s.Client]
		if at == nil {
			at = &client{armed: map[watch]int{}}
			clients[s.Client] = at
		}
		var err error
		switch s.Kind {
		case SeenAnswer:
			err = c.answer(i, at)
		case SeenEvent:
			err = c.event(i, at)
		case SeenEnd:
			err = c.missed(at)
			clear(at.armed)
		}
		if err != nil {
			return err
		}
	}
	for i := range c.h.Seen {
		if at := clients[c.h.Seen[i].Client]; at != nil {
			if err := c.missed(at); err != nil {
				return err
			}
			delete(clients, c.h.Seen[i].Client)
		}
	}
	return nil
}

func (c *check) answer(i int, at *client) error {
	s := &c.h.Seen[i]
	place, _ := c.placeOf(s.Zxid)
	if place++; place < at.place {
		return c.fault(i, "zxid %#x, though this client has seen a later one", s.Zxid)
	}
	at.place = place
	table := watch{s.Path, s.Op == zookeeper.OpGetChildren}
	if _, there := at.armed[table]; leavesWatch(s) && !there {
		at.armed[table] = i
	}
	return nil
}

func (c *check) event(i int, at *client) error {
	e := c.h.Seen[i].Event
	told := false
	for _, table := range []watch{{e.Path, false}, {e.Path, true}} {
		left, armed := at.armed[table]
		if !armed || c.due[left].typ != e.Type {
			continue
		}
		if c.due[left].place <= at.place {
			return c.fault(i, "event %s %s, after an answer that shows the change", e.Type, e.Path)
		}
		told = true
		delete(at.armed, table)
	}
	if !told {
		return c.fault(i, "event %s %s, for which no watch waits", e.Type, e.Path)
	}
	return nil
}

// missed returns an error if the client has seen a change but a watch for it has not fired.
func (c *check) missed(at *client) error {
	//lint:ordered any of them is a fault
	for table, left := range at.armed {
		if due := c.due[left]; due.place != 0 && due.place <= at.place {
			return c.fault(left, "a watch on %s that never told of %s", table.path, due.typ)
		}
	}
	return nil
}
