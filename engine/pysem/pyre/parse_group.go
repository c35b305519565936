package pyre

import (
	"strings"
	"unicode"

	"github.com/monosim/monosim/engine/pysem"
)

// group parses a group, after its opening parenthesis. use is false for comments and flags, which
// make no node. Flags of the whole pattern are allowed only if atStart is set, and may change
// isVerbose.
func (p *parser) group(isVerbose *bool, atStart bool) (n node, use bool, err error) {
	start := p.tell() - 1
	question, err := p.match("?")
	if err != nil {
		return node{}, false, err
	}
	if !question {
		n, err := p.captured("", start, *isVerbose)
		return n, true, err
	}
	c, err := p.get()
	if err != nil {
		return node{}, false, err
	}
	switch c {
	case none:
		return node{}, false, p.errorf(0, "unexpected end of pattern")
	case "P":
		n, err := p.pythonGroup(start, *isVerbose)
		return n, true, err
	case ":":
		n, err := p.plain(node{op: opGroup}, start, *isVerbose)
		return n, true, err
	case "#":
		return node{}, false, p.comment(start)
	case "=", "!", "<":
		n, err := p.assertion(c, start, *isVerbose)
		return n, true, err
	case "(":
		n, err := p.conditional(start, *isVerbose)
		return n, true, err
	case ">":
		n, err := p.plain(node{op: opAtomic}, start, *isVerbose)
		return n, true, err
	}
	if _, isFlag := flagLetters[char(c)]; !isFlag && c != "-" {
		return node{}, false, p.errorf(length(c)+1, "unknown extension ?%s", c)
	}
	return p.flagged(c, start, isVerbose, atStart)
}

// flagged reads (?flags) or (?flags:…).
func (p *parser) flagged(c string, start int, isVerbose *bool, atStart bool) (n node, use bool, err error) {
	add, del, global, err := p.readFlags(c)
	if err != nil {
		return node{}, false, err
	}
	if global {
		if !atStart {
			return node{}, false, p.errorf(p.tell()-start, "global flags not at the start of the expression")
		}
		*isVerbose = p.flags&verbose != 0
		return node{}, false, nil
	}
	inside := (*isVerbose || add&verbose != 0) && del&verbose == 0
	n, err = p.plain(node{op: opGroup, add: add, del: del}, start, inside)
	return n, true, err
}

// plain parses the rest of a group that does not capture.
func (p *parser) plain(n node, start int, isVerbose bool) (node, error) {
	contents, err := p.alternatives(1, isVerbose)
	if err != nil {
		return node{}, err
	}
	n.sub = []sequence{contents}
	return n, p.close(start)
}

func (p *parser) close(start int) error {
	closed, err := p.match(")")
	if err != nil {
		return err
	}
	if !closed {
		return p.errorf(p.tell()-start, "missing ), unterminated subpattern")
	}
	return nil
}

// captured parses the rest of a capturing group. name is "" if the group has only a number.
func (p *parser) captured(name string, start int, isVerbose bool) (node, error) {
	group := len(p.names) + 1
	if known := p.groupOf(name); name != "" && known > 0 {
		return node{}, p.errorf(length(name)+1, "redefinition of group name %s as group %d; was group %d", pysem.Repr(name), group, known)
	}
	p.names = append(p.names, name)
	p.closed = append(p.closed, false)
	p.widths = append(p.widths, [2]int{})
	n, err := p.plain(node{op: opGroup, group: group}, start, isVerbose)
	if err != nil {
		return node{}, err
	}
	p.closed[group] = true
	p.widths[group][0], p.widths[group][1] = n.sub[0].width(p.widths)
	return n, nil
}

// pythonGroup reads (?P<name>…) or (?P=name).
func (p *parser) pythonGroup(start int, isVerbose bool) (node, error) {
	c, err := p.get()
	if err != nil {
		return node{}, err
	}
	switch c {
	case none:
		return node{}, p.errorf(0, "unexpected end of pattern")
	case "<":
		name, err := p.getUntil(">", "group name")
		if err != nil {
			return node{}, err
		}
		if err := p.checkName(name, 1); err != nil {
			return node{}, err
		}
		return p.captured(name, start, isVerbose)
	case "=":
		return p.namedReference()
	}
	return node{}, p.errorf(length(c)+2, "unknown extension ?P%s", c)
}

func (p *parser) namedReference() (node, error) {
	name, err := p.getUntil(")", "group name")
	if err != nil {
		return node{}, err
	}
	if err := p.checkName(name, 1); err != nil {
		return node{}, err
	}
	group := p.groupOf(name)
	if group == 0 {
		return node{}, p.errorf(length(name)+1, "unknown group name %s", pysem.Repr(name))
	}
	if !p.isClosed(group) {
		return node{}, p.errorf(length(name)+1, "cannot refer to an open group")
	}
	return node{op: opGroupRef, group: group}, p.checkBehind(group)
}

func (p *parser) comment(start int) error {
	for {
		if p.next == none {
			return p.errorf(p.tell()-start, "missing ), unterminated comment")
		}
		c, err := p.get()
		if c == ")" || err != nil {
			return err
		}
	}
}

