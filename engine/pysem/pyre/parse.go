package pyre

import (
	"math/big"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// parser parses the text of a regular expression into a syntax tree (Lib/re/_parser.py of 3.11).
type parser struct {
	*source
	flags flags
	names []string // names of the groups 1, 2, …; "" for a group without a name
	// widths holds the least and the greatest length that each group can match. Groups that are
	// still open have none.
	widths [][2]int
	closed []bool
	// behind is the number of groups before the outermost look-behind that is being parsed. It is 0
	// outside of look-behinds.
	behind int
	// asked lists the conditions that refer to a group by number. At the end it is checked that
	// these groups exist.
	asked []condition
	depth int
}

type condition struct{ group, at int }

// maxDepth is how deeply groups may be nested. CPython's recursion limit allows a little more.
const maxDepth = 200

func (p *parser) parse() (sequence, error) {
	tree, err := p.alternatives(0, false)
	if err != nil {
		return nil, err
	}
	if p.flags&asciiFlag != 0 && p.flags&unicodeFlag != 0 {
		return nil, pysem.Raise("ValueError", "ASCII and UNICODE flags are incompatible")
	}
	if p.next != none {
		return nil, p.errorf(0, "unbalanced parenthesis")
	}
	for _, c := range p.asked {
		if c.group > len(p.names) {
			return nil, p.errorAt(pysem.Raise("", "invalid group reference %d", c.group).Message, c.at)
		}
	}
	return tree, nil
}

// alternatives parses branches with bars between, such as a|b|c. nested is the number of enclosing
// groups.
func (p *parser) alternatives(nested int, isVerbose bool) (sequence, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, pysem.Refuse(pysem.TooLarge, "a pattern with so many groups within each other")
	}
	defer func() { p.depth-- }()
	var branches []sequence
	for {
		s, err := p.sequence(isVerbose, nested == 0 && len(branches) == 0)
		if err != nil {
			return nil, err
		}
		branches = append(branches, s)
		if found, err := p.match("|"); !found || err != nil {
			if err != nil {
				return nil, err
			}
			break
		}
		if nested == 0 {
			isVerbose = p.flags&verbose != 0
		}
	}
	if len(branches) == 1 {
		return branches[0], nil
	}
	if set, ok := setOf(branches); ok {
		return sequence{set}, nil
	}
	return sequence{{op: opBranch, sub: branches}}, nil
}

// setOf combines branches into one set of characters. It returns false unless each branch is a
// single character.
func setOf(branches []sequence) (node, bool) {
	set := &charset{}
	for _, s := range branches {
		if len(s) != 1 {
			return node{}, false
		}
		switch n := s[0]; {
		case n.op == opLiteral:
			set.ranges = append(set.ranges, [2]rune{n.char, n.char})
		case n.op == opIn && !n.set.negate:
			set.ranges = append(set.ranges, n.set.ranges...)
			set.categories = append(set.categories, n.set.categories...)
		default:
			return node{}, false
		}
	}
	return node{op: opIn, set: set}, true
}

// sequence parses up to a bar or a closing parenthesis. first means that the sequence begins the
// pattern, the only place where flags of the whole pattern are allowed.
func (p *parser) sequence(isVerbose, first bool) (sequence, error) {
	var s sequence
	for p.next != none && p.next != "|" && p.next != ")" {
		c, err := p.get()
		if err != nil {
			return nil, err
		}
		if isVerbose {
			skipped, err := p.skip(c)
			if err != nil {
				return nil, err
			}
			if skipped {
				continue
			}
		}
		switch {
		case c[0] == '\\':
			n, err := p.escape(c)
			if err != nil {
				return nil, err
			}
			s = append(s, n)
		case c == "[":
			n, err := p.set()
			if err != nil {
				return nil, err
			}
			s = append(s, n)
		case c == "*" || c == "+" || c == "?" || c == "{":
			if s, err = p.repeat(s, c); err != nil {
				return nil, err
			}
		case c == "(":
			n, use, err := p.group(&isVerbose, first && len(s) == 0)
			if err != nil {
				return nil, err
			}
			if use {
				s = append(s, n)
			}
		case c == ".":
			s = append(s, node{op: opAny})
		case c == "^":
			s = append(s, node{op: opAt, at: atBeginning})
		case c == "$":
			s = append(s, node{op: opAt, at: atEnd})
		default:
			s = append(s, node{op: opLiteral, char: char(c)})
		}
	}
	return s, nil
}

