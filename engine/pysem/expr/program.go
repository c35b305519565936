// Package expr evaluates Python 3.11 expressions: what eval() makes of a condition of a layout
// filter or of a number in a configuration file.
//
// Two things to use first:
//
//   - [Compile] parses a source once; an error is Python's SyntaxError.
//   - [Program.Eval] evaluates it with names, any number of times.
//
// Everything an expression can hold has Python's values, types and error texts: literals, displays,
// comprehensions, lambdas, f-strings, operators, calls, methods, and the builtins that look at
// nothing but their arguments. The rest is refused ([pysem.IsRefused]): what reaches the machine or
// the interpreter (Q230), what takes more time or memory than [Limits] (Q231), and what CPython
// answers differently from run to run (Q232).
//
// A value is nil, bool, int, *big.Int (only outside the range of int), float64, string (UTF-8, a
// lone surrogate as three bytes), []byte, [Tuple], *[List], *[Dict], *[Set], *[Range], *[Slice], or
// one of the unexported functions, types, views and iterators.
//
// To change:
//
//   - the grammar: token*.go, fstring.go, ast.go and parse*.go
//   - what nodes do: eval*.go
//   - operators: arith.go and compare.go
//   - a method: dict.go, set.go, method_*.go, and stringlib*.go for what str and bytes share
//   - a builtin: builtin*.go and iterate.go
//   - formatting: format*.go and percent.go
//
// Unstable: any commit may change it.
package expr

import (
	"math"
	"math/big"
	"slices"

	"github.com/monosim/monosim/engine/pysem"
	readings "github.com/monosim/monosim/engine/pysem/dict"
)

// Program is a parsed expression. It can be evaluated any number of times, and by several
// goroutines at once.
type Program struct {
	source string
	root   node
	// used lists the names in the source, and attributes lists the attributes in it. bound holds
	// the names that the source binds itself.
	used, attributes []string
	bound            map[string]bool
}

// Compile parses a source. It returns the error that Python's compile raises, such as a
// SyntaxError, or a refusal of what this package does not support.
func Compile(source string) (*Program, error) {
	return programs.Read([]byte(source))
}

// programs keeps the programs of sources without an error, which many agents of many worlds share.
var programs = readings.Readings[*Program]{Decode: compile, Most: 64 << 10}

func compile(source []byte) (*Program, error) {
	p := &Program{source: string(source), bound: map[string]bool{}}
	root, err := parse(p.source, p)
	p.root = root
	return p, err
}

// Refusal returns an error if evaluating the program would be refused because of a name or an
// attribute in it. It looks at the names of the locals and not at their values. It returns nil if
// nothing would be refused.
func (p *Program) Refusal(names Names) error {
	m := &machine{names: names}
	for _, id := range p.used {
		if p.bound[id] || slices.ContainsFunc(names.Locals, func(n Name) bool { return n.ID == id }) {
			continue
		}
		if _, err := m.global(id); pysem.IsRefused(err) {
			return err
		}
	}
	for _, id := range p.attributes {
		if isDunder(id) {
			return refuse(outside, "the attribute "+id)
		}
	}
	return nil
}

// String returns the source.
func (p *Program) String() string { return p.source }

// Name is a name and its value.
type Name struct {
	ID    string
	Value Value
}

// Names holds the names that an expression can use besides the builtins.
type Names struct {
	// Locals holds the local names that are passed to eval. As in Python, lambdas and
	// comprehensions do not see them.
	Locals []Name
	// Module holds the names in the module that calls eval. An expression that uses one of them is
	// refused.
	Module map[string]bool
	// ModuleName is the name of that module, which some error texts contain.
	ModuleName string
	// Fixed refuses assignments with :=, because they would last longer than the expression.
	Fixed bool
}

// NamesOf returns a set of names, for [Names.Module].
func NamesOf(names ...string) map[string]bool { return setOf(names...) }

// Class returns the class with the given name, such as "int". It panics if this package does not
// support the class.
func Class(name string) Value { return builtins[name].(*class) }

// Eval evaluates the program. It returns the error that Python raises, or a refusal of what this
// package does not support.
//
// Speed: a condition such as "i % 2 == 0" takes a fraction of a microsecond.
func (p *Program) Eval(names Names) (Value, error) {
	m := &machine{names: names}
	return p.root.eval(&frame{m: m})
}

// Holds evaluates the program and returns Python's bool() of the result.
func (p *Program) Holds(names Names) (bool, error) {
	v, err := p.Eval(names)
	return err == nil && Truth(v), err
}

// Eval returns Python's eval(source), where the source can use the given names.
func Eval(source string, names Names) (Value, error) {
	p, err := Compile(source)
	if err != nil {
		return nil, err
	}
	return p.Eval(names)
}

