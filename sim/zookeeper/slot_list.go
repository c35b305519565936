package zookeeper

import "slices"

// slotList is a list of slots. There are very many in all: a slot takes two bytes, unless
// the list has one that needs more.
type slotList struct {
	low  []uint16
	high []uint16 // the upper halves; nil when all are 0
}

func (l *slotList) len() int { return len(l.low) }

func (l *slotList) at(i int) uint32 {
	slot := uint32(l.low[i])
	if l.high != nil {
		slot |= uint32(l.high[i]) << 16
	}
	return slot
}

func (l *slotList) set(i int, slot uint32) {
	l.low[i] = uint16(slot)
	if l.high != nil {
		l.high[i] = uint16(slot >> 16)
	}
}

// add puts a slot at the end.
func (l *slotList) add(slot uint32) {
	if slot>>16 != 0 && l.high == nil {
		l.high = make([]uint16, len(l.low), cap(l.low)+1)
	}
	if n := len(l.low); n == cap(l.low) {
		l.low = slices.Grow(l.low, n/8+2)
	}
	l.low = append(l.low, uint16(slot))
	if l.high != nil {
		l.high = append(l.high, uint16(slot>>16))
	}
}

// cut takes out those from one place to before another.
func (l *slotList) cut(from, to int) {
	l.low = slices.Delete(l.low, from, to)
	if l.high != nil {
		l.high = slices.Delete(l.high, from, to)
	}
}

// index is the first place of a slot, -1 for none.
func (l *slotList) index(slot uint32) int {
	for i := range l.low {
		if l.at(i) == slot {
			return i
		}
	}
	return -1
}

// all walks the slots with their places.
func (l *slotList) all(yield func(i int, slot uint32) bool) {
	for i := range l.low {
		if !yield(i, l.at(i)) {
			return
		}
	}
}

func (l *slotList) clone() slotList {
	return slotList{slices.Clone(l.low), slices.Clone(l.high)}
}
