package recorded

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: every paragraph of the specification that has a rule is asserted by a
// test, and it can be looked up which. Method: tests cite the paragraphs that they
// assert as ZK-n.m, in the comment at their function, in the name of a case, or in
// the title of a recorded script; testdata/paragraphs.txt is the list that is made
// of that. -update writes it again.

// paragraphs says how many paragraphs each section has.
var paragraphs = []struct{ section, count int }{
	{1, 8}, {2, 9}, {3, 7}, {4, 5}, {5, 9}, {6, 5}, {7, 9}, {8, 5}, {9, 7}, {10, 3}, {11, 3}, {12, 5}, {13, 24}, {14, 6}, {15, 21}, {16, 5}, {21, 7},
}

// elsewhere says why no test cites a paragraph.
var elsewhere = map[string]string{
	"ZK-1.1":   "bytes: sim/zookeeper/wire",
	"ZK-1.2":   "bytes: sim/zookeeper/wire",
	"ZK-2.1":   "bytes: sim/zookeeper/wire",
	"ZK-2.9":   "bytes: sim/zookeeper/wire",
	"ZK-5.1":   "bytes: sim/zookeeper/wire",
	"ZK-6.5":   "no rule of the server",
	"ZK-11.1":  "bytes: sim/zookeeper/wire",
	"ZK-11.2":  "bytes: sim/zookeeper/wire",
	"ZK-11.3":  "bytes: sim/zookeeper/wire",
	"ZK-12.1":  "what clients send, no rule of the server",
	"ZK-12.2":  "what clients send, no rule of the server",
	"ZK-12.3":  "what clients send, no rule of the server",
	"ZK-12.4":  "what clients send, no rule of the server",
	"ZK-12.5":  "what clients send, no rule of the server",
	"ZK-13.23": "bytes: sim/zookeeper/wire",
	"ZK-15.4":  "Python types: env.ZooKeeper has one for both",
	"ZK-15.16": "kazoo's recipes: engine/recipes",
	"ZK-15.21": "what the fake does not have",
	"ZK-16.1":  "agents: vectors and engine/recipes",
	"ZK-16.2":  "agents: vectors and engine/agent",
	"ZK-16.3":  "agents: vectors and engine/recipes",
	"ZK-16.4":  "agents: vectors and engine/agent",
	"ZK-16.5":  "agents: vectors and engine/agent",
	"ZK-21.4":  "no complaint about answers",
	"ZK-21.6":  "no complaint about answers",
	"ZK-21.7":  "no complaint about answers",
}

var (
	citation = regexp.MustCompile(`ZK-\d+\.\d+`)
	function = regexp.MustCompile(`^func ((?:Test|Benchmark)\w+)`)
)

// citations lists the tests that cite each paragraph.
func citations(t *testing.T) map[string][]string {
	cited := map[string][]string{}
	cite := func(text, test string) {
		for _, paragraph := range citation.FindAllString(text, -1) {
			if !slices.Contains(cited[paragraph], test) {
				cited[paragraph] = append(cited[paragraph], test)
			}
		}
	}
	for _, file := range glob(t, "../*_test.go") {
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
	cited := citations(t)
	var list strings.Builder
	for _, s := range paragraphs {
		for i := 1; i <= s.count; i++ {
			paragraph := fmt.Sprintf("ZK-%d.%d", s.section, i)
			reason, excused := elsewhere[paragraph]
			tests := cited[paragraph]
			delete(cited, paragraph)
			switch {
			case excused && len(tests) > 0:
				t.Errorf("%s: excused (%s), but cited by %v", paragraph, reason, tests)
			case excused:
				fmt.Fprintf(&list, "%-8s (%s)\n", paragraph, reason)
			case len(tests) == 0:
				t.Errorf("%s: cited by no test, and no reason is given", paragraph)
			default:
				fmt.Fprintf(&list, "%-8s %s\n", paragraph, strings.Join(tests, " "))
			}
		}
	}
	for _, paragraph := range slices.Sorted(maps.Keys(cited)) {
		if !strings.HasPrefix(paragraph, "ZK-22.") {
			t.Errorf("%s: cited by %v, but there is no such paragraph", paragraph, cited[paragraph])
		}
	}
	const golden = "testdata/paragraphs.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, golden), list.String()); diff != "" {
		t.Errorf("%s, to be written again with -update (-old +new):\n%s", golden, diff)
	}
}
