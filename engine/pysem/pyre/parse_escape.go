package pyre

import (
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

const (
	hexDigits = "0123456789abcdefABCDEF"
	octDigits = "01234567"
	letters   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// simpleEscapes maps escapes to the fixed character that each of them means.
var simpleEscapes = map[string]rune{`\a`: '\a', `\f`: '\f', `\n`: '\n', `\r`: '\r', `\t`: '\t', `\v`: '\v', `\\`: '\\'}

// places maps escapes to the positions that they match. They match no character.
var places = map[string]position{`\A`: atBeginningString, `\b`: atBoundary, `\B`: atNonBoundary, `\Z`: atEndString}

// categoryOf returns the category that an escape such as \d stands for. It returns false for any
// other escape.
func categoryOf(escape string) (category, bool) {
	if len(escape) != 2 || !strings.Contains("dDsSwW", escape[1:]) {
		return category{}, false
	}
	return category{letter: rune(escape[1] | 0x20), not: escape[1] < 'a'}, true
}

func literal(r rune) node { return node{op: opLiteral, char: r} }

// escape returns the node for an escape outside of brackets.
func (p *parser) escape(escape string) (node, error) {
	if at, ok := places[escape]; ok {
		return node{op: opAt, at: at}, nil
	}
	if c, ok := categoryOf(escape); ok {
		return node{op: opIn, set: &charset{categories: []category{c}}}, nil
	}
	if r, ok := simpleEscapes[escape]; ok {
		return literal(r), nil
	}
	switch c := escape[1:]; {
	case c == "0":
		more, err := p.getWhile(2, octDigits)
		n, _ := strconv.ParseInt("0"+more, 8, 32)
		return literal(rune(n)), err
	case strings.Contains(digits, c):
		return p.numbered(escape)
	}
	r, err := p.coded(escape)
	return literal(r), err
}

// numbered parses an escape that begins with a digit. It is the number of a group, or up to three
// octal digits of a character.
func (p *parser) numbered(escape string) (node, error) {
	if len(p.next) == 1 && strings.Contains(digits, p.next) {
		c, err := p.get()
		if err != nil {
			return node{}, err
		}
		escape += c
		if strings.Trim(escape[1:], octDigits) == "" && len(p.next) == 1 && strings.Contains(octDigits, p.next) {
			c, err := p.get()
			if err != nil {
				return node{}, err
			}
			escape += c
			return p.octal(escape)
		}
	}
	group, _ := strconv.Atoi(escape[1:])
	if group > len(p.names) {
		return node{}, p.errorf(len(escape)-1, "invalid group reference %d", group)
	}
	if !p.isClosed(group) {
		return node{}, p.errorf(len(escape), "cannot refer to an open group")
	}
	return node{op: opGroupRef, group: group}, p.checkBehind(group)
}

func (p *parser) octal(escape string) (node, error) {
	n, _ := strconv.ParseInt(escape[1:], 8, 32)
	if n > 0o377 {
		return node{}, p.errorf(len(escape), "octal escape value %s outside of range 0-0o377", escape)
	}
	return literal(rune(n)), nil
}

// coded parses the escapes that mean the same character inside and outside of brackets.
func (p *parser) coded(escape string) (rune, error) {
	switch c := escape[1:]; c {
	case "x":
		return p.hex(escape, 2)
	case "u":
		return p.hex(escape, 4)
	case "U":
		return p.hex(escape, 8)
	case "N":
		return 0, pysem.Refuse(pysem.Outside, `a character by name, \N{…}`)
	default:
		if strings.Contains(letters, c) {
			return 0, p.errorf(length(escape), "bad escape %s", escape)
		}
		return char(c), nil
	}
}

func (p *parser) hex(escape string, n int) (rune, error) {
	more, err := p.getWhile(n, hexDigits)
	if err != nil {
		return 0, err
	}
	escape += more
	if len(more) != n {
		return 0, p.errorf(len(escape), "incomplete escape %s", escape)
	}
	code, _ := strconv.ParseInt(more, 16, 64)
	if code > 0x10ffff {
		return 0, p.errorf(len(escape), "bad escape %s", escape)
	}
	return rune(code), nil
}

// set parses a set of characters, after its opening bracket.
func (p *parser) set() (node, error) {
	here := p.tell() - 1
	set := &charset{}
	var err error
	if set.negate, err = p.match("^"); err != nil {
		return node{}, err
	}
	for empty := true; ; empty = false {
		c, err := p.get()
		if err != nil {
			return node{}, err
		}
		if c == none {
			return node{}, p.errorf(p.tell()-here, "unterminated character set")
		}
		if c == "]" && !empty {
			break
		}
		if ends, err := p.member(set, c, here); ends || err != nil {
			if err != nil {
				return node{}, err
			}
			break
		}
	}
	if len(set.ranges) == 1 && len(set.categories) == 0 && set.ranges[0][0] == set.ranges[0][1] {
		if set.negate {
			return node{op: opNotLiteral, char: set.ranges[0][0]}, nil
		}
		return literal(set.ranges[0][0]), nil
	}
	return node{op: opIn, set: set}, nil
}

// member adds to the set the character, category or range that begins with c. ends is true if the
// bracket is closed directly after a dash.
func (p *parser) member(set *charset, c string, here int) (ends bool, err error) {
	low, class, err := p.classEscape(c)
	if err != nil {
		return false, err
	}
	dash, err := p.match("-")
	if err != nil {
		return false, err
	}
	if !dash {
		set.include(low, class)
		return false, nil
	}
	that, err := p.get()
	if err != nil {
		return false, err
	}
	if that == none {
		return false, p.errorf(p.tell()-here, "unterminated character set")
	}
	if that == "]" {
		set.include(low, class)
		set.ranges = append(set.ranges, [2]rune{'-', '-'})
		return true, nil
	}
	high, class2, err := p.classEscape(that)
	if err != nil {
		return false, err
	}
	if class != nil || class2 != nil || high < low {
		return false, p.errorf(length(c)+1+length(that), "bad character range %s-%s", c, that)
	}
	set.ranges = append(set.ranges, [2]rune{low, high})
	return false, nil
}

func (s *charset) include(r rune, class *category) {
	if class != nil {
		s.categories = append(s.categories, *class)
		return
	}
	s.ranges = append(s.ranges, [2]rune{r, r})
}

// classEscape returns what c means within [...]: a category if c is an escape such as \d, and
// otherwise a character. c is one character, or a backslash and the character after it.
func (p *parser) classEscape(c string) (rune, *category, error) {
	if c[0] != '\\' {
		return char(c), nil, nil
	}
	if c == `\b` {
		return '\b', nil, nil
	}
	if r, ok := simpleEscapes[c]; ok {
		return r, nil, nil
	}
	if class, ok := categoryOf(c); ok {
		return 0, &class, nil
	}
	switch {
	case strings.Contains(octDigits, c[1:]):
		more, err := p.getWhile(2, octDigits)
		if err != nil {
			return 0, nil, err
		}
		n, err := p.octal(c + more)
		return n.char, nil, err
	case strings.Contains(digits, c[1:]):
		return 0, nil, p.errorf(len(c), "bad escape %s", c)
	}
	r, err := p.coded(c)
	return r, nil, err
}
