package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// Goal: wrong citations and uncited rules are found. Method: each archive in testdata/citations
// changes the small repository of base.txtar. Its file "want" lists the expected findings, and
// its file "removed" lists the files of base.txtar to leave out.
func TestCitations(t *testing.T) {
	archives, err := filepath.Glob("testdata/citations/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("found no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			files := unpacked(t, "testdata/citations/base.txtar", name)
			for _, removed := range strings.Fields(files["removed"]) {
				delete(files, removed)
			}
			want := files["want"]
			maps.DeleteFunc(files, func(name, _ string) bool { return !cites(name) })
			found, err := checkCitations(files)
			if err != nil {
				t.Fatal(err)
			}
			var lines strings.Builder
			slices.SortFunc(found, compareFindings)
			for _, f := range found {
				lines.WriteString(f.String() + "\n")
			}
			if diff := cmp.Diff(want, lines.String()); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// unpacked returns the files of several archives. A file of a later archive replaces an earlier
// one.
func unpacked(t *testing.T, archives ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			files[f.Name] = string(f.Data)
		}
	}
	return files
}

func TestARegisterThatCannotBeReadIsAnError(t *testing.T) {
	_, err := checkCitations(map[string]string{quirksPath: "- id: [Q1"})
	if err == nil || !strings.HasPrefix(err.Error(), quirksPath+": ") {
		t.Errorf("got %v, want an error that names %s", err, quirksPath)
	}
}
