package agentconfig

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// PatternPiece is a literal text and the placeholder that follows it. The last piece of a pattern
// can have the placeholder None.
type PatternPiece struct {
	Text string
	Name pysem.OptString
}

// ParsePattern splits a pattern at its placeholders, which are enclosed by left and right
// (utils.py:869-879). If a closing bracket is missing, the rest is literal text. If right has
// several characters, only its first is removed.
func ParsePattern(pattern, left, right string) []PatternPiece {
	var pieces []PatternPiece
	for pattern != "" {
		begin := strings.Index(pattern, left)
		length := -1
		if begin >= 0 {
			length = strings.Index(pattern[begin:], right)
		}
		if length < 0 {
			return append(pieces, PatternPiece{Text: pattern})
		}
		end := begin + length
		name := pattern[min(afterChar(pattern, begin), end):end]
		pieces = append(pieces, PatternPiece{Text: pattern[:begin], Name: pysem.Some(name)})
		pattern = pattern[afterChar(pattern, end):]
	}
	return pieces
}

// afterChar returns the index just after the character that begins at the index at.
func afterChar(text string, at int) int {
	_, size := utf8.DecodeRuneInString(text[at:])
	return at + size
}

// NormalizeRegex converts a pattern to a Python regular expression. Each {name} becomes a group of
// digits with that name (utils.py:882-889). Invalid names are found only when the expression is
// compiled.
func NormalizeRegex(pattern string) string {
	var b strings.Builder
	for _, piece := range ParsePattern(pattern, "{", "}") {
		b.WriteString(piece.Text)
		if piece.Name.Set {
			b.WriteString("(?P<" + piece.Name.V + `>\d+)`)
		}
	}
	return b.String()
}

// ExpandPattern lists the names that a pattern with ranges such as [0-3] stands for
// (utils.py:892-905). A range excludes its upper number. A single number in brackets is a TypeError
// (Q166) unless that quirk is repaired. Anything but numbers is a ValueError.
func ExpandPattern(pattern string, keep quirks.Set) ([]string, error) {
	names := []string{""}
	for _, piece := range ParsePattern(pattern, "[", "]") {
		suffixes := []string{""}
		if piece.Name.Set {
			numbers, err := expandNumbers(piece.Name.V, keep)
			if err != nil {
				return nil, err
			}
			suffixes = numbers
		}
		longer := make([]string, 0, len(names)*len(suffixes))
		for _, name := range names {
			for _, suffix := range suffixes {
				longer = append(longer, name+piece.Text+suffix)
			}
		}
		names = longer
	}
	return names, nil
}

// maxRange is the largest number of names in a range. Beyond it the reference would run out of
// memory.
const maxRange = 1 << 24

func expandNumbers(list string, keep quirks.Set) ([]string, error) {
	var numbers []string
	for part := range strings.SplitSeq(list, ",") {
		ends := strings.Split(part, "-")
		switch {
		case len(ends) > 2:
			return nil, pysem.UnpackError(2, len(ends))
		case len(ends) == 2:
			span, err := expandRange(ends[0], ends[1])
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, span...)
			continue
		}
		n, err := pysem.ParseInt(part)
		if err != nil {
			return nil, err
		}
		if keep.Keeps(quirks.Q166) {
			return nil, pysem.Raise("TypeError", "'int' object is not iterable")
		}
		numbers = append(numbers, n.String())
	}
	return numbers, nil
}

func expandRange(from, to string) ([]string, error) {
	first, err := pysem.ParseInt(from)
	if err != nil {
		return nil, err
	}
	end, err := pysem.ParseInt(to)
	if err != nil {
		return nil, err
	}
	count := new(big.Int).Sub(end, first)
	if count.Sign() <= 0 {
		return nil, nil
	}
	if !count.IsInt64() || count.Int64() > maxRange {
		return nil, pysem.Raise("MemoryError", "a range of %s numbers", count)
	}
	numbers := make([]string, 0, count.Int64())
	for i := range count.Int64() {
		if first.IsInt64() {
			numbers = append(numbers, strconv.FormatInt(first.Int64()+i, 10))
			continue
		}
		numbers = append(numbers, new(big.Int).Add(first, big.NewInt(i)).String())
	}
	return numbers, nil
}
