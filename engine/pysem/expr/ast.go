package expr

import (
	"slices"
)

// node is a node of the syntax tree of an expression.
type node interface {
	eval(f *frame) (Value, error)
}

type (
	constant struct{ value Value }
	name     struct{ id string }
	// named is an assignment expression id := value.
	named struct {
		id    string
		value node
	}
	unary struct {
		op      string
		operand node
	}
	binary struct {
		op          string
		left, right node
	}
	// logical is an "and" or "or". Its value is that of the operand that decides the result.
	logical struct {
		op          string
		left, right node
	}
	// comparison is a chain of comparisons such as a < b < c.
	comparison struct {
		first node
		links []comparisonLink
	}
	comparisonLink struct {
		op    string
		right node
	}
	conditional struct{ condition, then, otherwise node }
	// sequence is a list, tuple or set that is written out, such as [1, 2].
	sequence struct {
		kind  sequenceKind
		items []node // items, of which some may be starred
		// folded says whether CPython makes this set already when it compiles.
		folded folding
	}
	starred struct{ value node }
	dict    struct{ entries []dictItem } // a nil key marks an entry **value
	// dictItem is key: value.
	dictItem  struct{ key, value node }
	attribute struct {
		of node
		id string
	}
	subscript struct{ of, index node }
	slice     struct{ start, stop, step node } // nil where left out
	call      struct {
		function node
		args     []node // arguments, of which some may be starred
		keywords []keyword
	}
	keyword struct {
		id    string // "" for **value
		value node
	}
	lambda struct {
		scope  *scope
		params []parameter
		body   node
	}
	parameter struct {
		id       string
		kind     parameterKind
		fallback node // default; nil if there is none
	}
	comprehension struct {
		kind    comprehensionKind
		scope   *scope
		element node
		key     node // expression for the key, in a dict comprehension; else nil
		clauses []clause
	}
	clause struct {
		target     target
		items      node
		conditions []node
	}
	// joined is an f-string.
	joined    struct{ parts []node }
	formatted struct {
		value      node
		conversion byte // s, r or a; 0 if there is none
		spec       node // format specification; nil if there is none
	}
)

type sequenceKind uint8

const (
	listDisplay sequenceKind = iota
	tupleDisplay
	setDisplay
)

// folding says whether CPython turns a set display of constants, such as {1, 2, 3}, into one
// constant at compile time. If it does, the items can come in another order.
type folding uint8

const (
	notFolded    folding = iota
	foldedSet            // a set, filled from a constant at run time
	foldedWalked         // a constant that is only iterated over, as the iterable of a comprehension
)

type comprehensionKind uint8

const (
	listComprehension comprehensionKind = iota
	setComprehension
	dictComprehension
	generator
)

// scopeNames holds the names that CPython gives to the functions it makes from comprehensions.
var scopeNames = [...]string{listComprehension: "<listcomp>", setComprehension: "<setcomp>", dictComprehension: "<dictcomp>", generator: "<genexpr>"}

type parameterKind uint8

const (
	positionalOnly parameterKind = iota
	ordinary
	varPositional
	keywordOnly
	varKeyword
)

// target is the left side of an assignment in a comprehension: one name, or several targets, of
// which one can have a star.
type target struct {
	id      string
	several []target
	star    int // index of the starred target, -1 if there is none
}

// scope holds the names that a lambda or a comprehension binds.
type scope struct {
	name          string // as <lambda>
	bound         map[string]bool
	comprehension bool
}

// isConstant reports whether CPython folds n to a constant when it compiles.
func isConstant(n node) bool {
	switch n := n.(type) {
	case constant:
		return true
	case unary:
		return isConstant(n.operand)
	case binary:
		return isConstant(n.left) && isConstant(n.right)
	case sequence:
		return n.kind == tupleDisplay && allConstant(n.items)
	}
	return false
}

func allConstant(items []node) bool {
	return !slices.ContainsFunc(items, func(n node) bool { return !isConstant(n) })
}

