package pyre

import (
	"slices"

	"github.com/monosim/monosim/engine/pysem"
)

// MaxSteps is how many instructions a match may execute before it is refused. That many take a
// fraction of a second, and the name of a sub-graph needs far fewer.
const MaxSteps = 2_000_000

// Group is a group of a match, with the text that it captured.
type Group struct {
	// Name is "" for a group without a name.
	Name string
	Text string
	// Set is false for a group that captured nothing, which is None in Python.
	Set bool
}

// Match is the result of [Pattern.Match].
type Match struct {
	// Text is the whole matched text, which Python calls group 0.
	Text string
	// Groups holds the groups 1, 2, ….
	Groups []Group
}

// Named returns the groups that have names, in the order of the pattern, as groupdict() does.
func (m *Match) Named() []Group {
	return slices.DeleteFunc(slices.Clone(m.Groups), func(g Group) bool { return g.Name == "" })
}

// Match matches the pattern at the beginning of text, as Python's re.match does. It returns nil if
// that fails. It returns an error if the match takes more than [MaxSteps].
//
// Speed: about 0.3 µs for ps_(?P<i>\d+).
func (p *Pattern) Match(text string) (*Match, error) {
	s := &state{code: p.code, text: pysem.Runes(text), marks: make([]int, 2*len(p.names)), lastMark: -1}
	found, err := s.run(0, 0)
	if err != nil || !found {
		return nil, err
	}
	m := &Match{Text: s.slice(0, s.at), Groups: make([]Group, len(p.names))}
	for i, name := range p.names {
		m.Groups[i].Name = name
		if begin, end, ok := s.group(2 * i); ok {
			m.Groups[i].Text, m.Groups[i].Set = s.slice(begin, end), true
		}
	}
	return m, nil
}

// MatchText returns re.match(pattern, text).
func MatchText(pattern, text string) (*Match, error) {
	p, err := Compile(pattern)
	if err != nil {
		return nil, err
	}
	return p.Match(text)
}

// state is the state of one match (SRE_STATE).
type state struct {
	code []instruction
	text []rune
	// at is the position in the text where the last successful run ended.
	at int
	// marks holds the positions in the text where groups begin and end. Marks above lastMark are
	// not set.
	marks    []int
	lastMark int
	repeat   *repeat
	steps    int
}

// repeat is the progress of a repeat whose body is more than a single character.
type repeat struct {
	pc     int // index of the instruction that repeats
	count  int
	lastAt int // where in the text the last round began, -1 before the first round
	outer  *repeat
}

func (s *state) slice(begin, end int) string {
	b := make([]byte, 0, end-begin)
	for _, r := range s.text[begin:end] {
		b = pysem.AppendRune(b, r)
	}
	return string(b)
}

// group returns the beginning and the end of the group with the marks i and i+1. ok is false if the
// group is not set.
func (s *state) group(i int) (begin, end int, ok bool) {
	if i >= s.lastMark {
		return 0, 0, false
	}
	begin, end = s.marks[i], s.marks[i+1]
	return begin, end, begin >= 0 && end >= begin
}

// setMark sets the mark with number i to a position in the text.
func (s *state) setMark(i, at int) {
	for s.lastMark < i {
		s.lastMark++
		s.marks[s.lastMark] = -1
	}
	s.marks[i] = at
}

// saved holds the marks to restore when a branch fails.
type saved struct {
	lastMark int
	marks    []int // marks to restore; nil if only lastMark has to be
}

// save returns what [state.restore] needs: lastMark and, if all is set, the marks too. Callers set
// all inside of a repeat.
func (s *state) save(all bool) saved {
	kept := saved{lastMark: s.lastMark}
	if all && s.lastMark >= 0 {
		kept.marks = slices.Clone(s.marks[:s.lastMark+1])
	}
	return kept
}

func (s *state) restore(kept saved) {
	copy(s.marks, kept.marks)
	s.lastMark = kept.lastMark
}

// isAt reports whether the index ptr of the text is a position of the given kind, such as its
// beginning.
func (s *state) isAt(at position, ptr int, ascii bool) bool {
	n := len(s.text)
	switch at {
	case atBeginning, atBeginningString:
		return ptr == 0
	case atBeginningLine:
		return ptr == 0 || s.text[ptr-1] == '\n'
	case atEnd:
		return ptr == n || ptr == n-1 && s.text[ptr] == '\n'
	case atEndLine:
		return ptr == n || s.text[ptr] == '\n'
	case atEndString:
		return ptr == n
	}
	if n == 0 {
		return false // before CPython 3.14, an empty text matches neither \b nor \B
	}
	word := func(i int) bool {
		return i >= 0 && i < n && isWord(s.text[i]) && (!ascii || s.text[i] < 0x80)
	}
	return (word(ptr-1) != word(ptr)) == (at == atBoundary)
}
