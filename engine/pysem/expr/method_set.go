package expr

import "github.com/monosim/monosim/engine/pysem/pyset"

// changesSet holds the methods that a frozenset lacks.
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

// anyNumber takes any number of arguments by position.
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
		rest := arguments{values: args.values[1:], named: args.named}
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

// updating makes a method that puts what f makes of the set in its place.
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

// lookedUp returns a key to look for: a set counts as a frozen one.
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

// memberTest reports whether all items of an iterable are in the set, or none is.
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

// The operations on two sets go through them as CPython does, for the order of what they
// make follows from it.

// intersection is set_intersection of two sets.
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
			_ = result.add(key) // it was hashed before
		}
	}
	return result
}

// difference is set_difference.
func difference(a, b *Set) *Set {
	result := &Set{frozen: a.frozen, items: a.items.Difference(b.items)}
	result.count()
	return result
}

// symmetricDifference is set_symmetric_difference: a copy of b, with a's items in turn
// taken out or put in.
func symmetricDifference(a, b *Set) *Set {
	result := b.copy(a.frozen)
	for key := range a.items.All {
		if was, _ := result.discard(key); !was {
			_ = result.add(key) // it was hashed before
		}
	}
	return result
}

// combineViews returns op of the sets that keys and items of dicts act as, with any iterable on
// the other side (Objects/dictobject.c). Values have no operators.
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
			_, _ = left.discard(item) // it was hashed before
		}
		return left, true, nil
	}
	return combineSets(op, left, right), true, nil
}

// toSet is set(v) or frozenset(v).
func (m *machine) toSet(v Value, frozen bool) (*Set, error) {
	result, _ := newSet(frozen, nil)
	return result, m.update(result, v)
}

// update adds the items of v (set_update_internal).
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
