package recorded

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: every rule of the specification is asserted by a test, and it can be looked up
// which. Method: tests cite the rules that they assert as ZK-n.m, in the comment at
// their function, in the name of a case, or in the title of a recorded script;
// testdata/paragraphs.txt is the list that is made of that. -update writes it again. A
// rule that no test of the machine asserts has its line written by hand, with the
// reason in parentheses.

var (
	citation = regexp.MustCompile(`ZK-\d+\.\d+`)
	function = regexp.MustCompile(`^func ((?:Test|Benchmark)\w+)`)
	// rule matches the beginning of a paragraph in the specification: its id in bold, possibly in a
	// list item, or in the first cell of a table row.
	rule   = regexp.MustCompile(`(?m)^(?:(?:- )?\*\*|\| )(ZK-\d+\.\d+)\b`)
	excuse = regexp.MustCompile(`(?m)^(ZK-\d+\.\d+) +(\(.+\))$`)
)

// citations maps each paragraph of the specification to the tests that cite it.
func citations(t *testing.T) map[string][]string {
	cited := map[string][]string{}
	cite := func(text, test string) {
		for _, paragraph := range citation.FindAllString(text, -1) {
			if !slices.Contains(cited[paragraph], test) {
				cited[paragraph] = append(cited[paragraph], test)
			}
		}
	}
	for _, file := range slices.Concat(glob(t, "../*_test.go"), glob(t, "../*/*_test.go")) {
		inside, above := "", ""
		for line := range strings.Lines(read(t, file)) {
			switch m := function.FindStringSubmatch(line); {
			case m != nil:
				inside = m[1]
				cite(above+line, inside)
			case strings.HasPrefix(line, "//"):
				above += line
				continue
			case strings.HasPrefix(line, "}"):
				inside = ""
			case inside != "":
				cite(line, inside)
			}
			above = ""
		}
	}
	for _, file := range glob(t, "testdata/real-*/*.txt") {
		title, _, _ := strings.Cut(read(t, file), "\n")
		cite(title, filepath.Base(file))
	}
	return cited
}

func glob(t *testing.T, pattern string) []string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: found nothing: %v", pattern, err)
	}
	return files
}

func read(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryParagraphIsAssertedOrExcused(t *testing.T) {
	const golden = "testdata/paragraphs.txt"
	reasons := map[string]string{}
	for _, m := range excuse.FindAllStringSubmatch(read(t, golden), -1) {
		reasons[m[1]] = m[2]
	}
	cited := citations(t)
	var list strings.Builder
	for _, m := range rule.FindAllStringSubmatch(read(t, "../SPEC.md"), -1) {
		said := strings.Join(cited[m[1]], " ")
		if said == "" {
			said = reasons[m[1]]
		}
		if said == "" {
			t.Errorf("%s: cited by no test: cite it, or give it a line in %s with the reason in parentheses", m[1], golden)
			continue
		}
		fmt.Fprintf(&list, "%-8s %s\n", m[1], said)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, golden), list.String()); diff != "" {
		t.Errorf("%s, to be written again with -update (-old +new):\n%s", golden, diff)
	}
}