func char(c string) rune {
	r, _ := pysem.DecodeRune(c)
	return r
}

// skip reports whether the character c is skipped in a verbose pattern, because it is white space
// or begins a comment. It also skips the rest of the comment.
func (p *parser) skip(c string) (bool, error) {
	if len(c) == 1 && strings.Contains(" \t\n\r\v\f", c) {
		return true, nil
	}
	if c != "#" {
		return false, nil
	}
	for {
		c, err := p.get()
		if err != nil || c == none || c == "\n" {
			return true, err
		}
	}
}

// repeat parses a repeat that begins with the sign c. It replaces the last node of s by a repeat of
// that node.
func (p *parser) repeat(s sequence, c string) (sequence, error) {
	here := p.tell()
	n := node{op: opMaxRepeat, max: maxRepeat}
	switch c {
	case "?":
		n.max = 1
	case "+":
		n.min = 1
	case "{":
		bounded, err := p.bounds(&n, here)
		if err != nil {
			return nil, err
		}
		if !bounded {
			return append(s, node{op: opLiteral, char: '{'}), nil
		}
	}
	if len(s) == 0 || s[len(s)-1].op == opAt {
		return nil, p.errorf(p.tell()-here+1, "nothing to repeat")
	}
	last := &s[len(s)-1]
	if last.op == opMaxRepeat || last.op == opMinRepeat || last.op == opPossessiveRepeat {
		return nil, p.errorf(p.tell()-here+1, "multiple repeat")
	}
	item := sequence{*last}
	if last.op == opGroup && last.group == 0 && last.add == 0 && last.del == 0 {
		item = last.sub[0]
	}
	n.sub = []sequence{item}
	if op, ok := map[string]op{"?": opMinRepeat, "+": opPossessiveRepeat}[p.next]; ok {
		n.op = op
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	*last = n
	return s, nil
}

const digits = "0123456789"

// bounds parses {low,high}. It returns false if the brace does not begin such bounds, and so
// matches itself.
func (p *parser) bounds(n *node, here int) (bool, error) {
	if p.next == "}" {
		return false, nil
	}
	low, err := p.getWhile(len(p.chars), digits)
	if err != nil {
		return false, err
	}
	high := low
	comma, err := p.match(",")
	if err != nil {
		return false, err
	}
	if comma {
		if high, err = p.getWhile(len(p.chars), digits); err != nil {
			return false, err
		}
	}
	closed, err := p.match("}")
	if err != nil {
		return false, err
	}
	if !closed {
		return false, p.seek(here)
	}
	if low != "" {
		if n.min, err = repetitions(low); err != nil {
			return false, err
		}
	}
	if high != "" {
		if n.max, err = repetitions(high); err != nil {
			return false, err
		}
		if n.max < n.min {
			return false, p.errorf(p.tell()-here, "min repeat greater than max repeat")
		}
	}
	return true, nil
}

func repetitions(text string) (int, error) {
	n, _ := new(big.Int).SetString(text, 10)
	if !n.IsInt64() || n.Int64() >= maxRepeat {
		return 0, pysem.Raise("OverflowError", "the repetition number is too large")
	}
	return int(n.Int64()), nil
}

// groupOf returns the number of the group with the given name, or 0 if there is none.
func (p *parser) groupOf(name string) int { return slices.Index(p.names, name) + 1 }

// isClosed reports whether a group exists and its closing parenthesis has been read.
func (p *parser) isClosed(group int) bool { return group <= len(p.names) && p.closed[group] }

// checkBehind returns an error if a look-behind refers to a group that is inside of it.
func (p *parser) checkBehind(group int) error {
	if p.behind == 0 {
		return nil
	}
	if !p.isClosed(group) {
		return p.errorf(0, "cannot refer to an open group")
	}
	if group >= p.behind {
		return p.errorf(0, "cannot refer to group defined in the same lookbehind subpattern")
	}
	return nil
}
