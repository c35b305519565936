package zookeeper

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper/java"
)

// This file records which znodes have changed, for callers that store the state elsewhere. Of a
// znode's fields only the present values count, so a znode that changes many times is recorded once.
// But all creates and deletes are recorded in their order, because the order in which a restarted
// server lists names depends on it (ZK-5.8). The record is in the znode itself, so no path needs to
// be looked up again.

// note says which parts of a znode have changed.
type note uint8

const (
	notedNode      note = 1 << iota // the whole znode
	notedOffspring                  // only the counters that change when a child is created or deleted have changed
	notedCreate                     // the znode is new
)

// notes holds the znodes that have changed since the last TakeNotes.
type notes struct {
	on bool
	// nodes holds the changed znodes in the order of their first changes, and deleted ones once more
	// in the order of their deletes. parents holds those whose children have changed.
	nodes   []notedChange
	parents []*znode
}

// notedChange is a change of a znode, or its deletion.
type notedChange struct {
	node *znode
	gone bool
}

// KeepNotes makes the machine record changes from now on, for TakeNotes.
func (m *Machine) KeepNotes() { m.notes.on = true }

// add records a change of a znode.
func (k *notes) add(n *znode, what note) {
	if what&notedNode != 0 && n.noted&notedNode == 0 {
		k.nodes = append(k.nodes, notedChange{node: n})
	}
	if what&notedOffspring != 0 && n.noted&notedOffspring == 0 {
		k.parents = append(k.parents, n)
	}
	n.noted |= what
}

// noteChanges records the changes of the present transaction.
func (m *Machine) noteChanges() {
	for i := range m.changes {
		switch c := &m.changes[i]; c.kind {
		case nodeCreated:
			m.notes.add(c.node, notedNode|notedCreate)
			m.notes.add(c.node.parent, notedOffspring)
		case nodeDeleted:
			m.notes.nodes = append(m.notes.nodes, notedChange{c.node, true})
			m.notes.add(c.node.parent, notedOffspring)
		default:
			m.notes.add(c.node, notedNode)
		}
	}
}

// TakeNotes reports everything that has changed since its last call: first new and changed znodes,
// each once with its present state, and deletes, all in the order in which they happened. A znode
// that is new and deleted is reported too, without its data. Then come the znodes of which only
// children were created or deleted. An image is valid only during the call that receives it.
func (m *Machine) TakeNotes(to interface {
	Gone(path string)
	Node(image *NodeImage)
	Offspring(path string, o Offspring)
}) {
	for _, c := range m.notes.nodes {
		present := c.node.tree == m.tree
		switch {
		case c.gone:
			to.Gone(c.node.path)
		case present || c.node.noted&notedCreate != 0:
			image := c.node.image(c.node.owner())
			if !present {
				image.Data = nil
			}
			to.Node(&image)
		}
	}
	for _, n := range m.notes.parents {
		if n.tree == m.tree && n.noted&notedNode == 0 {
			to.Offspring(n.path, Offspring{Creates: n.creates, Pzxid: n.pzxid})
		}
		n.noted = 0
	}
	for i := range m.notes.nodes {
		m.notes.nodes[i].node.noted = 0
	}
	clear(m.notes.nodes)
	clear(m.notes.parents)
	m.notes.nodes, m.notes.parents = m.notes.nodes[:0], m.notes.parents[:0]
}

// Digest is the digest of the whole tree after a transaction.
type Digest struct {
	Zxid int64
	// Value is the sum of the CRC-32 of all znodes but those below /zookeeper.
	Value int64
}

// A server records the digest after each transaction whose zxid is a multiple of digestEvery. It
// keeps the last digestLimit of these digests (DataTree.java, logZxidDigest).
const (
	digestEvery = 128
	digestLimit = 1024
)

// digests computes the digest of the tree. To save time, it brings the sum up to date only when a
// digest is recorded in log.
type digests struct {
	sum     int64
	changed []*znode // znodes that have changed since sum was last computed
	log     []Digest
	// loaded is the zxid of the tree that the machine started with. The digest of that tree is not
	// recorded.
	loaded  int64
	scratch []byte // buffer for the bytes whose checksum is added to sum
}

// Digests returns the digests that a real server shows for the four-letter word hash. It needs
// Config.Digests.
func (m *Machine) Digests() []Digest {
	m.rememberDigest()
	log := m.digests.log
	return slices.Clone(log[max(0, len(log)-digestLimit):])
}

// countDigests starts to compute digests, if Config.Digests is set. It marks all present znodes as
// not yet counted.
func (m *Machine) countDigests() {
	if !m.cfg.Digests {
		return
	}
	m.digests = &digests{loaded: m.zxid}
	for n := m.tree.root; n != nil; n = n.after(m.tree.root) {
		m.digests.note(n)
	}
}

// rememberDigest records the digest of the present tree if its zxid is a multiple of digestEvery
// and the digest is not yet recorded. It is called before the next transaction.
func (m *Machine) rememberDigest() {
	d := m.digests
	if d == nil || m.zxid%digestEvery != 0 || m.zxid == d.loaded {
		return
	}
	if k := len(d.log); k > 0 && d.log[k-1].Zxid == m.zxid {
		return
	}
	for i, n := range d.changed {
		d.count(m.tree, n)
		n.undigested, d.changed[i] = false, nil
	}
	d.changed = d.changed[:0]
	if len(d.log) == 2*digestLimit {
		d.log = d.log[:copy(d.log, d.log[digestLimit:])]
	}
	d.log = append(d.log, Digest{m.zxid, d.sum})
}

// digestChanges notes the znodes that the present transaction has changed, for the next digest.
func (m *Machine) digestChanges() {
	if m.digests == nil {
		return
	}
	for i := range m.changes {
		c := &m.changes[i]
		m.digests.note(c.node)
		if c.kind == nodeCreated || c.kind == nodeDeleted {
			m.digests.note(c.node.parent)
		}
	}
}

func (d *digests) note(n *znode) {
	if !n.undigested {
		n.undigested = true
		d.changed = append(d.changed, n)
	}
}

// count replaces a znode's old checksum in the sum by its new one, or removes it if the znode was
// deleted.
func (d *digests) count(t *tree, n *znode) {
	if strings.HasPrefix(n.path, "/zookeeper/") {
		return
	}
	before := n.digest
	n.digest = 0
	if n.tree == t {
		n.digest = d.ofNode(n)
	}
	d.sum += int64(n.digest) - int64(before)
}

// ofNode returns the CRC-32 of a znode's path, data and stat (DigestCalculator.java:81).
func (d *digests) ofNode(n *znode) uint32 {
	b := d.scratch[:0]
	if n.path != "/" {
		b = append(b, java.UTF8(n.path)...)
	}
	sum := crc32.Update(crc32.ChecksumIEEE(b), crc32.IEEETable, n.data)
	b = b[:0]
	for _, v := range []int64{n.czxid, n.mzxid, n.pzxid, n.ctimeMs, n.mtimeMs} {
		b = binary.BigEndian.AppendUint64(b, uint64(v))
	}
	for _, v := range []int32{n.version, n.creates, n.aversion} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	b = binary.BigEndian.AppendUint64(b, uint64(n.storedOwner()))
	d.scratch = b
	return crc32.Update(sum, crc32.IEEETable, b)
}

// storedOwner returns the value of the field ephemeralOwner that a server stores. It is a special
// value for containers and TTL nodes (EphemeralType.java).
func (n *znode) storedOwner() int64 {
	switch n.kind {
	case container:
		return math.MinInt64
	case ttl:
		return -1<<56 | n.ttlMs
	}
	return n.owner()
}
