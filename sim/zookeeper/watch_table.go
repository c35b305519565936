package zookeeper

import "slices"

// watchTable is one of the two tables (ZK-7.1): who wants to hear of which path. There
// may be very many watches, a clientele that watches itself leaves one for each pair, so
// that a watch is a number in the list of its path and a bit, not an object.
type watchTable struct {
	// index selects the connection's set.
	index  int
	byPath map[string]*watchList
	// lists has the lists by their number, and those that are free.
	lists []*watchList
	free  []uint32
	// slots are those of both tables.
	slots *slots
	// recursive counts the recursive watches: without any, an event need not look
	// at the ancestors.
	recursive int
}

// watchList has the watches of one path.
type watchList struct {
	path   string
	number uint32
	// order has the slot of each watch's connection, in the order in which the watches
	// were left; the real server's order is that of a hash set. In a long list a slot
	// without a bit counts no more, and one that comes twice counts where it comes last.
	order slotList
	live  int
	// whose has a bit for each slot with a watch, of a long list.
	whose bitset
	// modes are those of the watches that are not one-shot alone.
	modes map[uint32]uint8
}

// longList is from how many watches on a list has bits. Short ones are walked.
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

// slots numbers the connections that have left watches, from 1.
type slots struct {
	conns []*Conn
	free  []uint32
}

// take gives a connection a number that no other has.
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

// has reports whether the connection with a slot has a watch in the list.
func (l *watchList) has(slot uint32) bool {
	if l.whose != nil {
		return l.whose.has(slot)
	}
	return l.order.index(slot) >= 0
}

// modesOf are those of a watch that is in the list.
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

// join adds a slot at the end.
func (l *watchList) join(slot uint32) {
	if l.order.len() >= 2*max(l.live, longList) {
		l.tidy()
	}
	l.order.add(slot)
	l.live++
	switch {
	case l.whose != nil:
		l.whose.add(slot)
	case l.live == longList:
		for _, slot := range l.order.all {
			l.whose.add(slot)
		}
	}
}

// leave takes a slot out.
func (l *watchList) leave(slot uint32) {
	l.live--
	delete(l.modes, slot)
	if l.whose != nil {
		l.whose.remove(slot)
	} else {
		i := l.order.index(slot)
		l.order.cut(i, i+1)
	}
}

// tidy leaves in order what counts: each slot once.
func (l *watchList) tidy() {
	if l.order.len() == l.live {
		return
	}
	var seen bitset
	kept := l.order.len()
	for i := kept - 1; i >= 0; i-- {
		if slot := l.order.at(i); l.whose.has(slot) && !seen.has(slot) {
			seen.add(slot)
			kept--
			l.order.set(kept, slot)
		}
	}
	l.order.cut(0, kept)
}

// inOrder are the slots with a watch, in the order of leaving.
func (l *watchList) inOrder() *slotList {
	l.tidy()
	return &l.order
}

// add leaves a watch, or changes the modes of the one that is there.
func (t *watchTable) add(p Profile, c *Conn, path string, mode uint8) {
	list := t.byPath[path]
	if list == nil {
		list = t.open(path)
	}
	if c.slot == 0 {
		t.slots.take(c)
	}
	if !list.has(c.slot) {
		list.join(c.slot)
		c.watches[t.index].note(t, list.number, c.slot)
		t.change(list, c.slot, 0, mode)
		return
	}
	before := list.modesOf(c.slot)
	if p == V39 {
		mode |= before
	}
	t.change(list, c.slot, before, mode)
}

// change gives a watch other modes.
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

// close gives back a list, with all watches that are left in it.
func (t *watchTable) close(list *watchList) {
	delete(t.byPath, list.path)
	order := slotList{low: list.order.low[:0]}
	if cap(order.low) > longList {
		order.low = nil // the next path may have a single watch
	}
	*list = watchList{number: list.number, order: order}
	t.free = append(t.free, list.number)
}

// drop takes modes away, and the watch when none is left. It reports whether
// the watch had one of them.
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

// useUp takes the one-shot watches of a list away.
func (t *watchTable) useUp(list *watchList) {
	if len(list.modes) == 0 {
		t.close(list)
		return
	}
	order := list.inOrder().clone()
	for _, slot := range order.all {
		t.drop(list, slot, oneShot)
	}
}

// removePath takes modes of the connection's watch on path away and reports
// whether there was one.
func (t *watchTable) removePath(c *Conn, path string, modes uint8) bool {
	list := t.byPath[path]
	return list != nil && list.has(c.slot) && t.drop(list, c.slot, modes)
}

func (t *watchTable) has(c *Conn, path string, modes uint8) bool {
	list := t.byPath[path]
	return list != nil && list.has(c.slot) && list.modesOf(c.slot)&modes != 0
}

// forget removes all watches of a connection, and frees its slot.
func (w *watches) forget(c *Conn) {
	for _, t := range []*watchTable{&w.data, &w.child} {
		for number := range c.watches[t.index].all {
			if list := t.lists[number]; list.has(c.slot) {
				t.drop(list, c.slot, everyWatch)
			}
		}
		c.watches[t.index] = ownLists{}
	}
	w.slots.giveBack(c)
}

// ownLists are the lists in which a connection may have a watch: all in which it has
// one, and some in which it had.
type ownLists struct {
	few  []uint32
	many []*page // once they are many, by number / pageBits
}

// page is a part of a set of many numbers.
type page [pageBits / 64]uint64

const (
	pageBits = 4096
	fewLists = 64
)

// note adds a list.
func (o *ownLists) note(t *watchTable, number, slot uint32) {
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
	o.mark(number)
}

func (o *ownLists) mark(number uint32) {
	at := int(number / pageBits)
	for at >= len(o.many) {
		o.many = append(o.many, nil)
	}
	if o.many[at] == nil {
		o.many[at] = &page{}
	}
	o.many[at][number%pageBits/64] |= 1 << (number % 64)
}

// all calls yield with each number.
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
