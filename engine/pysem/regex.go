package pysem

import (
	"regexp"
	"strings"
	"unicode"
)

// Pattern is a compiled regular expression with Python's meaning of \d, \w, \s,
// \b and $. Look-around, back references and possessive repeats are not
// supported: they are a NotImplementedError of [CompilePattern].
type Pattern struct {
	re *regexp.Regexp
	// names has the name of each group, "" for one without.
	names []string
	// endAnchor says that a $ may also match before a final line end.
	endAnchor bool
}

// Group is a named group of a match. Set is false for one that took no part,
// which Python gives as None.
type Group struct {
	Name string
	Text string
	Set  bool
}

// CompilePattern translates and compiles a Python pattern; a malformed one is an
// Error of type "error", as re.error is called.
func CompilePattern(pattern string) (*Pattern, error) {
	t := regexTranslator{src: pattern}
	if err := t.run(); err != nil {
		return nil, err
	}
	re, err := regexp.Compile(`\A(?:` + t.out.String() + `)`)
	if err != nil {
		return nil, Raise("error", "%v", err)
	}
	return &Pattern{re: re, names: t.names, endAnchor: t.endAnchor}, nil
}

// Match is re.match: the pattern matches from the beginning of text on. It
// answers the named groups in the pattern's order.
func (p *Pattern) Match(text string) (groups []Group, ok bool) {
	at := p.re.FindStringSubmatchIndex(text)
	if shorter, found := strings.CutSuffix(text, "\n"); at == nil && found && p.endAnchor {
		text = shorter
		at = p.re.FindStringSubmatchIndex(text)
	}
	if at == nil {
		return nil, false
	}
	for i, name := range p.names {
		if name == "" {
			continue
		}
		g := Group{Name: name}
		if begin := at[2*i+2]; begin >= 0 {
			g.Text, g.Set = text[begin:at[2*i+3]], true
		}
		groups = append(groups, g)
	}
	return groups, true
}

// Match is re.match of a pattern given as text.
func Match(pattern, text string) (groups []Group, ok bool, err error) {
	p, err := CompilePattern(pattern)
	if err != nil {
		return nil, false, err
	}
	groups, ok = p.Match(text)
	return groups, ok, nil
}

// Python's character classes; Go's are ASCII. They go inside brackets.
const (
	classDigit = `\p{Nd}`
	classWord  = `\p{L}\p{N}_`
	classSpace = `\s\x0b\x1c-\x1f\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`
)

// IsWordChar says whether \w matches r: a letter or number of any script, or an
// underscore.
func IsWordChar(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// regexTranslator rewrites Python's syntax in Go's.
type regexTranslator struct {
	src       string
	at        int
	out       strings.Builder
	names     []string
	endAnchor bool
}

func (t *regexTranslator) run() error {
	for t.at < len(t.src) {
		switch c := t.src[t.at]; c {
		case '\\':
			if err := t.escape(false); err != nil {
				return err
			}
		case '[':
			if err := t.class(); err != nil {
				return err
			}
		case '(':
			if err := t.group(); err != nil {
				return err
			}
		case '$':
			t.endAnchor = true
			t.out.WriteString(`\z`)
			t.at++
		case '*', '+', '?':
			if strings.HasPrefix(t.src[t.at+1:], "+") {
				return unsupported("a possessive repeat")
			}
			t.out.WriteByte(c)
			t.at++
		default:
			t.out.WriteByte(c)
			t.at++
		}
	}
	return nil
}

// group handles what follows an opening parenthesis.
func (t *regexTranslator) group() error {
	rest := t.src[t.at+1:]
	switch {
	case strings.HasPrefix(rest, "?P<"):
		return t.namedGroup(rest[len("?P<"):])
	case strings.HasPrefix(rest, "?:"), strings.HasPrefix(rest, "?i"), strings.HasPrefix(rest, "?s"), strings.HasPrefix(rest, "?m"):
		t.out.WriteString("(?")
		t.at += 2
		return nil
	case strings.HasPrefix(rest, "?#"):
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return Raise("error", "missing ), unterminated comment at position %d", t.at)
		}
		t.at += end + 2
		return nil
	case strings.HasPrefix(rest, "?"):
		if strings.IndexAny(rest[1:], "=!<P(aLux>") == 0 {
			return unsupported("a group that begins with (" + rest[:2])
		}
		return Raise("error", "unknown extension at position %d", t.at+1)
	}
	t.names = append(t.names, "")
	t.out.WriteByte('(')
	t.at++
	return nil
}

