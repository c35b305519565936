package pyset

import (
	"math/big"
	"slices"
)

// Set is a set with the same hash table as a set of CPython (Objects/setobject.c). So it iterates
// in the same order. The order is the same in 3.8 to 3.11, unless keys are added after others were
// removed. Make a Set with [New].
type Set[K any] struct {
	same func(a, b K) bool
	// table holds the number of the entry in each slot, from 1. Other values mean that the slot is
	// empty, or that its entry is gone.
	table   []int32
	entries []entry[K] // entries in order; a removed one stays until the next resize
	fill    int        // number of slots in use, with those of removed entries
	used    int
	finger  int // index of the slot at which Pop begins its search
}

type entry[K any] struct {
	key  K
	hash int64
}

const (
	empty = 0
	gone  = -1
)

const (
	smallestTable = 8
	linearProbes  = 9
	perturbShift  = 5
)

// New makes an empty set. same reports whether two keys with the same hash are equal.
func New[K any](same func(a, b K) bool) *Set[K] {
	return &Set[K]{same: same, table: make([]int32, smallestTable)}
}

// Len returns the number of keys.
func (s *Set[K]) Len() int { return s.used }

// All passes the keys and their hashes to yield, in CPython's order.
func (s *Set[K]) All(yield func(key K, hash int64) bool) {
	for i := range s.table {
		if e := s.at(i); e != nil && !yield(e.key, e.hash) {
			return
		}
	}
}

// at returns the entry in a slot of the table, or nil if there is none.
func (s *Set[K]) at(slot int) *entry[K] {
	if place := s.table[slot]; place > empty {
		return &s.entries[place-1]
	}
	return nil
}

// Keys returns the keys in CPython's order.
func (s *Set[K]) Keys() []K {
	keys := make([]K, 0, s.used)
	for key := range s.All {
		keys = append(keys, key)
	}
	return keys
}

// probe passes to look the slots that CPython tries for a hash, in that order. It stops when look
// returns false.
func probe(hash int64, size int, look func(i int) bool) {
	mask := uint64(size - 1)
	perturb := uint64(hash)
	for i := uint64(hash) & mask; ; {
		last := i
		if i+linearProbes <= mask {
			last = i + linearProbes
		}
		for j := i; j <= last; j++ {
			if !look(int(j)) {
				return
			}
		}
		perturb >>= perturbShift
		i = (i*5 + 1 + perturb) & mask
	}
}

// find returns the slot of a key. If the key is missing, it returns the free slot where the key
// would be added.
func (s *Set[K]) find(key K, hash int64) (at int, found bool) {
	probe(hash, len(s.table), func(i int) bool {
		if s.table[i] == empty {
			at = i
			return false
		}
		if e := s.at(i); e != nil && e.hash == hash && s.same(e.key, key) {
			at, found = i, true
			return false
		}
		return true
	})
	return at, found
}

// Has reports whether a key is in the set.
func (s *Set[K]) Has(key K, hash int64) bool {
	_, found := s.find(key, hash)
	return found
}

// Add adds a key and reports whether it was missing.
func (s *Set[K]) Add(key K, hash int64) bool {
	at, found := s.find(key, hash)
	if found {
		return false
	}
	s.put(at, entry[K]{key, hash})
	s.fill++
	s.used++
	if s.fill*5 < (len(s.table)-1)*3 {
		return true
	}
	if s.used > 50000 {
		s.resize(s.used * 2)
	} else {
		s.resize(s.used * 4)
	}
	return true
}

func (s *Set[K]) put(slot int, e entry[K]) {
	s.entries = append(s.entries, e)
	s.table[slot] = int32(len(s.entries))
}

func (s *Set[K]) drop(slot int) {
	*s.at(slot) = entry[K]{}
	s.table[slot] = gone
	s.used--
}

// Discard removes a key and reports whether it was there.
func (s *Set[K]) Discard(key K, hash int64) bool {
	at, found := s.find(key, hash)
	if found {
		s.drop(at)
	}
	return found
}

// Pop removes and returns the same key as CPython would. The set must not be empty.
func (s *Set[K]) Pop() (key K, hash int64) {
	at := s.finger & (len(s.table) - 1)
	for s.at(at) == nil {
		at = (at + 1) & (len(s.table) - 1)
	}
	e := *s.at(at)
	s.drop(at)
	s.finger = at + 1
	return e.key, e.hash
}

// resize moves the entries to a table with more than least slots.
func (s *Set[K]) resize(least int) {
	size := smallestTable
	for size <= least {
		size *= 2
	}
	old := *s
	s.table, s.entries = make([]int32, size), make([]entry[K], 0, s.used)
	for key, hash := range old.All {
		s.insertClean(entry[K]{key, hash})
	}
	s.fill = s.used
}

func (s *Set[K]) insertClean(e entry[K]) {
	probe(e.hash, len(s.table), func(i int) bool {
		if s.table[i] != empty {
			return true
		}
		s.put(i, e)
		return false
	})
}

// Grow makes room for the n keys of a dict, as CPython does before it adds them
// (set_update_internal).
func (s *Set[K]) Grow(n int) {
	if (s.fill+n)*5 >= (len(s.table)-1)*3 {
		s.resize((s.used + n) * 2)
	}
}

// Merge adds all keys of other (set_merge).
func (s *Set[K]) Merge(other *Set[K]) {
	if other == s || other.used == 0 {
		return
	}
	s.Grow(other.used)
	switch {
	case s.fill == 0 && len(s.table) == len(other.table) && other.fill == other.used:
		copy(s.table, other.table)
		s.entries = slices.Clone(other.entries)
	case s.fill == 0:
		for key, hash := range other.All {
			s.insertClean(entry[K]{key, hash})
		}
	default:
		for key, hash := range other.All {
			s.Add(key, hash)
		}
		return
	}
	s.fill, s.used = other.used, other.used
}

// Copy returns a set of the same keys.
func (s *Set[K]) Copy() *Set[K] {
	copied := New(s.same)
	copied.Merge(s)
	return copied
}

// Difference returns a new set with the keys that are not in other (set_difference).
func (s *Set[K]) Difference(other *Set[K]) *Set[K] {
	if s.used>>2 > other.used {
		result := s.Copy()
		for key, hash := range other.All {
			result.Discard(key, hash)
		}
		return result
	}
	result := New(s.same)
	for key, hash := range s.All {
		if !other.Has(key, hash) {
			result.Add(key, hash)
		}
	}
	return result
}

// HashModulus is the prime by which CPython hashes numbers.
const HashModulus = 1<<61 - 1

// HashInt returns Python's hash of an int.
func HashInt(n *big.Int) int64 {
	h := new(big.Int).Rem(n, big.NewInt(HashModulus)).Int64()
	if h == -1 {
		return -2
	}
	return h
}
