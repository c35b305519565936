package expr

import (
	"math/big"

	"github.com/monosim/monosim/engine/pysem"
)

// classes lists the types that this package supports, with their constructors.
var classes = []*class{
	{"bool", makes(keywordless("bool", 0, 1), func(m *machine, a []Value) (Value, error) { return has(a[0]) && Truth(a[0]), nil })},
	{"int", makes(positional("int", 0, 2, "", "base"), makeInt)},
	{"float", makes(keywordless("float", 0, 1), func(m *machine, a []Value) (Value, error) {
		if !has(a[0]) {
			return 0.0, nil
		}
		return ToFloat(a[0])
	})},
	{"str", makes(positional("str", 0, 3, "object", "encoding", "errors"), makeStr)},
	{"bytes", makes(positional("bytes", 0, 3, "source", "encoding", "errors"), makeBytes)},
	{"list", makes(keywordless("list", 0, 1), func(m *machine, a []Value) (Value, error) {
		items, err := m.itemsOrNone(a[0])
		return &List{Items: items}, err
	})},
	{"tuple", makes(keywordless("tuple", 0, 1), func(m *machine, a []Value) (Value, error) {
		if t, ok := a[0].(Tuple); ok {
			return t, nil
		}
		items, err := m.itemsOrNone(a[0])
		return Tuple(items), err
	})},
	{"set", makes(keywordless("set", 0, 1), func(m *machine, a []Value) (Value, error) { return m.setOrEmpty(a[0], false) })},
	{"frozenset", makes(keywordless("frozenset", 0, 1), func(m *machine, a []Value) (Value, error) {
		if s, ok := a[0].(*Set); ok && s.frozen {
			return s, nil
		}
		return m.setOrEmpty(a[0], true)
	})},
	{"dict", func(m *machine, args arguments) (Value, error) {
		d := &Dict{}
		return d, m.fillDict("dict", d, args)
	}},
	{"range", makes(keywordless("range", 1, 3), makeRange)},
	{"slice", makes(keywordless("slice", 1, 3), func(m *machine, a []Value) (Value, error) {
		if !has(a[1]) {
			return &Slice{Stop: a[0]}, nil
		}
		return &Slice{Start: a[0], Stop: a[1], Step: orNone(a[2])}, nil
	})},
	{"type", makes(keywordless("type", 1, 3), func(m *machine, a []Value) (Value, error) {
		if has(a[1]) {
			return nil, refuse(outside, "a class made by type()")
		}
		return classOf(a[0])
	})},
	{"enumerate", makes(positional("enumerate", 1, 2, "iterable", "start"), makeEnumerate)},
	{"filter", makes(keywordless("filter", 2, 2), makeFilter)},
	{"map", makeMap},
	{"reversed", makes(keywordless("reversed", 1, 1), makeReversed)},
	{"zip", makeZip},
}

// makes returns the constructor of a class. The function bind assigns the arguments to parameters,
// and f makes the value.
func makes(bind func(args arguments) ([]Value, error), f func(m *machine, a []Value) (Value, error)) func(*machine, arguments) (Value, error) {
	return func(m *machine, args arguments) (Value, error) {
		values, err := bind(args)
		if err != nil {
			return nil, err
		}
		return f(m, values)
	}
}

// keywordless returns a function that binds between low and high arguments, by position only.
func keywordless(name string, low, high int) func(args arguments) ([]Value, error) {
	s := between(low, high)
	return func(args arguments) ([]Value, error) { return s.bind(name, name, args) }
}

// positional returns a function that binds between low and high arguments, by position or by name.
func positional(name string, low, high int, names ...string) func(args arguments) ([]Value, error) {
	s := signature{style: keyworded, min: low, max: high, names: names}
	return func(args arguments) ([]Value, error) { return s.bind(name, name, args) }
}

// classOf returns Python's type(v). It refuses a type that this package does not support.
func classOf(v Value) (Value, error) {
	if c, ok := builtins[typeName(v)].(*class); ok {
		return c, nil
	}
	return nil, refuse(outside, "the type "+typeName(v))
}

func (m *machine) itemsOrNone(v Value) ([]Value, error) {
	if !has(v) {
		return nil, nil
	}
	return m.collect(v)
}

func (m *machine) setOrEmpty(v Value, frozen bool) (Value, error) {
	if !has(v) {
		return newSet(frozen, nil)
	}
	return m.toSet(v, frozen)
}

