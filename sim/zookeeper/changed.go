package zookeeper

// This file records which znodes have changed, for callers that store the state elsewhere. Only a
// znode's present state counts, so a znode that changes many times is recorded once. The record is
// in the znode itself, so no path needs to be looked up again.

// note says which parts of a znode have changed.
type note uint8

const (
	notedNode      note = 1 << iota // the whole znode
	notedOffspring                  // only the counters that creates and deletes of children change
)

// notes holds the znodes that have changed since the last TakeNotes.
type notes struct {
	on    bool
	nodes []*znode
}

// KeepNotes makes the machine record changes from now on, for TakeNotes.
func (m *Machine) KeepNotes() { m.notes.on = true }

// add records a change of a znode.
func (k *notes) add(n *znode, what note) {
	if n.noted == 0 {
		k.nodes = append(k.nodes, n)
	}
	n.noted |= what
}

// noteChanges records the changes of the present transaction.
func (m *Machine) noteChanges() {
	for i := range m.changes {
		c := &m.changes[i]
		m.notes.add(c.node, notedNode)
		if c.kind == nodeCreated || c.kind == nodeDeleted {
			m.notes.add(c.node.parent, notedOffspring)
		}
	}
}

// TakeNotes reports everything that has changed since its last call. Each znode is reported once,
// in this order: deleted znodes by path, which may exist again; existing znodes; and znodes of
// which only children were created or deleted. An image is valid only during the call that receives
// it.
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
