package textformat

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/pysem"
)

// tokenizer splits a text into tokens (class Tokenizer of text_format.py). It first splits the text
// into lines, so a token never extends over two lines.
type tokenizer struct {
	lines []string // lines that are still to be read
	place          // position of the present token
	ended bool     // whether there is no further token
	token string   // present token; "" at the end

	previous place // position of the token before
}

// place is a position in the text: a line, and a byte of that line.
type place struct {
	line int // number of the line, from 0
	text string
	at   int // offset in the line's bytes
}

func newTokenizer(text string) *tokenizer {
	t := &tokenizer{lines: strings.Split(text, "\n"), place: place{line: -1}}
	t.skipSpace()
	t.next()
	return t
}

func (t *tokenizer) atEnd() bool { return t.token == "" }

// next moves to the next token.
func (t *tokenizer) next() {
	t.previous = t.place
	t.at += len(t.token)
	t.skipSpace()
	t.token = ""
	if !t.ended {
		t.token = t.text[t.at : t.at+tokenLen(t.text[t.at:])]
	}
}

// skipSpace skips white space, comments and line ends.
func (t *tokenizer) skipSpace() {
	for {
		for t.at >= len(t.text) {
			if len(t.lines) == 0 {
				t.ended = true
				return
			}
			t.place = place{line: t.line + 1, text: t.lines[0]}
			t.lines = t.lines[1:]
		}
		rest := strings.TrimLeftFunc(t.text[t.at:], pysem.IsSpace)
		if strings.HasPrefix(rest, "#") {
			rest = ""
		}
		if len(rest) == len(t.text)-t.at {
			return
		}
		t.at = len(t.text) - len(rest)
	}
}

// tokenLen returns the length of the token at the beginning of a text. It is a name, a number, a
// string up to its end or the end of the line, or otherwise one character.
func tokenLen(text string) int {
	switch c := text[0]; {
	case isLetter(c):
		return span(text, func(c byte) bool { return isAlnum(c) || c == '_' || c == '+' || c == '-' })
	case isDigit(c) || c == '+' || c == '-' || c == '.' && len(text) > 1 && isDigit(text[1]):
		return span(text, func(c byte) bool { return isAlnum(c) || strings.IndexByte("_.+-", c) >= 0 })
	case isQuote(c):
		return stringLen(text, c)
	}
	_, size := utf8.DecodeRuneInString(text)
	return size
}

func span(text string, in func(byte) bool) int {
	n := 1
	for n < len(text) && in(text[n]) {
		n++
	}
	return n
}

func stringLen(text string, quote byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(text)
}

func isQuote(c byte) bool  { return c == '"' || c == '\'' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isAlnum(c byte) bool  { return isDigit(c) || c != '_' && isLetter(c) }

func (t *tokenizer) tryConsume(token string) bool {
	if t.token != token {
		return false
	}
	t.next()
	return true
}

func (t *tokenizer) consume(token string) error {
	if !t.tryConsume(token) {
		return t.fail(`Expected "%s".`, token)
	}
	return nil
}

// consumeIdentifier returns the token if it begins with a letter of any script or an underscore,
// and moves on.
func (t *tokenizer) consumeIdentifier() (string, error) {
	first, _ := utf8.DecodeRuneInString(t.token)
	if !pysem.IsWordChar(first) || unicode.Is(unicode.Nd, first) {
		return "", t.fail("Expected identifier.")
	}
	return t.consumed(), nil
}

func (t *tokenizer) consumeIdentifierOrNumber() (string, error) {
	if first, _ := utf8.DecodeRuneInString(t.token); !pysem.IsWordChar(first) {
		return "", t.fail("Expected identifier or number, got %s.", t.token)
	}
	return t.consumed(), nil
}

func (t *tokenizer) consumed() string {
	token := t.token
	t.next()
	return token
}

// fail returns a ParseError with the position of the token.
func (t *tokenizer) fail(format string, args ...any) error {
	shown := t.text
	if t.ended {
		shown = ""
	}
	return t.error("'" + shown + "': " + fmt.Sprintf(format, args...))
}

// failBefore returns a ParseError with the position of the previous token.
func (t *tokenizer) failBefore(format string, args ...any) error {
	return t.previous.error(fmt.Sprintf(format, args...))
}

func (p place) error(message string) error {
	return parseError("%d:%d : %s", p.line+1, utf8.RuneCountInString(p.text[:p.at])+1, message)
}
