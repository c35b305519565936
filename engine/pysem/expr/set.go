package expr

import "github.com/monosim/monosim/engine/pysem/pyset"

// Set is a set or, frozen, a frozenset.
type Set struct {
	frozen bool
	items  *pyset.Set[Value]
	// shaky counts the items whose hash, and so whose place, changes from run to run.
	shaky int
}

// newSet returns a set of items, added in their order.
func newSet(frozen bool, items []Value) (*Set, error) {
	s := &Set{frozen: frozen, items: pyset.New(same)}
	for _, item := range items {
		if err := s.add(item); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Set) len() int { return s.items.Len() }

func (s *Set) add(key Value) error {
	hash, stable, err := hashOf(key)
	if err != nil {
		return err
	}
	if s.items.Add(key, hash) && !stable {
		s.shaky++
	}
	return nil
}

func (s *Set) has(key Value) (bool, error) {
	hash, _, err := hashOf(key)
	if err != nil {
		return false, err
	}
	return s.items.Has(key, hash), nil
}

// discard takes a key out and reports whether it was there.
func (s *Set) discard(key Value) (bool, error) {
	hash, stable, err := hashOf(key)
	if err != nil {
		return false, err
	}
	found := s.items.Discard(key, hash)
	if found && !stable {
		s.shaky--
	}
	return found, nil
}

// pop takes out the item that CPython would; the set must not be empty.
func (s *Set) pop() Value {
	key, _ := s.items.Pop()
	return key
}

// merge adds all of other (set_merge).
func (s *Set) merge(other *Set) {
	s.items.Merge(other.items)
	s.count()
}

// count counts the shaky items anew.
func (s *Set) count() {
	s.shaky = 0
	for key := range s.items.All {
		if _, stable, _ := hashOf(key); !stable {
			s.shaky++
		}
	}
}

// mergeKeys adds the keys of a dict (set_update_internal).
func (s *Set) mergeKeys(d *Dict) {
	s.items.Grow(d.Len())
	for _, e := range d.live() {
		_ = s.add(e.key) // a key was hashed before
	}
}

func (s *Set) copy(frozen bool) *Set {
	return &Set{frozen: frozen, items: s.items.Copy(), shaky: s.shaky}
}

// all returns the items in the order of the table, which is CPython's only without shaky ones.
func (s *Set) all() []Value { return s.items.Keys() }

// ordered returns the items in CPython's order, or a refusal where that changes from run to
// run.
func (s *Set) ordered() ([]Value, error) {
	if s.shaky > 0 && s.len() > 1 {
		return nil, refuse(unstable, "the order of a set that holds strings or objects")
	}
	return s.all(), nil
}
