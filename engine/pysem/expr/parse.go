package expr

import (
	"slices"

	"github.com/monosim/monosim/engine/pysem"
)

// parser parses Python expressions by recursive descent, from the loosest binding operators to the
// tightest.
type parser struct {
	program *Program // program that collects the names which the expression reads
	tokens  []token
	at      int
	depth   int
	work    int // number of expressions parsed so far, some of them twice
	// scopes holds the lambdas and comprehensions that enclose the next token, the outermost first.
	scopes []*scope
	// iterable counts the comprehension iterables that enclose the next token. Inside of them := is
	// an error.
	iterable int
}

// parse parses a source text, and adds the names that it uses to program.
func parse(src string, program *Program) (node, error) {
	tokens, lexed := lex(src)
	if src == "" {
		return nil, raise("SyntaxError", "invalid syntax (<string>, line 0)")
	}
	n, err := (&parser{program: program, tokens: tokens}).whole()
	if lexed != nil && pysem.TypeOf(err) != "IndentationError" {
		return nil, lexed
	}
	return n, err
}

// whole parses all tokens. An indented line after the expression is an error. It is reported in
// preference to other errors in the same line (Parser/pegen_errors.c, _PyPegen_set_syntax_error).
func (p *parser) whole() (node, error) {
	n, err := p.expressionList()
	if err != nil {
		return nil, err
	}
	switch t := p.peek(); {
	case t.kind == tokenNewline && t.text == "\n ":
		return nil, unexpectedIndent()
	case t.kind != tokenEnd:
		return nil, p.unexpected()
	}
	return n, nil
}

func (p *parser) peek() token {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return token{}
}

// next reports whether the next token is one of the operators.
func (p *parser) next(operators ...string) bool {
	t := p.peek()
	return t.kind == tokenOperator && slices.Contains(operators, t.text)
}

// follows reports whether the token after the next one is an operator.
func (p *parser) follows(operator string) bool {
	return p.at+1 < len(p.tokens) && p.tokens[p.at+1].kind == tokenOperator && p.tokens[p.at+1].text == operator
}

// take consumes the next token if it is one of the operators, and returns it.
func (p *parser) take(operators ...string) (string, bool) {
	if !p.next(operators...) {
		return "", false
	}
	p.at++
	return p.tokens[p.at-1].text, true
}

// want consumes the given operator. Any other token is a SyntaxError.
func (p *parser) want(operator string) error {
	if _, ok := p.take(operator); !ok {
		return p.unexpected()
	}
	return nil
}

// unexpected returns the SyntaxError for the next token. As in CPython, its text can suggest a
// forgotten comma or a wrong "=".
func (p *parser) unexpected() error {
	t := p.peek()
	switch {
	case t.text == "=" && t.kind == tokenOperator && p.at > 0 && p.bracketsOpen():
		return syntaxError("invalid syntax. Maybe you meant '==' or ':=' instead of '='?")
	case p.at > 0 && p.bracketsOpen() && startsOperand(t) && endsOperand(p.tokens[p.at-1]):
		return syntaxError("invalid syntax. Perhaps you forgot a comma?")
	case p.at == 1 && startsOperand(t) && (p.tokens[0].text == "print" || p.tokens[0].text == "exec"):
		return syntaxError("Missing parentheses in call to '%[1]s'. Did you mean %[1]s(...)?", p.tokens[0].text)
	}
	return invalidSyntax()
}

