package wire

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"path"
	"slices"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/java"
)

// entryKind is the kind of an entry in a record. A log and a snapshot both consist of records. A
// record holds the changes of one turn, which are applied all or not at all:
//
//	uint32 length, uint32 CRC-32C of the rest,
//	long clock in ms, long zxid, long next session id, entries
//
// An entry holds the new state of a znode or session, not the operation. So a reader needs none of
// the server's rules. Creates and deletes are in their order, because the order of names depends on
// it.
type entryKind uint8

const (
	entryNode      entryKind = 1 // entryNode is a whole znode
	entryOffspring entryKind = 2 // entryOffspring is the fields of a znode that change with its children
	entryGone      entryKind = 3 // entryGone is a deleted znode
	entrySession   entryKind = 4
	entryEnded     entryKind = 5 // entryEnded is a session that has ended
	// entryComplete is the last entry of a snapshot. A snapshot without it is incomplete.
	entryComplete entryKind = 6
	// entryFresh is a compact form of entryNode. It is for a znode with the open access control
	// list that was not changed after its plain create.
	entryFresh entryKind = 7
)

const recordHeader = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// recordWriter encodes one record.
type recordWriter struct {
	b  []byte
	at int
}

func beginRecord(b []byte, nowMs, zxid, nextSessionID int64) recordWriter {
	w := recordWriter{b: append(b, make([]byte, recordHeader)...), at: len(b)}
	w.b = appendLong(appendLong(appendLong(w.b, nowMs), zxid), nextSessionID)
	return w
}

func (w *recordWriter) kind(k entryKind) { w.b = append(w.b, byte(k)) }

// Node appends an entry with the whole state of a znode. Together with Offspring and Gone, it makes
// recordWriter usable for zookeeper's TakeNotes.
func (w *recordWriter) Node(n *zookeeper.NodeImage) {
	if fresh(n) {
		w.kind(entryFresh)
		w.b = appendLong(appendLong(appendBuffer(appendString(w.b, n.Path), n.Data), n.CtimeMs), n.Czxid)
		return
	}
	w.kind(entryNode)
	b := appendBuffer(appendString(w.b, n.Path), n.Data)
	b = appendACL(b, n.ACL)
	b = appendBool(appendLong(b, n.Owner), n.Container)
	b = appendLong(appendLong(appendLong(b, n.TTLMs), n.CtimeMs), n.MtimeMs)
	b = appendInt(appendInt(b, n.Version), n.Aversion)
	b = appendLong(appendLong(b, n.Czxid), n.Mzxid)
	w.b = appendOffspring(b, n.Offspring)
}

// fresh reports whether an entryFresh can represent the znode.
func fresh(n *zookeeper.NodeImage) bool {
	return n.Owner == 0 && !n.Container && n.TTLMs == 0 && n.Version == 0 && n.Aversion == 0 && n.Creates == 0 &&
		n.Mzxid == n.Czxid && n.Pzxid == n.Czxid && n.MtimeMs == n.CtimeMs && n.Open()
}

func (r *reader) freshNode() zookeeper.NodeImage {
	n := zookeeper.NodeImage{Path: r.string(), Data: r.buffer(), ACL: openACL, CtimeMs: r.int64(), Czxid: r.int64()}
	n.MtimeMs, n.Mzxid, n.Pzxid = n.CtimeMs, n.Czxid, n.Czxid
	return n
}

func (w *recordWriter) Offspring(path string, o zookeeper.Offspring) {
	w.kind(entryOffspring)
	w.b = appendOffspring(appendString(w.b, path), o)
}

func appendOffspring(b []byte, o zookeeper.Offspring) []byte {
	return appendLong(appendInt(b, o.Creates), o.Pzxid)
}

func (w *recordWriter) Gone(path string) {
	w.kind(entryGone)
	w.b = appendString(w.b, path)
}

func (w *recordWriter) session(s zookeeper.SessionImage) {
	w.kind(entrySession)
	w.b = appendLong(appendLong(w.b, s.ID), s.TimeoutMs)
}

func (w *recordWriter) ended(id int64) {
	w.kind(entryEnded)
	w.b = appendLong(w.b, id)
}

// end sets the length and checksum of the open record, and returns all bytes written so far.
func (w *recordWriter) end() []byte {
	body := w.b[w.at+recordHeader:]
	binary.BigEndian.PutUint32(w.b[w.at:], uint32(len(body)))
	binary.BigEndian.PutUint32(w.b[w.at+4:], crc32.Checksum(body, castagnoli))
	return w.b
}

