package history

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"path"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Check returns an error for the first observation that ZooKeeper's guarantees rule out; nil if
// there is none. It checks these guarantees:
//
//   - Writes have one order, which agrees with the order of their answers.
//   - Each client sees a growing prefix of that order, which includes its own writes.
//   - An answer shows the tree as it was at the answer's zxid.
//   - A watch reports the first change after it was set, before any answer that shows the change.
//   - A sync catches up with all writes answered before it.
//
// It supports open ACLs only. Its time grows with the length of the history.
func (h *History) Check() error {
	c := &check{
		h: h, places: map[int64]int{}, nodes: map[string]*node{"/": {}, "/zookeeper": {}},
		waiting: map[watch][]int{}, due: make([]change, len(h.Seen)),
	}
	if err := c.order(); err != nil {
		return err
	}
	if err := c.replay(); err != nil {
		return err
	}
	if err := c.realTime(); err != nil {
		return err
	}
	return c.clients()
}

type check struct {
	h *History
	// places maps each zxid to its position in the order of commits. groups holds the writes at
	// each position.
	places map[int64]int
	groups [][]zookeeper.Write
	nodes  map[string]*node
	// waiting holds, for each watch, the answers that set it, as indices in h.Seen. These answers
	// wait for the first change that the watch must report. Once that change is found, it is stored
	// in due at the answer's index.
	waiting map[watch][]int
	due     []change
}

// node holds the parts of a znode that are compared. names is the sum of the hashes of the
// children's names, so it does not depend on their order.
type node struct {
	data     []byte
	version  int32
	mzxid    int64
	children int
	names    uint64
}

type watch struct {
	path  string
	child bool
}

// change is a change that a watch must report. place is its position, counted from 1; 0 means no
// change.
type change struct {
	place int
	typ   env.EventType
}

func (c *check) order() error {
	last := int64(0)
	for _, w := range c.h.Writes {
		switch {
		case w.Zxid < last:
			return fmt.Errorf("write of %s: zxid %#x after %#x", w.Path, w.Zxid, last)
		case w.Zxid > last || len(c.groups) == 0:
			c.places[w.Zxid] = len(c.groups)
			c.groups = append(c.groups, nil)
			last = w.Zxid
		}
		c.groups[len(c.groups)-1] = append(c.groups[len(c.groups)-1], w)
	}
	return nil
}

// replay executes the writes in order and compares each answer with the tree at its zxid.
func (c *check) replay() error {
	answers := make([][]int, len(c.groups))
	for i := range c.h.Seen {
		s := &c.h.Seen[i]
		if s.Kind != SeenAnswer {
			continue
		}
		place, ok := c.placeOf(s.Zxid)
		if !ok {
			return c.fault(i, "zxid %#x, which no write has", s.Zxid)
		}
		answers[place] = append(answers[place], i)
	}
	for place, group := range c.groups {
		for _, w := range group {
			if w.Err == zookeeper.CodeOK {
				c.do(w, place+1)
			}
		}
		for _, i := range answers[place] {
			if err := c.compare(i, group); err != nil {
				return err
			}
		}
	}
	return nil
}

// placeOf returns the position of the write with a zxid. A new leader that has not yet written
// answers with the zxid of its epoch, for which there is no write. For such a zxid placeOf returns
// the position of the last write before it.
func (c *check) placeOf(zxid int64) (place int, ok bool) {
	if place, ok = c.places[zxid]; ok || uint32(zxid) != 0 {
		return place, ok
	}
	behind, _ := slices.BinarySearchFunc(c.groups, zxid, func(group []zookeeper.Write, zxid int64) int {
		return cmp.Compare(group[0].Zxid, zxid)
	})
	return max(behind-1, 0), behind > 0
}

func (c *check) do(w zookeeper.Write, place int) {
	switch w.Op.Effect() {
	case zookeeper.EffectCreate:
		c.nodes[w.Path] = &node{data: w.Data, mzxid: w.Zxid}
		c.child(w.Path, 1)
		c.change(watch{w.Path, false}, change{place, env.EventCreated})
	case zookeeper.EffectDelete:
		delete(c.nodes, w.Path)
		c.child(w.Path, -1)
		c.change(watch{w.Path, false}, change{place, env.EventDeleted})
		c.change(watch{w.Path, true}, change{place, env.EventDeleted})
	case zookeeper.EffectData:
		n := c.nodes[w.Path]
		n.data, n.mzxid = w.Data, w.Zxid
		n.version++
		c.change(watch{w.Path, false}, change{place, env.EventChanged})
		return
	default:
		return
	}
	c.change(watch{path.Dir(w.Path), true}, change{place, env.EventChildrenChanged})
}