// Repr returns Python's repr(v) of a value that [Eval] has returned.
func Repr(v Value) (string, error) { return new(machine).repr(v) }

// Plain converts v to the types of package pysem: lists to []any and dicts to *pysem.Dict. A value
// that has no such type is a TypeError.
func Plain(v Value) (any, error) {
	switch v := v.(type) {
	case nil, bool, int, *big.Int, float64, string, []byte:
		return v, nil
	case *List:
		return plainItems(v.Items)
	case Tuple:
		items, err := plainItems(v)
		return Tuple(items), err
	case *Dict:
		d := &pysem.Dict{}
		for _, e := range v.live() {
			key, ok := e.key.(string)
			if !ok {
				return nil, typeError("found the key %s, want a string", typeName(e.key))
			}
			value, err := Plain(e.value)
			if err != nil {
				return nil, err
			}
			d.Set(key, value)
		}
		return d, nil
	}
	return nil, typeError("found a %s, want a value that JSON has, a tuple or bytes", typeName(v))
}

func plainItems(items []Value) ([]any, error) {
	list := make([]any, len(items))
	for i, item := range items {
		v, err := Plain(item)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

// TypeName returns type(v).__name__.
func TypeName(v Value) string { return typeName(v) }

// ToInt returns int(v).
func ToInt(v Value) (Value, error) { return new(machine).toInt(v) }

// toInt returns int(v) without a base.
func (m *machine) toInt(v Value) (Value, error) {
	switch v := v.(type) {
	case bool, int, *big.Int:
		n, _ := pysem.Big(v)
		return pysem.Int(n), nil
	case float64:
		return truncated(v)
	case string:
		return parseInt(v, 10)
	case []byte:
		n, err := parseInt(string(v), 10)
		if pysem.TypeOf(err) == "ValueError" {
			return nil, raise("ValueError", "invalid literal for int() with base 10: %s", pysem.Repr(v))
		}
		return n, err
	}
	return nil, typeError("int() argument must be a string, a bytes-like object or a real number, not '%s'", typeName(v))
}

// truncated returns int(f).
func truncated(f float64) (Value, error) {
	switch {
	case math.IsNaN(f):
		return nil, raise("ValueError", "cannot convert float NaN to integer")
	case math.IsInf(f, 0):
		return nil, raise("OverflowError", "cannot convert float infinity to integer")
	}
	n, _ := big.NewFloat(f).Int(nil)
	return pysem.Int(n), nil
}

// ToFloat returns float(v).
func ToFloat(v Value) (float64, error) {
	switch v := v.(type) {
	case []byte:
		f, err := pysem.ParseFloat(string(v))
		if err != nil {
			return 0, raise("ValueError", "could not convert string to float: %s", pysem.Repr(v))
		}
		return f, nil
	case bool, int, *big.Int, float64, string:
		return pysem.ToFloat(v)
	}
	return 0, typeError("float() argument must be a string or a real number, not '%s'", typeName(v))
}

// These are the reasons why an expression can be refused.
const (
	outside  = pysem.Outside
	tooLarge = pysem.TooLarge
	unstable = pysem.Unstable
)

func refuse(quirk, what string) error { return pysem.Refuse(quirk, what) }

// Limits bounds the work of one evaluation. An expression that would exceed a limit is refused.
var Limits = struct {
	Steps    int // number of nodes evaluated and items visited
	Items    int // number of characters and items created
	Bits     int // of one int
	Depth    int // of nested calls
	Brackets int // depth of nested brackets and operators in the source
}{Steps: 500_000, Items: 1 << 24, Bits: 1 << 22, Depth: 150, Brackets: 200}

// machine is the state of one evaluation: the names that it can use, and how much of each limit is
// used up.
type machine struct {
	names    Names
	steps    int
	items    int
	depth    int
	assigned map[string]Value // names that := bound outside of functions
}

// step counts n steps.
func (m *machine) step(n int) error {
	if m.steps += n; m.steps > Limits.Steps {
		return refuse(tooLarge, "an expression of so many steps")
	}
	return nil
}

// make counts n items or characters that are about to be created. It refuses them beyond the limit.
func (m *machine) make(n int) error {
	if n < 0 || n > Limits.Items-m.items {
		return refuse(tooLarge, "an expression that makes so much")
	}
	m.items += n
	return m.step(n / 16)
}

// enter counts a nested call, and refuses one that is too deep. leave ends the call.
func (m *machine) enter() error {
	if m.depth++; m.depth > Limits.Depth {
		return refuse(tooLarge, "a recursion so deep")
	}
	return nil
}

func (m *machine) leave() { m.depth-- }