// assertion reads (?=…), (?!…), (?<=…) or (?<!…).
func (p *parser) assertion(c string, start int, isVerbose bool) (node, error) {
	n := node{op: opAssert}
	if c == "<" {
		var err error
		if c, err = p.get(); err != nil {
			return node{}, err
		}
		if c == none {
			return node{}, p.errorf(0, "unexpected end of pattern")
		}
		if c != "=" && c != "!" {
			return node{}, p.errorf(length(c)+2, "unknown extension ?<%s", c)
		}
		n.behind = true
		if p.behind == 0 {
			p.behind = len(p.names) + 1
			defer func() { p.behind = 0 }()
		}
	}
	if c == "!" {
		n.op = opAssertNot
	}
	contents, err := p.alternatives(1, isVerbose)
	if err != nil {
		return node{}, err
	}
	n.sub = []sequence{contents}
	return n, p.close(start)
}

// conditional reads (?(group)yes|no).
func (p *parser) conditional(start int, isVerbose bool) (node, error) {
	name, err := p.getUntil(")", "group name")
	if err != nil {
		return node{}, err
	}
	group, err := p.conditionGroup(name)
	if err != nil {
		return node{}, err
	}
	if err := p.checkBehind(group); err != nil {
		return node{}, err
	}
	if p.depth++; p.depth > maxDepth {
		return node{}, pysem.Refuse(pysem.TooLarge, "a pattern with so many groups within each other")
	}
	defer func() { p.depth-- }()
	yes, err := p.sequence(isVerbose, false)
	if err != nil {
		return node{}, err
	}
	n := node{op: opGroupExists, group: group, sub: []sequence{yes}}
	if found, err := p.match("|"); err != nil {
		return node{}, err
	} else if found {
		no, err := p.sequence(isVerbose, false)
		if err != nil {
			return node{}, err
		}
		if p.next == "|" {
			return node{}, p.errorf(0, "conditional backref with more than two branches")
		}
		n.sub = append(n.sub, no)
	}
	return n, p.close(start)
}

func (p *parser) conditionGroup(name string) (int, error) {
	back := length(name) + 1
	if pysem.IsIdentifier(name) {
		group := p.groupOf(name)
		if group == 0 {
			return 0, p.errorf(back, "unknown group name %s", pysem.Repr(name))
		}
		return group, nil
	}
	n, err := pysem.ParseInt(name)
	switch {
	case err != nil || n.Sign() < 0:
		return 0, p.errorf(back, "bad character in group name %s", pysem.Repr(name))
	case n.Sign() == 0:
		return 0, p.errorf(back, "bad group number")
	case !n.IsInt64() || n.Int64() >= 1<<30:
		return 0, p.errorf(back, "invalid group reference %s", n)
	}
	p.asked = append(p.asked, condition{int(n.Int64()), p.tell() - back})
	return int(n.Int64()), nil
}

// readFlags parses the letters of flags. If a closing parenthesis follows, the flags are global. If
// a colon follows, they apply only to the group.
func (p *parser) readFlags(c string) (add, del flags, global bool, err error) {
	if c != "-" {
		if add, c, err = p.addedFlags(c); err != nil {
			return 0, 0, false, err
		}
	}
	if c == ")" {
		p.flags |= add
		return 0, 0, true, nil
	}
	if add&globalFlags != 0 {
		return 0, 0, false, p.errorf(1, "bad inline flags: cannot turn on global flag")
	}
	if c == "-" {
		if del, err = p.removedFlags(); err != nil {
			return 0, 0, false, err
		}
	}
	if del&globalFlags != 0 {
		return 0, 0, false, p.errorf(1, "bad inline flags: cannot turn off global flag")
	}
	if add&del != 0 {
		return 0, 0, false, p.errorf(1, "bad inline flags: flag turned on and off")
	}
	return add, del, false, nil
}

// addedFlags parses the letters of flags, beginning with c. end is the character that follows them.
func (p *parser) addedFlags(c string) (add flags, end string, err error) {
	for {
		flag := flagLetters[char(c)]
		if c == "L" {
			return 0, "", p.errorf(0, "bad inline flags: cannot use 'L' flag with a str pattern")
		}
		add |= flag
		if flag&typeFlags != 0 && add&typeFlags != flag {
			return 0, "", p.errorf(0, "bad inline flags: flags 'a', 'u' and 'L' are incompatible")
		}
		if c, err = p.get(); err != nil {
			return 0, "", err
		}
		if c == none {
			return 0, "", p.errorf(0, "missing -, : or )")
		}
		if c == ")" || c == "-" || c == ":" {
			return add, c, nil
		}
		if err := p.knownFlag(c, "missing -, : or )"); err != nil {
			return 0, "", err
		}
	}
}

// removedFlags parses the letters of flags between a dash and the colon.
func (p *parser) removedFlags() (del flags, err error) {
	c, err := p.get()
	if err != nil {
		return 0, err
	}
	if c == none {
		return 0, p.errorf(0, "missing flag")
	}
	for missing := "missing flag"; ; missing = "missing :" {
		if err := p.knownFlag(c, missing); err != nil {
			return 0, err
		}
		flag := flagLetters[char(c)]
		if flag&typeFlags != 0 {
			return 0, p.errorf(0, "bad inline flags: cannot turn off flags 'a', 'u' and 'L'")
		}
		del |= flag
		if c, err = p.get(); err != nil {
			return 0, err
		}
		if c == none {
			return 0, p.errorf(0, "missing :")
		}
		if c == ":" {
			return del, nil
		}
	}
}

func (p *parser) knownFlag(c, missing string) error {
	if _, ok := flagLetters[char(c)]; ok && length(c) == 1 {
		return nil
	}
	if strings.IndexFunc(c, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
		return p.errorf(length(c), "unknown flag")
	}
	return p.errorf(length(c), "%s", missing)
}
