package expr

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// Dict is a Python dict. It keeps its keys in the order of insertion.
type Dict struct {
	entries []dictEntry // entries in order; a deleted one stays in the list with gone set
	index   map[any]int
}

type dictEntry struct {
	key, value Value
	gone       bool
}

// Len returns len(d).
func (d *Dict) Len() int { return len(d.index) }

// get returns the value of a key. A key that cannot be hashed is a TypeError.
func (d *Dict) get(key Value) (v Value, found bool, err error) {
	k, err := keyOf(key)
	if err != nil {
		return nil, false, err
	}
	if i, ok := d.index[k]; ok {
		return d.entries[i].value, true, nil
	}
	return nil, false, nil
}

// set sets the value of a key. An existing key keeps its place, and also its form: after 1 was set,
// 1.0 does not replace it.
func (d *Dict) set(key, value Value) error {
	k, err := keyOf(key)
	if err != nil {
		return err
	}
	if i, ok := d.index[k]; ok {
		d.entries[i].value = value
		return nil
	}
	if d.index == nil {
		d.index = map[any]int{}
	}
	d.index[k] = len(d.entries)
	d.entries = append(d.entries, dictEntry{key: key, value: value})
	return nil
}

// remove deletes a key and returns its value.
func (d *Dict) remove(key Value) (v Value, found bool, err error) {
	k, err := keyOf(key)
	if err != nil {
		return nil, false, err
	}
	i, ok := d.index[k]
	if !ok {
		return nil, false, nil
	}
	v = d.entries[i].value
	d.entries[i] = dictEntry{gone: true}
	delete(d.index, k)
	return v, true, nil
}

// live returns the entries that were not deleted.
func (d *Dict) live() []dictEntry {
	if len(d.index) == len(d.entries) {
		return d.entries
	}
	return slices.DeleteFunc(slices.Clone(d.entries), func(e dictEntry) bool { return e.gone })
}

func (d *Dict) copy() *Dict {
	copied := &Dict{}
	for _, e := range d.live() {
		_ = copied.set(e.key, e.value) // cannot fail: the key was hashable in its first dict
	}
	return copied
}

// item returns an entry as the view gives it: its key, its value, or the pair.
func (v *view) item(e dictEntry) Value {
	switch v.what {
	case "keys":
		return e.key
	case "values":
		return e.value
	}
	return Tuple{e.key, e.value}
}

// These types are used for keys whose equality differs between Python and Go.
type (
	keyText  string // of bytes, tuples, sets and large ints: a type letter and the content
	keyFloat float64
)

// keyOf returns a Go map key for a Python value. Equal Python values give equal keys. A value that
// cannot be hashed is a TypeError.
func keyOf(v Value) (any, error) {
	switch v := v.(type) {
	case int, string:
		return v, nil
	case bool:
		n, _ := asInt(v)
		return n, nil
	case float64:
		return floatKey(v), nil
	case *big.Int:
		return keyText("i" + v.String()), nil
	case []byte:
		return keyText("b" + string(v)), nil
	case Tuple:
		return tupleKey(v)
	case *Set:
		if v.frozen {
			return setKey(v)
		}
	case *Range:
		return rangeKey(v), nil
	case *List, *Dict, *Slice:
	case *view:
		if v.what == "values" {
			return v, nil
		}
	default:
		return v, nil // compared by identity
	}
	return nil, typeError("unhashable type: '%s'", typeName(v))
}

func floatKey(f float64) any {
	if f == math.Trunc(f) && !math.IsInf(f, 0) {
		if math.Abs(f) < 1<<62 {
			return int(f)
		}
		n, _ := big.NewFloat(f).Int(nil)
		return keyText("i" + n.String())
	}
	return keyFloat(f)
}

func tupleKey(t Tuple) (any, error) {
	var b strings.Builder
	b.WriteString("(")
	for _, item := range t {
		k, err := keyOf(item)
		if err != nil {
			return nil, err
		}
		part := fmt.Sprintf("%T %v", k, k)
		fmt.Fprintf(&b, "%d:%s", len(part), part)
	}
	return keyText(b.String()), nil
}

func setKey(s *Set) (any, error) {
	var parts []string
	for _, item := range s.all() {
		k, err := keyOf(item)
		if err != nil {
			return nil, err
		}
		part := fmt.Sprintf("%T %v", k, k)
		parts = append(parts, fmt.Sprintf("%d:%s", len(part), part))
	}
	slices.Sort(parts)
	return keyText("{" + strings.Join(parts, "")), nil
}