// child updates the number and the names of the parent's children. by is 1 for an added child, and
// -1 for a removed one.
func (c *check) child(of string, by int) {
	if parent := c.nodes[path.Dir(of)]; parent != nil {
		parent.children += by
		parent.names += uint64(int64(by)) * nameHash(path.Base(of))
	}
}

func nameHash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

func (c *check) change(of watch, to change) {
	for _, i := range c.waiting[of] {
		c.due[i] = to
	}
	delete(c.waiting, of)
}

// compare checks one answer against the tree at its zxid.
func (c *check) compare(i int, group []zookeeper.Write) error {
	s := &c.h.Seen[i]
	n := c.nodes[s.Path]
	read := s.Op == zookeeper.OpGetData || s.Op == zookeeper.OpExists || s.Op == zookeeper.OpGetChildren
	switch {
	case read && (s.Err == zkerrors.NoNode) != (n == nil):
		return c.fault(i, "%s, the tree has it: %t", zookeeper.CodeName(s.Err), n != nil)
	case read && n != nil && s.Op != zookeeper.OpGetChildren && (s.Stat.Mzxid != n.mzxid || s.Stat.Version != n.version):
		return c.fault(i, "mzxid %#x and version %d, want %#x and %d", s.Stat.Mzxid, s.Stat.Version, n.mzxid, n.version)
	case s.Op == zookeeper.OpGetData && n != nil && !bytes.Equal(s.Data, n.data):
		return c.fault(i, "data %q, want %q", s.Data, n.data)
	case s.Op == zookeeper.OpGetChildren && n != nil:
		names := uint64(0)
		for _, child := range s.Children {
			names += nameHash(child)
		}
		if s.Path != "/" && (names != n.names || len(s.Children) != n.children) {
			return c.fault(i, "children %v, want %d others", s.Children, n.children)
		}
	case s.Op.Writes():
		return c.compareWrite(i, group)
	}
	if table := (watch{s.Path, s.Op == zookeeper.OpGetChildren}); leavesWatch(s) {
		c.waiting[table] = append(c.waiting[table], i)
	}
	return nil
}

func leavesWatch(s *Seen) bool {
	return s.Watch && (s.Err == zookeeper.CodeOK || s.Op == zookeeper.OpExists)
}

// compareWrite checks that a write which was answered as successful is in the history.
func (c *check) compareWrite(i int, group []zookeeper.Write) error {
	s := &c.h.Seen[i]
	at := s.Path
	if s.Made != "" {
		at = s.Made
	}
	for _, w := range group {
		if w.Of == s.Op && w.Err == s.Err && (w.Path == at || s.Op == zookeeper.OpCloseSession) {
			return nil
		}
	}
	return c.fault(i, "%s at %#x, where nothing of the kind was done", zookeeper.CodeName(s.Err), s.Zxid)
}

// realTime checks the order in real time. Writes must be in the order of their answers, and a sync
// must include all writes answered before it.
func (c *check) realTime() error {
	// acked[i] is the highest zxid of a write among the first i observations.
	acked := make([]int64, len(c.h.Seen)+1)
	for i := range c.h.Seen {
		s := &c.h.Seen[i]
		acked[i+1] = acked[i]
		if s.Kind != SeenAnswer {
			continue
		}
		before := acked[s.Began]
		if s.Op.Writes() {
			if s.Zxid <= before {
				return c.fault(i, "zxid %#x, though %#x was answered before it began", s.Zxid, before)
			}
			acked[i+1] = max(acked[i], s.Zxid)
		}
		if s.Op == zookeeper.OpSync && s.Zxid < before {
			return c.fault(i, "zxid %#x, though %#x was answered before it began", s.Zxid, before)
		}
	}
	return nil
}

func (c *check) fault(i int, format string, args ...any) error {
	s := &c.h.Seen[i]
	return fmt.Errorf("seen %d: client %d: %s %s: %s", i, s.Client, s.Op, s.Path, fmt.Sprintf(format, args...))
}
