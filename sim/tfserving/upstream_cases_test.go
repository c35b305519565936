package tfserving

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// upstreamCase matches the comment at the head of a script block that names upstream's test case.
var upstreamCase = regexp.MustCompile(`^# (\w+_test\.(?:cc|py):\w+)`)

// TestMirroredCases compares testdata/upstream with the list of upstream's test cases (TFS-20.1,
// TFS-20.2, TFS-20.3, TFS-20.4). Exactly one block must mirror each case that is listed without a
// reason for leaving it out. Each block must name a listed case.
func TestMirroredCases(t *testing.T) {
	listed := readUpstreamCases(t)
	blocks := readUpstreamBlocks(t)
	mirrored := 0
	for _, name := range sortedKeys(listed) {
		switch reason, n := listed[name], len(blocks[name]); {
		case reason == "" && n == 0:
			t.Errorf("%s: listed as mirrored, but no block in testdata/upstream names it", name)
		case reason == "" && n > 1:
			t.Errorf("%s: mirrored in %d places, want one: %s", name, n, strings.Join(blocks[name], ", "))
		case reason != "" && n > 0:
			t.Errorf("%s: mirrored at %s, but listed as not mirrored: %s", name, blocks[name][0], reason)
		case reason == "":
			mirrored++
		}
		delete(blocks, name)
	}
	for _, name := range sortedKeys(blocks) {
		t.Errorf("%s: mirrored at %s, but missing in testdata/upstream/cases", name, blocks[name][0])
	}
	const want = 130
	if mirrored < want {
		t.Errorf("mirrored cases: got %d, want at least %d", mirrored, want)
	}
	files := map[string]bool{}
	for name := range listed { //lint:ordered a set
		file, _, _ := strings.Cut(name, ":")
		files[file] = true
	}
	specSays(t, fmt.Sprintf("%d cases of %d of upstream's test files", len(listed), len(files)))
	specSays(t, fmt.Sprintf("%d are mirrored under their names as scripts, %d have the reason why not", mirrored, len(listed)-mirrored))
	t.Logf("%d cases of upstream are mirrored, %d are listed with the reason why not", mirrored, len(listed)-mirrored)
}

// specSays checks that the specification has a text, such as a sentence with figures.
func specSays(t *testing.T, text string) {
	t.Helper()
	data, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), text) {
		t.Errorf("SPEC.md does not say %q", text)
	}
}

// Goal: the figures of recordings in the specification are those of the recorded files (TFS-20.6, TFS-15.1, TFS-17).
func TestRecordingsAreCounted(t *testing.T) {
	for _, c := range []struct {
		file          string
		head, perCase int // number of lines before the first case, and of lines of each case
		says          string
	}{
		{"rest/testdata/json_tensor.jsonl", 0, 1, "%s conversions"},
		{"rest/testdata/targets.jsonl", 0, 1, "%s targets"},
		{"serve/testdata/http.jsonl", 0, 1, "%s exchanges"},
		{"rest/rapidjson/testdata/recorded.txt", 0, 3, "%s texts, chosen"},
		{"textformat/testdata/protoc.jsonl", 1, 1, "%s texts by `protoc"},
	} {
		data, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		n := (strings.Count(string(data), "\n") - c.head) / c.perCase
		figure := strconv.Itoa(n)
		if n >= 1000 {
			figure = fmt.Sprintf("%d,%03d", n/1000, n%1000)
		}
		specSays(t, fmt.Sprintf(c.says, figure))
	}
	const fake = "../../vectors/golden/cases/mocked_tfserving.jsonl"
	data, err := os.ReadFile(fake)
	if err != nil {
		t.Fatal(err)
	}
	specSays(t, fmt.Sprintf("%d cases of `mocked_tfserving` (TFS-17)", strings.Count(string(data), "\n")))
	for _, c := range []string{"%d cases of `mocked_tfserving.FakeTFServing.sequence`", "%d cases of `mocked_tfserving.FakeTFServing.served`", "%d cases of `mocked_tfserving.ModelMgr.sequence`"} {
		operation := c[strings.Index(c, "`")+1 : len(c)-1]
		specSays(t, fmt.Sprintf(c, strings.Count(string(data), operation+"/")))
	}
}

// readUpstreamCases reads testdata/upstream/cases: lines "FILE", each followed by indented lines
// "CASE LINE" or "CASE LINE: REASON". It returns the reasons by "FILE:CASE"; "" if there is none.
func readUpstreamCases(t *testing.T) map[string]string {
	data, err := os.ReadFile("testdata/upstream/cases")
	if err != nil {
		t.Fatal(err)
	}
	listed, file := map[string]string{}, ""
	for i, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || strings.HasPrefix(text, "#"):
		case !strings.HasPrefix(line, " "):
			file = filepath.Base(text)
		default:
			head, reason, _ := strings.Cut(text, ": ")
			name, number, _ := strings.Cut(head, " ")
			if _, err := strconv.Atoi(number); err != nil {
				t.Fatalf("testdata/upstream/cases:%d: got %q, want CASE LINE[: REASON]", i+1, text)
			}
			key := file + ":" + name
			if _, twice := listed[key]; twice {
				t.Errorf("testdata/upstream/cases:%d: %s is listed twice", i+1, key)
			}
			listed[key] = reason
		}
	}
	return listed
}

// readUpstreamBlocks finds the comments "# FILE:CASE" in the scripts. Each such block must have its
// own commands and output.
func readUpstreamBlocks(t *testing.T) map[string][]string {
	files, err := filepath.Glob("testdata/upstream/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, printed := "", true
		for i, line := range strings.Split(string(data), "\n") {
			found := upstreamCase.FindStringSubmatch(line)
			if found == nil {
				printed = printed || line == "----"
				continue
			}
			if !printed {
				t.Errorf("%s: the block of %s prints nothing", file, name)
			}
			name, printed = found[1], false
			blocks[name] = append(blocks[name], fmt.Sprintf("%s:%d", file, i+1))
		}
		if !printed {
			t.Errorf("%s: the block of %s prints nothing", file, name)
		}
	}
	return blocks
}
