package pysem

import "slices"

// maxNesting keeps hostile sources from exhausting the stack; CPython's parser
// stops at a few hundred levels too.
const maxNesting = 100

// exprParser reads Python's expression grammar by recursive descent, loosest
// binding first.
type exprParser struct {
	tokens []token
	at     int
	depth  int
}

func (p *exprParser) peek() token {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return token{}
}

// take moves on when one of the operators stands next, and says which.
func (p *exprParser) take(operators ...string) (string, bool) {
	t := p.peek()
	if t.kind != tokenOperator || !slices.Contains(operators, t.text) {
		return "", false
	}
	p.at++
	return t.text, true
}

// expressionList reads one expression, or several with commas as a tuple.
func (p *exprParser) expressionList() (expr, error) {
	first, err := p.expression()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != tokenOperator || t.text != "," {
		return first, nil
	}
	items, err := p.moreItems(first)
	return sequence{items: items}, err
}

// moreItems reads ", item, item" with an optional comma at the end.
func (p *exprParser) moreItems(first expr) ([]expr, error) {
	items := []expr{first}
	for {
		if _, ok := p.take(","); !ok {
			return items, nil
		}
		if t := p.peek(); t.kind == tokenEnd || t.text == ")" || t.text == "]" {
			return items, nil
		}
		item, err := p.expression()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
}

func (p *exprParser) expression() (expr, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxNesting {
		return nil, &Error{Type: "SyntaxError", Message: "too many nested parentheses"}
	}
	then, err := p.or()
	if err != nil {
		return nil, err
	}
	if _, ok := p.take("if"); !ok {
		return then, nil
	}
	condition, err := p.or()
	if err != nil {
		return nil, err
	}
	if _, ok := p.take("else"); !ok {
		return nil, syntaxError()
	}
	otherwise, err := p.expression()
	return conditional{condition: condition, then: then, otherwise: otherwise}, err
}

func (p *exprParser) or() (expr, error) {
	return p.logical("or", p.and)
}

func (p *exprParser) and() (expr, error) {
	return p.logical("and", p.not)
}

func (p *exprParser) logical(op string, operand func() (expr, error)) (expr, error) {
	left, err := operand()
	for err == nil {
		if _, ok := p.take(op); !ok {
			return left, nil
		}
		var right expr
		right, err = operand()
		left = logical{op: op, left: left, right: right}
	}
	return nil, err
}

func (p *exprParser) not() (expr, error) {
	count := 0
	for {
		if _, ok := p.take("not"); !ok {
			break
		}
		count++
	}
	e, err := p.comparison()
	for range count {
		e = unary{op: "not", operand: e}
	}
	return e, err
}

func (p *exprParser) comparison() (expr, error) {
	first, err := p.bitOr()
	if err != nil {
		return nil, err
	}
	var links []comparisonLink
	for {
		op, ok := p.comparisonOperator()
		if !ok {
			break
		}
		right, err := p.bitOr()
		if err != nil {
			return nil, err
		}
		links = append(links, comparisonLink{op: op, right: right})
	}
	if links == nil {
		return first, nil
	}
	return comparison{first: first, links: links}, nil
}

func (p *exprParser) comparisonOperator() (string, bool) {
	if op, ok := p.take("<", ">", "<=", ">=", "==", "!=", "in"); ok {
		return op, true
	}
	if _, ok := p.take("is"); ok {
		if _, ok := p.take("not"); ok {
			return "is not", true
		}
		return "is", true
	}
	if p.peek().text == "not" && p.at+1 < len(p.tokens) && p.tokens[p.at+1].text == "in" {
		p.at += 2
		return "not in", true
	}
	return "", false
}

// leftAssociative are the binary operators from the loosest to the tightest.
var leftAssociative = [][]string{
	{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%"},
}

func (p *exprParser) bitOr() (expr, error) { return p.binary(0) }

func (p *exprParser) binary(level int) (expr, error) {
	if level == len(leftAssociative) {
		return p.sign()
	}
	left, err := p.binary(level + 1)
	for err == nil {
		op, ok := p.take(leftAssociative[level]...)
		if !ok {
			return left, nil
		}
		var right expr
		right, err = p.binary(level + 1)
		left = binary{op: op, left: left, right: right}
	}
	return nil, err
}

// sign binds looser than ** on its left and tighter on its right: -2**-1.
func (p *exprParser) sign() (expr, error) {
	var signs []string
	for {
		op, ok := p.take("+", "-", "~")
		if !ok {
			break
		}
		signs = append(signs, op)
	}
	e, err := p.power()
	for _, op := range slices.Backward(signs) {
		e = unary{op: op, operand: e}
	}
	return e, err
}

func (p *exprParser) power() (expr, error) {
	base, err := p.atom()
	if err != nil {
		return nil, err
	}
	if _, ok := p.take("**"); !ok {
		return base, nil
	}
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxNesting {
		return nil, &Error{Type: "SyntaxError", Message: "too many nested parentheses"}
	}
	exponent, err := p.sign()
	return binary{op: "**", left: base, right: exponent}, err
}

func (p *exprParser) atom() (expr, error) {
	t := p.peek()
	p.at++
	switch {
	case t.kind == tokenValue:
		return p.afterAtom(constant{value: t.value})
	case t.kind == tokenName:
		if slices.Contains(otherKeywords, t.text) {
			return nil, unsupportedWord(t.text)
		}
		if _, ok := p.take("("); ok {
			args, err := p.items(")")
			if err != nil {
				return nil, err
			}
			return p.afterAtom(call{function: t.text, args: args})
		}
		return p.afterAtom(nameExpr(t.text))
	case t.text == "[":
		items, err := p.items("]")
		if err != nil {
			return nil, err
		}
		return p.afterAtom(sequence{items: items, list: true})
	case t.text == "(":
		return p.parenthesis()
	}
	return nil, syntaxError()
}

// unsupportedWord tells a lambda, which is an expression, from statements.
func unsupportedWord(word string) *Error {
	if word == "lambda" || word == "await" || word == "yield" {
		return unsupported(word)
	}
	return syntaxError()
}

// afterAtom refuses indexing and calls of values.
func (p *exprParser) afterAtom(e expr) (expr, error) {
	if t := p.peek(); t.text == "(" || t.text == "[" {
		return nil, unsupported("indexing or calling a value")
	}
	return e, nil
}

func (p *exprParser) parenthesis() (expr, error) {
	if _, ok := p.take(")"); ok {
		return p.afterAtom(sequence{})
	}
	e, err := p.expressionList()
	if err != nil {
		return nil, err
	}
	if _, ok := p.take(")"); !ok {
		return nil, syntaxError()
	}
	return p.afterAtom(e)
}

// items reads what stands up to the closing bracket.
func (p *exprParser) items(closing string) ([]expr, error) {
	if _, ok := p.take(closing); ok {
		return nil, nil
	}
	first, err := p.expression()
	if err != nil {
		return nil, err
	}
	items, err := p.moreItems(first)
	if err != nil {
		return nil, err
	}
	if _, ok := p.take(closing); !ok {
		return nil, syntaxError()
	}
	return items, nil
}
