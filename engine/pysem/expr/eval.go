package expr

import (
	"strings"
)

// frame holds the values of the names in one scope. A scope is the whole expression, a lambda or a
// comprehension.
type frame struct {
	m      *machine
	outer  *frame // enclosing scope; nil for that of the whole expression
	scope  *scope
	values map[string]Value
}

// qualified returns the qualified name of a function inside the frame, as error texts show it.
func (f *frame) qualified(name string) string {
	switch {
	case f.outer == nil:
		return name
	case f.scope.comprehension:
		return f.outer.qualified(f.scope.name) + "." + name
	}
	return f.outer.qualified(f.scope.name) + ".<locals>." + name
}

// lookup finds the value of a name. It searches the enclosing lambdas and comprehensions first.
// Then it searches the locals, which only the expression itself sees, and last the names of the
// module and the builtins.
func (f *frame) lookup(id string) (Value, error) {
	own := f
	for ; f.outer != nil; f = f.outer {
		if v, ok := f.values[id]; ok {
			return v, nil
		}
		if !f.scope.bound[id] {
			continue
		}
		if f == own {
			return nil, raise("UnboundLocalError", "cannot access local variable '%s' where it is not associated with a value", id)
		}
		return nil, raise("NameError", "cannot access free variable '%s' where it is not associated with a value in enclosing scope", id)
	}
	if own == f {
		if v, ok := f.m.assigned[id]; ok {
			return v, nil
		}
		for i := range f.m.names.Locals {
			if f.m.names.Locals[i].ID == id {
				return f.m.names.Locals[i].Value, nil
			}
		}
	}
	return f.m.global(id)
}

// global finds a name among the names of the module and the builtins.
func (m *machine) global(id string) (Value, error) {
	if m.names.Module[id] || isDunder(id) {
		return nil, refuse(outside, "the name "+id)
	}
	if v, ok := builtins[id]; ok {
		return v, nil
	}
	if refusedBuiltins[id] {
		return nil, refuse(outside, "the name "+id)
	}
	return nil, raise("NameError", "name '%s' is not defined", id)
}

// isDunder reports whether id is a name like __class__, which Python reserves.
func isDunder(id string) bool {
	return len(id) > 4 && strings.HasPrefix(id, "__") && strings.HasSuffix(id, "__")
}

func (c constant) eval(*frame) (Value, error) {
	if refused, ok := c.value.(refusedValue); ok {
		return nil, refuse(outside, refused.what)
	}
	return c.value, nil
}

func (n name) eval(f *frame) (Value, error) {
	if err := f.m.step(1); err != nil {
		return nil, err
	}
	return f.lookup(n.id)
}

func (n named) eval(f *frame) (Value, error) {
	v, err := n.value.eval(f)
	if err != nil {
		return nil, err
	}
	at := f
	for at.outer != nil && at.scope.comprehension {
		at = at.outer
	}
	if at.outer != nil {
		at.values[n.id] = v
		return v, nil
	}
	if f.m.names.Fixed || f != at {
		return nil, refuse(outside, "an assignment that outlives the expression")
	}
	if f.m.assigned == nil {
		f.m.assigned = map[string]Value{}
	}
	f.m.assigned[n.id] = v
	return v, nil
}

func (u unary) eval(f *frame) (Value, error) {
	v, err := u.operand.eval(f)
	if err != nil {
		return nil, err
	}
	if u.op == "not" {
		return !Truth(v), nil
	}
	return f.m.unary(u.op, v)
}

func (b binary) eval(f *frame) (Value, error) {
	left, err := b.left.eval(f)
	if err != nil {
		return nil, err
	}
	right, err := b.right.eval(f)
	if err != nil {
		return nil, err
	}
	if err := f.m.step(1); err != nil {
		return nil, err
	}
	return f.m.binary(b.op, left, right)
}

func (l logical) eval(f *frame) (Value, error) {
	left, err := l.left.eval(f)
	if err != nil || Truth(left) == (l.op == "or") {
		return left, err
	}
	return l.right.eval(f)
}

func (c comparison) eval(f *frame) (Value, error) {
	left, err := c.first.eval(f)
	if err != nil {
		return nil, err
	}
	for _, link := range c.links {
		right, err := link.right.eval(f)
		if err != nil {
			return nil, err
		}
		if err := f.m.step(1); err != nil {
			return nil, err
		}
		holds, err := f.m.compare(link.op, left, right)
		if err != nil || !holds {
			return holds, err
		}
		left = right
	}
	return true, nil
}

func (c conditional) eval(f *frame) (Value, error) {
	condition, err := c.condition.eval(f)
	if err != nil {
		return nil, err
	}
	if Truth(condition) {
		return c.then.eval(f)
	}
	return c.otherwise.eval(f)
}

