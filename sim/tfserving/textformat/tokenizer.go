package textformat

import (
	"fmt"
	"slices"
	"strings"
)

// kind says what a token is, such as an identifier or an integer.
type kind int

const (
	start kind = iota
	end
	identifier
	integer
	float
	text
	symbol
)

// token is a piece of a text with its position. Lines and columns are counted from 0.
type token struct {
	kind                    kind
	text                    string
	line, column, endColumn int
}

// tokenizer splits a text into tokens as io/tokenizer.cc does. Comments begin with #, and floats
// may end in f. An invalid token is recorded as an error in found, and returned all the same.
type tokenizer struct {
	text              string
	at, line, column  int
	current, previous token
	found             []string // mistakes found so far
}

const tabWidth = 8

// char returns the next character. At the end it returns 0, which may also occur inside a text.
func (t *tokenizer) char() byte {
	if t.at < len(t.text) {
		return t.text[t.at]
	}
	return 0
}

func (t *tokenizer) ended() bool { return t.at >= len(t.text) }

func (t *tokenizer) skip() {
	switch t.char() {
	case '\n':
		t.line, t.column = t.line+1, 0
	case '\t':
		t.column += tabWidth - t.column%tabWidth
	default:
		t.column++
	}
	t.at++
}

// take skips the next character if it belongs to the class, and reports whether it did.
func (t *tokenizer) take(class func(byte) bool) bool {
	ok := !t.ended() && class(t.char())
	if ok {
		t.skip()
	}
	return ok
}

func (t *tokenizer) takeAll(class func(byte) bool) {
	for t.take(class) {
	}
}

func one(of string) func(byte) bool {
	return func(c byte) bool { return strings.IndexByte(of, c) >= 0 }
}

func isSpace(c byte) bool   { return c == ' ' || c >= '\t' && c <= '\r' }
func isControl(c byte) bool { return c < ' ' }
func isLetter(c byte) bool  { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool   { return c >= '0' && c <= '9' }
func isOctal(c byte) bool   { return c >= '0' && c <= '7' }
func isHex(c byte) bool     { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
func isAlnum(c byte) bool   { return isLetter(c) || isDigit(c) }

func (t *tokenizer) wrong(line, column int, format string, args ...any) {
	t.found = append(t.found, fmt.Sprintf("%d:%d: ", line+1, column+1)+fmt.Sprintf(format, args...))
}

// wrongHere records an error at the next character.
func (t *tokenizer) wrongHere(format string, args ...any) { t.wrong(t.line, t.column, format, args...) }

// next advances to the next token (Tokenizer::Next).
func (t *tokenizer) next() {
	t.previous = t.current
	for t.skipSpace(); !t.ended(); t.skipSpace() {
		if isControl(t.char()) {
			t.wrongHere("Invalid control characters encountered in text.")
			t.takeAll(isControl)
			continue
		}
		from := t.at
		t.current = token{line: t.line, column: t.column}
		t.current.kind = t.token()
		t.current.text, t.current.endColumn = t.text[from:t.at], t.column
		return
	}
	t.current = token{kind: end, line: t.line, column: t.column, endColumn: t.column}
}

// skipSpace skips white space and comments. A zero byte ends a comment.
func (t *tokenizer) skipSpace() {
	for t.takeAll(isSpace); t.take(one("#")); t.takeAll(isSpace) {
		t.takeAll(func(c byte) bool { return c != 0 && c != '\n' })
	}
}

// token consumes one token and returns its kind.
func (t *tokenizer) token() kind {
	switch c := t.char(); {
	case isLetter(c):
		t.takeAll(isAlnum)
		return identifier
	case isDigit(c):
		t.skip()
		return t.number(c == '0', false)
	case c == '.':
		t.skip()
		if !t.take(isDigit) {
			return symbol
		}
		if p := t.previous; p.kind == identifier && p.line == t.current.line && p.endColumn == t.current.column {
			t.wrong(t.line, t.column-2, "Need space between identifier and decimal point.")
		}
		return t.number(false, true)
	case c == '"' || c == '\'':
		t.skip()
		t.string(c)
		return text
	case c >= 0x80:
		t.wrongHere("Interpreting non ascii codepoint %d.", c)
	}
	t.skip()
	return symbol
}

// number consumes the rest of a number (ConsumeNumber). fromZero and fromDot say whether it began
// with 0 or with a decimal point.
func (t *tokenizer) number(fromZero, fromDot bool) kind {
	kind := integer
	switch {
	case fromZero && t.take(one("xX")):
		if !t.take(isHex) {
			t.wrongHere(`"0x" must be followed by hex digits.`)
		}
		t.takeAll(isHex)
	case fromZero && isDigit(t.char()):
		t.takeAll(isOctal)
		if isDigit(t.char()) {
			t.wrongHere("Numbers starting with leading zero must be in octal.")
			t.takeAll(isDigit)
		}
	default:
		if t.takeAll(isDigit); fromDot || t.take(one(".")) {
			kind = float
			t.takeAll(isDigit)
		}
		if t.take(one("eE")) {
			kind = float
			t.take(one("-+"))
			if !t.take(isDigit) {
				t.wrongHere(`"e" must be followed by exponent.`)
			}
			t.takeAll(isDigit)
		}
		if t.take(one("fF")) {
			kind = float
		}
	}
	switch {
	case isLetter(t.char()):
		t.wrongHere("Need space between number and identifier.")
	case t.char() == '.' && kind == float:
		t.wrongHere("Already saw decimal point or exponent; can't have another one.")
	case t.char() == '.':
		t.wrongHere("Hex and octal numbers must be integers.")
	}
	return kind
}

// string consumes the rest of a string, up to the closing quote (ConsumeString).
func (t *tokenizer) string(quote byte) {
	for {
		switch c := t.char(); {
		case c == 0:
			t.wrongHere("Unexpected end of string.")
			return
		case c == '\n':
			t.wrongHere("String literals cannot cross line boundaries.")
			return
		case c == '\\':
			t.skip()
			t.escape()
		default:
			t.skip()
			if c == quote {
				return
			}
		}
	}
}

// escape consumes the part of an escape sequence that makes it valid. Further digits are consumed
// later like other characters.
func (t *tokenizer) escape() {
	switch {
	case t.take(one(`abfnrtv\?'"`)), t.take(isOctal):
	case t.take(one("x")):
		if !t.take(isHex) {
			t.wrongHere("Expected hex digits for escape sequence.")
		}
	case t.take(one("u")):
		if !t.takeEach(isHex, isHex, isHex, isHex) {
			t.wrongHere(`Expected four hex digits for \u escape sequence.`)
		}
	case t.take(one("U")):
		if !t.takeEach(one("0"), one("0"), one("01"), isHex, isHex, isHex, isHex, isHex) {
			t.wrongHere(`Expected eight hex digits up to 10ffff for \U escape sequence`)
		}
	default:
		t.wrongHere("Invalid escape sequence in string literal.")
	}
}

func (t *tokenizer) takeEach(classes ...func(byte) bool) bool {
	return !slices.ContainsFunc(classes, func(class func(byte) bool) bool { return !t.take(class) })
}