// rangeKey returns the map key of a range. Ranges with the same items have equal keys.
func rangeKey(r *Range) any {
	switch n := r.Len(); n {
	case 0:
		return keyText("r")
	case 1:
		return keyText(fmt.Sprint("r", r.Start))
	default:
		return keyText(fmt.Sprint("r", r.Start, " ", n, " ", r.Step))
	}
}

var dictMethods = []*builtin{
	dictView("keys"), dictView("values"), dictView("items"),
	defineMethod("dict", "get", between(1, 2), func(m *machine, d *Dict, a []Value) (Value, error) {
		v, found, err := d.get(a[0])
		if found || err != nil {
			return v, err
		}
		return orNone(a[1]), nil
	}),
	defineMethod("dict", "setdefault", between(1, 2), func(m *machine, d *Dict, a []Value) (Value, error) {
		v, found, err := d.get(a[0])
		if found || err != nil {
			return v, err
		}
		return orNone(a[1]), d.set(a[0], orNone(a[1]))
	}),
	defineMethod("dict", "pop", between(1, 2), func(m *machine, d *Dict, a []Value) (Value, error) {
		v, found, err := d.remove(a[0])
		switch {
		case found || err != nil:
			return v, err
		case has(a[1]):
			return a[1], nil
		}
		return nil, m.keyError(a[0])
	}),
	defineMethod("dict", "popitem", signature{}, func(m *machine, d *Dict, _ []Value) (Value, error) {
		live := d.live()
		if len(live) == 0 {
			return nil, raise("KeyError", "'popitem(): dictionary is empty'")
		}
		last := live[len(live)-1]
		_, _, _ = d.remove(last.key) // cannot fail: the key is in the dict, so it is hashable
		return Tuple{last.key, last.value}, nil
	}),
	defineMethod("dict", "clear", signature{}, func(m *machine, d *Dict, _ []Value) (Value, error) {
		*d = Dict{}
		return nil, nil
	}),
	defineMethod("dict", "copy", signature{}, func(m *machine, d *Dict, _ []Value) (Value, error) {
		return d.copy(), m.make(d.Len())
	}),
	{name: "update", of: "dict", call: updateDict},
}

func dictView(what string) *builtin {
	return defineMethod("dict", what, signature{}, func(m *machine, d *Dict, _ []Value) (Value, error) {
		return &view{of: d, what: what}, nil
	})
}

// orNone returns the value of an optional argument. It returns None if the argument is missing.
func orNone(v Value) Value {
	if has(v) {
		return v
	}
	return nil
}

func updateDict(m *machine, args arguments) (Value, error) {
	d, rest, err := selfOf[*Dict]("dict", "update", args)
	if err != nil {
		return nil, err
	}
	return nil, m.fillDict("update", d, rest)
}

// fillDict adds the arguments of dict() or update() to a dict.
func (m *machine) fillDict(name string, d *Dict, args arguments) error {
	if len(args.values) > 1 {
		return typeError("%s expected at most 1 argument, got %d", name, len(args.values))
	}
	if len(args.values) == 1 {
		if err := m.addPairs(d, args.values[0]); err != nil {
			return err
		}
	}
	for _, n := range args.named {
		_ = d.set(n.ID, n.Value) // cannot fail: a string is hashable
	}
	return args.checkNames()
}

// addPairs adds the entries of a dict, or the pairs of an iterable.
func (m *machine) addPairs(d *Dict, v Value) error {
	if more, ok := v.(*Dict); ok {
		for _, e := range more.live() {
			_ = d.set(e.key, e.value) // cannot fail: the key was hashable in its first dict
		}
		return m.make(more.Len())
	}
	if c, ok := v.(*class); ok && c.name == "dict" {
		return typeError("unbound method dict.keys() needs an argument") // CPython calls the method keys of any object that has one
	}
	i := 0
	return m.each(v, func(item Value) error {
		if !isIterable(item) {
			return typeError("cannot convert dictionary update sequence element #%d to a sequence", i)
		}
		pair, err := m.collect(item)
		if err != nil {
			return err
		}
		if len(pair) != 2 {
			return raise("ValueError", "dictionary update sequence element #%d has length %d; 2 is required", i, len(pair))
		}
		i++
		if err := m.make(1); err != nil {
			return err
		}
		return d.set(pair[0], pair[1])
	})
}

var dictFromKeys = defineOn("dict", "fromkeys", between(1, 2), func(m *machine, a []Value) (Value, error) {
	d := &Dict{}
	return d, m.each(a[0], func(key Value) error {
		if err := m.make(1); err != nil {
			return err
		}
		return d.set(key, orNone(a[1]))
	})
})
