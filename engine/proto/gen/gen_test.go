package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGeneratedFilesMatchTheirSource(t *testing.T) {
	root, err := findModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	if err := regenerate(t.Context(), filepath.Join(root, filepath.FromSlash(protoDir)), true, t.Output()); err != nil {
		t.Error(err)
	}
}

// write writes files below dir. The map holds their contents by slash-separated path.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for path, content := range files {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCompareListsMissingChangedAndOrphanedFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a/same.pb.go": "same", "a/old.pb.go": "old", "b/orphan.pb.go": "x", "b/hand.go": "x"})
	changes, err := compare(dir, map[string][]byte{"a/same.pb.go": []byte("same"), "a/old.pb.go": []byte("new"), "a/missing.pb.go": []byte("m")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, c.String())
	}
	want := []string{"write a/missing.pb.go", "write a/old.pb.go", "remove b/orphan.pb.go"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes differ (-want +got):\n%s", diff)
	}
}

func TestApplyLeavesNothingToChange(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"old.pb.go": "old", "orphan.pb.go": "x"})
	want := map[string][]byte{"old.pb.go": []byte("new"), "missing.pb.go": []byte("m")}
	changes, err := compare(dir, want)
	if err != nil {
		t.Fatal(err)
	}
	if err := apply(dir, changes); err != nil {
		t.Fatal(err)
	}
	if changes, err = compare(dir, want); err != nil || len(changes) > 0 {
		t.Errorf("after apply got changes %v, error %v; want none", changes, err)
	}
}

func TestCompileKeepsComments(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"m.proto": `syntax = "proto3";
package m;
option go_package = "example.com/m;m";
// M is described here.
message M {}
`})
	_, descriptors, err := compile(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var comments []string
	for _, location := range descriptors[0].GetSourceCodeInfo().GetLocation() {
		if location.GetLeadingComments() != "" {
			comments = append(comments, location.GetLeadingComments())
		}
	}
	if diff := cmp.Diff([]string{" M is described here.\n"}, comments); diff != "" {
		t.Errorf("comments differ (-want +got):\n%s", diff)
	}
}
