package pyre

import (
	"slices"

	"github.com/monosim/monosim/engine/pysem"
)

// Pattern is a compiled regular expression. Several goroutines may match it at the same time.
type Pattern struct {
	source string
	code   []instruction
	names  []string // names of the groups 1, 2, …; "" for a group without a name
}

// code is the operation of an instruction. Repeats compile to the same instructions as in CPython,
// because the captured groups depend on the order in which these run.
type code uint8

const (
	codeUnit code = iota // matches one character
	codeMark
	codeSuccess
	codeAt
	codeAssert
	codeAssertNot
	codeBranch // the next branch is in the field to; 0 for the last branch
	codeJump
	codeRepeatOne // repeats a test of one character; the next instruction is in the field to
	codeMinRepeatOne
	codePossessiveOne
	codeRepeat // repeats anything; the instruction that ends a round is in the field to
	codeMaxUntil
	codeMinUntil
	codePossessive
	codeAtomic
	codeGroupRef
	codeGroupExists // the branch for a group that is not set is in the field to
)

type instruction struct {
	code code
	to   int
	unit unit
	// mark is the number of a mark. A group has two marks, for its beginning and its end, and this
	// is the first.
	mark     int
	min, max int
	back     int // number of characters by which a look-behind goes back
	at       position
	ascii    bool
	fold     bool
}

// unit is a test of a single character.
type unit struct {
	kind  unitKind
	char  rune
	set   *charset
	fold  bool // whether characters are compared in lower case
	ascii bool // whether only ASCII letters have a lower case
}

type unitKind uint8

const (
	unitLiteral unitKind = iota
	unitNotLiteral
	unitAnyButLine
	unitAny
	unitSet
)

func (u *unit) matches(r rune) bool {
	if u.fold {
		r = lower(r, u.ascii)
	}
	switch u.kind {
	case unitLiteral:
		return r == u.char
	case unitNotLiteral:
		return r != u.char
	case unitAnyButLine:
		return r != '\n'
	case unitAny:
		return true
	}
	return u.set.has(r)
}

// Compile returns Python's re.compile(pattern). It returns the exception that Python raises, or a
// refusal of a pattern that is too large.
func Compile(pattern string) (*Pattern, error) {
	src, err := newSource(pattern)
	if err != nil {
		return nil, err
	}
	p := &parser{source: src, widths: [][2]int{{}}, closed: []bool{false}}
	tree, err := p.parse()
	if err != nil {
		return nil, err
	}
	c := &compiler{widths: p.widths}
	if err := c.sequence(tree, p.flags); err != nil {
		return nil, err
	}
	c.emit(instruction{code: codeSuccess})
	return &Pattern{source: pattern, code: c.code, names: p.names}, nil
}

// String returns the pattern.
func (p *Pattern) String() string { return p.source }

// Names returns the names of the groups that have one, in the order of the groups.
func (p *Pattern) Names() []string {
	return slices.DeleteFunc(slices.Clone(p.names), func(name string) bool { return name == "" })
}

// compiler translates a syntax tree into instructions.
type compiler struct {
	code   []instruction
	widths [][2]int
}

// emit appends an instruction and returns its index.
func (c *compiler) emit(i instruction) int {
	c.code = append(c.code, i)
	return len(c.code) - 1
}

// land makes the next instruction that is emitted the target of the instruction at an index.
func (c *compiler) land(at int) { c.code[at].to = len(c.code) }

