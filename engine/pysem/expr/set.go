package expr

// Set is a set or, frozen, a frozenset. Its table is laid out as CPython's
// (Objects/setobject.c of 3.11), for the order in which a set is walked follows from it.
type Set struct {
	frozen bool
	table  []slot
	fill   int // slots used, also by what is gone
	used   int
	// shaky counts the items whose hash, and so whose place, changes from run to run.
	shaky  int
	finger int // where pop looks next
}

type slot struct {
	key   Value
	hash  int64
	state slotState
}

type slotState uint8

const (
	empty slotState = iota
	taken
	gone
)

const (
	smallestTable = 8
	linearProbes  = 9
	perturbShift  = 5
)

// newSet is a set of items, added in their order.
func newSet(frozen bool, items []Value) (*Set, error) {
	s := &Set{frozen: frozen, table: make([]slot, smallestTable)}
	for _, item := range items {
		if err := s.add(item); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// probe calls look with the places for a hash in CPython's order until it returns false.
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

// find is the place of a key, or of the free slot where it would go.
func (s *Set) find(key Value, hash int64) (at int, found bool) {
	probe(hash, len(s.table), func(i int) bool {
		e := &s.table[i]
		switch {
		case e.state == empty:
			at = i
			return false
		case e.state == taken && e.hash == hash && same(e.key, key):
			at, found = i, true
			return false
		}
		return true
	})
	return at, found
}

func (s *Set) add(key Value) error {
	hash, stable, err := hashOf(key)
	if err != nil {
		return err
	}
	s.addHashed(slot{key: key, hash: hash, state: taken}, stable)
	return nil
}

func (s *Set) addHashed(e slot, stable bool) {
	at, found := s.find(e.key, e.hash)
	if found {
		return
	}
	s.table[at] = e
	s.fill++
	s.used++
	if !stable {
		s.shaky++
	}
	if s.fill*5 < (len(s.table)-1)*3 {
		return
	}
	if s.used > 50000 {
		s.resize(s.used * 2)
	} else {
		s.resize(s.used * 4)
	}
}

// resize lays the set out in a table of more than least slots.
func (s *Set) resize(least int) {
	size := smallestTable
	for size <= least {
		size *= 2
	}
	old := s.table
	s.table = make([]slot, size)
	for _, e := range old {
		if e.state == taken {
			s.insertClean(e)
		}
	}
	s.fill = s.used
}

func (s *Set) insertClean(e slot) {
	probe(e.hash, len(s.table), func(i int) bool {
		if s.table[i].state != empty {
			return true
		}
		s.table[i] = e
		return false
	})
}

func (s *Set) has(key Value) (bool, error) {
	hash, _, err := hashOf(key)
	if err != nil {
		return false, err
	}
	_, found := s.find(key, hash)
	return found, nil
}

// discard takes a key out and reports whether it was there.
func (s *Set) discard(key Value) (bool, error) {
	hash, stable, err := hashOf(key)
	if err != nil {
		return false, err
	}
	at, found := s.find(key, hash)
	if found {
		s.table[at] = slot{state: gone, hash: -1}
		s.used--
		if !stable {
			s.shaky--
		}
	}
	return found, nil
}

// pop takes out the item that CPython would; the set must not be empty.
func (s *Set) pop() Value {
	at := s.finger & (len(s.table) - 1)
	for s.table[at].state != taken {
		at = (at + 1) & (len(s.table) - 1)
	}
	key := s.table[at].key
	s.table[at] = slot{state: gone, hash: -1}
	s.used--
	s.finger = at + 1
	return key
}

// merge adds all of other (set_merge).
func (s *Set) merge(other *Set) {
	if other == s || other.used == 0 {
		return
	}
	if (s.fill+other.used)*5 >= (len(s.table)-1)*3 {
		s.resize((s.used + other.used) * 2)
	}
	switch {
	case s.fill == 0 && len(s.table) == len(other.table) && other.fill == other.used:
		copy(s.table, other.table)
	case s.fill == 0:
		for _, e := range other.table {
			if e.state == taken {
				s.insertClean(e)
			}
		}
	default:
		for _, e := range other.table {
			if e.state == taken {
				_, stable, _ := hashOf(e.key)
				s.addHashed(e, stable)
			}
		}
		return
	}
	s.fill, s.used, s.shaky = other.used, other.used, other.shaky
}

// mergeKeys adds the keys of a dict (set_update_internal).
func (s *Set) mergeKeys(d *Dict) {
	if (s.fill+d.Len())*5 >= (len(s.table)-1)*3 {
		s.resize((s.used + d.Len()) * 2)
	}
	for _, e := range d.live() {
		_ = s.add(e.key) // a key was hashed before
	}
}

func (s *Set) copy(frozen bool) *Set {
	copied := &Set{frozen: frozen, table: make([]slot, smallestTable)}
	copied.merge(s)
	return copied
}

// all are the items in the order of the table, which is CPython's only without shaky ones.
func (s *Set) all() []Value {
	items := make([]Value, 0, s.used)
	for i := range s.table {
		if s.table[i].state == taken {
			items = append(items, s.table[i].key)
		}
	}
	return items
}

// ordered are the items in CPython's order, or a refusal where that changes from run to
// run.
func (s *Set) ordered() ([]Value, error) {
	if s.shaky > 0 && s.used > 1 {
		return nil, refuse(unstable, "the order of a set that holds strings or objects")
	}
	return s.all(), nil
}
