package conformance

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// These limit how many equal lines a difference shows, and how much of a long line.
const (
	contextLines = 3   // on each side
	mostAlike    = 8   // number of equal lines in a row up to which all are shown
	mostShown    = 200 // lines in all
	mostBytes    = 240 // number of bytes shown of a long line, around the place of the difference
)

// edit is one line of a difference, with its sign.
type edit struct {
	sign byte // '-' for a line of the first text only, '+' of the second only, ' ' of both
	text string
}

func (e edit) String() string {
	if e.sign == ' ' {
		return "  " + cut(e.text)
	}
	return string(e.sign) + " " + e.text
}

// cut shortens a long line. Lines of JSON are ASCII, so they can be cut at any byte.
func cut(text string) string {
	if len(text) > mostBytes {
		return fmt.Sprintf("%s … (%d bytes)", text[:mostBytes], len(text))
	}
	return text
}

// diffOf writes the difference of two texts. Equal lines occur once, lines only in the first have a
// -, and lines only in the second have a +. Of a long run of equal lines only both ends are
// written.
func diffOf(a, b []line) string {
	edits := editsOf(a, b)
	var out []string
	for from := 0; from < len(edits); {
		to := from
		for to < len(edits) && edits[to].sign == edits[from].sign {
			to++
		}
		for i := from; i < to; i++ {
			if n := hidden(edits, from, to, i); n > 0 {
				out = append(out, fmt.Sprintf("  … %d lines alike …", n))
				i += n - 1
				continue
			}
			out = append(out, edits[i].String())
		}
		from = to
	}
	if extra := len(out) - mostShown; extra > 0 {
		out = append(out[:mostShown], fmt.Sprintf("  … %d more lines …", extra))
	}
	return strings.Join(out, "\n") + "\n"
}

// hidden returns how many lines, beginning with line i, are left out of the run [from, to) of equal
// lines.
func hidden(edits []edit, from, to, i int) int {
	if edits[i].sign != ' ' || to-from <= mostAlike {
		return 0
	}
	first, last := from+contextLines, to-contextLines
	if from == 0 {
		first = from
	}
	if to == len(edits) {
		last = to
	}
	if i != first {
		return 0
	}
	return last - first
}

// editsOf returns the edits that change a into b. It uses a longest common subsequence of lines.
func editsOf(a, b []line) []edit {
	var edits []edit
	head := 0
	for head < len(a) && head < len(b) && a[head].compared == b[head].compared {
		edits = append(edits, edit{' ', a[head].text})
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail].compared == b[len(b)-1-tail].compared {
		tail++
	}
	edits = append(edits, editsBetween(a[head:len(a)-tail], b[head:len(b)-tail])...)
	edits = append(edits, lists.Map(a[len(a)-tail:], func(l line) edit { return edit{' ', l.text} })...)
	return edits
}

// mostCompared is the most pairs of lines that are compared. If there are more, the difference
// shows all lines of the first text, then all of the second.
const mostCompared = 4_000_000

// editsBetween returns the edits between two texts that have no common first or last line.
func editsBetween(a, b []line) []edit {
	var edits []edit
	i, j := 0, 0
	if len(a)*len(b) <= mostCompared {
		common := commonSuffixes(a, b)
		for i < len(a) && j < len(b) {
			switch {
			case a[i].compared == b[j].compared:
				edits = append(edits, edit{' ', a[i].text})
				i, j = i+1, j+1
			case common[i+1][j] >= common[i][j+1]:
				edits = append(edits, edit{'-', a[i].text})
				i++
			default:
				edits = append(edits, edit{'+', b[j].text})
				j++
			}
		}
	}
	for ; i < len(a); i++ {
		edits = append(edits, edit{'-', a[i].text})
	}
	for ; j < len(b); j++ {
		edits = append(edits, edit{'+', b[j].text})
	}
	return edits
}

// commonSuffixes returns a table. Its entry [i][j] is the length of the longest common subsequence
// of a[i:] and b[j:].
func commonSuffixes(a, b []line) [][]int {
	common := make([][]int, len(a)+1)
	common[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		common[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].compared == b[j].compared {
				common[i][j] = common[i+1][j+1] + 1
				continue
			}
			common[i][j] = max(common[i+1][j], common[i][j+1])
		}
	}
	return common
}
