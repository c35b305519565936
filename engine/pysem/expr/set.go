package expr

import (
	"github.com/monosim/monosim/engine/pysem/pyset"
)

// Set is a Python set, or a frozenset if frozen is true.
type Set struct {
	frozen bool
	items  *pyset.Set[Value]
	// shaky counts the items whose hash differs from run to run in CPython. The place of such an
	// item in the order differs too.
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

// discard removes a key and reports whether it was there.
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

// pop removes and returns the same item as CPython would. The set must not be empty.
func (s *Set) pop() Value {
	key, _ := s.items.Pop()
	return key
}

// merge adds all items of other (set_merge).
func (s *Set) merge(other *Set) {
	s.items.Merge(other.items)
	s.count()
}

// count counts the items with unstable hashes again, and sets shaky.
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
		_ = s.add(e.key) // cannot fail: a dict's key is hashable
	}
}

func (s *Set) copy(frozen bool) *Set {
	return &Set{frozen: frozen, items: s.items.Copy(), shaky: s.shaky}
}

// all returns the items in the order of the hash table. It is the order in CPython only if shaky is
// 0.
func (s *Set) all() []Value { return s.items.Keys() }

// ordered returns the items in CPython's order. It refuses a set whose order differs from run to
// run.
func (s *Set) ordered() ([]Value, error) {
	if s.shaky > 0 && s.len() > 1 {
		return nil, refuse(unstable, "the order of a set that holds strings or objects")
	}
	return s.all(), nil
}

// changesSet lists the methods of set that change it, which a frozenset lacks.
var changesSet = map[string]bool{
	"add": true, "clear": true, "discard": true, "remove": true, "pop": true, "update": true,
	"intersection_update": true, "difference_update": true, "symmetric_difference_update": true,
}

var setMethods = []*builtin{
	setMethod("add", signature{style: oneArg}, func(m *machine, s *Set, a []Value) (Value, error) {
		return nil, s.add(a[0])
	}),
	setMethod("discard", signature{style: oneArg}, func(m *machine, s *Set, a []Value) (Value, error) {
		_, err := s.discard(lookedUp(a[0]))
		return nil, err
	}),
	setMethod("remove", signature{style: oneArg}, func(m *machine, s *Set, a []Value) (Value, error) {
		found, err := s.discard(lookedUp(a[0]))
		if err == nil && !found {
			err = m.keyError(a[0])
		}
		return nil, err
	}),
	setMethod("pop", signature{}, func(m *machine, s *Set, _ []Value) (Value, error) {
		if s.len() == 0 {
			return nil, raise("KeyError", "'pop from an empty set'")
		}
		if _, err := s.ordered(); err != nil {
			return nil, err
		}
		return s.pop(), nil
	}),
	setMethod("clear", signature{}, func(m *machine, s *Set, _ []Value) (Value, error) {
		*s = Set{items: pyset.New(same)}
		return nil, nil
	}),
	setMethod("copy", signature{}, func(m *machine, s *Set, _ []Value) (Value, error) {
		if s.frozen {
			return s, nil
		}
		return s.copy(s.frozen), m.make(s.len())
	}),
	setMethod("update", anyNumber, func(m *machine, s *Set, a []Value) (Value, error) {
		return nil, m.updateAll(s, a)
	}),
	setMethod("union", anyNumber, func(m *machine, s *Set, a []Value) (Value, error) {
		result := s.copy(s.frozen)
		return result, m.updateAll(result, a)
	}),
	setMethod("intersection", anyNumber, intersectAll),
	setMethod("difference", anyNumber, subtractAll),
	setMethod("symmetric_difference", signature{style: oneArg}, func(m *machine, s *Set, a []Value) (Value, error) {
		other, err := m.toSet(a[0], s.frozen)
		if err != nil {
			return nil, err
		}
		return symmetricDifference(s, other), nil
	}),
	updating("intersection_update", anyNumber, intersectAll),
	updating("difference_update", anyNumber, subtractAll),
	setMethod("symmetric_difference_update", signature{style: oneArg}, func(m *machine, s *Set, a []Value) (Value, error) {
		return nil, refuse(outside, "set.symmetric_difference_update")
	}),
	setMethod("issubset", signature{style: oneArg}, func(m *machine, s *Set, a []Value) (Value, error) {
		other, err := m.toSet(a[0], false)
		if err != nil {
			return nil, err
		}
		return isSubset(s, other), nil
	}),
	memberTest("issuperset", true),
	memberTest("isdisjoint", false),
}

// anyNumber is the signature of methods that take any number of positional arguments.
var anyNumber = signature{style: counted, max: 1 << 30}

func setMethod(name string, s signature, f func(m *machine, s *Set, a []Value) (Value, error)) *builtin {
	b := &builtin{name: name, of: "set"}
	b.call = func(m *machine, args arguments) (Value, error) {
		if len(args.values) == 0 {
			return nil, typeError("unbound method set.%s() needs an argument", name)
		}
		self, ok := args.values[0].(*Set)
		if !ok || self.frozen && changesSet[name] {
			return nil, typeError("descriptor '%s' for 'set' objects doesn't apply to a '%s' object", name, typeName(args.values[0]))
		}
		rest := args.after(1)
		full := typeName(self) + "." + name
		if s.max != anyNumber.max {
			values, err := s.bind(full, name, rest)
			if err != nil {
				return nil, err
			}
			return f(m, self, values)
		}
		if len(args.named) > 0 {
			return nil, typeError("%s() takes no keyword arguments", full)
		}
		return f(m, self, rest.values)
	}
	return b
}