// bracketsOpen reports whether a bracket is open before the next token.
func (p *parser) bracketsOpen() bool {
	depth := 0
	for _, t := range p.tokens[:p.at] {
		if t.kind != tokenOperator {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
	}
	return depth > 0
}

func startsOperand(t token) bool {
	return t.kind == tokenNumber || t.kind == tokenString || t.kind == tokenName ||
		t.kind == tokenOperator && slices.Contains([]string{"(", "[", "{", "True", "False", "None", "lambda", "not", "~", "..."}, t.text)
}

func endsOperand(t token) bool {
	return t.kind == tokenNumber || t.kind == tokenString || t.kind == tokenName ||
		t.kind == tokenOperator && slices.Contains([]string{")", "]", "}", "True", "False", "None", "..."}, t.text)
}

// nested counts one more level of nesting. The caller ends the level by p.depth--.
func (p *parser) nested() error {
	p.work++
	if p.depth++; p.depth > Limits.Brackets || p.work > Limits.Steps/100 {
		return refuse(tooLarge, "an expression so deeply nested")
	}
	return nil
}

// expressionList parses an expression, or several with commas between, which make a tuple.
func (p *parser) expressionList() (node, error) {
	first, err := p.expression()
	if err != nil || !p.next(",") {
		return first, err
	}
	items := []node{first}
	for {
		if _, ok := p.take(","); !ok || p.peek().kind == tokenEnd || p.peek().kind == tokenNewline {
			return sequence{kind: tupleDisplay, items: items}, nil
		}
		item, err := p.expression()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
}

// namedExpression reads an expression or an assignment with :=.
func (p *parser) namedExpression() (node, error) {
	if t := p.peek(); t.kind == tokenName && p.follows(":=") {
		p.at += 2
		value, err := p.expression()
		if err != nil {
			return nil, err
		}
		return p.assign(t.text, value)
	}
	n, err := p.expression()
	if err == nil && p.next(":=") {
		return nil, syntaxError("cannot use assignment expressions with %s", kindOf(n))
	}
	return n, err
}

// assign binds the name before := in the nearest enclosing lambda. Comprehensions in between are
// skipped.
func (p *parser) assign(id string, value node) (node, error) {
	if p.iterable > 0 {
		return nil, syntaxError("assignment expression cannot be used in a comprehension iterable expression")
	}
	if slices.Contains([]string{"True", "False", "None", "__debug__"}, id) {
		return nil, syntaxError("cannot assign to %s", id)
	}
	for _, s := range slices.Backward(p.scopes) {
		if !s.comprehension {
			p.bind(s, id)
			break
		}
		if s.bound[id] {
			return nil, syntaxError("assignment expression cannot rebind comprehension iteration variable '%s'", id)
		}
	}
	p.program.bound[id] = true
	return named{id: id, value: value}, nil
}

// bind makes a name local to a lambda or a comprehension.
func (p *parser) bind(s *scope, id string) {
	s.bound[id] = true
	p.program.bound[id] = true
}

func (p *parser) expression() (node, error) {
	if err := p.nested(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if p.next("lambda") {
		return p.lambda()
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
		if p.next(":") {
			return nil, invalidSyntax()
		}
		return nil, syntaxError("expected 'else' after 'if' expression")
	}
	otherwise, err := p.expression()
	return conditional{condition: condition, then: then, otherwise: otherwise}, err
}

func (p *parser) or() (node, error) { return p.logical("or", p.and) }

func (p *parser) and() (node, error) { return p.logical("and", p.not) }

func (p *parser) logical(op string, operand func() (node, error)) (node, error) {
	left, err := operand()
	for err == nil {
		if _, ok := p.take(op); !ok {
			return left, nil
		}
		var right node
		right, err = operand()
		left = logical{op: op, left: left, right: right}
	}
	return nil, err
}

func (p *parser) not() (node, error) {
	if _, ok := p.take("not"); !ok {
		return p.comparison()
	}
	if err := p.nested(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	operand, err := p.not()
	return unary{op: "not", operand: operand}, err
}

func (p *parser) comparison() (node, error) {
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

func (p *parser) comparisonOperator() (string, bool) {
	if op, ok := p.take("<", ">", "<=", ">=", "==", "!=", "in"); ok {
		return op, true
	}
	if _, ok := p.take("is"); ok {
		if _, ok := p.take("not"); ok {
			return "is not", true
		}
		return "is", true
	}
	if p.next("not") && p.follows("in") {
		p.at += 2
		return "not in", true
	}
	return "", false
}

// leftAssociative lists the binary operators, from the loosest binding to the tightest.
var leftAssociative = [][]string{
	{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"},
}

func (p *parser) bitOr() (node, error) { return p.binary(0) }

func (p *parser) binary(level int) (node, error) {
	if level == len(leftAssociative) {
		return p.sign()
	}
	left, err := p.binary(level + 1)
	for err == nil {
		op, ok := p.take(leftAssociative[level]...)
		if !ok {
			return left, nil
		}
		var right node
		right, err = p.binary(level + 1)
		left = binary{op: op, left: left, right: right}
	}
	return nil, err
}

// sign parses a prefix operator +, - or ~. It binds less tightly than a ** after its operand, and
// more tightly than a ** before it, as in 2**-1.
func (p *parser) sign() (node, error) {
	op, ok := p.take("+", "-", "~")
	if !ok {
		return p.power()
	}
	if err := p.nested(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	operand, err := p.sign()
	return unary{op: op, operand: operand}, err
}

func (p *parser) power() (node, error) {
	base, err := p.primary()
	if err != nil {
		return nil, err
	}
	if _, ok := p.take("**"); !ok {
		return base, nil
	}
	if err := p.nested(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	exponent, err := p.sign()
	return binary{op: "**", left: base, right: exponent}, err
}
