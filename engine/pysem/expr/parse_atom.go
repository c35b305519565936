package expr

import "strings"

// primary parses an atom with the calls, subscripts and attributes that follow it.
func (p *parser) primary() (node, error) {
	n, err := p.atom()
	for err == nil {
		op, ok := p.take("(", "[", ".")
		if !ok {
			return n, nil
		}
		switch op {
		case "(":
			n, err = p.call(n)
		case "[":
			n, err = p.subscript(n)
		default:
			t := p.peek()
			if t.kind != tokenName {
				return nil, p.unexpected()
			}
			p.at++
			p.program.attributes = append(p.program.attributes, t.text)
			n = attribute{of: n, id: t.text}
		}
	}
	return nil, err
}

func (p *parser) atom() (node, error) {
	t := p.peek()
	switch t.kind {
	case tokenNumber:
		p.at++
		return constant{value: t.value}, nil
	case tokenString:
		return p.strings()
	case tokenName:
		p.at++
		p.program.used = append(p.program.used, t.text)
		return name{id: t.text}, nil
	case tokenEnd:
		return nil, invalidSyntax()
	}
	switch t.text {
	case "True", "False", "None", "...":
		p.at++
		return constant{value: map[string]Value{"True": true, "False": false, "...": ellipsis{}}[t.text]}, nil
	case "(":
		p.at++
		return p.parenthesis()
	case "[":
		p.at++
		return p.display("]", listDisplay, listComprehension)
	case "{":
		p.at++
		return p.braces()
	case "yield":
		return nil, p.outsideFunction("'yield' outside function")
	case "await":
		return nil, p.outsideFunction("'await' outside function")
	}
	return nil, p.unexpected()
}

// outsideFunction returns the error for yield and await. CPython's grammar accepts them only in
// brackets. In a lambda they are valid, but this package refuses them.
func (p *parser) outsideFunction(message string) error {
	if len(p.scopes) > 0 {
		return refuse(outside, "a lambda that yields")
	}
	if strings.Contains(message, "yield") && !p.bracketsOpen() {
		return invalidSyntax()
	}
	return syntaxError("%s", message)
}

// parenthesis parses what follows an opening parenthesis: a tuple, an expression in parentheses, or
// a generator.
func (p *parser) parenthesis() (node, error) {
	if _, ok := p.take(")"); ok {
		return sequence{kind: tupleDisplay}, nil
	}
	if p.next("yield") {
		return nil, p.outsideFunction("'yield' outside function")
	}
	start := p.at
	first, err := p.starredOrNamed()
	if err != nil {
		return nil, err
	}
	if p.next("for", "async") {
		return p.comprehension(start, dictItem{value: first}, generator, ")")
	}
	if _, ok := p.take(")"); ok {
		if _, isStarred := first.(starred); isStarred {
			return nil, syntaxError("cannot use starred expression here")
		}
		return first, nil
	}
	items, err := p.moreItems(first, ")")
	return sequence{kind: tupleDisplay, items: items}, err
}

func (p *parser) starredOrNamed() (node, error) {
	if _, ok := p.take("*"); ok {
		value, err := p.bitOr()
		return starred{value: value}, err
	}
	return p.namedExpression()
}

