package zookeeper

import (
	"math/bits"
	"slices"
)

// watchTable is one of the two watch tables (ZK-7.1), which record which connections watch which
// path. There may be very many watches, because clients that watch each other need one for each
// pair. So a watch is no object of its own. The list of its path contains the slot of its
// connection, and a set of the connection contains the number of that list.
type watchTable struct {
	// index is the table's index in Conn.watches.
	index  int
	byPath map[string]*watchList
	// lists holds the lists by number, including free ones.
	lists []*watchList
	free  []uint32
	// slots is shared by both tables.
	slots *slots
	// shown simulates the order of a real server's table; nil if Config.ShowWatches is not set.
	shown *shownWatches
	// recursive is the number of recursive watches. If it is 0, an event need not check ancestors.
	recursive int
	// set, fired and removed count watches for Counters.
	set, fired, removed uint64
}

// watchList holds the watches of one path.
type watchList struct {
	path   string
	number uint32
	// few holds the slots of the watching connections in ascending order. When there are many
	// slots, the field whose holds them instead, with one bit for each slot. Events are sent in
	// ascending order of the slots; a real server has the order of a hash set.
	few   []uint32
	whose bitset
	live  int
	// modes holds the modes of the watches that are not simply one-shot.
	modes map[uint32]uint8
}

// longList is the number of watches at which a list switches from the field few to the field whose.
const longList = 16

// bitset is a set of small numbers.
type bitset []uint64

func (b bitset) has(i uint32) bool {
	word := int(i / 64)
	return word < len(b) && b[word]&(1<<(i%64)) != 0
}

func (b *bitset) add(i uint32) {
	for int(i/64) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i/64] |= 1 << (i % 64)
}

func (b bitset) remove(i uint32) { b[i/64] &^= 1 << (i % 64) }

