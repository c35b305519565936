package expr

import "github.com/monosim/monosim/engine/pysem"

// eval makes the container of a comprehension, or a generator. For a generator it evaluates only
// the first iterable now, as Python does.
func (c comprehension) eval(f *frame) (Value, error) {
	first, err := c.clauses[0].items.eval(f)
	if err != nil {
		return nil, err
	}
	it, err := f.m.iterate(first)
	if err != nil {
		return nil, err
	}
	inner := &frame{m: f.m, outer: f, scope: c.scope, values: map[string]Value{}}
	run := &comprehensionRun{comprehension: c, frame: inner, iterators: []*iterator{it}}
	if c.kind == generator {
		return &iterator{typ: "generator", next: run.next}, nil
	}
	return run.collect()
}

// comprehensionRun walks the clauses of a comprehension.
type comprehensionRun struct {
	comprehension
	frame *frame
	// iterators holds an iterator for each clause that is active, the outermost first.
	iterators []*iterator
	running   bool
}

// advance moves to the next combination of items that passes all conditions.
func (r *comprehensionRun) advance() (bool, error) {
	for len(r.iterators) > 0 {
		level := len(r.iterators) - 1
		item, ok, err := r.iterators[level].next()
		if err != nil {
			return false, err
		}
		if !ok {
			r.iterators = r.iterators[:level]
			continue
		}
		cl := r.clauses[level]
		if err := r.frame.assign(cl.target, item); err != nil {
			return false, err
		}
		passes, err := r.passes(cl.conditions)
		if err != nil {
			return false, err
		}
		switch {
		case !passes:
		case level == len(r.clauses)-1:
			return true, nil
		default:
			if err := r.enter(r.clauses[level+1]); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

func (r *comprehensionRun) passes(conditions []node) (bool, error) {
	for _, condition := range conditions {
		v, err := condition.eval(r.frame)
		if err != nil || !Truth(v) {
			return false, err
		}
	}
	return true, nil
}

func (r *comprehensionRun) enter(cl clause) error {
	items, err := cl.items.eval(r.frame)
	if err != nil {
		return err
	}
	it, err := r.frame.m.iterate(items)
	r.iterators = append(r.iterators, it)
	return err
}

// next evaluates a generator's element for the next combination of items. An error ends the
// generator.
func (r *comprehensionRun) next() (Value, bool, error) {
	if r.running {
		return nil, false, raise("ValueError", "generator already executing")
	}
	if err := r.frame.m.enter(); err != nil {
		return nil, false, err
	}
	defer r.frame.m.leave()
	r.running = true
	defer func() { r.running = false }()
	ok, err := r.advance()
	var v Value
	if ok {
		v, err = r.element.eval(r.frame)
	}
	if pysem.TypeOf(err) == "StopIteration" {
		err = raise("RuntimeError", "generator raised StopIteration")
	}
	if err != nil {
		r.iterators = nil
		return nil, false, err
	}
	return v, ok, nil
}

// collect runs a comprehension and makes its list, set or dict.
func (r *comprehensionRun) collect() (Value, error) {
	if err := r.frame.m.enter(); err != nil {
		return nil, err
	}
	defer r.frame.m.leave()
	list, made := &List{}, &Dict{}
	set, _ := newSet(false, nil)
	for {
		ok, err := r.advance()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if err := r.add(list, set, made); err != nil {
			return nil, err
		}
	}
	switch r.kind {
	case setComprehension:
		return set, nil
	case dictComprehension:
		return made, nil
	}
	return list, nil
}

func (r *comprehensionRun) add(list *List, set *Set, made *Dict) error {
	if err := r.frame.m.make(1); err != nil {
		return err
	}
	var key Value
	var err error
	if r.key != nil {
		if key, err = r.key.eval(r.frame); err != nil {
			return err
		}
	}
	v, err := r.element.eval(r.frame)
	if err != nil {
		return err
	}
	switch r.kind {
	case setComprehension:
		return set.add(v)
	case dictComprehension:
		return made.set(key, v)
	}
	list.Items = append(list.Items, v)
	return nil
}

// assign binds an item to the target of a clause.
func (f *frame) assign(t target, v Value) error {
	if t.several == nil {
		f.values[t.id] = v
		return nil
	}
	if !isIterable(v) {
		return typeError("cannot unpack non-iterable %s object", typeName(v))
	}
	items, err := f.unpacked(t, v)
	if err != nil {
		return err
	}
	for i, part := range t.several {
		if err := f.assign(part, items[i]); err != nil {
			return err
		}
	}
	return nil
}

// unpacked divides the items of v among the parts of a target. A starred part gets a list.
func (f *frame) unpacked(t target, v Value) ([]Value, error) {
	n := len(t.several)
	if t.star < 0 {
		items, err := f.m.takeUpTo(v, n+1)
		switch {
		case err != nil:
			return nil, err
		case len(items) > n:
			return nil, raise("ValueError", "too many values to unpack (expected %d)", n)
		case len(items) < n:
			return nil, raise("ValueError", "not enough values to unpack (expected %d, got %d)", n, len(items))
		}
		return items, nil
	}
	items, err := f.m.collect(v)
	if err != nil {
		return nil, err
	}
	if len(items) < n-1 {
		return nil, raise("ValueError", "not enough values to unpack (expected at least %d, got %d)", n-1, len(items))
	}
	after := len(items) - (n - 1 - t.star)
	values := append([]Value{}, items[:t.star]...)
	values = append(values, &List{Items: append([]Value{}, items[t.star:after]...)})
	return append(values, items[after:]...), nil
}

// takeUpTo returns the first n items of v, or all of them if there are fewer.
func (m *machine) takeUpTo(v Value, n int) ([]Value, error) {
	it, err := m.iterate(v)
	if err != nil {
		return nil, err
	}
	var items []Value
	for len(items) < n {
		item, ok, err := it.next()
		if err != nil || !ok {
			return items, err
		}
		items = append(items, item)
	}
	return items, nil
}