// lambda parses a lambda, beginning at its keyword.
func (p *parser) lambda() (node, error) {
	p.at++
	l := lambda{scope: &scope{name: "<lambda>", bound: map[string]bool{}}}
	if err := p.parameters(&l); err != nil {
		return nil, err
	}
	if err := p.want(":"); err != nil {
		return nil, err
	}
	p.scopes = append(p.scopes, l.scope)
	body, err := p.expression()
	p.scopes = p.scopes[:len(p.scopes)-1]
	l.body = body
	return l, err
}

// parameters parses the parameters of a lambda, up to the colon.
func (p *parser) parameters(l *lambda) error {
	kind := ordinary
	for !p.next(":") {
		switch op, _ := p.take("/", "*", "**"); op {
		case "/":
			if len(l.params) == 0 || kind != ordinary || l.params[0].kind == positionalOnly {
				return invalidSyntax()
			}
			for i := range l.params {
				l.params[i].kind = positionalOnly
			}
		case "*":
			if kind == keywordOnly {
				return syntaxError("* argument may appear only once")
			}
			kind = keywordOnly
			if p.next(",") && p.at+1 < len(p.tokens) && p.tokens[p.at+1].kind == tokenName {
				break
			}
			if p.peek().kind != tokenName {
				return syntaxError("named arguments must follow bare *")
			}
			if err := p.parameter(l, varPositional); err != nil {
				return err
			}
		case "**":
			if err := p.parameter(l, varKeyword); err != nil {
				return err
			}
			p.take(",")
			if !p.next(":") {
				return syntaxError("arguments cannot follow var-keyword argument")
			}
			return nil
		default:
			if err := p.parameter(l, kind); err != nil {
				return err
			}
		}
		if _, ok := p.take(","); !ok {
			break
		}
	}
	return nil
}

func (p *parser) parameter(l *lambda, kind parameterKind) error {
	t := p.peek()
	if t.kind != tokenName {
		return p.unexpected()
	}
	p.at++
	if slices.ContainsFunc(l.params, func(q parameter) bool { return q.id == t.text }) {
		return syntaxError("duplicate argument '%s' in function definition", t.text)
	}
	param := parameter{id: t.text, kind: kind}
	if _, ok := p.take("="); ok {
		if kind == varPositional || kind == varKeyword {
			return syntaxError("var-%s argument cannot have default value", map[parameterKind]string{varPositional: "positional", varKeyword: "keyword"}[kind])
		}
		var err error
		if param.fallback, err = p.expression(); err != nil {
			return err
		}
	} else if kind == ordinary && len(l.params) > 0 && l.params[len(l.params)-1].fallback != nil {
		return syntaxError("non-default argument follows default argument")
	}
	l.params = append(l.params, param)
	p.bind(l.scope, t.text)
	return nil
}

// kindOf describes a node in the words of CPython's SyntaxError about an invalid assignment.
func kindOf(n node) string {
	switch n := n.(type) {
	case constant:
		switch n.value.(type) {
		case bool:
			return pick(n.value == true, "True", "False")
		case nil:
			return "None"
		case ellipsis:
			return "ellipsis"
		}
		return "literal"
	case name:
		return "name"
	case unary, binary, logical:
		return "expression"
	case comparison:
		return "comparison"
	case conditional:
		return "conditional expression"
	case sequence:
		return [...]string{listDisplay: "list", tupleDisplay: "tuple", setDisplay: "set display"}[n.kind]
	case dict:
		return "dict literal"
	case call:
		return "function call"
	case attribute:
		return "attribute"
	case subscript:
		return "subscript"
	case lambda:
		return "lambda"
	case joined:
		return "f-string expression"
	case comprehension:
		return [...]string{listComprehension: "list comprehension", setComprehension: "set comprehension",
			dictComprehension: "dict comprehension", generator: "generator expression"}[n.kind]
	case named:
		return "named expression"
	}
	return "expression"
}

// pick returns the parameter yes if the condition is true, and the parameter no otherwise. Both are
// evaluated in either case.
func pick[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}
