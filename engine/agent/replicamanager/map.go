package replicamanager

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
)

// replicaMap is the replicas of one task by id without leading zeros, in the order in
// which they came. Every agent of a cluster has all replicas of it, so a replica is some
// three bytes here: its number among the names of the task's children, in the order, and a
// stamp that says which of the values it is that agents have seen of it. The replicas are
// shared; whoever changes one puts a changed copy in its place.
type replicaMap struct {
	names *env.Names
	order numberList
	// stamps are by number: absent, of names, or odd for a replica that is in odds.
	stamps []uint8
	odds   map[uint32]*datadef.ReplicaMeta
	// shared says that others have all of it, too: it is copied before it is changed.
	shared bool
}

const (
	absent uint8 = 0
	odd    uint8 = 255
)

// newReplicaMap is the map of a task, with nothing in it. shared is nil where there is none.
func newReplicaMap(shared env.Shared, task string) *replicaMap {
	return &replicaMap{names: namesOf(shared, task)}
}

// namesOf numbers the children of a znode, for all agents of the world where there is one.
func namesOf(shared env.Shared, path string) *env.Names {
	if shared == nil {
		return env.NewNames(path)
	}
	return shared.Names(path)
}

func (m *replicaMap) stamp(number uint32) uint8 {
	if int(number) < len(m.stamps) {
		return m.stamps[number]
	}
	return absent
}

// at is the replica with a number, nil for none.
func (m *replicaMap) at(number uint32) *datadef.ReplicaMeta {
	switch stamp := m.stamp(number); stamp {
	case absent:
		return nil
	case odd:
		return m.odds[number]
	default:
		return m.names.Kept(number, stamp).(*datadef.ReplicaMeta)
	}
}

func (m *replicaMap) get(id string) (*datadef.ReplicaMeta, bool) {
	number, ok := m.names.Find(id)
	if !ok {
		return nil, false
	}
	meta := m.at(number)
	return meta, meta != nil
}

// set adds a replica at the end, or replaces the one of that id in its place. Nobody may
// change it from now on.
func (m *replicaMap) set(id string, meta *datadef.ReplicaMeta) {
	number := m.names.Number(id)
	stamp := m.names.Keep(number, meta, func(kept any) bool { return *kept.(*datadef.ReplicaMeta) == *meta })
	if stamp == absent {
		m.setOwn(id, meta)
		return
	}
	m.put(number, stamp)
	delete(m.odds, number)
}

// setOwn is set of a replica that nobody else has: it may be changed.
func (m *replicaMap) setOwn(id string, meta *datadef.ReplicaMeta) {
	number := m.names.Number(id)
	m.put(number, odd)
	if m.odds == nil {
		m.odds = map[uint32]*datadef.ReplicaMeta{}
	}
	m.odds[number] = meta
}

// put sets a stamp, of a replica that may be new.
func (m *replicaMap) put(number uint32, stamp uint8) {
	m.own()
	if n := len(m.stamps); int(number) >= n {
		if int(number) >= cap(m.stamps) {
			m.stamps = append(make([]uint8, 0, int(number)+int(number)/8+8), m.stamps...)
		}
		m.stamps = m.stamps[:number+1]
	}
	if m.stamps[number] == absent {
		m.order.add(number)
	}
	m.stamps[number] = stamp
}

func (m *replicaMap) delete(id string) {
	number, ok := m.names.Find(id)
	if !ok || m.stamp(number) == absent {
		return
	}
	m.own()
	var order numberList
	for other := range m.order.all {
		if other != number {
			order.add(other)
		}
	}
	m.order, m.stamps[number] = order, absent
	delete(m.odds, number)
}

// own makes everything its own.
func (m *replicaMap) own() {
	if m.shared {
		m.order.bytes = slices.Clip(m.order.bytes)
		m.stamps, m.odds, m.shared = slices.Clone(m.stamps), maps.Clone(m.odds), false
	}
}

func (m *replicaMap) len() int { return m.order.count }

// all calls yield with each replica in order, until it returns false.
func (m *replicaMap) all(yield func(string, *datadef.ReplicaMeta) bool) {
	for number := range m.order.all {
		if !yield(m.names.Name(number), m.at(number)) {
			return
		}
	}
}

// hasAllOf reports whether it has each replica that another map of the task has, whatever
// that says.
func (m *replicaMap) hasAllOf(other *replicaMap) bool {
	for number := range other.order.all {
		if m.names == other.names {
			if m.stamp(number) == absent {
				return false
			}
		} else if _, ok := m.get(other.names.Name(number)); !ok {
			return false
		}
	}
	return true
}

// equal reports whether two maps of one task have the same replicas in the same order.
func (m *replicaMap) equal(other *replicaMap) bool {
	if m.len() != other.len() {
		return false
	}
	if m.names == other.names && len(m.odds)+len(other.odds) == 0 {
		return same(m.order.bytes, other.order.bytes) && same(seen(m.stamps), seen(other.stamps))
	}
	numbers, i := slices.Collect(other.order.all), 0
	for number := range m.order.all {
		if m.names.Name(number) != other.names.Name(numbers[i]) || *m.at(number) != *other.at(numbers[i]) {
			return false
		}
		i++
	}
	return true
}

// seen are stamps without those behind the last that is here.
func seen(stamps []uint8) []uint8 {
	for len(stamps) > 0 && stamps[len(stamps)-1] == absent {
		stamps = stamps[:len(stamps)-1]
	}
	return stamps
}

// same is bytes.Equal, at once for one and the same.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b))
}

// numberList is a list of numbers: one that is near the one before it takes one byte.
type numberList struct {
	bytes []byte // how far each is from the one before it, as binary.AppendVarint has it
	last  int64
	count int
}

func (l *numberList) add(number uint32) {
	if n := len(l.bytes); n+binary.MaxVarintLen64 > cap(l.bytes) {
		l.bytes = append(make([]byte, 0, n+n/8+binary.MaxVarintLen64), l.bytes...)
	}
	l.bytes = binary.AppendVarint(l.bytes, int64(number)-l.last)
	l.last = int64(number)
	l.count++
}

// all calls yield with each number, until it returns false.
func (l *numberList) all(yield func(uint32) bool) {
	number := int64(0)
	for rest := l.bytes; len(rest) > 0; {
		step, n := binary.Varint(rest)
		number, rest = number+step, rest[n:]
		if !yield(uint32(number)) {
			return
		}
	}
}