// namedGroup checks the name as Python does and leaves it out of Go's pattern,
// where names are ASCII.
func (t *regexTranslator) namedGroup(rest string) error {
	name, _, closed := strings.Cut(rest, ">")
	switch {
	case !closed:
		return Raise("error", "missing >, unterminated name at position %d", t.at+4)
	case name == "":
		return Raise("error", "missing group name at position %d", t.at+4)
	case !IsIdentifier(name):
		return Raise("error", "bad character in group name %s at position %d", Repr(name), t.at+4)
	}
	for i, known := range t.names {
		if known == name {
			return Raise("error", "redefinition of group name %s as group %d; was group %d at position %d",
				Repr(name), len(t.names)+1, i+1, t.at+4)
		}
	}
	t.names = append(t.names, name)
	t.out.WriteByte('(')
	t.at += len("(?P<") + len(name) + 1
	return nil
}

// escape handles a backslash, inside brackets or outside.
func (t *regexTranslator) escape(inClass bool) error {
	if t.at+1 == len(t.src) {
		return Raise("error", "bad escape (end of pattern) at position %d", t.at)
	}
	c := t.src[t.at+1]
	start := t.at
	t.at += 2
	open, closing := "[", "]"
	if inClass {
		open, closing = "", ""
	}
	switch c {
	case 'd':
		t.out.WriteString(open + classDigit + closing)
	case 'w':
		t.out.WriteString(open + classWord + closing)
	case 's':
		t.out.WriteString(open + classSpace + closing)
	case 'D', 'W', 'S':
		if inClass {
			if c == 'D' {
				t.out.WriteString(`\P{Nd}`)
				return nil
			}
			return unsupported(`\` + string(c) + " inside brackets")
		}
		t.out.WriteString("[^" + map[byte]string{'D': classDigit, 'W': classWord, 'S': classSpace}[c] + "]")
	case 'Z':
		t.out.WriteString(`\z`)
	case 'A', 'n', 'r', 't', 'f', 'v', 'a', 'x':
		t.out.WriteString(t.src[start:t.at])
	case 'b', 'B':
		if inClass && c == 'b' {
			t.out.WriteString(`\x08`)
			return nil
		}
		t.out.WriteString(t.src[start:t.at])
	case 'u', 'U':
		return t.unicodeEscape(start, c)
	default:
		switch {
		case c == '0' || c >= '1' && c <= '9' && inClass:
			return unsupported("an octal escape")
		case c >= '1' && c <= '9':
			return unsupported("a back reference")
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			return Raise("error", `bad escape \%c at position %d`, c, start)
		case c >= 0x80:
			t.out.WriteByte(c) // the rest of the character follows as it is
		default:
			t.out.WriteString(t.src[start:t.at])
		}
	}
	return nil
}

func (t *regexTranslator) unicodeEscape(start int, c byte) error {
	digits := map[byte]int{'u': 4, 'U': 8}[c]
	if t.at+digits > len(t.src) || strings.Trim(strings.ToLower(t.src[t.at:t.at+digits]), hexDigits) != "" {
		return Raise("error", `incomplete escape \%c at position %d`, c, start)
	}
	t.out.WriteString(`\x{` + t.src[t.at:t.at+digits] + `}`)
	t.at += digits
	return nil
}

// class copies a bracketed class; a first closing bracket is a member.
func (t *regexTranslator) class() error {
	start := t.at
	t.out.WriteByte('[')
	t.at++
	if strings.HasPrefix(t.src[t.at:], "^") {
		t.out.WriteByte('^')
		t.at++
	}
	for first := true; t.at < len(t.src); first = false {
		switch c := t.src[t.at]; {
		case c == ']' && !first:
			t.out.WriteByte(']')
			t.at++
			return nil
		case c == '\\':
			if err := t.escape(true); err != nil {
				return err
			}
		case c == '[':
			t.out.WriteString(`\[`) // Go would read [: as the start of a class
			t.at++
		default:
			t.out.WriteByte(c)
			t.at++
		}
	}
	return Raise("error", "unterminated character set at position %d", start)
}
