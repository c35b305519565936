package pyre

import (
	"unicode"

	"github.com/monosim/monosim/engine/pysem"
)

// charset is a set of characters in a regular expression: a set in brackets, or a category such as
// \d.
type charset struct {
	negate     bool
	ranges     [][2]rune
	categories []category
	// folded means that a character has to be converted to lower case before it is looked up.
	folded bool
}

// category is one of the character classes \d, \s and \w, or its complement such as \D.
type category struct {
	letter rune // letter of the class: d, s or w
	not    bool
	ascii  bool
}

func (c category) has(r rune) bool {
	if c.ascii && r >= 0x80 {
		return c.not
	}
	is := false
	switch c.letter {
	case 'd':
		is = r >= '0' && r <= '9' || r >= 0x80 && unicode.Is(unicode.Nd, r)
	case 's':
		is = isSpace(r, c.ascii)
	default:
		is = isWord(r)
	}
	return is != c.not
}

func isSpace(r rune, ascii bool) bool {
	if ascii {
		return r == ' ' || r >= '\t' && r <= '\r'
	}
	return pysem.IsSpace(r)
}

func isWord(r rune) bool {
	if r < 0x80 {
		return r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	return pysem.IsWordChar(r)
}

func (s *charset) has(r rune) bool {
	for i := range s.ranges {
		if r >= s.ranges[i][0] && r <= s.ranges[i][1] {
			return !s.negate
		}
	}
	for _, c := range s.categories {
		if c.has(r) {
			return !s.negate
		}
	}
	return s.negate
}

// lower returns the lower-case form by which CPython compares characters. With the flag "a" only
// ASCII letters have one.
func lower(r rune, ascii bool) rune {
	if r < 0x80 {
		if r >= 'A' && r <= 'Z' {
			return r | 0x20
		}
		return r
	}
	if ascii {
		return r
	}
	return unicode.ToLower(r)
}

func isCased(r rune, ascii bool) bool {
	if ascii {
		return r < 0x80 && (r|0x20 >= 'a' && r|0x20 <= 'z')
	}
	return unicode.ToLower(r) != r || unicode.ToUpper(r) != r
}

// sameUpper returns the other lower-case letters with the same upper-case form as low.
func sameUpper(low rune) []rune {
	if low == 0x69 {
		return []rune{0x131}
	}
	if low == 0x131 {
		return []rune{0x69}
	}
	var others []rune
	for r := unicode.SimpleFold(low); r != low; r = unicode.SimpleFold(r) {
		if unicode.ToLower(r) == r {
			others = append(others, r)
		}
	}
	return others
}

// largestFolded is the last character for which CPython ignores case inside of brackets.
const largestFolded = 0xffff

// fold returns the set to use when case is ignored (_optimize_charset). If any character in s has a
// case, lower-case characters have to be looked up in the result.
func (s *charset) fold(ascii bool) *charset {
	folded := &charset{negate: s.negate, categories: s.categories}
	for _, span := range s.ranges {
		if span[1] > largestFolded {
			folded.folded = true
			folded.ranges = append(folded.ranges, span)
			continue
		}
		for r := span[0]; r <= span[1]; r++ {
			folded.folded = folded.folded || isCased(r, ascii)
			folded.add(lower(r, ascii))
			if ascii {
				continue
			}
			for _, other := range sameUpper(lower(r, ascii)) {
				folded.add(other)
			}
		}
	}
	return folded
}

// add adds a character to the set. It extends the last range if the character is next to it.
func (s *charset) add(r rune) {
	if n := len(s.ranges); n > 0 && r >= s.ranges[n-1][0] && r <= s.ranges[n-1][1]+1 {
		s.ranges[n-1][1] = max(s.ranges[n-1][1], r)
		return
	}
	s.ranges = append(s.ranges, [2]rune{r, r})
}
