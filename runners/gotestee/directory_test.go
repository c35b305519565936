package gotestee

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/files"
)

// The goal is that a case's directory behaves as Linux does where the reference
// can tell, links included. The method is a small tree with one of each kind.

func linkedTree() *directory {
	d := newDirectory()
	d.writeFiles(object(
		"a/f", "text", "empty/", nil, "bytes", object("$hex", "ff00"), "link", object("$link", "a/f"),
		"toDir", object("$link", "<TMP>/a"), "dangling", object("$link", "nowhere"), "loop", object("$link", "loop")), "files")
	return d
}

func TestLinksAreFollowed(t *testing.T) {
	d := linkedTree()
	for _, name := range []string{"a/f", "link", "toDir/f", "toDir/../a/f", caseDir + "/a/f"} {
		got, err := d.ReadFile(name)
		if err != nil || string(got) != "text" {
			t.Errorf("%s: got %q, %v, want the text", name, got, err)
		}
	}
	for name, want := range map[string]bool{"link": true, "dangling": false, "loop": false, "": false, "toDir": true, "a/f/x": false} {
		if got := env.Exists(d, name); got != want {
			t.Errorf("%q exists: got %v, want %v", name, got, want)
		}
	}
}

func TestErrorsOfTheDirectoryAreThoseOfLinux(t *testing.T) {
	cases := []struct {
		name string
		do   func(d *directory) error
		want error
	}{
		{"read a directory", func(d *directory) error { _, err := d.ReadFile("a"); return err }, files.ErrIsDir},
		{"read below a file", func(d *directory) error { _, err := d.ReadFile("a/f/x"); return err }, files.ErrNotDir},
		{"read a missing file", func(d *directory) error { _, err := d.ReadFile("x"); return err }, fs.ErrNotExist},
		{"write below nothing", func(d *directory) error { return d.WriteFile("x/y", nil) }, fs.ErrNotExist},
		{"remove a full directory", func(d *directory) error { return d.Remove("a") }, files.ErrNotEmpty},
		{"list a file", func(d *directory) error { _, err := d.ReadDir("a/f"); return err }, files.ErrNotDir},
		{"make a directory over a file", func(d *directory) error { return d.MkdirAll("a/f/x") }, files.ErrNotDir},
		{"rename into itself", func(d *directory) error { return d.Rename("a", "a/b") }, fs.ErrInvalid},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := c.do(linkedTree()); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestTheTreeShowsEveryKind(t *testing.T) {
	d := linkedTree()
	if err := d.Remove("link"); err != nil {
		t.Fatal(err)
	}
	if err := d.Rename("a", "b"); err != nil {
		t.Fatal(err)
	}
	want := `{"b/": null, "b/f": "text", "bytes": {"$hex": "ff00"}, "dangling": {"$link": "nowhere"}, "empty/": null, ` +
		`"loop": {"$link": "loop"}, "toDir": {"$link": "<TMP>/a"}}`
	if diff := cmp.Diff(want, string(pysem.AppendJSON(nil, encode(d.tree())))); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}
