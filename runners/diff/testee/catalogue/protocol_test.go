package catalogue_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/diff/testee/catalogue"
	"github.com/monosim/monosim/vectors/golden"
)

// Goal: the protocol's page describes what the catalogue declares. Its tables list the fields of
// each operation, and its sections mention every step and argument. With -update the test writes
// the tables.

var update = flag.Bool("update", false, "write what PROTOCOL.md says of operations and of how many cases there are")

const protocol = "../PROTOCOL.md"

var quoted = regexp.MustCompile("`([^`]+)`")

// withFields returns the page with the declared fields in the second column of its tables of
// operations. If a row is about operations with different fields, the column keeps its text.
func withFields(t *testing.T, page string) string {
	t.Helper()
	var b strings.Builder
	inTable := false
	for line := range strings.Lines(page) {
		cells := strings.SplitN(line, "|", 4)
		inTable = strings.HasPrefix(line, "| op | `in` |") || inTable && len(cells) == 4
		if !inTable || !strings.HasPrefix(cells[1], " `") {
			b.WriteString(line)
			continue
		}
		signatures := map[string]bool{}
		for _, name := range quoted.FindAllStringSubmatch(cells[1], -1) {
			op := catalogue.Find(name[1])
			if op == nil {
				t.Fatalf("%s: found the operation %s, which is not declared", protocol, name[1])
			}
			signatures[strings.TrimSuffix(" "+op.Signature(), " ")] = true
		}
		if len(signatures) == 1 {
			for signature := range signatures {
				cells[2] = signature + " "
			}
		}
		b.WriteString(strings.Join(cells, "|"))
	}
	return b.String()
}

// withCounts returns the page with the current numbers of golden cases and operations. They occur
// in the example of a first testee, which has two operations.
func withCounts(t *testing.T, page string) string {
	t.Helper()
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	total, ofOp := 0, map[string]int{}
	for _, s := range suites {
		for _, c := range s.Cases {
			total++
			ofOp[c.Op]++
		}
	}
	first := []string{"utils.DeployType", "utils.isabs"}
	passed := 0
	for _, op := range first {
		passed += ofOp[op]
		page = aligned(page, regexp.MustCompile(`(?m)^  `+regexp.QuoteMeta(op)+`( +\d+)`), ofOp[op])
	}
	page = regexp.MustCompile(`\d+ operations that the greeting`).ReplaceAllString(page, fmt.Sprintf("%d operations that the greeting", len(ofOp)-len(first)))
	page = aligned(page, regexp.MustCompile(`that the greeting does not have( +\d+)`), total-passed)
	return regexp.MustCompile(`\d+ cases for 1 testee: .*`).ReplaceAllString(page,
		fmt.Sprintf("%d cases for 1 testee: %d passed, 0 failed, 0 explained, %d skipped", total, passed, total-passed))
}

// aligned replaces the number that a pattern's group matches by n, right-aligned in the same
// column.
func aligned(page string, pattern *regexp.Regexp, n int) string {
	at := pattern.FindStringSubmatchIndex(page)
	return page[:at[2]] + fmt.Sprintf("%*d", at[3]-at[2], n) + page[at[3]:]
}

func TestProtocolTables(t *testing.T) {
	text, err := os.ReadFile(protocol)
	if err != nil {
		t.Fatal(err)
	}
	want := withCounts(t, withFields(t, string(text)))
	if *update {
		if err := os.WriteFile(protocol, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s, which make parity writes (-want +got):\n%s", protocol, diff)
	}
}

func TestTheProtocolNamesEveryStepAndArgument(t *testing.T) {
	text, err := os.ReadFile(protocol)
	if err != nil {
		t.Fatal(err)
	}
	for section := range strings.SplitSeq(string(text), "\n## ") {
		named := map[string]bool{}
		for _, m := range quoted.FindAllStringSubmatch(strings.ReplaceAll(section, "```", ""), -1) {
			for part := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return strings.ContainsRune(` ,()[]{}":`, r) }) {
				named[part] = true
				named[part[strings.LastIndexByte(part, '.')+1:]] = true
			}
		}
		for _, name := range catalogue.Ops() {
			if op := catalogue.Find(name); describes(section, name) {
				missing(t, section, name, named, op.In)
				for step, arguments := range op.Steps {
					if strings.HasPrefix(step, "zk.") {
						continue // these operations are described in section 3 of the page
					}
					missing(t, section, name, named, []catalogue.Field{{Name: step[strings.LastIndexByte(step, '.')+1:]}})
					missing(t, section, name+" "+step, named, arguments)
				}
			}
		}
	}
}

// describes reports whether a section has a table row or a paragraph about an operation.
func describes(section, name string) bool {
	for line := range strings.Lines(section) {
		row, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if strings.HasPrefix(line, "**`"+name+"`**") || strings.HasPrefix(line, "| `") && strings.Contains(row, "`"+name+"`") {
			return true
		}
	}
	return false
}

// missing fails the test for each field that a section does not mention.
func missing(t *testing.T, section, what string, named map[string]bool, fields []catalogue.Field) {
	t.Helper()
	title, _, _ := strings.Cut(section, "\n")
	if slices.ContainsFunc(fields, func(f catalogue.Field) bool { return f.Name == "*" }) {
		return // nothing to check: any name is an operation here
	}
	for _, f := range fields {
		if !named[f.Name] {
			t.Errorf("section %s: found no word of %s of %s", title, f.Name, what)
		}
	}
}
