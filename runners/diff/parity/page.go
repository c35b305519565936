package parity

import (
	"errors"
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// fact is one statement of a page: a table cell, a list item, or any other line.
type fact struct {
	// about says where the statement is: the section's heading, then the row's first cell or the
	// item's name, and the column.
	about string
	says  string
	line  int
}

func (f fact) String() string { return fmt.Sprintf("%d: %s", f.line, f.about) }

// factsOf returns the statements of a page. If several statements have the same place, they are
// numbered.
func factsOf(text string) (facts []fact) {
	section, said := "", map[string]int{}
	var columns []string
	add := func(line int, says string, about ...string) {
		f := fact{about: strings.Join(append([]string{section}, about...), ", "), says: says, line: line}
		said[f.about]++
		if n := said[f.about]; n > 1 {
			f.about = fmt.Sprintf("%s (%d)", f.about, n)
		}
		facts = append(facts, f)
	}
	for i, line := range strings.Split(text, "\n") {
		n := i + 1
		heading, isHeading := cutHeading(line)
		switch {
		case line == "" || strings.HasPrefix(line, "|---"):
		case isHeading:
			section, columns = heading, nil
			add(n, heading, "the heading")
		case strings.HasPrefix(line, "| "):
			cells := cellsOf(line)
			if columns == nil {
				columns = cells
			}
			for k, says := range cells[1:] {
				add(n, says, textOf(cells[0]), columns[min(k+1, len(columns)-1)])
			}
		case strings.HasPrefix(line, "- "):
			add(n, line[2:], itemName(line[2:]))
		default:
			columns = nil
			add(n, line, "the text")
		}
	}
	return facts
}

func cutHeading(line string) (heading string, ok bool) {
	marks, heading, ok := strings.Cut(line, " ")
	return heading, ok && marks != "" && strings.Trim(marks, "#") == ""
}

// cellsOf returns the cells of a table row. The escape \| is part of a cell and does not end it.
func cellsOf(line string) []string {
	const bar = "\x00"
	line = strings.ReplaceAll(line, `\|`, bar)
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(c), bar, "|")
	}
	return cells
}

// textOf returns the text of a cell. If the cell is a link, it returns the link's text.
func textOf(cell string) string {
	if text, _, ok := strings.Cut(cell, "]("); ok && strings.HasPrefix(text, "[") {
		return text[1:]
	}
	return cell
}

// itemName returns the name of a list item, which is its text up to a colon, without the bullet.
func itemName(item string) string {
	for _, mark := range []string{"[x] ", "[ ] ", "(n/a) "} {
		item = strings.TrimPrefix(item, mark)
	}
	name, _, _ := strings.Cut(item, ":")
	return name
}

// mostDifferences is the most differences that an error lists.
const mostDifferences = 20

// CheckPage compares a page with found, the text that Text now writes. The error lists each
// statement that differs, with its section, row, column, and both texts.
func CheckPage(name string, page, found []byte) error {
	want := lists.ToMap(factsOf(string(found)), func(f fact) (string, fact) { return f.about, f })
	var differences []error
	for _, f := range factsOf(string(page)) {
		w, ok := want[f.about]
		delete(want, f.about)
		switch {
		case !ok:
			differences = append(differences, fmt.Errorf("%s:%v: found %q, of which nothing shows anything", name, f, f.says))
		case w.says != f.says:
			differences = append(differences, fmt.Errorf("%s:%v: found %q, want %q", name, f, f.says, w.says))
		}
	}
	for _, f := range factsOf(string(found)) {
		if _, ok := want[f.about]; ok {
			differences = append(differences, fmt.Errorf("%s: %s: found nothing, want %q", name, f.about, f.says))
		}
	}
	if len(differences) == 0 && string(page) != string(found) {
		return fmt.Errorf("%s: it says what make parity writes, in another form; run it", name)
	}
	if more := len(differences) - mostDifferences; more > 0 {
		differences = append(differences[:mostDifferences], fmt.Errorf("%s: and %d more; run make parity and look at the difference", name, more))
	}
	return errors.Join(differences...)
}