// updating makes a method that replaces the items of the set by those of the set that f returns.
func updating(name string, s signature, f func(m *machine, s *Set, a []Value) (Value, error)) *builtin {
	return setMethod(name, s, func(m *machine, s *Set, a []Value) (Value, error) {
		result, err := f(m, s, a)
		if err != nil {
			return nil, err
		}
		*s = *result.(*Set)
		return nil, nil
	})
}

// lookedUp returns the key for a look-up. A set is converted to a frozenset, which can be hashed.
func lookedUp(v Value) Value {
	if s, ok := v.(*Set); ok && !s.frozen {
		return s.copy(true)
	}
	return v
}

func (m *machine) updateAll(s *Set, others []Value) error {
	for _, other := range others {
		if err := m.update(s, other); err != nil {
			return err
		}
	}
	return nil
}

func intersectAll(m *machine, s *Set, a []Value) (Value, error) {
	result := s
	for _, other := range a {
		if set, ok := other.(*Set); ok {
			result = intersection(result, set)
			continue
		}
		made, _ := newSet(s.frozen, nil)
		err := m.each(other, func(item Value) error {
			found, err := result.has(item)
			if err == nil && found {
				err = made.add(item)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		result = made
	}
	if result == s {
		return s.copy(s.frozen), nil
	}
	return result, nil
}

func subtractAll(m *machine, s *Set, a []Value) (Value, error) {
	result := s
	for _, other := range a {
		switch other := other.(type) {
		case *Set:
			result = difference(result, other)
			continue
		case *Dict:
			keys, _ := newSet(false, nil)
			keys.mergeKeys(other)
			result = difference(result, keys)
			continue
		}
		if result == s {
			result = s.copy(s.frozen)
		}
		err := m.each(other, func(item Value) error {
			_, err := result.discard(item)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if result == s {
		return s.copy(s.frozen), nil
	}
	return result, nil
}

// memberTest makes the method issuperset or isdisjoint. With want true, all items of an iterable
// must be in the set; with want false, none may be.
func memberTest(name string, want bool) *builtin {
	return setMethod(name, signature{style: oneArg}, func(m *machine, s *Set, a []Value) (Value, error) {
		if other, ok := a[0].(*Set); ok {
			a[0] = Tuple(other.all())
		}
		it, err := m.iterate(a[0])
		if err != nil {
			return nil, err
		}
		for {
			item, ok, err := it.next()
			if err != nil || !ok {
				return err == nil, err
			}
			found, err := s.has(item)
			if err != nil || found != want {
				return false, err
			}
		}
	})
}

// The operations below visit the items of two sets in the order in which CPython does, because the
// order of the result depends on that.

// intersection returns a & b (set_intersection for two sets).
func intersection(a, b *Set) *Set {
	frozen := a.frozen
	if a == b {
		return a.copy(frozen)
	}
	if b.len() > a.len() {
		a, b = b, a
	}
	result, _ := newSet(frozen, nil)
	for key, hash := range b.items.All {
		if a.items.Has(key, hash) {
			_ = result.add(key) // cannot fail: an item of a set is hashable
		}
	}
	return result
}

// difference returns a - b (set_difference).
func difference(a, b *Set) *Set {
	result := &Set{frozen: a.frozen, items: a.items.Difference(b.items)}
	result.count()
	return result
}

// symmetricDifference returns a ^ b (set_symmetric_difference). It copies b, and then removes each
// item of a that is there and adds each that is not.
func symmetricDifference(a, b *Set) *Set {
	result := b.copy(a.frozen)
	for key := range a.items.All {
		if was, _ := result.discard(key); !was {
			_ = result.add(key) // cannot fail: an item of a set is hashable
		}
	}
	return result
}

// combineViews evaluates a op b, where one operand is the keys or items of a dict. These act as a
// set, and the other operand can be any iterable (Objects/dictobject.c). ok is false for the values
// of a dict, which have no such operators.
func (m *machine) combineViews(op string, a, b Value) (Value, bool, error) {
	for _, v := range []Value{a, b} {
		if v, ok := v.(*view); ok && v.what == "values" {
			return nil, false, nil
		}
	}
	left, err := m.toSet(a, false)
	if err != nil {
		return nil, false, err
	}
	right, err := m.toSet(b, false)
	if err != nil {
		return nil, false, err
	}
	switch op {
	case "&":
		if left.len() < right.len() {
			left, right = right, left
		}
		return intersection(left, right), true, nil
	case "-":
		for _, item := range right.all() {
			_, _ = left.discard(item) // cannot fail: an item of a set is hashable
		}
		return left, true, nil
	}
	return combineSets(op, left, right), true, nil
}

// toSet returns Python's set(v) or frozenset(v).
func (m *machine) toSet(v Value, frozen bool) (*Set, error) {
	result, _ := newSet(frozen, nil)
	return result, m.update(result, v)
}

// update adds the items of v to a set (set_update_internal).
func (m *machine) update(s *Set, v Value) error {
	switch v := v.(type) {
	case *Set:
		s.merge(v)
		return m.make(v.len())
	case *Dict:
		s.mergeKeys(v)
		return m.make(v.Len())
	}
	return m.each(v, func(item Value) error {
		if err := m.make(1); err != nil {
			return err
		}
		return s.add(item)
	})
}
