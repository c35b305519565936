package zookeeper

// Notes of what transactions changed, for whoever keeps the state elsewhere: how each
// znode is now is all that counts, so one that was changed many times is noted once. A
// znode carries its note itself, and no path is looked up again.

// note says what is noted of a znode.
type note uint8

const (
	notedNode      note = 1 << iota // the whole of it
	notedOffspring                  // what children change in it
)

// notes are the znodes that were changed since they were last taken.
type notes struct {
	on    bool
	nodes []*znode
}

// KeepNotes has the machine take notes of what changes from now on, for TakeNotes.
func (m *Machine) KeepNotes() { m.notes.on = true }

// add notes something of a znode.
func (k *notes) add(n *znode, what note) {
	if n.noted == 0 {
		k.nodes = append(k.nodes, n)
	}
	n.noted |= what
}

// noteChanges notes the transaction at hand.
func (m *Machine) noteChanges() {
	for i := range m.changes {
		c := &m.changes[i]
		m.notes.add(c.node, notedNode)
		if c.kind == nodeCreated || c.kind == nodeDeleted {
			m.notes.add(c.node.parent, notedOffspring)
		}
	}
}

// TakeNotes tells what was changed since the last time, and forgets it: each znode once, and
// in this order those that are gone, by path, where one may have come again; those that
// are there; and those of which only children were made or deleted. The image is valid
// during the call.
func (m *Machine) TakeNotes(to interface {
	Gone(path string)
	Node(image *NodeImage)
	Offspring(path string, o Offspring)
}) {
	for _, n := range m.notes.nodes {
		if n.tree != m.tree {
			to.Gone(n.path)
		}
	}
	for _, n := range m.notes.nodes {
		if n.tree == m.tree && n.noted&notedNode != 0 {
			image := n.image(n.owner())
			to.Node(&image)
		}
	}
	for i, n := range m.notes.nodes {
		if n.tree == m.tree && n.noted == notedOffspring {
			to.Offspring(n.path, Offspring{Creates: n.creates, Pzxid: n.pzxid})
		}
		n.noted, m.notes.nodes[i] = 0, nil
	}
	m.notes.nodes = m.notes.nodes[:0]
}
