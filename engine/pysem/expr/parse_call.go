package expr

import "slices"

// call parses the arguments of a call, after the opening parenthesis.
func (p *parser) call(function node) (node, error) {
	c := call{function: function}
	start := p.at
	for {
		if _, ok := p.take(")"); ok {
			return c, nil
		}
		from := p.at
		if err := p.argument(&c); err != nil {
			return nil, err
		}
		if p.next("for", "async") {
			return p.generatorArgument(c, start, from)
		}
		if p.next(")") {
			continue
		}
		if err := p.want(","); err != nil {
			return nil, err
		}
	}
}

// generatorArgument parses a generator without parentheses, as in f(x for x in y). It must be the
// only argument. start is the index of the first argument's first token, and from is the index of
// the generator's first token.
func (p *parser) generatorArgument(c call, start, from int) (node, error) {
	if len(c.args) == 0 || len(c.keywords) > 0 {
		return nil, syntaxError("invalid syntax. Maybe you meant '==' or ':=' instead of '='?")
	}
	if _, isStarred := c.args[len(c.args)-1].(starred); isStarred {
		return nil, syntaxError("iterable unpacking cannot be used in comprehension")
	}
	generated, err := p.comprehension(from, dictItem{value: c.args[len(c.args)-1]}, generator, "")
	if err != nil {
		return nil, err
	}
	if from != start || !p.next(")") {
		if p.next(")", ",") {
			return nil, syntaxError("Generator expression must be parenthesized")
		}
		return nil, p.unexpected()
	}
	p.at++
	return call{function: c.function, args: []node{generated}}, nil
}

func (p *parser) argument(c *call) error {
	if _, ok := p.take("**"); ok {
		value, err := p.expression()
		c.keywords = append(c.keywords, keyword{value: value})
		return err
	}
	if t := p.peek(); p.follows("=") {
		if t.kind == tokenName {
			return p.keywordArgument(c, t.text)
		}
		if slices.Contains([]string{"True", "False", "None"}, t.text) {
			return syntaxError("cannot assign to %s", t.text)
		}
	}
	if _, ok := p.take("*"); ok {
		if slices.ContainsFunc(c.keywords, func(k keyword) bool { return k.id == "" }) {
			return syntaxError("iterable argument unpacking follows keyword argument unpacking")
		}
		value, err := p.expression()
		c.args = append(c.args, starred{value: value})
		return err
	}
	value, err := p.namedExpression()
	if err != nil {
		return err
	}
	if p.next("=") {
		return syntaxError("expression cannot contain assignment, perhaps you meant \"==\"?")
	}
	if len(c.keywords) > 0 && !p.next("for") {
		if slices.ContainsFunc(c.keywords, func(k keyword) bool { return k.id == "" }) {
			return syntaxError("positional argument follows keyword argument unpacking")
		}
		return syntaxError("positional argument follows keyword argument")
	}
	c.args = append(c.args, value)
	return nil
}

func (p *parser) keywordArgument(c *call, id string) error {
	p.at += 2
	if p.next(",", ")") {
		return syntaxError("expected argument value expression")
	}
	value, err := p.expression()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(c.keywords, func(k keyword) bool { return k.id == id }) {
		return syntaxError("keyword argument repeated: %s", id)
	}
	c.keywords = append(c.keywords, keyword{id: id, value: value})
	return nil
}

