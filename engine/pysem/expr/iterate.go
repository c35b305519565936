package expr

import (
	"slices"

	"github.com/monosim/monosim/engine/pysem"
)

// iterBuiltins holds the builtins that iterate over an argument.
var iterBuiltins = []*builtin{
	define("all", signature{style: oneArg}, func(m *machine, a []Value) (Value, error) { return m.decide(a[0], false) }),
	define("any", signature{style: oneArg}, func(m *machine, a []Value) (Value, error) { return m.decide(a[0], true) }),
	define("sum", signature{style: keyworded, min: 1, max: 2, names: []string{"", "start"}}, sum),
	{name: "max", call: func(m *machine, args arguments) (Value, error) { return m.extreme("max", ">", args) }},
	{name: "min", call: func(m *machine, args arguments) (Value, error) { return m.extreme("min", "<", args) }},
	{name: "sorted", call: sortedBuiltin},
	define("iter", between(1, 2), func(m *machine, a []Value) (Value, error) {
		if has(a[1]) {
			return nil, refuse(outside, "iter with two arguments")
		}
		return m.iterate(a[0])
	}),
	define("next", between(1, 2), func(m *machine, a []Value) (Value, error) {
		it, ok := a[0].(*iterator)
		if !ok {
			return nil, typeError("'%s' object is not an iterator", typeName(a[0]))
		}
		v, ok, err := it.next()
		switch {
		case err != nil || ok:
			return v, err
		case has(a[1]):
			return a[1], nil
		}
		return nil, raise("StopIteration", "")
	}),
}

// decide returns Python's any(v) if truth is true, and all(v) if it is false. The first item with
// that truth value decides the result.
func (m *machine) decide(v Value, truth bool) (Value, error) {
	it, err := m.iterate(v)
	if err != nil {
		return nil, err
	}
	for {
		item, ok, err := it.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return !truth, nil
		}
		if Truth(item) == truth {
			return truth, nil
		}
	}
}

func sum(m *machine, a []Value) (Value, error) {
	total := Value(0)
	if !isIterable(a[0]) { // CPython makes the iterator before it looks at start
		return nil, typeError("'%s' object is not iterable", typeName(a[0]))
	}
	if has(a[1]) {
		switch total = a[1]; total.(type) {
		case string:
			return nil, typeError("sum() can't sum strings [use ''.join(seq) instead]")
		case []byte:
			return nil, typeError("sum() can't sum bytes [use b''.join(seq) instead]")
		}
	}
	err := m.each(a[0], func(item Value) error {
		var err error
		total, err = m.binary("+", total, item)
		return err
	})
	return total, err
}

// extreme evaluates Python's max or min.
func (m *machine) extreme(name, op string, args arguments) (Value, error) {
	if len(args.values) == 0 {
		return nil, typeError("%s expected at least 1 argument, got 0", name)
	}
	options, err := signature{style: keyworded, max: 2, names: []string{"key", "default"}}.bindNamed(name, args.onlyNamed())
	if err != nil {
		return nil, err
	}
	fallback, key := options[1], orNone(options[0])
	walked := Value(Tuple(args.values))
	if len(args.values) == 1 {
		walked = args.values[0]
	} else if has(fallback) {
		return nil, typeError("Cannot specify a default for %s() with multiple positional arguments", name)
	}
	best, err := m.best(walked, op, key)
	switch {
	case err != nil || has(best):
		return best, err
	case has(fallback):
		return fallback, nil
	}
	return nil, raise("ValueError", "%s() arg is an empty sequence", name)
}

// best returns the first of the items that no other item surpasses, by the operator op. It returns
// absent if there are no items.
func (m *machine) best(v Value, op string, key Value) (Value, error) {
	if items, ok := anyOrder(v, key); ok {
		v = Tuple(items)
	}
	keyOf := m.keyFunction(key)
	best, bestKey := Value(absent{}), Value(nil)
	err := m.each(v, func(item Value) error {
		k, err := keyOf(item)
		if err != nil {
			return err
		}
		better := !has(best)
		if !better {
			if better, err = m.order(op, k, bestKey); err != nil {
				return err
			}
		}
		if better {
			best, bestKey = item, k
		}
		return nil
	})
	return best, err
}

// anyOrder returns the items of a set of strings, in no particular order. It is for callers whose
// result does not depend on the order. ok is false for other values.
func anyOrder(v, key Value) ([]Value, bool) {
	s, ok := v.(*Set)
	if !ok || s.shaky == 0 || key != nil && has(key) {
		return nil, false
	}
	items := s.all()
	return items, !slices.ContainsFunc(items, func(v Value) bool { return !isText(v) })
}