// moreItems parses further items, an optional trailing comma, and the closing bracket.
func (p *parser) moreItems(first node, closing string) ([]node, error) {
	items := []node{first}
	for {
		if _, ok := p.take(closing); ok {
			return items, nil
		}
		if err := p.want(","); err != nil {
			return nil, err
		}
		if _, ok := p.take(closing); ok {
			return items, nil
		}
		item, err := p.starredOrNamed()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
}

// display parses a list or set, or a comprehension that makes one, after the opening bracket.
func (p *parser) display(closing string, kind sequenceKind, made comprehensionKind) (node, error) {
	if _, ok := p.take(closing); ok {
		return sequence{kind: kind}, nil
	}
	start := p.at
	first, err := p.starredOrNamed()
	if err != nil {
		return nil, err
	}
	if p.next("for", "async") {
		return p.comprehension(start, dictItem{value: first}, made, closing)
	}
	items, err := p.moreItems(first, closing)
	if err != nil {
		return nil, err
	}
	display := sequence{kind: kind, items: items}
	if kind == setDisplay && len(items) > 2 && allConstant(items) {
		display.folded = foldedSet
	}
	return display, nil
}

// braces parses a set or dict, after the opening brace.
func (p *parser) braces() (node, error) {
	if _, ok := p.take("}"); ok {
		return dict{}, nil
	}
	if p.next("**") {
		return p.dict(nil)
	}
	start := p.at
	if p.next("*") {
		return p.display("}", setDisplay, setComprehension)
	}
	if _, err := p.namedExpression(); err != nil {
		return nil, err
	}
	if p.next(":") {
		if p.isAssignment(start) {
			return nil, invalidSyntax()
		}
		return p.dict(&start)
	}
	p.at = start
	return p.display("}", setDisplay, setComprehension)
}

// isAssignment reports whether a name and := are at the given index of the tokens.
func (p *parser) isAssignment(at int) bool {
	return at+1 < len(p.tokens) && p.tokens[at].kind == tokenName && p.tokens[at+1].text == ":="
}

// dict parses the entries of a dict, or a dict comprehension. start is the index of the token of
// the first key. It is nil if the dict begins with **value.
func (p *parser) dict(start *int) (node, error) {
	if start != nil {
		p.at = *start
	}
	var d dict
	for {
		if _, ok := p.take("}"); ok {
			return d, nil
		}
		item, err := p.dictItem()
		if err != nil {
			return nil, err
		}
		d.entries = append(d.entries, item)
		if p.next("for", "async") {
			if item.key == nil {
				return nil, syntaxError("dict unpacking cannot be used in dict comprehension")
			}
			if start == nil || len(d.entries) > 1 {
				return nil, p.unexpected()
			}
			return p.comprehension(*start, item, dictComprehension, "}")
		}
		if p.next("}") {
			continue
		}
		if err := p.want(","); err != nil {
			return nil, err
		}
	}
}

func (p *parser) dictItem() (dictItem, error) {
	if _, ok := p.take("**"); ok {
		value, err := p.bitOr()
		return dictItem{value: value}, err
	}
	key, err := p.expression()
	if err != nil {
		return dictItem{}, err
	}
	if _, ok := p.take(":"); !ok {
		if p.next("}", ",") {
			return dictItem{}, syntaxError("':' expected after dictionary key")
		}
		return dictItem{}, p.unexpected()
	}
	if p.next("}", ",") {
		return dictItem{}, syntaxError("expression expected after dictionary key and ':'")
	}
	value, err := p.expression()
	return dictItem{key: key, value: value}, err
}

// subscript parses an index or a slice after the opening bracket. Several with commas between make
// a tuple.
func (p *parser) subscript(of node) (node, error) {
	first, isSlice, err := p.sliceItem()
	if err != nil {
		return nil, err
	}
	_, isStarred := first.(starred)
	if _, ok := p.take("]"); ok && !isStarred {
		return subscript{of: of, index: first}, nil
	} else if ok {
		return subscript{of: of, index: sequence{kind: tupleDisplay, items: []node{first}}}, nil
	}
	items := []node{first}
	for {
		if err := p.want(","); err != nil {
			return nil, err
		}
		if _, ok := p.take("]"); ok {
			break
		}
		item, itemIsSlice, err := p.sliceItem()
		if err != nil {
			return nil, err
		}
		isSlice = isSlice || itemIsSlice
		items = append(items, item)
		if _, ok := p.take("]"); ok {
			break
		}
	}
	return subscript{of: of, index: sequence{kind: tupleDisplay, items: items}}, nil
}

// sliceItem reads a slice or an index.
func (p *parser) sliceItem() (n node, isSlice bool, err error) {
	if p.next("*") {
		p.at++
		value, err := p.expression()
		return starred{value: value}, false, err
	}
	var s slice
	if start := p.at; !p.next(":") {
		if s.start, err = p.namedExpression(); err != nil || !p.next(":") {
			return s.start, false, err
		}
		if p.isAssignment(start) {
			return nil, false, invalidSyntax()
		}
	}
	p.at++
	if !p.next(":", ",", "]") {
		if s.stop, err = p.expression(); err != nil {
			return nil, false, err
		}
	}
	if _, ok := p.take(":"); ok && !p.next(",", "]") {
		s.step, err = p.expression()
	}
	return s, true, err
}