func makeInt(m *machine, a []Value) (Value, error) {
	if !has(a[0]) {
		if has(a[1]) {
			return nil, typeError("int() missing string argument")
		}
		return 0, nil
	}
	if !has(a[1]) {
		return m.toInt(a[0])
	}
	base, err := wantIndex(a[1])
	if err != nil && pysem.TypeOf(err) != "OverflowError" {
		return nil, err
	}
	if base != 0 && base < 2 || base > 36 || err != nil {
		return nil, raise("ValueError", "int() base must be >= 2 and <= 36, or 0")
	}
	switch v := a[0].(type) {
	case string:
		return parseInt(v, base)
	case []byte:
		n, err := parseInt(string(v), base)
		if err != nil {
			return nil, raise("ValueError", "invalid literal for int() with base %d: %s", base, pysem.Repr(v))
		}
		return n, nil
	}
	return nil, typeError("int() can't convert non-string with explicit base")
}

func makeStr(m *machine, a []Value) (Value, error) {
	if !has(a[1]) && !has(a[2]) {
		if !has(a[0]) {
			return "", nil
		}
		return m.str(a[0])
	}
	if _, err := codec("str", a[1:]); isWrongName(err) {
		return nil, err
	}
	switch v := a[0].(type) {
	case absent:
		return "", nil
	case []byte:
		return decode(m, v, a[1:])
	case string:
		return nil, typeError("decoding str is not supported")
	default:
		return nil, typeError("decoding to str: need a bytes-like object, %s found", typeName(v))
	}
}

// isWrongName reports whether an error of codec is about the arguments themselves: not a string, or
// a string with a null character. CPython checks that before it looks up the names.
func isWrongName(err error) bool {
	return pysem.TypeOf(err) == "TypeError" || pysem.TypeOf(err) == "ValueError"
}

func makeBytes(m *machine, a []Value) (Value, error) {
	if _, err := codec("bytes", a[1:]); isWrongName(err) {
		return nil, err
	}
	if s, ok := a[0].(string); ok {
		if !has(a[1]) {
			return nil, typeError("string argument without an encoding")
		}
		return encode(m, s, a[1:])
	}
	if has(a[1]) || has(a[2]) {
		return nil, typeError("%s", pick(has(a[1]), "encoding without a string argument", "errors without a string argument"))
	}
	switch v := a[0].(type) {
	case absent:
		return []byte{}, nil
	case []byte:
		return v, nil
	case bool, int, *big.Int:
		n, err := wantIndex(v)
		if err != nil {
			return nil, raise("OverflowError", "cannot fit 'int' into an index-sized integer")
		}
		if n < 0 {
			return nil, raise("ValueError", "negative count")
		}
		if err := m.make(n); err != nil {
			return nil, err
		}
		return make([]byte, n), nil
	}
	if !isIterable(a[0]) {
		return nil, typeError("cannot convert '%s' object to bytes", typeName(a[0]))
	}
	items, err := m.collect(a[0])
	if err != nil {
		return nil, err
	}
	return byteList(items)
}

func makeRange(m *machine, a []Value) (Value, error) {
	r := &Range{Step: 1}
	parts := []*int{&r.Start, &r.Stop, &r.Step}
	if !has(a[1]) {
		parts, a = parts[1:2], a[:1]
	}
	for i, v := range a {
		if !has(v) {
			continue
		}
		n, err := wantIndex(v)
		if err != nil && isInt(v) || n > 1<<62 || n < -1<<62 {
			return nil, refuse(tooLarge, "a range beyond 62 bits")
		}
		if err != nil {
			return nil, err
		}
		*parts[i] = n
	}
	if r.Step == 0 {
		return nil, raise("ValueError", "range() arg 3 must not be zero")
	}
	return r, nil
}

func makeEnumerate(m *machine, a []Value) (Value, error) {
	i := Value(0)
	if has(a[1]) {
		if i = a[1]; !isInt(i) {
			return nil, typeError("'%s' object cannot be interpreted as an integer", typeName(i))
		}
		i, _ = m.unary("+", i)
	}
	it, err := m.iterate(a[0])
	if err != nil {
		return nil, err
	}
	return &iterator{typ: "enumerate", next: func() (Value, bool, error) {
		v, ok, err := it.next()
		if err != nil || !ok {
			return nil, false, err
		}
		pair := Tuple{i, v}
		i, err = m.binary("+", i, 1)
		return pair, true, err
	}}, nil
}

func makeFilter(m *machine, a []Value) (Value, error) {
	it, err := m.iterate(a[1])
	if err != nil {
		return nil, err
	}
	test := m.keyFunction(a[0])
	return &iterator{typ: "filter", next: func() (Value, bool, error) {
		for {
			v, ok, err := it.next()
			if err != nil || !ok {
				return nil, false, err
			}
			passes, err := test(v)
			if err != nil || Truth(passes) {
				return v, err == nil, unlessStop(err)
			}
		}
	}}, nil
}