// nextRecord splits off the first record; ok is false if there is no complete record with the
// right checksum.
func nextRecord(b []byte) (body, rest []byte, ok bool) {
	if len(b) < recordHeader {
		return nil, nil, false
	}
	n := int64(binary.BigEndian.Uint32(b))
	if n == 0 || n > int64(len(b)-recordHeader) {
		return nil, nil, false
	}
	body = b[recordHeader : recordHeader+n]
	if crc32.Checksum(body, castagnoli) != binary.BigEndian.Uint32(b[4:]) {
		return nil, nil, false
	}
	return body, b[recordHeader+n:], true
}

// state is what the records read so far add up to: znodes, sessions and counters.
type state struct {
	nowMs, zxid, nextSessionID int64
	nodes                      map[string]*storedNode
	sessions                   map[int64]zookeeper.SessionImage
	owners                     map[int64]*nameSet // the paths of ephemerals, by session
	made                       int                // znodes so far
	snapshotOnly               bool               // whether a snapshot has ended, after which nothing may follow
	complete                   bool               // whether the last entry so far ends a snapshot
}

// storedNode is a znode with the names of its children and its position in the order in which all
// znodes were created. As in a real server that reads its files, the names decide the order in which
// children are listed (ZK-5.8).
type storedNode struct {
	zookeeper.NodeImage
	order    int
	gone     bool
	children *nameSet // nil before the first child
}

// nameSet simulates the Java set that a real server fills with names while it reads its files. Buckets
// that many names share depend on the order in which names came and went.
type nameSet struct {
	set *java.Set
	// all holds the znodes with these names in the order of arrival, and some that are gone.
	all []*storedNode
	now int // number of those that are not gone
	// member returns what the set must know about a znode.
	member func(*storedNode) java.Member
}

// childNames returns an empty set of a znode's children, and pathNames one of a session's ephemerals
// (DataNode.java, DataTree.java ephemerals).
func childNames() *nameSet {
	return &nameSet{set: java.NewSet(8), member: func(n *storedNode) java.Member { return memberOf(path.Base(n.Path)) }}
}

func pathNames() *nameSet {
	return &nameSet{set: java.NewSet(16), member: func(n *storedNode) java.Member { return memberOf(n.Path) }}
}

func memberOf(text string) java.Member { return java.Member{Text: text, Spread: java.Spread(text)} }

// sparse limits how many deleted znodes a set keeps: at most as many as it has znodes that are not
// deleted, plus sparse.
const sparse = 16

func (l *nameSet) add(n *storedNode) {
	l.all = append(l.all, n)
	l.now++
	l.set.Add(l.member(n), func(yield func(java.Member) bool) {
		for _, one := range l.all {
			if !one.gone && !yield(l.member(one)) {
				return
			}
		}
	})
}

// remove removes the name of a znode that is gone.
func (l *nameSet) remove(n *storedNode) {
	l.set.Remove(l.member(n))
	l.now--
	if len(l.all) > 2*l.now+sparse {
		l.all = slices.DeleteFunc(l.all, func(one *storedNode) bool { return one.gone })
	}
}

func (s *state) put(n zookeeper.NodeImage) {
	if old := s.nodes[n.Path]; old != nil {
		old.NodeImage = n
		return
	}
	s.made++
	stored := &storedNode{NodeImage: n, order: s.made}
	s.nodes[n.Path] = stored
	if parent := s.parent(n.Path); parent != nil {
		if parent.children == nil {
			parent.children = childNames()
		}
		parent.children.add(stored)
	}
	if n.Owner != 0 {
		if s.owners[n.Owner] == nil {
			s.owners[n.Owner] = pathNames()
		}
		s.owners[n.Owner].add(stored)
	}
}

func (s *state) drop(name string) {
	n := s.nodes[name]
	if n == nil {
		return
	}
	delete(s.nodes, name)
	n.gone = true
	if parent := s.parent(name); parent != nil && parent.children != nil {
		parent.children.remove(n)
	}
	if owned := s.owners[n.Owner]; owned != nil {
		owned.remove(n)
	}
}

// parent returns the znode above a path; nil for the root.
func (s *state) parent(name string) *storedNode {
	if name == "/" {
		return nil
	}
	return s.nodes[path.Dir(name)]
}

func newState() *state {
	return &state{nodes: map[string]*storedNode{}, sessions: map[int64]zookeeper.SessionImage{}, owners: map[int64]*nameSet{}}
}

func (s *state) apply(body []byte) error {
	if s.snapshotOnly && s.complete {
		return errors.New("found behind the last record of a snapshot, want none")
	}
	r := reader{rest: body}
	s.nowMs, s.zxid, s.nextSessionID = r.int64(), r.int64(), r.int64()
	for len(r.rest) > 0 && r.why == "" {
		s.entry(&r)
	}
	return r.err("record")
}

