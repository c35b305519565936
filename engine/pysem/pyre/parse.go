package pyre

import (
	"math/big"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// parser reads a pattern (Lib/re/_parser.py of 3.11).
type parser struct {
	*source
	flags flags
	names []string // of the groups from 1 on, "" without
	// widths holds the least and greatest lengths of the groups; open ones have none.
	widths [][2]int
	closed []bool
	// behind is the number of groups before the outermost look-behind around, 0 for none.
	behind int
	// asked holds the numbers of groups in conditions, with their places, in order.
	asked []condition
	depth int
}

type condition struct{ group, at int }

// maxDepth bounds groups within each other; CPython's recursion ends a little later.
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

// alternatives reads a|b|c. nested counts the groups around.
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

// setOf makes one set of branches that are one character each.
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

// sequence reads up to a bar or a closing parenthesis. first says that nothing stands
// before it, so that flags of the whole pattern may.
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

// skip passes white space and comments of a verbose pattern.
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

// repeat reads what follows the sign c, and puts a repeat in the place of s's last node.
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

// bounds reads {low,high}; what is none is a brace that stands for itself.
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

// groupOf returns the number of a name, 0 for none.
func (p *parser) groupOf(name string) int { return slices.Index(p.names, name) + 1 }

// isClosed reports whether a group is known and complete.
func (p *parser) isClosed(group int) bool { return group <= len(p.names) && p.closed[group] }

// checkBehind refuses a group that a look-behind cannot know.
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
