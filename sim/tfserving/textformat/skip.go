package textformat

import "strings"

// skipContent skips what follows the name of an unknown field: a colon and a value, or a message.
func (p *parser) skipContent() bool {
	if p.tryConsume(":") && !p.lookingAt("{") && !p.lookingAt("<") {
		return p.skipValue()
	}
	return p.skipMessage()
}

func (p *parser) skipMessage() bool {
	closing, ok := p.open()
	for ok && !p.lookingAt(">") && !p.lookingAt("}") {
		ok = p.skipField()
	}
	return ok && p.consume(closing)
}

func (p *parser) skipField() (ok bool) {
	if p.tryConsume("[") {
		ok = p.skipTypeName() && p.consume("]")
	} else {
		_, ok = p.consumeIdentifier()
	}
	return ok && p.skipContent() && p.separator()
}

// skipTypeName skips the name of an extension or the URL of a type, with dots and slashes anywhere
// between its words.
func (p *parser) skipTypeName() bool {
	_, ok := p.consumeIdentifier()
	for ok && (p.tryConsume(".") || p.tryConsume("/")) {
		_, ok = p.consumeIdentifier()
	}
	return ok
}

// skipValue skips a value: strings, a list, or a word with an optional sign. A list that is empty
// is an error, though it is none of a known field (SkipFieldValue).
func (p *parser) skipValue() bool {
	if p.current.kind == text {
		for p.current.kind == text {
			p.next()
		}
		return true
	}
	if p.tryConsume("[") {
		return p.elements(func() bool {
			if p.lookingAt("{") || p.lookingAt("<") {
				return p.skipMessage()
			}
			return p.skipValue()
		})
	}
	minus := p.tryConsume("-")
	switch p.current.kind {
	case integer, float:
	case identifier:
		if word := strings.ToLower(p.current.text); minus && !isFloatWord(word) {
			return p.fail("Invalid float number: %s", word)
		}
	default:
		return p.fail("Cannot skip field value, unexpected token: %s", p.current.text)
	}
	p.next()
	return true
}

func isFloatWord(word string) bool { return word == "inf" || word == "infinity" || word == "nan" }
