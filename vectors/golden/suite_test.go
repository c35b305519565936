package golden

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/vectors/scope"
)

// Goal: the golden cases have no mistakes, and their files are what a recording would write. Lint
// finds each kind of mistake. Method: the tests use the embedded vectors, and small broken ones.

func TestTheVectorsAreSound(t *testing.T) {
	findings, err := Lint(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Error(f)
	}
}

func TestASuiteIsWrittenAsItWasRead(t *testing.T) {
	suites, err := Suites(FS())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		want, err := fs.ReadFile(FS(), s.Name+".json")
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Format()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("%s.json is written in another way than it was read", s.Name)
		}
	}
}

// sound returns a directory with one suite that has no mistakes, and with all files that belong to
// it.
func sound(t *testing.T) fstest.MapFS {
	t.Helper()
	suite := &Suite{
		Name:   "utils",
		Source: Source{Repo: "r", Commit: "c", Path: "p", Symbol: "s"},
		Notes:  map[string]string{"Q1": "an effect"},
		Cases: []Case{{
			Question: Question{ID: "utils.isabs/root", Op: "utils.isabs", In: json.RawMessage(`{"path":"/","n":12345678901234567890,"s":"\ud83d"}`)},
			Out:      json.RawMessage(`true`), Verdict: scope.Match, Flags: []string{"Q1"},
		}},
	}
	files, err := Files([]*Suite{suite})
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{"cases/utils.jsonl": {Data: []byte(`{"id":"utils.isabs/root","op":"utils.isabs","in": {"path":"/", "n":12345678901234567890,"s":"\ud83d"},"flags":["Q1"]}` + "\n")}}
	for name, data := range files {
		tree[name] = &fstest.MapFile{Data: data}
	}
	return tree
}

func TestLintPassesWhatIsSound(t *testing.T) {
	findings, err := Lint(sound(t))
	if diff := cmp.Diff([]string(nil), findings); err != nil || diff != "" {
		t.Errorf("findings (-want +got), %v:\n%s", err, diff)
	}
}

func TestLintFindsWhatIsNot(t *testing.T) {
	cases := []struct{ name, file, from, to, want string }{
		{"an id that is no slug", "utils.json", "utils.isabs/root", "utils.isabs/The Root", "found an id that is no slug"},
		{"an id of another operation", "utils.json", `"id":"utils.isabs/root"`, `"id":"utils.other/root"`, "found the operation utils.isabs, want that of the id"},
		{"two answers", "utils.json", `"out":true`, `"out":true,"error":{"type":"KeyError","message":""}`, "found out and error together"},
		{"an error without a type", "utils.json", `"out":true`, `"error":{"message":"x"}`, "found the error"},
		{"another verdict", "utils.json", `"verdict":"match"`, `"verdict":"maybe"`, `found the verdict "maybe"`},
		{"a flag without a note", "utils.json", `"flags":["Q1"]`, `"flags":["Q1","Q2"]`, "found the flag Q2"},
		{"a note without a flag", "utils.json", `"notes": {"Q1"`, `"notes": {"Q9":"x","Q1"`, "found a note about the flag Q9"},
		{"a divergence without a quirk", "utils.json", `"verdict":"match","flags":["Q1"]`, `"verdict":"diverge"`, "found verdict diverge without a flag"},
		{"an edited answer", "utils.json", `"out":true`, `"out":  false`, "it is never edited by hand"},
		{"another hash", "manifest.json", `"sha256": "`, `"sha256": "0`, "it is never edited by hand"},
		{"another input", "cases/utils.jsonl", `"path":"/"`, `"path":"//"`, "found another in in cases/utils.jsonl"},
		{"an input that is not recorded", "cases/utils.jsonl", "isabs/root", "isabs/other", "found it in cases/utils.jsonl only"},
		{"a source without a commit", "utils.json", `"commit":"c"`, `"commit":""`, "found a source without"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tree := sound(t)
			data := tree[c.file].Data
			if !bytes.Contains(data, []byte(c.from)) {
				t.Fatalf("%s holds no %s", c.file, c.from)
			}
			tree[c.file] = &fstest.MapFile{Data: bytes.Replace(data, []byte(c.from), []byte(c.to), 1)}
			findings, err := Lint(tree)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(findings, "\n"), c.want) {
				t.Errorf("got %q, want one with %q", findings, c.want)
			}
		})
	}
}

func TestABrokenFileIsNamed(t *testing.T) {
	for _, file := range []string{"utils.json", "cases/utils.jsonl"} {
		tree := sound(t)
		tree[file] = &fstest.MapFile{Data: []byte(`{"suite": 5, "nope": 1}`)}
		if _, err := Lint(tree); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: got %v, want an error that names it", file, err)
		}
	}
}
