package catalogue_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/monosim/monosim/vectors/golden"
)

const root = "../../../.."

// figure is a phrase by which documents state a number of something. The first group of pattern is
// the number. count gets the text of the second group, "" if there is none, and returns the true
// number.
type figure struct {
	pattern *regexp.Regexp
	count   func(of string) int
}

// Goal: every number of recorded cases in the documents is the true number. Method: one phrase for
// each kind of number, searched in every document. With -update the test writes the numbers.
func TestFiguresOfCases(t *testing.T) {
	cases, runs, upstream := goldenCases(t), rustRuns(t), readUpstreamCases(t)
	lines := func(name string) func(string) int {
		return func(string) int { return strings.Count(read(t, "sim/tfserving/"+name), "\n") }
	}
	figures := []figure{
		{regexp.MustCompile("(\\d+) cases of `([a-z_0-9]+(?:\\.[A-Za-z.]+)?)`"), func(of string) int { return cases[of] }},
		{regexp.MustCompile("(\\d+) recorded runs of ((?:`\\w+`(?:, )?)+)"), func(of string) int {
			total := 0
			for _, op := range quoted.FindAllStringSubmatch(of, -1) {
				total += runs[op[1]]
			}
			return total
		}},
		{regexp.MustCompile(`(\d+) recorded runs of the Rust port's export command`), func(string) int {
			return len(rustCases(t, "engine/training/rustport/jsonexport/testdata/rust.json"))
		}},
		{regexp.MustCompile(`(\d+) cases of \d+ of upstream's test files`), func(string) int { return upstream.mirrored + upstream.explained }},
		{regexp.MustCompile(`\d+ cases of (\d+) of upstream's test files`), func(string) int { return upstream.files }},
		{regexp.MustCompile(`(\d+) are mirrored under their names as scripts`), func(string) int { return upstream.mirrored }},
		{regexp.MustCompile(`(\d+) have the reason why not`), func(string) int { return upstream.explained }},
		{regexp.MustCompile(`(\d+) conversions, chosen from`), lines("rest/testdata/json_tensor.jsonl")},
		{regexp.MustCompile(`(\d+) texts, chosen from`), func(string) int { return lines("rest/rapidjson/testdata/recorded.txt")("") / 3 }},
		{regexp.MustCompile(`(\d+) exchanges, chosen from`), lines("serve/testdata/http.jsonl")},
		{regexp.MustCompile(`(\d+) targets, from`), lines("rest/testdata/targets.jsonl")},
	}
	found := make([]int, len(figures))
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		counted := string(text)
		for i, f := range figures {
			counted = f.pattern.ReplaceAllStringFunc(counted, func(said string) string {
				found[i]++
				at := append(f.pattern.FindStringSubmatchIndex(said), 0, 0)
				want := said[:at[2]] + strconv.Itoa(f.count(said[at[4]:at[5]])) + said[at[3]:]
				if said != want && !*update {
					t.Errorf("%s: found %s, want %s: make parity", path, said, want)
				}
				return want
			})
		}
		if *update && counted != string(text) {
			return os.WriteFile(path, []byte(counted), 0o644)
		}
		return nil
	})
	if err != nil || found[0] < 40 {
		t.Errorf("got %d figures of golden cases and %v, want 40 at least", found[0], err)
	}
	for i, f := range figures {
		if found[i] == 0 {
			t.Errorf("found no figure of the form %s in any document", f.pattern)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// goldenCases returns how many golden cases each suite and each operation has.
func goldenCases(t *testing.T) map[string]int {
	t.Helper()
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]int{}
	for _, s := range suites {
		for _, c := range s.Cases {
			cases[golden.SuiteOf(c.ID)]++
			cases[c.Op]++
		}
	}
	return cases
}

// rustCases parses a file of cases recorded from the Rust port.
func rustCases(t *testing.T, name string) (cases []struct{ Op string }) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, name)), &cases); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return cases
}

// rustRuns returns how many recorded runs of the Rust port each operation has.
func rustRuns(t *testing.T) map[string]int {
	t.Helper()
	runs := map[string]int{}
	for _, c := range rustCases(t, "engine/training/rustport/testdata/rust.json") {
		runs[c.Op]++
	}
	return runs
}

// upstreamCases counts the entries in the list of TensorFlow Serving's test cases: the files, the
// cases that a script repeats, and the cases with a reason why none does.
type upstreamCases struct{ files, mirrored, explained int }

func readUpstreamCases(t *testing.T) (u upstreamCases) {
	t.Helper()
	for line := range strings.Lines(read(t, "sim/tfserving/testdata/upstream/cases")) {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			u.files++
		case strings.Contains(line, ": "):
			u.explained++
		default:
			u.mirrored++
		}
	}
	return u
}
