// Package featurefile reads .feature files. The parser is Cucumber's for Go, which takes blanks and
// tabs for white space, a byte order mark for text, and lines up to 64 kB; what is read here is what
// Cucumber's parser for JavaScript reads, which knows all white space of Unicode.
//
// Two things to use first:
//
//   - [Parse] reads a document.
//   - [Pickles] makes the scenarios of it, a row of an outline as one.
//
// To change what is white space, see blank; what is said of mistakes, mistake.go. The test that holds both parsers together draws files:
// make nightly-gherkin.
//
// Unstable: any commit may change it.
package featurefile

import (
	"strings"

	gherkin "github.com/cucumber/gherkin/go/v42"
	messages "github.com/cucumber/messages/go/v34"
)

// Parse parses a document. newID makes the ids of its parts. An error is of type [Mistakes].
func Parse(text, uri string, newID func() string) (*messages.GherkinDocument, error) {
	builder := gherkin.NewAstBuilder(newID)
	parser := gherkin.NewParser(builder)
	if err := parser.Parse(newScanner(text), gherkin.NewMatcher(gherkin.DialectsBuiltin())); err != nil {
		return nil, mistakes(err, text)
	}
	doc := builder.GetGherkinDocument()
	doc.Uri = uri
	if doc.Feature != nil {
		trim(doc.Feature)
	}
	return doc, nil
}

// Pickles returns the scenarios of a document as pickles, which have outlines and backgrounds
// resolved.
func Pickles(doc *messages.GherkinDocument, newID func() string) []*messages.Pickle {
	return gherkin.Pickles(*doc, doc.Uri, newID)
}

// blank reports whether a rune counts as white space in JavaScript.
func blank(r rune) bool {
	switch r {
	case ' ', '\t', '\v', '\f', '\r', '\u00a0', '\u1680', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000', '\ufeff':
		return true
	}
	return r >= '\u2000' && r <= '\u200a'
}

// scanner gives the lines of a text to the parser.
type scanner struct {
	lines []string
	at    int
}

func newScanner(text string) *scanner {
	s := &scanner{lines: strings.Split(text, "\n")}
	if last := len(s.lines) - 1; strings.TrimFunc(s.lines[last], blank) == "" {
		s.lines = s.lines[:last]
	}
	return s
}

// Scan returns the next line. In lines of tags and comments, all kinds of white space become plain
// blanks.
func (s *scanner) Scan() (line *gherkin.Line, atEnd bool, err error) {
	s.at++
	if s.at > len(s.lines) {
		return &gherkin.Line{LineNumber: s.at, AtEof: true}, true, nil
	}
	text := strings.TrimSuffix(s.lines[s.at-1], "\r")
	trimmed := strings.TrimLeftFunc(text, blank)
	if strings.HasPrefix(trimmed, gherkin.TagPrefix) || strings.HasPrefix(trimmed, gherkin.CommentPrefix) {
		trimmed = strings.Map(func(r rune) rune {
			if blank(r) {
				return ' '
			}
			return r
		}, trimmed)
	}
	return &gherkin.Line{LineText: text, LineNumber: s.at, TrimmedLineText: trimmed}, false, nil
}

// trim removes white space around the names and steps of a feature.
func trim(f *messages.Feature) {
	trimmed := func(text *string) { *text = strings.TrimFunc(*text, blank) }
	steps := func(list []*messages.Step) {
		for _, s := range list {
			trimmed(&s.Text)
		}
	}
	part := func(sc *messages.Scenario, b *messages.Background) {
		if b != nil {
			trimmed(&b.Name)
			steps(b.Steps)
		}
		if sc != nil {
			trimmed(&sc.Name)
			steps(sc.Steps)
			for _, e := range sc.Examples {
				trimmed(&e.Name)
			}
		}
	}
	trimmed(&f.Name)
	for _, child := range f.Children {
		part(child.Scenario, child.Background)
		if child.Rule == nil {
			continue
		}
		trimmed(&child.Rule.Name)
		for _, c := range child.Rule.Children {
			part(c.Scenario, c.Background)
		}
	}
}
