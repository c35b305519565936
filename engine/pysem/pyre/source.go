package pyre

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// none is the value of next after the last character of a pattern.
const none = ""

// source returns the characters of a pattern one after another. A backslash and the character after
// it count as one.
type source struct {
	chars []string
	at    int    // position in the pattern behind next
	next  string // character to be read next; "" at the end of the pattern
}

func newSource(pattern string) (*source, error) {
	s := &source{chars: pysem.Chars(pattern)}
	return s, s.advance()
}

func (s *source) advance() error {
	if s.at >= len(s.chars) {
		s.next = none
		return nil
	}
	s.next = s.chars[s.at]
	if s.next == `\` {
		s.at++
		if s.at == len(s.chars) {
			return s.errorAt("bad escape (end of pattern)", len(s.chars)-1)
		}
		s.next += s.chars[s.at]
	}
	s.at++
	return nil
}

// get returns the next character and moves on.
func (s *source) get() (string, error) {
	c := s.next
	return c, s.advance()
}

// match reports whether the next character is c, and moves on only if it is.
func (s *source) match(c string) (bool, error) {
	if s.next != c || c == none {
		return false, nil
	}
	return true, s.advance()
}

// getWhile returns the next characters, up to n, as long as they are in set.
func (s *source) getWhile(n int, set string) (string, error) {
	taken := ""
	for range n {
		if len(s.next) != 1 || !strings.Contains(set, s.next) {
			break
		}
		taken += s.next
		if err := s.advance(); err != nil {
			return "", err
		}
	}
	return taken, nil
}

// getUntil reads a name up to the text in end, and skips that text. The parameter what is the word
// for the name in error texts.
func (s *source) getUntil(end, what string) (string, error) {
	name := ""
	for {
		c, err := s.get()
		switch {
		case err != nil:
			return "", err
		case c == none && name == "":
			return "", s.errorf(0, "missing %s", what)
		case c == none:
			return "", s.errorf(length(name), "missing %s, unterminated name", end)
		case c == end && name == "":
			return "", s.errorf(1, "missing %s", what)
		case c == end:
			return name, nil
		}
		name += c
	}
}

func length(text string) int { return len(pysem.Chars(text)) }

// tell returns the index of the next character.
func (s *source) tell() int { return s.at - length(s.next) }

func (s *source) seek(at int) error {
	s.at = at
	return s.advance()
}

// errorf returns Python's re.error. The error's position is back characters before the next
// character.
func (s *source) errorf(back int, format string, args ...any) error {
	return s.errorAt(pysem.Raise("error", format, args...).Message, s.tell()-back)
}

// errorAt returns Python's re.error with at as its position. If the pattern has several lines, the
// text contains line and column.
func (s *source) errorAt(message string, at int) error {
	lines, column := 1, at+1
	several := false
	for i, c := range s.chars {
		if c != "\n" {
			continue
		}
		several = true
		if i < at {
			lines++
			column = at - i
		}
	}
	if several {
		return pysem.Raise("error", "%s at position %d (line %d, column %d)", message, at, lines, column)
	}
	return pysem.Raise("error", "%s at position %d", message, at)
}

// checkName checks the name of a group. offset is how many characters were read after the name,
// which the error needs for its position.
func (s *source) checkName(name string, offset int) error {
	if !pysem.IsIdentifier(name) {
		return s.errorf(length(name)+offset, "bad character in group name %s", pysem.Repr(name))
	}
	return nil
}
