package pyre

// op says what a node of a pattern matches.
type op uint8

const (
	opLiteral op = iota
	opNotLiteral
	opAny
	opIn
	opCategory
	opBranch
	opGroup // a group, even one that captures nothing and may only change flags
	opAtomic
	opGroupRef
	opGroupExists
	opAssert
	opAssertNot
	opAt
	opMaxRepeat
	opMinRepeat
	opPossessiveRepeat
)

// node is a node of a pattern's syntax tree.
type node struct {
	op   op
	char rune
	set  *charset
	at   position
	// group is the number of the group, 0 for a node that is not a numbered group.
	group    int
	add, del flags
	// sub holds the branches of alternatives. For a repeat, a group or an assertion it holds its
	// only part.
	sub      []sequence
	min, max int
	behind   bool
}

// sequence is a list of nodes that match one after another.
type sequence []node

type flags uint16

const (
	ignoreCase flags = 1 << iota
	locale
	multiLine
	dotAll
	unicodeFlag
	verbose
	asciiFlag
	template
)

const (
	typeFlags   = asciiFlag | locale | unicodeFlag
	globalFlags = template
)

var flagLetters = map[rune]flags{
	'i': ignoreCase, 'L': locale, 'm': multiLine, 's': dotAll, 'x': verbose, 'a': asciiFlag, 't': template, 'u': unicodeFlag,
}

// position is a kind of position in the text, such as its beginning.
type position uint8

const (
	atBeginning position = iota
	atBeginningLine
	atBeginningString
	atBoundary
	atNonBoundary
	atEnd
	atEndLine
	atEndString
)

// maxRepeat is the upper bound that CPython uses for "any number of times". maxWidth is the upper
// bound of widths.
const (
	maxRepeat = 1<<32 - 1
	maxWidth  = 1 << 62
)

// width returns the least and the greatest number of characters that s can match.
func (s sequence) width(groups [][2]int) (low, high int) {
	for i := range s {
		l, h := s[i].width(groups)
		low, high = min(low+l, maxWidth), min(high+h, maxWidth)
	}
	return low, high
}

func (n *node) width(groups [][2]int) (low, high int) {
	switch n.op {
	case opLiteral, opNotLiteral, opAny, opIn, opCategory:
		return 1, 1
	case opBranch, opGroupExists:
		low, high = n.sub[0].width(groups)
		for _, s := range n.sub[1:] {
			l, h := s.width(groups)
			low, high = min(low, l), max(high, h)
		}
		if n.op == opGroupExists && len(n.sub) == 1 {
			low = 0
		}
	case opGroup, opAtomic:
		return n.sub[0].width(groups)
	case opGroupRef:
		return groups[n.group][0], groups[n.group][1]
	case opMaxRepeat, opMinRepeat, opPossessiveRepeat:
		l, h := n.sub[0].width(groups)
		if n.max == maxRepeat && h > 0 {
			return times(l, n.min), maxWidth
		}
		return times(l, n.min), times(h, n.max)
	}
	return low, high
}

// times returns a*b, but no more than maxWidth.
func times(a, b int) int {
	if a != 0 && b > maxWidth/a {
		return maxWidth
	}
	return a * b
}
