package expr

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// function is a lambda with its scope and its evaluated default arguments.
type function struct {
	lambda
	outer     *frame
	fallbacks map[string]Value
}

// arguments holds the arguments of one call.
type arguments struct {
	values []Value
	named  []Name
	// noStrings counts the keys of **dict arguments that are not strings. beforeNoString counts the
	// names before the first of them. Both decide which error Python raises.
	noStrings, beforeNoString int
}

// namedCount returns the number of arguments that were passed by name.
func (a arguments) namedCount() int { return len(a.named) + a.noStrings }

// onlyNamed returns only the arguments that were passed by name.
func (a arguments) onlyNamed() arguments { return a.after(len(a.values)) }

// after returns the arguments without the first n positional ones.
func (a arguments) after(n int) arguments {
	a.values = a.values[n:]
	return a
}

// checkNames returns a TypeError if a key of a **dict argument is not a string.
func (a arguments) checkNames() error {
	if a.noStrings > 0 {
		return typeError("keywords must be strings")
	}
	return nil
}

func (l lambda) eval(f *frame) (Value, error) {
	made := &function{lambda: l, outer: f, fallbacks: map[string]Value{}}
	for _, p := range l.params {
		if p.fallback == nil {
			continue
		}
		v, err := p.fallback.eval(f)
		if err != nil {
			return nil, err
		}
		made.fallbacks[p.id] = v
	}
	return made, nil
}

func (c call) eval(f *frame) (Value, error) {
	callee, err := c.function.eval(f)
	if err != nil {
		return nil, err
	}
	args, err := c.arguments(f, callee)
	if err != nil {
		return nil, err
	}
	return f.m.call(callee, args)
}

func (c call) arguments(f *frame, callee Value) (arguments, error) {
	values, err := f.evalAll(c.args, func(v Value) error {
		if len(c.args) > 1 { // with other arguments CPython makes a list of all of them, which raises its own error
			return sequence{}.starError(v)
		}
		return typeError("%s argument after * must be an iterable, not %s", f.m.calledName(callee), typeName(v))
	})
	if err != nil {
		return arguments{}, err
	}
	args := arguments{values: values}
	for _, k := range c.keywords {
		v, err := k.value.eval(f)
		if err != nil {
			return arguments{}, err
		}
		if k.id != "" {
			if err := args.add(f.m, callee, k.id, v); err != nil {
				return arguments{}, err
			}
			continue
		}
		if err := args.addAll(f.m, callee, v); err != nil {
			return arguments{}, err
		}
	}
	return args, nil
}

// calledName returns the name of a function in CPython's errors about arguments (Objects/object.c:
// _PyObject_FunctionStr).
func (m *machine) calledName(callee Value) string {
	switch f := callee.(type) {
	case *builtin:
		if class := cmp.Or(f.of, f.on); class != "" {
			return class + "." + f.name + "()"
		}
		return f.name + "()"
	case *class:
		return f.name + "()"
	case *method:
		return typeName(f.self) + "." + f.name + "()"
	case *function:
		return f.outer.m.names.ModuleName + "." + f.name() + "()"
	}
	text, err := m.str(callee)
	if err != nil {
		return typeName(callee) + " object"
	}
	return text
}

// addAll adds the entries of a **dict argument.
func (a *arguments) addAll(m *machine, callee, v Value) error {
	d, ok := v.(*Dict)
	if !ok {
		return typeError("%s argument after ** must be a mapping, not %s", m.calledName(callee), typeName(v))
	}
	for _, e := range d.live() {
		id, ok := e.key.(string)
		if !ok {
			if a.noStrings == 0 {
				a.beforeNoString = len(a.named)
			}
			a.noStrings++
			continue
		}
		if err := a.add(m, callee, id, e.value); err != nil {
			return err
		}
	}
	return nil
}

func (a *arguments) add(m *machine, callee Value, id string, v Value) error {
	if slices.ContainsFunc(a.named, func(n Name) bool { return n.ID == id }) {
		return typeError("%s got multiple values for keyword argument '%s'", m.calledName(callee), id)
	}
	a.named = append(a.named, Name{ID: id, Value: v})
	return nil
}

// call returns callee(*args).
func (m *machine) call(callee Value, args arguments) (Value, error) {
	if err := m.enter(); err != nil {
		return nil, err
	}
	defer m.leave()
	if err := m.step(1); err != nil {
		return nil, err
	}
	if isCallable(callee) && !looksAtNamesLater(callee) {
		if err := args.checkNames(); err != nil {
			return nil, err
		}
	}
	switch f := callee.(type) {
	case *builtin:
		return f.call(m, args)
	case *class:
		return f.call(m, args)
	case *method:
		args.values = append([]Value{f.self}, args.values...)
		return f.builtin.call(m, args)
	case *function:
		inner := &frame{m: m, outer: f.outer, scope: f.scope, values: map[string]Value{}}
		if err := f.bind(inner.values, args); err != nil {
			return nil, err
		}
		return f.body.eval(inner)
	}
	return nil, typeError("'%s' object is not callable", typeName(callee))
}