func (s sequence) eval(f *frame) (Value, error) {
	items, err := f.evalAll(s.items, s.starError)
	if err != nil {
		return nil, err
	}
	switch s.kind {
	case listDisplay:
		return &List{Items: items}, nil
	case tupleDisplay:
		return Tuple(items), nil
	}
	if s.folded == notFolded {
		return newSet(false, items)
	}
	// CPython's compiler makes a frozenset of the items, and from that another frozenset, which it
	// keeps. Each step can change the order of the items.
	first, err := newSet(true, items)
	if err != nil {
		return nil, err
	}
	kept, err := newSet(true, first.all())
	if s.folded == foldedSet && err == nil {
		return kept.copy(false), nil
	}
	return kept, err
}

// starError returns Python's error for a starred item that cannot be iterated.
func (s sequence) starError(v Value) error {
	if s.kind == setDisplay {
		return typeError("'%s' object is not iterable", typeName(v))
	}
	return typeError("Value after * must be an iterable, not %s", typeName(v))
}

// evalAll evaluates items. A starred item gives all of its own items. If it cannot be iterated, the
// error is that of starError.
func (f *frame) evalAll(items []node, starError func(v Value) error) ([]Value, error) {
	values := make([]Value, 0, len(items))
	for _, item := range items {
		star, isStarred := item.(starred)
		if isStarred {
			item = star.value
		}
		v, err := item.eval(f)
		if err == nil {
			err = f.m.make(1)
		}
		if err != nil {
			return nil, err
		}
		if !isStarred {
			values = append(values, v)
			continue
		}
		if !isIterable(v) {
			return nil, starError(v)
		}
		more, err := f.m.collect(v)
		if err != nil {
			return nil, err
		}
		values = append(values, more...)
	}
	return values, nil
}

// isIterable reports whether Python's iter(v) works.
func isIterable(v Value) bool {
	switch v.(type) {
	case *iterator, *List, Tuple, string, []byte, *Range, *Dict, *view, *Set:
		return true
	}
	return false
}

func (s starred) eval(f *frame) (Value, error) { return s.value.eval(f) }

func (d dict) eval(f *frame) (Value, error) {
	made := &Dict{}
	for _, item := range d.entries {
		if item.key == nil {
			v, err := item.value.eval(f)
			if err != nil {
				return nil, err
			}
			more, ok := v.(*Dict)
			if !ok {
				return nil, typeError("'%s' object is not a mapping", typeName(v))
			}
			for _, e := range more.live() {
				_ = made.set(e.key, e.value) // cannot fail: the key was hashable in its first dict
			}
			continue
		}
		key, err := item.key.eval(f)
		if err != nil {
			return nil, err
		}
		value, err := item.value.eval(f)
		if err == nil {
			err = f.m.make(1)
		}
		if err != nil {
			return nil, err
		}
		if err := made.set(key, value); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (a attribute) eval(f *frame) (Value, error) {
	v, err := a.of.eval(f)
	if err != nil {
		return nil, err
	}
	return f.m.attribute(v, a.id)
}

func (s subscript) eval(f *frame) (Value, error) {
	of, err := s.of.eval(f)
	if err != nil {
		return nil, err
	}
	index, err := s.index.eval(f)
	if err != nil {
		return nil, err
	}
	return f.m.subscript(of, index)
}

func (s slice) eval(f *frame) (Value, error) {
	var parts [3]Value
	for i, n := range []node{s.start, s.stop, s.step} {
		if n == nil {
			continue
		}
		v, err := n.eval(f)
		if err != nil {
			return nil, err
		}
		parts[i] = v
	}
	return &Slice{Start: parts[0], Stop: parts[1], Step: parts[2]}, nil
}

func (j joined) eval(f *frame) (Value, error) {
	var b strings.Builder
	for _, part := range j.parts {
		v, err := part.eval(f)
		if err != nil {
			return nil, err
		}
		text := v.(string) // all parts of an f-string evaluate to strings
		if err := f.m.make(len(text)); err != nil {
			return nil, err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (p formatted) eval(f *frame) (Value, error) {
	v, err := p.value.eval(f)
	if err != nil {
		return nil, err
	}
	if v, err = f.m.convert(v, p.conversion); err != nil {
		return nil, err
	}
	spec := Value("")
	if p.spec != nil {
		if spec, err = p.spec.eval(f); err != nil {
			return nil, err
		}
	}
	return f.m.format(v, spec.(string))
}

// convert applies the conversion !s, !r or !a of a format field to v. 0 means no conversion.
func (m *machine) convert(v Value, conversion byte) (text Value, err error) {
	switch conversion {
	case 's':
		return m.str(v)
	case 'r':
		return m.repr(v)
	case 'a':
		return m.ascii(v)
	}
	return v, nil
}