// unlessStop drops a StopIteration that a function raised inside of an iterator, because that only
// ends the iterator. It returns other errors unchanged.
func unlessStop(err error) error {
	if pysem.TypeOf(err) == "StopIteration" {
		return nil
	}
	return err
}

func makeMap(m *machine, args arguments) (Value, error) {
	if len(args.named) > 0 {
		return nil, typeError("map() takes no keyword arguments")
	}
	if len(args.values) < 2 {
		return nil, typeError("map() must have at least two arguments.")
	}
	its, err := m.iterateAll(args.values[1:])
	if err != nil {
		return nil, err
	}
	function := args.values[0]
	return &iterator{typ: "map", next: func() (Value, bool, error) {
		values, _, err := nextOfAll(its)
		if err != nil || values == nil {
			return nil, false, err
		}
		v, err := m.call(function, arguments{values: values})
		return v, err == nil, unlessStop(err)
	}}, nil
}

func (m *machine) iterateAll(values []Value) ([]*iterator, error) {
	its := make([]*iterator, len(values))
	for i, v := range values {
		it, err := m.iterate(v)
		if err != nil {
			return nil, err
		}
		its[i] = it
	}
	return its, nil
}

// nextOfAll takes one item from each iterator. If an iterator has ended, values is nil, and at is
// the number of that iterator.
func nextOfAll(its []*iterator) (values []Value, at int, err error) {
	values = make([]Value, len(its))
	for i, it := range its {
		v, ok, err := it.next()
		if err != nil || !ok {
			return nil, i, err
		}
		values[i] = v
	}
	return values, 0, nil
}

func makeReversed(m *machine, a []Value) (Value, error) {
	switch v := a[0].(type) {
	case *List:
		return m.backwards("list_reverseiterator", len(v.Items), func(i int) Value { return v.Items[i] }), nil
	case Tuple:
		return m.backwards("reversed", len(v), func(i int) Value { return v[i] }), nil
	case string:
		n, at := characters(v)
		return m.backwards("reversed", n, at), nil
	case []byte:
		n, at := bytesAsInts(v)
		return m.backwards("reversed", n, at), nil
	case *Range:
		return m.walkRange(v, true), nil
	case *Dict:
		return m.backwardsView(&view{of: v, what: "keys"}), nil
	case *view:
		return m.backwardsView(v), nil
	}
	return nil, typeError("'%s' object is not reversible", typeName(a[0]))
}

func (m *machine) backwards(typ string, n int, at func(i int) Value) *iterator {
	return m.walkIndexed(typ, n, func(i int) Value { return at(n - 1 - i) })
}

func (m *machine) backwardsView(v *view) *iterator {
	live := v.of.live()
	typ := map[string]string{"keys": "dict_reversekeyiterator", "values": "dict_reversevalueiterator", "items": "dict_reverseitemiterator"}[v.what]
	return m.backwards(typ, len(live), func(i int) Value { return v.item(live[i]) })
}

func makeZip(m *machine, args arguments) (Value, error) {
	options, err := signature{style: keyworded, max: 1, names: []string{"strict"}}.bindNamed("zip", args.onlyNamed())
	if err != nil {
		return nil, err
	}
	strict := has(options[0]) && Truth(options[0])
	its, err := m.iterateAll(args.values)
	if err != nil {
		return nil, err
	}
	return &iterator{typ: "zip", next: func() (Value, bool, error) {
		if len(its) == 0 {
			return nil, false, nil
		}
		values, at, err := nextOfAll(its)
		if err == nil && values == nil && strict {
			err = zipError(its, at)
		}
		if err != nil || values == nil {
			return nil, false, err
		}
		return Tuple(values), true, nil
	}}, nil
}

// zipError returns the error that a strict zip raises if the iterator with the number at ends
// first.
func zipError(its []*iterator, at int) error {
	others := func(n int) string {
		return pick(n == 1, "", "s 1-")
	}
	if at > 0 {
		return raise("ValueError", "zip() argument %d is shorter than argument%s%d", at+1, pick(at == 1, " ", others(at)), at)
	}
	for i := 1; i < len(its); i++ {
		_, ok, err := its[i].next()
		if err != nil {
			return err
		}
		if ok {
			return raise("ValueError", "zip() argument %d is longer than argument%s%d", i+1, pick(i == 1, " ", others(i)), i)
		}
	}
	return nil
}