// looksAtNamesLater reports whether a function counts its arguments before it checks that their
// names are strings. CPython passes such a function a dict of the named arguments, which
// PyArg_ParseTupleAndKeywords checks (Python/getargs.c:1600). str.format never checks it.
func looksAtNamesLater(callee Value) bool {
	name := ""
	switch f := callee.(type) {
	case *class:
		name = f.name
	case *builtin:
		name = f.name
	case *method:
		return f.of == "str" && f.name == "format" || f.of == "dict" && f.name == "update"
	}
	return slices.Contains([]string{"int", "str", "bytes", "slice", "zip", "max", "min"}, name)
}

// bind assigns the arguments to the function's parameters, in CPython's order and with its errors
// (Python/ceval.c initialize_locals).
func (f *function) bind(values map[string]Value, args arguments) error {
	positional, rest := f.parameters()
	for i, v := range args.values[:min(len(positional), len(args.values))] {
		values[positional[i].id] = v
	}
	if i := slices.IndexFunc(rest, func(p parameter) bool { return p.kind == varPositional }); i >= 0 {
		values[rest[i].id] = append(Tuple{}, args.values[min(len(positional), len(args.values)):]...)
	}
	if err := f.bindNamed(values, args.named); err != nil {
		return err
	}
	_, takesMore := f.find(varPositional)
	if len(args.values) > len(positional) && !takesMore {
		return f.tooMany(positional, rest, values, len(args.values))
	}
	if err := f.fallBack(values, positional, "positional"); err != nil {
		return err
	}
	return f.fallBack(values, rest, "keyword-only")
}

// name returns the function's name in error texts.
func (f *function) name() string { return f.outer.qualified("<lambda>") }

func (f *function) parameters() (positional, rest []parameter) {
	for _, p := range f.params {
		if p.kind == positionalOnly || p.kind == ordinary {
			positional = append(positional, p)
		} else {
			rest = append(rest, p)
		}
	}
	return positional, rest
}

func (f *function) find(kind parameterKind) (parameter, bool) {
	i := slices.IndexFunc(f.params, func(p parameter) bool { return p.kind == kind })
	if i < 0 {
		return parameter{}, false
	}
	return f.params[i], true
}

func (f *function) bindNamed(values map[string]Value, named []Name) error {
	more, takesMore := f.find(varKeyword)
	extra := &Dict{}
	for _, n := range named {
		i := slices.IndexFunc(f.params, func(p parameter) bool {
			return p.id == n.ID && (p.kind == ordinary || p.kind == keywordOnly)
		})
		switch {
		case i < 0 && takesMore:
			_ = extra.set(n.ID, n.Value) // cannot fail: a string is hashable
		case i < 0:
			return f.unexpected(n.ID, named)
		default:
			if _, given := values[n.ID]; given {
				return typeError("%s() got multiple values for argument '%s'", f.name(), n.ID)
			}
			values[n.ID] = n.Value
		}
	}
	if takesMore {
		values[more.id] = extra
	}
	return nil
}

func (f *function) unexpected(id string, named []Name) error {
	wrong := lists.Select(f.params, func(p parameter) (string, bool) {
		return p.id, p.kind == positionalOnly && slices.ContainsFunc(named, func(n Name) bool { return n.ID == p.id })
	})
	if wrong != nil {
		return typeError("%s() got some positional-only arguments passed as keyword arguments: '%s'", f.name(), strings.Join(wrong, ", "))
	}
	return typeError("%s() got an unexpected keyword argument '%s'", f.name(), id)
}

// fallBack sets parameters without an argument to their defaults. If some have no default, it
// returns an error with their names.
func (f *function) fallBack(values map[string]Value, params []parameter, kind string) error {
	var missing []string
	for _, p := range params {
		if _, given := values[p.id]; given || p.kind == varPositional || p.kind == varKeyword {
			continue
		}
		v, ok := f.fallbacks[p.id]
		if !ok {
			missing = append(missing, "'"+p.id+"'")
			continue
		}
		values[p.id] = v
	}
	if missing == nil {
		return nil
	}
	return typeError("%s() missing %d required %s argument%s: %s", f.name(), len(missing), kind, plural(len(missing)), enumeration(missing))
}

// enumeration joins words as "a", "a and b" or "a, b, and c".
func enumeration(words []string) string {
	switch n := len(words); n {
	case 1:
		return words[0]
	case 2:
		return words[0] + " and " + words[1]
	default:
		return strings.Join(words[:n-1], ", ") + ", and " + words[n-1]
	}
}

func plural(n int) string { return pick(n == 1, "", "s") }

func (f *function) tooMany(positional, rest []parameter, values map[string]Value, given int) error {
	optional := 0
	for _, p := range positional {
		if p.fallback != nil {
			optional++
		}
	}
	takes := strconv.Itoa(len(positional))
	many := len(positional) != 1
	if optional > 0 {
		takes = "from " + strconv.Itoa(len(positional)-optional) + " to " + takes
		many = true
	}
	named := 0
	for _, p := range rest {
		if _, ok := values[p.id]; ok && p.kind == keywordOnly {
			named++
		}
	}
	was := pick(given == 1, "was", "were")
	if named > 0 {
		return typeError("%s() takes %s positional argument%s but %d positional argument%s (and %d keyword-only argument%s) were given", f.name(),
			takes, pick(many, "s", ""), given, plural(given), named, plural(named))
	}
	return typeError("%s() takes %s positional argument%s but %d %s given", f.name(), takes, pick(many, "s", ""), given, was)
}
