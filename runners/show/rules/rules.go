// Package rules finds numbered rules in the documents that say what the servers, the training side
// and the capacity model do, so that a code in an error or a report can be explained where it is read.
//
//   - [Find] returns the text of one rule.
//   - [Numbers] lists the rules of a document, and [Words] the words of reports that it explains.
//
// To change how
//
//   - rules are marked in a document, look at [Document.Number];
//   - much of a document belongs to one, at [Find].
//
// The documents of the project are in package documents.
//
// Unstable: any commit may change it.
package rules

import (
	"regexp"
	"strings"
)

// Document is a specification. Its rules are cited as its prefix, a hyphen and a number.
type Document struct {
	// Prefix is the start of the document's citations, such as ZK.
	Prefix string
	// Path is the document's path in the repository.
	Path string
	// About describes the document's subject.
	About string
	Text  string
}

// number matches the start of a line that defines a rule's number.
var number = regexp.MustCompile(`^(?:#+ +|(?:[-*] +)?\*\*|\| *(?:\*\*)?)([A-Z]+-E?\d+(?:\.\d+)?)`)

// Number returns the number that a line defines, or "" for none. A line defines the number at its
// start in three forms. The number is the first word of a heading ("### ZK-n.m Frames"), in bold
// ("**ZK-n.m Frames.**", or as an item, "- **ZK-n.m**"), or alone in the first cell of a table row
// ("| ZK-n.m | ... |").
func (d Document) Number(line string) string {
	m := number.FindStringSubmatch(line)
	if m == nil || !strings.HasPrefix(m[1], d.Prefix+"-") {
		return ""
	}
	if strings.HasPrefix(line, "|") {
		if cell, _, _ := strings.Cut(line[1:], "|"); strings.Trim(cell, " *") != m[1] {
			return ""
		}
	}
	return m[1]
}

// Numbers lists the numbers that a document defines, in the order of the document.
func Numbers(d Document) (list []string) {
	for line := range strings.Lines(d.Text) {
		if n := d.Number(line); n != "" {
			list = append(list, n)
		}
	}
	return list
}

var heading = regexp.MustCompile(`^(#+) `)

// Find returns the text of a rule and the line where it begins. The text ends before the next
// number or a heading of the same or a higher level. A rule in a table is one row. For the number
// of a section, the text is the paragraphs before the section's first rule. The text is "" if the
// document does not define the number.
func Find(d Document, wanted string) (text string, line int) {
	var b strings.Builder
	depth, at := 0, 0
	for l := range strings.Lines(d.Text) {
		at++
		n := d.Number(l)
		if line == 0 {
			if n != wanted {
				continue
			}
			if line = at; strings.HasPrefix(l, "|") {
				return strings.TrimSpace(l), line
			}
			if m := heading.FindStringSubmatch(l); m != nil {
				depth = len(m[1])
			}
			b.WriteString(l)
			continue
		}
		m := heading.FindStringSubmatch(l)
		if n != "" && !strings.HasPrefix(l, "|") || m != nil && (depth == 0 || len(m[1]) <= depth) {
			break
		}
		b.WriteString(l)
	}
	return strings.TrimSpace(b.String()), line
}

// wordsHeading is the heading of the section with the table that explains the words of reports.
const wordsHeading = "## Words of reports"

// words calls the function each for every row of the table of words, with the row's line number.
func words(d Document, each func(word, text string, line int)) {
	within, at := false, 0
	for l := range strings.Lines(d.Text) {
		at++
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "## ") {
			within = l == wordsHeading
		}
		cells := strings.SplitN(strings.Trim(l, "|"), " | ", 2)
		if within && strings.HasPrefix(l, "| ") && len(cells) == 2 {
			each(strings.Trim(cells[0], " `"), strings.TrimSpace(cells[1]), at)
		}
	}
}

// Words lists the words of reports that a document explains, in the order of the document.
func Words(d Document) (list []string) {
	words(d, func(word, _ string, _ int) { list = append(list, word) })
	return list[min(1, len(list)):] // the first entry is the head of the table
}

// Word returns a document's explanation of a word, and its line. The text is "" if the document
// does not explain the word.
func Word(d Document, wanted string) (text string, line int) {
	words(d, func(word, about string, at int) {
		if word == wanted && line == 0 {
			text, line = about, at
		}
	})
	return text, line
}