func sortedBuiltin(m *machine, args arguments) (Value, error) {
	if len(args.values) != 1 {
		return nil, typeError("sorted expected 1 argument, got %d", len(args.values))
	}
	if !isIterable(args.values[0]) { // CPython makes a list before it reads the options
		return nil, typeError("'%s' object is not iterable", typeName(args.values[0]))
	}
	options, err := byName(0, "key", "reverse").bind("sort", "sort", args.onlyNamed())
	if err != nil {
		return nil, err
	}
	items, ok := anyOrder(args.values[0], options[0])
	if !ok {
		if items, err = m.collect(args.values[0]); err != nil {
			return nil, err
		}
	}
	return &List{Items: items}, m.sortBy(items, options[0], options[1])
}

// iterate returns iter(v).
func (m *machine) iterate(v Value) (*iterator, error) {
	switch v := v.(type) {
	case *iterator:
		return v, nil
	case *List:
		return m.walkList(v), nil
	case Tuple:
		return m.walk("tuple_iterator", v), nil
	case string:
		typ := "str_iterator"
		if isASCII(v) {
			typ = "str_ascii_iterator"
		}
		n, at := characters(v)
		return m.walkIndexed(typ, n, at), nil
	case []byte:
		n, at := bytesAsInts(v)
		return m.walkIndexed("bytes_iterator", n, at), nil
	case *Range:
		return m.walkRange(v, false), nil
	case *Dict:
		return m.walkView(&view{of: v, what: "keys"}), nil
	case *view:
		return m.walkView(v), nil
	case *Set:
		items, err := v.ordered()
		if err != nil {
			return nil, err
		}
		return m.walk("set_iterator", items), nil
	}
	return nil, typeError("'%s' object is not iterable", typeName(v))
}

func characters(text string) (n int, at func(i int) Value) {
	if isASCII(text) {
		return len(text), func(i int) Value { return text[i : i+1] }
	}
	chars := pysem.Chars(text)
	return len(chars), func(i int) Value { return chars[i] }
}

func bytesAsInts(data []byte) (n int, at func(i int) Value) {
	return len(data), func(i int) Value { return int(data[i]) }
}

func (m *machine) walk(typ string, items []Value) *iterator {
	return m.walkIndexed(typ, len(items), func(i int) Value { return items[i] })
}

func (m *machine) walkIndexed(typ string, n int, at func(i int) Value) *iterator {
	i := 0
	return &iterator{typ: typ, next: func() (Value, bool, error) {
		if i == n {
			return nil, false, nil
		}
		i++
		return at(i - 1), true, m.step(1)
	}}
}

// walkList returns an iterator over a list. It also returns items that are appended during the
// iteration.
func (m *machine) walkList(l *List) *iterator {
	i := 0
	return &iterator{typ: "list_iterator", next: func() (Value, bool, error) {
		if i < 0 || i >= len(l.Items) {
			i = -1
			return nil, false, nil
		}
		i++
		return l.Items[i-1], true, m.step(1)
	}}
}

func (m *machine) walkRange(r *Range, backwards bool) *iterator {
	i, n := 0, r.Len()
	return &iterator{typ: "range_iterator", next: func() (Value, bool, error) {
		if i == n {
			return nil, false, nil
		}
		i++
		if backwards {
			return r.at(n - i), true, m.step(1)
		}
		return r.at(i - 1), true, m.step(1)
	}}
}

func (m *machine) walkView(v *view) *iterator {
	typ := map[string]string{"keys": "dict_keyiterator", "values": "dict_valueiterator", "items": "dict_itemiterator"}[v.what]
	i, n := 0, v.of.Len()
	return &iterator{typ: typ, next: func() (Value, bool, error) {
		if v.of.Len() != n {
			return nil, false, raise("RuntimeError", "dictionary changed size during iteration")
		}
		for i < len(v.of.entries) && v.of.entries[i].gone {
			i++
		}
		if i >= len(v.of.entries) {
			return nil, false, nil
		}
		i++
		return v.item(v.of.entries[i-1]), true, m.step(1)
	}}
}

// each calls do with every item of v.
func (m *machine) each(v Value, do func(Value) error) error {
	it, err := m.iterate(v)
	if err != nil {
		return err
	}
	for {
		item, ok, err := it.next()
		if err != nil || !ok {
			return err
		}
		if err := do(item); err != nil {
			return err
		}
	}
}

// collect returns the items of v in a new slice, as list(v) does.
func (m *machine) collect(v Value) ([]Value, error) {
	var items []Value
	err := m.each(v, func(item Value) error {
		items = append(items, item)
		return m.make(1)
	})
	return items, err
}