func (c *compiler) sequence(s sequence, f flags) error {
	for i := range s {
		if err := c.node(&s[i], f); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) node(n *node, f flags) error {
	switch n.op {
	case opBranch:
		return c.branch(n, f)
	case opGroup:
		if n.group > 0 {
			c.emit(instruction{code: codeMark, mark: 2*n.group - 2})
		}
		if err := c.sequence(n.sub[0], combine(f, n.add, n.del)); err != nil {
			return err
		}
		if n.group > 0 {
			c.emit(instruction{code: codeMark, mark: 2*n.group - 1})
		}
	case opAtomic:
		return c.enclosed(instruction{code: codeAtomic}, n.sub[0], f)
	case opGroupRef:
		c.emit(instruction{code: codeGroupRef, mark: 2*n.group - 2, fold: f&ignoreCase != 0, ascii: f&asciiFlag != 0})
	case opGroupExists:
		return c.groupExists(n, f)
	case opAssert, opAssertNot:
		return c.assertion(n, f)
	case opAt:
		c.emit(instruction{code: codeAt, at: n.at.with(f), ascii: f&asciiFlag != 0})
	case opMaxRepeat, opMinRepeat, opPossessiveRepeat:
		return c.repeat(n, f)
	default:
		c.emit(instruction{code: codeUnit, unit: unitOf(n, f)})
	}
	return nil
}

// combine returns the flags that apply inside of a group, which adds some flags and removes others.
func combine(f, add, del flags) flags {
	if add&typeFlags != 0 {
		f &^= typeFlags
	}
	return (f | add) &^ del
}

// with returns the exact position that a sign such as ^ or \b stands for with the given flags.
func (at position) with(f flags) position {
	if f&multiLine != 0 {
		switch at {
		case atBeginning:
			return atBeginningLine
		case atEnd:
			return atEndLine
		}
	}
	return at
}

// unitOf returns the test of a node that matches one character.
func unitOf(n *node, f flags) unit {
	ascii := f&asciiFlag != 0
	switch n.op {
	case opAny:
		if f&dotAll != 0 {
			return unit{kind: unitAny}
		}
		return unit{kind: unitAnyButLine}
	case opIn:
		set := withASCII(n.set, ascii)
		if f&ignoreCase != 0 {
			set = set.fold(ascii)
		}
		return unit{kind: unitSet, set: set, fold: set.folded, ascii: ascii}
	}
	kind := unitLiteral
	if n.op == opNotLiteral {
		kind = unitNotLiteral
	}
	if f&ignoreCase == 0 || !isCased(n.char, ascii) {
		return unit{kind: kind, char: n.char}
	}
	low := lower(n.char, ascii)
	others := sameUpper(low)
	if ascii || len(others) == 0 {
		return unit{kind: kind, char: low, fold: true, ascii: ascii}
	}
	set := &charset{negate: n.op == opNotLiteral, folded: true}
	for _, r := range append([]rune{low}, others...) {
		set.ranges = append(set.ranges, [2]rune{r, r})
	}
	return unit{kind: unitSet, set: set, fold: true}
}

// withASCII returns the set with its categories limited to ASCII, if ascii is true.
func withASCII(s *charset, ascii bool) *charset {
	if !ascii || len(s.categories) == 0 {
		return s
	}
	changed := *s
	changed.categories = nil
	for _, class := range s.categories {
		class.ascii = true
		changed.categories = append(changed.categories, class)
	}
	return &changed
}

func (c *compiler) branch(n *node, f flags) error {
	var ends []int
	for i, s := range n.sub {
		at := c.emit(instruction{code: codeBranch})
		if err := c.sequence(s, f); err != nil {
			return err
		}
		ends = append(ends, c.emit(instruction{code: codeJump}))
		if i < len(n.sub)-1 {
			c.land(at)
		}
	}
	for _, at := range ends {
		c.land(at)
	}
	return nil
}

// enclosed emits head and then a sequence that is matched independently of what follows it. The
// sequence ends with codeSuccess, and head continues after that.
func (c *compiler) enclosed(head instruction, s sequence, f flags) error {
	at := c.emit(head)
	if err := c.sequence(s, f); err != nil {
		return err
	}
	c.emit(instruction{code: codeSuccess})
	c.land(at)
	return nil
}

func (c *compiler) assertion(n *node, f flags) error {
	head := instruction{code: codeAssert}
	if n.op == opAssertNot {
		head.code = codeAssertNot
	}
	if n.behind {
		low, high := n.sub[0].width(c.widths)
		if low > maxRepeat {
			return pysem.Raise("error", "looks too much behind")
		}
		if low != high {
			return pysem.Raise("error", "look-behind requires fixed-width pattern")
		}
		head.back = low
	}
	return c.enclosed(head, n.sub[0], f)
}

func (c *compiler) groupExists(n *node, f flags) error {
	at := c.emit(instruction{code: codeGroupExists, mark: 2*n.group - 2})
	if err := c.sequence(n.sub[0], f); err != nil {
		return err
	}
	if len(n.sub) == 1 || len(n.sub[1]) == 0 {
		c.land(at)
		return nil
	}
	end := c.emit(instruction{code: codeJump})
	c.land(at)
	if err := c.sequence(n.sub[1], f); err != nil {
		return err
	}
	c.land(end)
	return nil
}

// isSimple returns the node of a sequence that matches exactly one character. For another sequence
// it returns nil and false.
func isSimple(s sequence, f flags) (*node, flags, bool) {
	if len(s) != 1 {
		return nil, 0, false
	}
	n := &s[0]
	switch n.op {
	case opLiteral, opNotLiteral, opAny, opIn, opCategory:
		return n, f, true
	case opGroup:
		if n.group == 0 {
			return isSimple(n.sub[0], combine(f, n.add, n.del))
		}
	}
	return nil, 0, false
}

var repeatNames = map[op]string{opMaxRepeat: "MAX_REPEAT", opMinRepeat: "MIN_REPEAT", opPossessiveRepeat: "POSSESSIVE_REPEAT"}

func (c *compiler) repeat(n *node, f flags) error {
	if f&template != 0 {
		return pysem.Raise("error", "internal: unsupported template operator %s", repeatNames[n.op])
	}
	head := instruction{min: n.min, max: n.max}
	if one, inner, ok := isSimple(n.sub[0], f); ok {
		head.code = map[op]code{opMaxRepeat: codeRepeatOne, opMinRepeat: codeMinRepeatOne, opPossessiveRepeat: codePossessiveOne}[n.op]
		head.unit = unitOf(one, inner)
		c.land(c.emit(head))
		return nil
	}
	if n.op == opPossessiveRepeat {
		head.code = codePossessive
		return c.enclosed(head, n.sub[0], f)
	}
	head.code = codeRepeat
	at := c.emit(head)
	if err := c.sequence(n.sub[0], f); err != nil {
		return err
	}
	c.land(at)
	until := instruction{code: codeMaxUntil}
	if n.op == opMinRepeat {
		until.code = codeMinUntil
	}
	c.emit(until)
	return nil
}
