package main

import (
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"strings"

	numbered "github.com/monosim/monosim/runners/show/rules"
)

// spec holds the numbers that a document defines, and the rules that it exempts from coverage.
type spec struct {
	document
	// defined maps each defined number to its line. It is nil if the document is missing.
	defined map[string]int
	// above holds the sections that have paragraphs.
	above   map[string]bool
	twice   []definition
	excuses []excusedRule
}

// definition is where a number is defined.
type definition struct {
	number string
	line   int
}

// excusedRule is one item in the list of exempt rules. reason is "" if the item cannot be parsed.
type excusedRule struct {
	number, reason string
	text           string
	line           int
}

var (
	heading  = regexp.MustCompile(`^#+ +(.*)$`)
	item     = regexp.MustCompile(`^- +(.*)$`)
	excusing = regexp.MustCompile(`^((?:ZK|TFS|TRN)-\d+(?:\.\d+)?): +(\S.*)$`)
)

// readSpec finds the numbers that a document defines and the rules that it exempts.
func readSpec(d document, text string) spec {
	document := numbered.Document{Prefix: d.prefix}
	s := spec{document: d, defined: map[string]int{}, above: map[string]bool{}}
	line, excusing := 0, false
	for l := range strings.Lines(text) {
		line++
		l = strings.TrimRight(l, "\r\n")
		if m := heading.FindStringSubmatch(l); m != nil {
			excusing = m[1] == excusesHeading
		}
		if m := item.FindStringSubmatch(l); m != nil && excusing {
			s.excuses = append(s.excuses, d.readExcuse(m[1], line))
			continue
		}
		if number := document.Number(l); number != "" {
			s.define(number, line)
		}
	}
	return s
}

func (s *spec) define(number string, line int) {
	if s.defined[number] != 0 {
		s.twice = append(s.twice, definition{number, line})
		return
	}
	s.defined[number] = line
	if section, _, ok := strings.Cut(number, "."); ok {
		s.above[section] = true
	}
}

// isRule reports whether a number has to be cited. A section with paragraphs does not have to be.
func (s *spec) isRule(number string) bool { return !s.above[number] }

func (d document) readExcuse(text string, line int) excusedRule {
	m := excusing.FindStringSubmatch(text)
	if m == nil || !strings.HasPrefix(m[1], d.prefix+"-") {
		return excusedRule{text: text, line: line}
	}
	return excusedRule{number: m[1], reason: m[2], text: text, line: line}
}

// passage is a piece of a file in which citations are searched, with its first line's number.
type passage struct {
	text string
	line int
}

// passages returns the comments and strings of a Go file, and the whole text of any other file.
func passages(name, text string) []passage {
	if path.Ext(name) != ".go" {
		return []passage{{text, 1}}
	}
	files := token.NewFileSet()
	file := files.AddFile(name, -1, len(text))
	var s scanner.Scanner
	// Errors of the scanner are ignored: such a file does not compile, which is reported elsewhere.
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	var list []passage
	for {
		pos, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return list
		case token.COMMENT, token.STRING:
			list = append(list, passage{literal, file.Line(pos)})
		}
	}
}
