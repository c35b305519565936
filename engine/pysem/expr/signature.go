package expr

import (
	"fmt"
	"slices"
)

// builtin is a builtin function of Python, or an unbound method.
type builtin struct {
	name string
	of   string // name of the method's class, "" for a function
	// on is the name of the class on which a function is called, such as dict for dict.fromkeys.
	on   string
	call func(m *machine, args arguments) (Value, error)
}

func (b *builtin) typeName() string {
	if b.of != "" {
		return "method_descriptor"
	}
	return "builtin_function_or_method"
}

// method is a method bound to a value.
type method struct {
	*builtin
	self Value
}

// class is a Python type. An expression can call it, or pass it as a value.
type class struct {
	name string
	call func(m *machine, args arguments) (Value, error)
}

// style says how a function of CPython parses its arguments. Each style has its own error texts.
type style uint8

const (
	noArgs    style = iota // METH_NOARGS
	oneArg                 // METH_O
	counted                // _PyArg_CheckPositional
	tupled                 // PyArg_ParseTuple
	keyworded              // _PyArg_UnpackKeywords
)

// signature describes the arguments that a function accepts.
type signature struct {
	style    style
	min, max int
	// names holds the parameter names of a function in the style keyworded. "" is a parameter that
	// can be passed by position only.
	names []string
	// byPosition is how many arguments can be passed by position, if that is fewer than max.
	byPosition int
}

func exactly(n int) signature { return signature{style: counted, min: n, max: n} }

func between(low, high int) signature { return signature{style: counted, min: low, max: high} }

// byName returns a signature whose arguments can be passed by position or name. low is how many of
// them, from the first on, are required.
func byName(low int, names ...string) signature {
	return signature{style: keyworded, min: low, max: len(names), names: names}
}

// nameOnly returns the signature with its last arguments to be passed by name only.
func (s signature) nameOnly(last int) signature {
	s.byPosition = s.max - last
	return s
}

// absent is the value of an argument that was not passed.
type absent struct{}

// has reports whether an argument was passed.
func has(v Value) bool { return v != absent{} }

// bind assigns the arguments to the parameters. Error texts name the function by full (such as
// str.lower) in the styles noArgs and oneArg, and by short (such as split) in other styles.
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
	if s.byPosition > 0 && n > s.byPosition {
		return nil, typeError("%s() takes at most %d positional argument%s (%d given)", short, s.byPosition, plural(s.byPosition), n)
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
	// CPython checks the remaining names in the order of the call, so the first wrong name decides
	// which error is raised.
	first := slices.IndexFunc(args.named, func(n Name) bool { return len(named) > 0 && n.ID == named[0].ID })
	if args.noStrings > 0 && (first < 0 || first >= args.beforeNoString) {
		return args.checkNames()
	}
	if first >= 0 {
		return typeError("'%s' is an invalid keyword argument for %s()", named[0].ID, short)
	}
	return nil
}

// define makes a function. The Go function f gets a value for each parameter of the signature; a
// missing argument is absent.
func define(name string, s signature, f func(m *machine, a []Value) (Value, error)) *builtin {
	return &builtin{name: name, call: func(m *machine, args arguments) (Value, error) {
		values, err := s.bind(name, name, args)
		if err != nil {
			return nil, err
		}
		return f(m, values)
	}}
}

// defineOn makes a function that is called on a class, such as dict.fromkeys.
func defineOn(class, name string, s signature, f func(m *machine, a []Value) (Value, error)) *builtin {
	return &builtin{name: name, on: class, call: func(m *machine, args arguments) (Value, error) {
		values, err := s.bind(class+"."+name, name, args)
		if err != nil {
			return nil, err
		}
		return f(m, values)
	}}
}

// defineMethod makes a method of a class. In a call its self is the first argument.
func defineMethod[T Value](of, name string, s signature, f func(m *machine, self T, a []Value) (Value, error)) *builtin {
	return &builtin{name: name, of: of, call: func(m *machine, args arguments) (Value, error) {
		self, rest, err := selfOf[T](of, name, args)
		if err != nil {
			return nil, err
		}
		values, err := s.bind(of+"."+name, name, rest)
		if err != nil {
			return nil, err
		}
		return f(m, self, values)
	}}
}

// selfOf splits the arguments of an unbound method into self, which must be an instance of the
// class, and the rest.
func selfOf[T Value](of, name string, args arguments) (self T, rest arguments, err error) {
	if len(args.values) == 0 {
		return self, args, typeError("unbound method %s.%s() needs an argument", of, name)
	}
	self, ok := args.values[0].(T)
	if !ok || !isInstance(args.values[0], of) {
		return self, args, typeError("descriptor '%s' for '%s' objects doesn't apply to a '%s' object", name, of, typeName(args.values[0]))
	}
	return self, args.after(1), nil
}

// isInstance reports whether v is an instance of a class or of its subclass. The only subclass here
// is bool, whose base class is int.
func isInstance(v Value, class string) bool {
	name := typeName(v)
	return name == class || class == "object" || name == "bool" && class == "int"
}

func (c *class) String() string { return fmt.Sprintf("class %s", c.name) }
