package pysem

import (
	"math/big"
)

// EvalExpression is eval(src) for expressions without names: numbers, strings,
// True, False and None, tuples and lists, arithmetic, comparisons, and, or, not,
// conditional expressions, and calls of int, float, bool, abs, min, max, len and
// sum. What Python refuses is refused with its exception; other Python is
// refused with a NotImplementedError.
func EvalExpression(src string) (any, error) { return evalWith(src, nil) }

// EvalCondition is bool(eval(src)) with vars as the local names. A name that is
// neither there nor built in is a NameError.
func EvalCondition(src string, vars map[string]*big.Int) (bool, error) {
	v, err := evalWith(src, vars)
	if err != nil {
		return false, err
	}
	return Truth(v), nil
}

func evalWith(src string, vars map[string]*big.Int) (any, error) {
	tokens, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &exprParser{tokens: tokens}
	e, err := p.expressionList()
	if err != nil {
		return nil, err
	}
	if p.peek().kind != tokenEnd {
		return nil, syntaxError()
	}
	return e.eval(scope(vars))
}

// scope holds the local names.
type scope map[string]*big.Int

// expr is a node of a parsed expression.
type expr interface {
	eval(scope) (any, error)
}

type (
	constant struct{ value any }
	nameExpr string
	unary    struct {
		op      string
		operand expr
	}
	binary struct {
		op          string
		left, right expr
	}
	// logical is and, or: the value is that of the operand that decides.
	logical struct {
		op          string
		left, right expr
	}
	// comparison is a chain a < b < c.
	comparison struct {
		first expr
		links []comparisonLink
	}
	comparisonLink struct {
		op    string
		right expr
	}
	conditional struct{ condition, then, otherwise expr }
	sequence    struct {
		items []expr
		list  bool
	}
	call struct {
		function string
		args     []expr
	}
)

func (c constant) eval(scope) (any, error) { return c.value, nil }

func (n nameExpr) eval(vars scope) (any, error) {
	if v, ok := vars[string(n)]; ok {
		return Int(v), nil
	}
	if isBuiltin(string(n)) {
		return nil, unsupported("the function " + string(n) + " as a value")
	}
	return nil, Raise("NameError", "name '%s' is not defined", string(n))
}

func (u unary) eval(vars scope) (any, error) {
	v, err := u.operand.eval(vars)
	if err != nil {
		return nil, err
	}
	if u.op == "not" {
		return !Truth(v), nil
	}
	return applyUnary(u.op, v)
}

func (b binary) eval(vars scope) (any, error) {
	left, err := b.left.eval(vars)
	if err != nil {
		return nil, err
	}
	right, err := b.right.eval(vars)
	if err != nil {
		return nil, err
	}
	return applyBinary(b.op, left, right)
}

func (l logical) eval(vars scope) (any, error) {
	left, err := l.left.eval(vars)
	if err != nil || Truth(left) == (l.op == "or") {
		return left, err
	}
	return l.right.eval(vars)
}

func (c comparison) eval(vars scope) (any, error) {
	left, err := c.first.eval(vars)
	if err != nil {
		return nil, err
	}
	for _, link := range c.links {
		right, err := link.right.eval(vars)
		if err != nil {
			return nil, err
		}
		holds, err := compare(link.op, left, right)
		if err != nil || !holds {
			return holds, err
		}
		left = right
	}
	return true, nil
}

func (c conditional) eval(vars scope) (any, error) {
	condition, err := c.condition.eval(vars)
	if err != nil {
		return nil, err
	}
	if Truth(condition) {
		return c.then.eval(vars)
	}
	return c.otherwise.eval(vars)
}

func (s sequence) eval(vars scope) (any, error) {
	values, err := evalAll(s.items, vars)
	if err != nil {
		return nil, err
	}
	if s.list {
		return values, nil
	}
	return Tuple(values), nil
}

func (c call) eval(vars scope) (any, error) {
	if _, shadowed := vars[c.function]; shadowed {
		return nil, Raise("TypeError", "'int' object is not callable")
	}
	if !isBuiltin(c.function) {
		return nil, Raise("NameError", "name '%s' is not defined", c.function)
	}
	args, err := evalAll(c.args, vars)
	if err != nil {
		return nil, err
	}
	return callBuiltin(c.function, args)
}

func evalAll(items []expr, vars scope) ([]any, error) {
	values := make([]any, 0, len(items))
	for _, item := range items {
		v, err := item.eval(vars)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func syntaxError() *Error { return &Error{Type: "SyntaxError", Message: "invalid syntax"} }

func unsupported(what string) *Error {
	return Raise("NotImplementedError", "%s is not supported in expressions", what)
}
