package expr

import (
	"fmt"
	"slices"
)

// builtin is a function, or an unbound method, that is not written in the expression.
type builtin struct {
	name string
	of   string // the class of a method
	call func(m *machine, args arguments) (Value, error)
}

func (b *builtin) typeName() string {
	if b.of != "" {
		return "method_descriptor"
	}
	return "builtin_function_or_method"
}

// method is a builtin with the value that it was taken from.
type method struct {
	*builtin
	self Value
}

// class is a type as a value.
type class struct {
	name string
	call func(m *machine, args arguments) (Value, error)
}

// style is how a function of CPython reads its arguments; each words its errors its own
// way.
type style uint8

const (
	noArgs    style = iota // METH_NOARGS
	oneArg                 // METH_O
	counted                // _PyArg_CheckPositional
	tupled                 // PyArg_ParseTuple
	keyworded              // _PyArg_UnpackKeywords
)

// signature says which arguments a function takes.
type signature struct {
	style    style
	min, max int
	// names are those of the parameters of keyworded ones; "" is one by position only.
	names []string
}

func exactly(n int) signature { return signature{style: counted, min: n, max: n} }

func between(low, high int) signature { return signature{style: counted, min: low, max: high} }

// byName takes arguments by position or name, the first low of them required.
func byName(low int, names ...string) signature {
	return signature{style: keyworded, min: low, max: len(names), names: names}
}

// absent stands for an argument that was not given.
type absent struct{}

// has reports whether an argument was given.
func has(v Value) bool { return v != absent{} }

// bind gives the arguments their places; full is the name in errors of the simplest
// styles, as str.lower, and short in the others', as split.
func (s signature) bind(full, short string, args arguments) ([]Value, error) {
	n := len(args.values)
	if s.style == keyworded {
		return s.bindNamed(short, args)
	}
	if args.namedCount() > 0 {
		return nil, typeError("%s() takes no keyword arguments", full)
	}
	switch {
	case s.style == noArgs && n > 0:
		return nil, typeError("%s() takes no arguments (%d given)", full, n)
	case s.style == oneArg && n != 1:
		return nil, typeError("%s() takes exactly one argument (%d given)", full, n)
	case s.style == tupled && (n < s.min || n > s.max):
		return nil, typeError("%s() takes %s %d argument%s (%d given)", short, s.quantity(n), s.bound(n), plural(s.bound(n)), n)
	case s.style == counted && (n < s.min || n > s.max):
		how := s.quantity(n)
		if how += " "; s.min == s.max {
			how = ""
		}
		return nil, typeError("%s expected %s%d argument%s, got %d", short, how, s.bound(n), plural(s.bound(n)), n)
	}
	values := slices.Clone(args.values)
	for len(values) < max(s.max, 1) {
		values = append(values, absent{})
	}
	return values, nil
}

func (s signature) bound(given int) int {
	if given < s.min {
		return s.min
	}
	return s.max
}

func (s signature) quantity(given int) string {
	switch {
	case s.min == s.max:
		return "exactly"
	case given < s.min:
		return "at least"
	}
	return "at most"
}

func (s signature) bindNamed(short string, args arguments) ([]Value, error) {
	n := len(args.values)
	byPosition := 0
	for byPosition < len(s.names) && s.names[byPosition] == "" {
		byPosition++
	}
	if n+args.namedCount() > s.max {
		kind := ""
		if n == 0 {
			kind = "keyword "
		}
		return nil, typeError("%s() takes %s %d %sargument%s (%d given)", short, pick(s.min == s.max, "exactly", "at most"), s.max, kind, plural(s.max), n+args.namedCount())
	}
	if n < byPosition && n < s.min {
		return nil, typeError("%s() takes %s %d positional argument%s (%d given)", short, pick(s.min == s.max && byPosition == s.max, "exactly", "at least"), min(byPosition, s.min), plural(min(byPosition, s.min)), n)
	}
	values := make([]Value, s.max)
	for i := range values {
		values[i] = absent{}
	}
	copy(values, args.values)
	if err := s.bindNames(short, args, values); err != nil {
		return nil, err
	}
	return values, nil
}

func (s signature) bindNames(short string, args arguments, values []Value) error {
	named := slices.Clone(args.named)
	for i, id := range s.names {
		at := slices.IndexFunc(named, func(n Name) bool { return n.ID == id && id != "" })
		switch {
		case at >= 0 && i < len(args.values):
			return typeError("argument for %s() given by name ('%s') and position (%d)", short, id, i+1)
		case at >= 0:
			values[i] = named[at].Value
			named = slices.Delete(named, at, at+1)
		case i >= len(args.values) && i < s.min:
			return typeError("%s() missing required argument '%s' (pos %d)", short, id, i+1)
		}
	}
	// What is left is looked at in its order.
	first := slices.IndexFunc(args.named, func(n Name) bool { return len(named) > 0 && n.ID == named[0].ID })
	if args.noStrings > 0 && (first < 0 || first >= args.beforeNoString) {
		return args.checkNames()
	}
	if first >= 0 {
		return typeError("'%s' is an invalid keyword argument for %s()", named[0].ID, short)
	}
	return nil
}

// define makes a function. f gets as many arguments as the signature has places, absent
// ones too.
func define(name string, s signature, f func(m *machine, a []Value) (Value, error)) *builtin {
	return &builtin{name: name, call: func(m *machine, args arguments) (Value, error) {
		values, err := s.bind(name, name, args)
		if err != nil {
			return nil, err
		}
		return f(m, values)
	}}
}

// defineMethod makes a method of a class, whose self comes first in the arguments.
func defineMethod[T Value](of, name string, s signature, f func(m *machine, self T, a []Value) (Value, error)) *builtin {
	return &builtin{name: name, of: of, call: func(m *machine, args arguments) (Value, error) {
		if len(args.values) == 0 {
			return nil, typeError("unbound method %s.%s() needs an argument", of, name)
		}
		self, ok := args.values[0].(T)
		if !ok || !isInstance(args.values[0], of) {
			return nil, typeError("descriptor '%s' for '%s' objects doesn't apply to a '%s' object", name, of, typeName(args.values[0]))
		}
		values, err := s.bind(of+"."+name, name, arguments{values: args.values[1:], named: args.named})
		if err != nil {
			return nil, err
		}
		return f(m, self, values)
	}}
}

// isInstance reports whether v is of the class or of one below it.
func isInstance(v Value, class string) bool {
	name := typeName(v)
	return name == class || class == "object" || name == "bool" && class == "int"
}

func (c *class) String() string { return fmt.Sprintf("class %s", c.name) }
