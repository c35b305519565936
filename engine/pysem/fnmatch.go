package pysem

// Fnmatch reports whether a name matches a shell pattern, as Python's fnmatchcase does. * and ?
// also match slashes and leading dots. [seq] and [!seq] match one character. A bracket that is not
// closed matches itself.
func Fnmatch(name, pattern string) bool { return matchShell([]rune(name), parseShell([]rune(pattern))) }

// shellPiece matches a single character, or any characters if star is set.
type shellPiece struct {
	star, any, not bool
	ranges         [][2]rune
}

func (p shellPiece) matches(r rune) bool {
	if p.any {
		return true
	}
	for _, span := range p.ranges {
		if span[0] <= r && r <= span[1] {
			return !p.not
		}
	}
	return p.not
}

func parseShell(pattern []rune) []shellPiece {
	var pieces []shellPiece
	for i := 0; i < len(pattern); i++ {
		switch r := pattern[i]; r {
		case '*':
			pieces = append(pieces, shellPiece{star: true})
		case '?':
			pieces = append(pieces, shellPiece{any: true})
		case '[':
			if end := closingBracket(pattern, i+1); end > 0 {
				pieces = append(pieces, bracketPiece(pattern[i+1:end]))
				i = end
				continue
			}
			fallthrough
		default:
			pieces = append(pieces, shellPiece{ranges: [][2]rune{{r, r}}})
		}
	}
	return pieces
}

// closingBracket returns the index of the bracket that closes a sequence, or -1. The sequence
// begins at the index from. A closing bracket at the very beginning is a member of the sequence.
func closingBracket(pattern []rune, from int) int {
	i := from
	if i < len(pattern) && pattern[i] == '!' {
		i++
	}
	for i++; i < len(pattern); i++ {
		if pattern[i] == ']' {
			return i
		}
	}
	return -1
}

// bracketPiece parses the text between the brackets of a sequence. A reversed range, such as z-a,
// matches nothing.
func bracketPiece(body []rune) shellPiece {
	var p shellPiece
	if len(body) > 0 && body[0] == '!' {
		p.not, body = true, body[1:]
	}
	for i := 0; i < len(body); i++ {
		if i+2 < len(body) && body[i+1] == '-' {
			p.ranges = append(p.ranges, [2]rune{body[i], body[i+2]})
			i += 2
			continue
		}
		p.ranges = append(p.ranges, [2]rune{body[i], body[i]})
	}
	return p
}

// matchShell reports whether the pieces match the whole name. It backtracks only to the last star,
// which is enough because a star matches anything.
func matchShell(name []rune, pieces []shellPiece) bool {
	i, p := 0, 0
	star, mark := -1, 0
	for i < len(name) {
		switch {
		case p < len(pieces) && pieces[p].star:
			star, mark = p, i
			p++
		case p < len(pieces) && pieces[p].matches(name[i]):
			i++
			p++
		case star >= 0:
			mark++
			i, p = mark, star+1
		default:
			return false
		}
	}
	for p < len(pieces) && pieces[p].star {
		p++
	}
	return p == len(pieces)
}
