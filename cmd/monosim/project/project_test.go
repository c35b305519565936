package project

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, text string) (Config, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile(File, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Read(File)
}

func TestAFileSaysWhatItSays(t *testing.T) {
	for text, want := range map[string]Config{
		"":           {},
		"# a word\n": {},
		"features: [specs, builtin:]\nseeds: 3\nquirks: fixed\nrunners: sim\ntags: '@a and not @b'\n": {
			Features: []string{"specs", "builtin:"}, Seeds: 3, Quirks: "fixed", Runners: []string{"sim"}, Tags: "@a and not @b",
		},
		"features: specs": {Features: []string{"specs"}},
	} {
		if got, err := read(t, text); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	t.Chdir(t.TempDir())
	if got, err := Read(File); err != nil || !cmp.Equal(got, Config{}) {
		t.Errorf("no file: got %+v, %v, want nothing", got, err)
	}
}

func TestFaultsOfAFileAreTold(t *testing.T) {
	for text, want := range map[string]string{
		"seeds: 3\nfeature: a":     `monosim.yaml:2: found the unknown key "feature", want one of features, seeds, quirks, runners, tags, as features, which is the nearest`,
		"seeds: many":              "monosim.yaml:1: seeds: found many, want a number of 1 or more",
		"seeds: 0":                 "seeds: found 0, want",
		"seeds: '3'":               "seeds: found 3, want",
		"seeds: 2\nseeds: 3":       "monosim.yaml:2: found seeds, which line 1 has already",
		"tags: [a]":                "tags: found a list, want a tag expression",
		"runners:\n  - sim\n  - 3": "monosim.yaml:2: runners: found a list, want a runner",
		"features:":                "features: found nothing, want a path",
		"features: []":             "features: found an empty list",
		"- a":                      "monosim.yaml:1: found a list, want lines as",
		"seeds: 3\n---\nseeds: 4":  "found a second document",
		"seeds: [":                 "monosim.yaml: line",
	} {
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestWhatDidNotRunStaysFailed(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	a, b, c := Scenario{"x.feature", "a"}, Scenario{"x.feature", "b"}, Scenario{"y.feature", "c"}
	keep := func(ran map[Scenario]bool) {
		t.Helper()
		last, err := LastOf([]string{"features"})
		if err == nil {
			err = last.Keep(ran)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	keep(map[Scenario]bool{a: true, b: true, c: false})
	keep(map[Scenario]bool{b: false, c: true})
	last, err := LastOf([]string{"features"})
	if err != nil || !cmp.Equal(last.Failed, []Scenario{a, c}) || !last.Has("y.feature", "c") {
		t.Errorf("got %+v, %v, want a and c", last, err)
	}
	if other, err := LastOf([]string{"specs"}); err != nil || other.Failed != nil {
		t.Errorf("other paths: got %+v, %v, want none", other, err)
	}
}
