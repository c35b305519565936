package rapidjson

// Options holds the parser flags that differ between releases of the server.
type Options struct {
	// Iterative is kParseIterativeFlag. It changes the error for a document that begins with a
	// closing bracket, a comma or a colon.
	Iterative bool

	// StopWhenDone is kParseStopWhenDoneFlag: text after the root value is ignored.
	StopWhenDone bool

	// MaxDepth limits how many arrays and objects may be open at once; 0 means no limit. RapidJSON
	// itself is limited only by its thread's stack, and not at all if Iterative is set.
	MaxDepth int
}

// Parse reads a document. A zero byte ends the document, and a byte order mark is skipped.
func Parse(text []byte, options Options) (*Value, *ParseError) {
	p := parser{text: text, options: options}
	root, err := p.document()
	if err != nil {
		return nil, err
	}
	return &root, nil
}

// parser keeps an explicit stack. Deep nesting then costs memory, but cannot overflow the stack of
// a thread.
type parser struct {
	text    []byte
	at      int
	options Options
	open    []*Value // open holds the open containers, outermost first
	scratch []byte   // scratch is a buffer for the string being read
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// take returns the next byte and advances. At the end of the text it returns 0.
func (p *parser) take() byte {
	b := p.peek()
	if p.at < len(p.text) {
		p.at++
	}
	return b
}

func (p *parser) consume(want byte) bool {
	if p.at < len(p.text) && p.text[p.at] == want {
		p.at++
		return true
	}
	return false
}

func (p *parser) skipSpace() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\n', '\r', '\t':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) fail(text string) *ParseError { return &ParseError{Text: text, Offset: p.at} }

func (p *parser) document() (Value, *ParseError) {
	for _, mark := range []byte("\xef\xbb\xbf") {
		p.consume(mark)
	}
	p.skipSpace()
	if p.peek() == 0 || p.options.Iterative && isPunctuation(p.peek()) {
		return Value{}, p.fail(DocumentEmpty)
	}
	root, err := p.tree()
	if err != nil || p.options.StopWhenDone {
		return root, err
	}
	if p.skipSpace(); p.peek() != 0 {
		return Value{}, p.fail(RootNotSingular)
	}
	return root, nil
}

func isPunctuation(b byte) bool { return b == ']' || b == '}' || b == ',' || b == ':' }

// tree reads a value with all its nested values.
func (p *parser) tree() (Value, *ParseError) {
	for {
		value, err := p.begin()
		if err != nil {
			return Value{}, err
		}
		for value != nil {
			if len(p.open) == 0 {
				return *value, nil
			}
			if value, err = p.end(*value); err != nil {
				return Value{}, err
			}
		}
	}
}

// begin reads a scalar or an empty container. If a container is not empty, it reads only the
// beginning, up to the first element, and returns nil.
func (p *parser) begin() (*Value, *ParseError) {
	var value Value
	var err *ParseError
	switch p.peek() {
	case '{':
		return p.enter(Object, '}')
	case '[':
		return p.enter(Array, ']')
	case '"':
		value.Kind = String
		value.Text, err = p.quoted()
	case 'n':
		value, err = p.word("null", Null)
	case 't':
		value, err = p.word("true", True)
	case 'f':
		value, err = p.word("false", False)
	default:
		value, err = p.number()
	}
	return &value, err
}

// enter reads the start of a container. It returns the container if it is empty, else nil.
func (p *parser) enter(kind Kind, last byte) (*Value, *ParseError) {
	if p.options.MaxDepth > 0 && len(p.open) >= p.options.MaxDepth {
		return nil, p.fail(Termination)
	}
	p.at++
	p.skipSpace()
	value := &Value{Kind: kind}
	if p.consume(last) {
		return value, nil
	}
	p.open = append(p.open, value)
	if kind == Object {
		return nil, p.name()
	}
	return nil, nil
}

// name reads a member's name and the colon after it.
func (p *parser) name() *ParseError {
	if p.peek() != '"' {
		return p.fail(ObjectMissName)
	}
	name, err := p.quoted()
	if err != nil {
		return err
	}
	p.skipSpace()
	if !p.consume(':') {
		return p.fail(ObjectMissColon)
	}
	p.skipSpace()
	object := p.open[len(p.open)-1]
	object.Members = append(object.Members, Member{Name: name})
	return nil
}

// end appends a complete value to the innermost open container and reads the separator after it. If
// the value was the last one, it returns the container.
func (p *parser) end(value Value) (*Value, *ParseError) {
	container := p.open[len(p.open)-1]
	last, missing := byte(']'), ArrayMissComma
	if container.Kind == Object {
		last, missing = '}', ObjectMissComma
		container.Members[len(container.Members)-1].Value = value
	} else {
		container.List = append(container.List, value)
	}
	p.skipSpace()
	switch {
	case p.consume(last):
		p.open = p.open[:len(p.open)-1]
		return container, nil
	case !p.consume(','):
		return nil, p.fail(missing)
	}
	p.skipSpace()
	if container.Kind == Object {
		return nil, p.name()
	}
	return nil, nil
}

// word reads null, true or false. An error has the offset of the first wrong byte.
func (p *parser) word(word string, kind Kind) (Value, *ParseError) {
	for i := range len(word) {
		if !p.consume(word[i]) {
			return Value{}, p.fail(ValueInvalid)
		}
	}
	return Value{Kind: kind}, nil
}
