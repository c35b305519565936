package main

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	citationsRule = "citations"
	citationsDoc  = "rules and quirks that are cited exist, and rules of the servers are cited or excused"
)

// document is a specification whose rules are cited. A citation is the prefix, a hyphen and the
// number of a section or of a paragraph in it: ZK-n, ZK-n.m.
//
// The documentation of Number in package runners/show/rules says what defines a number. A rule is
// a defined number without other numbers below it: each paragraph, and each section without
// paragraphs.
type document struct {
	prefix, path string
	// covered requires that Go code, a test or a feature cites every rule of the document. Rules
	// listed in its section [excusesHeading] are exempt.
	covered bool
}

var documents = []document{
	{prefix: "ZK", path: "sim/zookeeper/SPEC.md", covered: true},
	{prefix: "TFS", path: "sim/tfserving/SPEC.md", covered: true},
	{prefix: "TRN", path: "engine/training/SPEC.md"},
	{prefix: "CNS", path: "sim/consul/SPEC.md"},
	{prefix: "CAP", path: "runners/whatif/SPEC.md"},
}

// quirksPath is the register of quirks, which are cited as Q and a number.
const quirksPath = "vectors/quirks.yaml"

// excusesHeading is the heading of a section in which a document lists its exempt rules. Each
// item is one rule: "- ZK-n.m: the reason".
const excusesHeading = "Not built, not cited"

// citingFiles lists the file endings in which citations are checked. In Go files only comments and
// strings are searched, in other files the whole text.
var citingFiles = []string{".go", ".feature", ".md", ".proto", ".py", ".sh", ".txt", ".yaml"}

// coveringFiles lists the endings of files whose citations show that a rule is built or tested.
var coveringFiles = []string{".go", ".feature"}

// lintTestdata is the folder with the test inputs of this command. Citations there are not checked,
// because some of them are wrong on purpose.
const lintTestdata = "cmd/lint/testdata/"

// lintCitations checks the citations in all files that git tracks or would add.
func lintCitations() ([]finding, error) {
	files, err := trackedTexts(cites)
	if err != nil {
		return nil, err
	}
	return checkCitations(files)
}

// cites reports whether citations in a file are checked, by its ending and folder.
func cites(name string) bool {
	return slices.Contains(citingFiles, path.Ext(name)) && !strings.HasPrefix(name, lintTestdata)
}

// checkCitations checks the citations of all files against the specifications among the files. The
// map holds the texts of the files by name.
func checkCitations(files map[string]string) ([]finding, error) {
	quirks, err := registered(files[quirksPath])
	if err != nil {
		return nil, err
	}
	c := citations{at: map[string]citation{}, quirks: quirks}
	for _, d := range documents {
		c.specs = append(c.specs, c.read(d, files))
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		c.check(name, files[name])
	}
	for i := range c.specs {
		c.coverage(&c.specs[i])
	}
	return c.found, nil
}

// registered returns the ids of the quirks in the register.
func registered(register string) (map[string]bool, error) {
	var quirks []struct{ ID string }
	if err := yaml.Unmarshal([]byte(register), &quirks); err != nil {
		return nil, fmt.Errorf("%s: %w", quirksPath, err)
	}
	ids := map[string]bool{}
	for _, q := range quirks {
		ids[q.ID] = true
	}
	return ids, nil
}

// citations collects what the check has read so far: definitions, citations and findings.
type citations struct {
	specs  []spec
	quirks map[string]bool
	at     map[string]citation // the first citation of each rule whose number is in the range
	found  []finding
}

// report adds a finding.
func (c *citations) report(file string, line int, format string, args ...any) {
	c.found = append(c.found, finding{File: file, Line: line, Rule: citationsRule, Text: fmt.Sprintf(format, args...)})
}

// read reads a specification. A missing file is reported once, not again for each citation of it.
func (c *citations) read(d document, files map[string]string) spec {
	text, ok := files[d.path]
	if !ok {
		c.report(d.path, 0, "is not there: bring it back, or take it out of the documents in cmd/lint/citations.go")
		return spec{document: d}
	}
	s := readSpec(d, text)
	for _, twice := range s.twice {
		c.report(d.path, twice.line, "%s is defined in line %d already: give this one a number of its own", twice.number, s.defined[twice.number])
	}
	return s
}

// cited matches a citation of a rule or of a quirk, such as a prefix with a number, or Q and a
// number.
var cited = regexp.MustCompile(`\b(?:(ZK|TFS|TRN|CNS|CAP)-E?\d+(?:\.\d+)?|Q\d+\b)`)

// check checks the citations of one file.
func (c *citations) check(name, text string) {
	covers := slices.Contains(coveringFiles, path.Ext(name))
	for _, p := range passages(name, text) {
		for _, m := range cited.FindAllStringSubmatchIndex(p.text, -1) {
			line := p.line + strings.Count(p.text[:m[0]], "\n")
			number, prefix := p.text[m[0]:m[1]], ""
			if m[2] >= 0 {
				prefix = p.text[m[2]:m[3]]
			}
			c.exists(name, line, prefix, number)
			if _, before := c.at[number]; covers && !before {
				c.at[number] = citation{name, line}
			}
		}
	}
}

// citation is the file and line of a citation.
type citation struct {
	file string
	line int
}

// exists reports a finding if the cited number is not defined. prefix is "" for a quirk.
func (c *citations) exists(name string, line int, prefix, number string) {
	if prefix == "" {
		if !c.quirks[number] {
			c.report(name, line, "%s is no quirk of %s: cite one that is there, or add it to the register", number, quirksPath)
		}
		return
	}
	i := slices.IndexFunc(c.specs, func(s spec) bool { return s.prefix == prefix })
	if s := c.specs[i]; s.defined != nil && s.defined[number] == 0 {
		c.report(name, line, "%s is no rule of %s: cite one that is there, or write it down there", number, s.path)
	}
}

// coverage reports the rules that are neither cited nor exempt. It also reports exemptions that
// are not needed.
func (c *citations) coverage(s *spec) {
	if !s.covered {
		return
	}
	excused := map[string]bool{}
	for _, e := range s.excuses {
		if c.excuse(s, e, excused[e.number]) {
			excused[e.number] = true
		}
	}
	for number, line := range s.defined {
		if _, ok := c.at[number]; !ok && !excused[number] && s.isRule(number) {
			c.report(s.path, line,
				"%s is cited by no Go file and no feature: cite it in the comment of what does or tests it, or list it under %q with the reason",
				number, excusesHeading)
		}
	}
}

// excuse checks one exemption, and reports it as a finding if it is wrong. It returns whether the
// exemption names a rule of the document.
func (c *citations) excuse(s *spec, e excusedRule, again bool) bool {
	switch at, isCited := c.at[e.number]; {
	case e.reason == "":
		c.report(s.path, e.line, "found %q under %q: want \"- %s-n.m: the reason\"", e.text, excusesHeading, s.prefix)
		return false
	case s.defined[e.number] == 0:
		return false // check has reported it already, as a citation of an undefined number
	case !s.isRule(e.number):
		c.report(s.path, e.line, "%s has rules of its own: list those that are not cited", e.number)
		return false
	case again:
		c.report(s.path, e.line, "%s is listed twice: delete one of the lines", e.number)
	case isCited:
		c.report(s.path, e.line, "%s is listed as not cited, but %s:%d cites it: delete the line", e.number, at.file, at.line)
	}
	return true
}