func (s *state) entry(r *reader) {
	kind := entryKind(r.front(1, "entry")[0])
	s.complete = kind == entryComplete
	switch kind {
	case entryNode:
		s.put(zookeeper.NodeImage{
			Path: r.string(), Data: r.buffer(), ACL: r.acl(), Owner: r.int64(), Container: r.bool(),
			TTLMs: r.int64(), CtimeMs: r.int64(), MtimeMs: r.int64(), Version: r.int32(), Aversion: r.int32(),
			Czxid: r.int64(), Mzxid: r.int64(), Offspring: r.offspring(),
		})
	case entryFresh:
		s.put(r.freshNode())
	case entryOffspring:
		name := r.string()
		n, ok := s.nodes[name]
		if !ok {
			r.fail(fmt.Sprintf("children of %q, which is not there", name))
			return
		}
		n.Offspring = r.offspring()
	case entryGone:
		s.drop(r.string())
	case entrySession:
		session := zookeeper.SessionImage{ID: r.int64(), TimeoutMs: r.int64()}
		s.sessions[session.ID] = session
	case entryEnded:
		id := r.int64()
		delete(s.sessions, id)
		delete(s.owners, id)
	case entryComplete:
	default:
		r.fail(fmt.Sprintf("entry of unknown kind %d", kind))
	}
}

func (r *reader) offspring() zookeeper.Offspring {
	return zookeeper.Offspring{Creates: r.int32(), Pzxid: r.int64()}
}

// snapshot converts the state to the machine's Snapshot.
func (s *state) snapshot() (*zookeeper.Snapshot, error) {
	image := zookeeper.Image{Zxid: s.zxid, Epoch: s.zxid >> 32, NextSessionID: s.nextSessionID}
	// In the order of creation, parents precede their children.
	byOrder := func(a, b *storedNode) int { return cmp.Compare(a.order, b.order) }
	for _, n := range slices.SortedFunc(maps.Values(s.nodes), byOrder) {
		if n.children != nil {
			n.Names = n.children.set
		}
		image.Nodes = append(image.Nodes, n.NodeImage)
	}
	for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
		session := s.sessions[id]
		if owned := s.owners[id]; owned != nil {
			session.Names = owned.set
		}
		image.Sessions = append(image.Sessions, session)
	}
	return zookeeper.NewSnapshot(image)
}

// recorder encodes the machine's changes as records. The machine collects the changed znodes, and
// the recorder collects the changed sessions. One record holds the changes of a whole turn, because
// no request of a turn is answered before the turn ends.
type recorder struct {
	zxid     int64   // zxid of the last record
	sessions []int64 // sessions that have begun or ended since the last record
	writer   recordWriter
}

// note records that a write began or ended a session. A failed write changes nothing but the zxid
// (ZK-4.1), which also leads to a record.
func (r *recorder) note(w *zookeeper.Write) {
	if w.Err == zookeeper.CodeOK && w.Op.Effect() == zookeeper.EffectSession {
		r.sessions = append(r.sessions, w.Session)
	}
}

// behind reports whether the machine has changes that no record contains yet.
func (r *recorder) behind(m *zookeeper.Machine) bool { return m.Zxid() != r.zxid }

// appendRecord appends a record of the changes since the last one, if there are any.
func (r *recorder) appendRecord(b []byte, m *zookeeper.Machine) []byte {
	if !r.behind(m) {
		return b
	}
	r.zxid = m.Zxid()
	w := &r.writer
	*w = beginRecord(b, m.NowMs(), m.Zxid(), m.NextSessionID())
	m.TakeNotes(w)
	slices.Sort(r.sessions)
	for _, id := range slices.Compact(r.sessions) {
		if s, ok := m.SessionImage(id); ok {
			w.session(s)
		} else {
			w.ended(id)
		}
	}
	r.sessions = r.sessions[:0]
	b = w.end()
	r.writer = recordWriter{} // the recorder must not keep b alive
	return b
}

// recordSize is the size in bytes beyond which a snapshot begins its next record.
const recordSize = 1 << 20

// writeSnapshot writes a whole state as records. The last entry is an entryComplete.
func writeSnapshot(to io.Writer, nowMs int64, s *zookeeper.Snapshot) error {
	image := s.Image()
	w := beginRecord(nil, nowMs, image.Zxid, image.NextSessionID)
	for i := range image.Nodes {
		if len(w.b) > recordSize {
			if _, err := to.Write(w.end()); err != nil {
				return err
			}
			w = beginRecord(w.b[:0], nowMs, image.Zxid, image.NextSessionID)
		}
		w.Node(&image.Nodes[i])
	}
	for _, session := range image.Sessions {
		w.session(session)
	}
	w.kind(entryComplete)
	_, err := to.Write(w.end())
	return err
}