// all walks the numbers.
func (b bitset) all(yield func(uint32) bool) {
	for at, word := range b {
		for ; word != 0; word &= word - 1 {
			if !yield(uint32(at)*64 + uint32(bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// slots assigns numbers, from 1, to the connections that have set watches.
type slots struct {
	conns []*Conn
	free  []uint32
}

// take assigns a free number to a connection.
func (s *slots) take(c *Conn) {
	if k := len(s.free); k > 0 {
		c.slot, s.free = s.free[k-1], s.free[:k-1]
		s.conns[c.slot] = c
		return
	}
	if len(s.conns) == 0 {
		s.conns = append(s.conns, nil)
	}
	c.slot = uint32(len(s.conns))
	s.conns = append(s.conns, c)
}

func (s *slots) giveBack(c *Conn) {
	if c.slot != 0 {
		s.conns[c.slot] = nil
		s.free = append(s.free, c.slot)
		c.slot = 0
	}
}

// has reports whether the connection with the given slot has a watch in the list.
func (l *watchList) has(slot uint32) bool {
	if l.whose != nil {
		return l.whose.has(slot)
	}
	_, found := slices.BinarySearch(l.few, slot)
	return found
}

// all passes the slot of each watching connection to the function yield.
func (l *watchList) all(yield func(slot uint32) bool) {
	if l.whose != nil {
		l.whose.all(yield)
		return
	}
	for _, slot := range l.few {
		if !yield(slot) {
			return
		}
	}
}

// modesOf returns the modes of the watch of the connection with the given slot.
func (l *watchList) modesOf(slot uint32) uint8 {
	if modes, ok := l.modes[slot]; ok {
		return modes
	}
	return oneShot
}

func (l *watchList) setModes(slot uint32, modes uint8) {
	switch {
	case modes == oneShot:
		delete(l.modes, slot)
	case l.modes == nil:
		l.modes = map[uint32]uint8{slot: modes}
	default:
		l.modes[slot] = modes
	}
}

// join adds a slot.
func (l *watchList) join(slot uint32) {
	l.live++
	if l.whose != nil {
		l.whose.add(slot)
		return
	}
	at, _ := slices.BinarySearch(l.few, slot)
	l.few = slices.Insert(l.few, at, slot)
	if len(l.few) == longList {
		for _, slot := range l.few {
			l.whose.add(slot)
		}
		l.few = nil
	}
}

// leave removes a slot.
func (l *watchList) leave(slot uint32) {
	l.live--
	delete(l.modes, slot)
	if l.whose != nil {
		l.whose.remove(slot)
	} else {
		at, _ := slices.BinarySearch(l.few, slot)
		l.few = slices.Delete(l.few, at, at+1)
	}
}

// count counts the watches in the list one by one, to check the field live.
func (l *watchList) count() int {
	if l.whose == nil {
		return len(l.few)
	}
	n := 0
	for _, word := range l.whose {
		n += bits.OnesCount64(word)
	}
	return n
}

// add sets a watch, or changes the modes of an existing one.
func (t *watchTable) add(p Profile, c *Conn, path string, mode uint8) {
	t.addTo(nil, p, c, path, mode)
}

// addTo does what add does. list may be the path's list from an earlier call, to save a look-up, or
// nil. It returns the path's list.
func (t *watchTable) addTo(list *watchList, p Profile, c *Conn, path string, mode uint8) *watchList {
	if list == nil || list.path != path || path == "" { // a freed list has no path
		list = t.byPath[path]
	}
	if list == nil {
		list = t.open(path)
	}
	if c.slot == 0 {
		t.slots.take(c)
	}
	if !list.has(c.slot) {
		list.join(c.slot)
		t.set++
		c.watches[t.index].note(t, list.number, c.slot)
		t.change(list, c.slot, 0, mode)
		t.shown.add(c, path)
		return list
	}
	before := list.modesOf(c.slot)
	if p == V39 {
		mode |= before
	}
	t.change(list, c.slot, before, mode)
	return list
}

// change replaces the modes of a watch.
func (t *watchTable) change(list *watchList, slot uint32, before, modes uint8) {
	t.recursive += int(modes&recursive/recursive) - int(before&recursive/recursive)
	list.setModes(slot, modes)
}

// open makes the list of a path.
func (t *watchTable) open(path string) *watchList {
	var list *watchList
	if k := len(t.free); k > 0 {
		list, t.free = t.lists[t.free[k-1]], t.free[:k-1]
	} else {
		list = &watchList{number: uint32(len(t.lists))}
		t.lists = append(t.lists, list)
	}
	list.path = path
	t.byPath[path] = list
	return list
}

// close removes a list and all watches that are left in it, and keeps its memory for reuse.
func (t *watchTable) close(list *watchList) {
	t.shown.close(list.path)
	delete(t.byPath, list.path)
	clear(list.whose)
	*list = watchList{number: list.number, few: list.few[:0], whose: list.whose}
	t.free = append(t.free, list.number)
}

// drop removes modes from a watch. If no mode is left, it removes the watch. It reports whether the
// watch had any of the modes.
func (t *watchTable) drop(list *watchList, slot uint32, modes uint8) bool {
	had := list.modesOf(slot)
	if had&^modes != 0 {
		t.change(list, slot, had, had&^modes)
		return had&modes != 0
	}
	t.recursive -= int(had & recursive / recursive)
	if list.leave(slot); list.live == 0 {
		t.close(list)
	}
	return true
}

// useUp removes the one-shot watches of a list, which have fired.
func (t *watchTable) useUp(list *watchList) {
	live := list.live
	if t.shown != nil {
		for slot := range list.all {
			if list.modesOf(slot) == oneShot {
				t.shown.fire(t.slots.conns[slot], list.path)
			}
		}
	}
	if len(list.modes) == 0 {
		t.close(list)
	} else {
		for _, slot := range slices.Collect(list.all) {
			t.drop(list, slot, oneShot)
		}
	}
	t.fired += uint64(live - list.live)
}

// remove removes modes from a connection's watch, and counts a watch that is thereby removed. It
// reports whether the watch had any of the modes.
func (t *watchTable) remove(list *watchList, slot uint32, modes uint8) bool {
	if list == nil || !list.has(slot) {
		return false
	}
	live := list.live
	path := list.path
	had := t.drop(list, slot, modes)
	t.removed += uint64(live - list.live)
	if list.live < live {
		t.shown.remove(t.slots.conns[slot], path)
	}
	return had
}

// removePath removes modes from the connection's watch on a path. It reports whether the watch had
// any of them.
func (t *watchTable) removePath(c *Conn, path string, modes uint8) bool {
	return t.remove(t.byPath[path], c.slot, modes)
}

func (t *watchTable) has(c *Conn, path string, modes uint8) bool {
	list := t.byPath[path]
	return list != nil && list.has(c.slot) && list.modesOf(c.slot)&modes != 0
}

// forget removes all watches of a connection, and frees its slot.
func (w *watches) forget(c *Conn) {
	for _, t := range []*watchTable{&w.data, &w.child} {
		for number := range c.watches[t.index].among(len(t.lists)) {
			if list := t.lists[number]; list.live > 0 {
				t.remove(list, c.slot, everyWatch)
			}
		}
		c.watches[t.index] = ownLists{}
		t.shown.forget(c)
	}
	w.slots.giveBack(c)
}

// ownLists records the lists in which a connection may have a watch. It contains all lists with a
// watch of the connection, and possibly some that had one earlier.
type ownLists struct {
	few  []uint32
	many []*page // pages of numbers, indexed by number / pageBits; used once there are many numbers
	// marked counts the numbers in many. When they are a large part of all lists, many is dropped
	// and any becomes true. From then on every list counts as one that may have a watch of the
	// connection.
	marked int
	any    bool
}

// page is a bitset for a range of pageBits consecutive numbers. It is one part of a larger set.
type page [pageBits / 64]uint64

const (
	pageBits = 4096
	fewLists = 64
	// leastMarked is the minimum of marked at which any can become true.
	leastMarked = 512
)

// note adds a list.
func (o *ownLists) note(t *watchTable, number, slot uint32) {
	if o.any {
		return
	}
	if o.many == nil {
		if slices.Contains(o.few, number) {
			return
		}
		full := len(o.few) == fewLists
		if full {
			o.few = slices.DeleteFunc(o.few, func(i uint32) bool { return !t.lists[i].has(slot) })
		}
		if !full || len(o.few) <= fewLists/2 {
			o.few = append(o.few, number)
			return
		}
		for _, i := range o.few {
			o.mark(i)
		}
		o.few = nil
	}
	if o.mark(number); o.marked >= leastMarked && o.marked >= len(t.lists)/8 {
		*o = ownLists{any: true}
	}
}

func (o *ownLists) mark(number uint32) {
	at := int(number / pageBits)
	for at >= len(o.many) {
		o.many = append(o.many, nil)
	}
	if o.many[at] == nil {
		o.many[at] = &page{}
	}
	word, bit := &o.many[at][number%pageBits/64], uint64(1)<<(number%64)
	if *word&bit == 0 {
		*word |= bit
		o.marked++
	}
}

// among returns an iterator over the numbers of the lists that may have a watch of the connection.
// lists is the number of all lists.
func (o *ownLists) among(lists int) func(yield func(number uint32) bool) {
	if !o.any {
		return o.all
	}
	return func(yield func(number uint32) bool) {
		for number := range uint32(lists) {
			if !yield(number) {
				return
			}
		}
	}
}

// all passes each recorded number to the function yield.
func (o *ownLists) all(yield func(number uint32) bool) {
	for _, number := range o.few {
		if !yield(number) {
			return
		}
	}
	for at, p := range o.many {
		if p == nil {
			continue
		}
		for i := range uint32(pageBits) {
			if p[i/64]&(1<<(i%64)) != 0 && !yield(uint32(at)*pageBits+i) {
				return
			}
		}
	}
}