// comprehension parses the clauses of a comprehension and its closing bracket, "" for none. The
// element begins at the token with the index start, and was already parsed as item.
func (p *parser) comprehension(start int, item dictItem, kind comprehensionKind, closing string) (node, error) {
	c := comprehension{kind: kind, scope: &scope{name: scopeNames[kind], bound: map[string]bool{}, comprehension: true}, key: item.key, element: item.value}
	assigns := slices.ContainsFunc(p.tokens[start:p.at], func(t token) bool { return t.text == ":=" && t.kind == tokenOperator })
	p.scopes = append(p.scopes, c.scope)
	err := p.clauses(&c)
	if _, isStarred := item.value.(starred); isStarred && err == nil {
		err = syntaxError("iterable unpacking cannot be used in comprehension")
	}
	if assigns && err == nil {
		end := p.at
		p.at = start
		err = p.element(&c)
		p.at = end
	}
	p.scopes = p.scopes[:len(p.scopes)-1]
	if err != nil {
		return nil, err
	}
	if closing != "" {
		if err := p.want(closing); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// element parses the element again. The names that := in the element must not assign are known only
// now, after the clauses.
func (p *parser) element(c *comprehension) (err error) {
	if c.kind != dictComprehension {
		c.element, err = p.namedExpression()
		return err
	}
	item, err := p.dictItem()
	c.key, c.element = item.key, item.value
	return err
}

// clauses parses the clauses "for target in items if condition …" of a comprehension.
func (p *parser) clauses(c *comprehension) error {
	for {
		if p.next("async") {
			return syntaxError("asynchronous comprehension outside of an asynchronous function")
		}
		if _, ok := p.take("for"); !ok {
			return nil
		}
		var cl clause
		var err error
		if cl.target, err = p.targets(c.scope); err != nil {
			return err
		}
		if err := p.want("in"); err != nil {
			return err
		}
		if cl.items, err = p.iterableOf(c); err != nil {
			return err
		}
		if s, ok := cl.items.(sequence); ok && s.kind == setDisplay && allConstant(s.items) {
			s.folded = foldedWalked
			cl.items = s
		}
		for p.next("if") {
			p.at++
			condition, err := p.or()
			if err != nil {
				return err
			}
			cl.conditions = append(cl.conditions, condition)
		}
		c.clauses = append(c.clauses, cl)
	}
}

// iterableOf parses the iterable of a clause. The first iterable of a comprehension sees only the
// outer scopes.
func (p *parser) iterableOf(c *comprehension) (node, error) {
	p.iterable++
	defer func() { p.iterable-- }()
	if len(c.clauses) > 0 {
		return p.or()
	}
	own := p.scopes
	p.scopes = own[: len(own)-1 : len(own)-1]
	n, err := p.or()
	p.scopes = own
	return n, err
}

// targets reads the targets of a clause, up to "in".
func (p *parser) targets(s *scope) (target, error) {
	return p.targetList(s, func() bool { return p.next("in") })
}

// targetList parses targets, and stops when the function in ends returns true. Several targets, or
// one with a comma, make a tuple.
func (p *parser) targetList(s *scope, ends func() bool) (target, error) {
	all := target{star: -1}
	for comma := false; ; comma = true {
		if ends() && comma {
			return all, nil
		}
		star := false
		if _, ok := p.take("*"); ok {
			star = true
		}
		t, err := p.target(s)
		if err != nil {
			return target{}, err
		}
		if star {
			if all.star >= 0 {
				return target{}, syntaxError("multiple starred expressions in assignment")
			}
			all.star = len(all.several)
		}
		all.several = append(all.several, t)
		if _, ok := p.take(","); !ok {
			if !comma && !star {
				return t, nil
			}
			if !comma {
				return target{}, syntaxError("starred assignment target must be in a list or tuple")
			}
			return all, nil
		}
	}
}

func (p *parser) target(s *scope) (target, error) {
	switch {
	case p.next("("), p.next("["):
		p.at++
		closing := map[string]string{"(": ")", "[": "]"}[p.tokens[p.at-1].text]
		all, err := p.bracketedTarget(s, closing)
		if err != nil {
			return target{}, err
		}
		return all, p.want(closing)
	case p.peek().kind == tokenName && !p.follows(".") && !p.follows("[") && !p.follows("("):
		t := p.peek()
		p.at++
		if t.text == "__debug__" {
			return target{}, syntaxError("cannot assign to __debug__")
		}
		p.bind(s, t.text)
		return target{id: t.text, star: -1}, nil
	}
	n, err := p.primary()
	if err != nil {
		return target{}, err
	}
	switch n.(type) {
	case attribute, subscript:
		return target{}, refuse(outside, "a comprehension that assigns to an item or an attribute")
	}
	return target{}, syntaxError("cannot assign to %s", kindOf(n))
}

func (p *parser) bracketedTarget(s *scope, closing string) (target, error) {
	if p.next(closing) {
		return target{star: -1, several: []target{}}, nil
	}
	all, err := p.targetList(s, func() bool { return p.next(closing) })
	if err == nil && closing == "]" && all.id != "" {
		all = target{star: -1, several: []target{all}}
	}
	return all, err
}
