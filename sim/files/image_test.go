package files_test

// Goal: a tree made from an image behaves like a newly written tree. Its changes appear neither in
// the image nor in other trees of the image. Method: random operations on two trees of one image,
// and on two independent trees with the same contents.

import (
	"fmt"
	"maps"
	"path"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
)

var imageContents = map[string]string{"/a/c": "1", "/a/d/e": "22", "/b/": "", "/f": "", "/b/c": "x"}

func TestTreesOfOneImageAreTreesOfTheirOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := vtime.New(vtime.Config{})
		defer w.Close()
		furnished := func() *files.FS {
			fs := files.NewFS(w)
			if err := fs.WriteTree(imageContents); err != nil {
				t.Fatal(err)
			}
			if err := fs.Symlink("../a/d", "/b/link"); err != nil {
				t.Fatal(err)
			}
			if err := fs.Sync("/"); err != nil {
				t.Fatal(err)
			}
			return fs
		}
		image := furnished().Image()
		before := everything(t, files.NewFSFrom(w, image), "/")
		trees := []*files.FS{files.NewFSFrom(w, image), files.NewFSFrom(w, image)}
		twins := []*files.FS{furnished(), furnished()}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			do := anOperation(t)
			if do == nil {
				if _, err := w.Run(vtime.Limits{Until: w.Now() + 17*time.Second}); err != nil {
					t.Fatal(err)
				}
				continue
			}
			i := rapid.IntRange(0, 1).Draw(t, "tree")
			if got, want := fmt.Sprint(do(trees[i])), fmt.Sprint(do(twins[i])); got != want {
				t.Fatalf("an operation on tree %d: got %s, want %s", i, got, want)
			}
			for i := range trees {
				if diff := cmp.Diff(everything(t, twins[i], "/"), everything(t, trees[i], "/")); diff != "" {
					t.Fatalf("tree %d (-want +got):\n%s", i, diff)
				}
			}
		}
		if diff := cmp.Diff(before, everything(t, files.NewFSFrom(w, image), "/")); diff != "" {
			t.Fatalf("the image has changed (-want +got):\n%s", diff)
		}
	})
}

// anOperation draws a random operation on a tree; nil means that time passes.
func anOperation(t *rapid.T) func(*files.FS) error {
	some := rapid.SampledFrom([]string{"/a", "/b", "/f", "/a/c", "/a/d", "/a/d/e", "/b/c", "/b/link", "/b/link/e", "/n", "/a/n/m"})
	name, to := some.Draw(t, "name"), some.Draw(t, "to")
	content := []byte(rapid.StringN(0, 3, -1).Draw(t, "content"))
	return rapid.SampledFrom([]func(*files.FS) error{
		func(fs *files.FS) error { return fs.WriteFile(name, content) },
		func(fs *files.FS) error { return fs.AppendFile(name, content) },
		func(fs *files.FS) error { return fs.MkdirAll(name) },
		func(fs *files.FS) error { return fs.Remove(name) },
		func(fs *files.FS) error { return fs.RemoveAll(name) },
		func(fs *files.FS) error { return fs.Rename(name, to) },
		func(fs *files.FS) error { return fs.Symlink(to, name) },
		func(fs *files.FS) error { return fs.AddModelVersion(name, 7, 8) },
		func(fs *files.FS) error { return fs.Sync(name) },
		func(fs *files.FS) error { fs.HostCrash(); return nil },
		nil,
	}).Draw(t, "operation")
}

// everything returns the contents of a tree by path.
func everything(t *rapid.T, fs *files.FS, dir string) map[string]string {
	all := map[string]string{}
	names, err := fs.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		full := path.Join(dir, name)
		info, err := fs.Lstat(full)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case info.Link:
			all[full], err = fs.Readlink(full)
		case info.Dir:
			all[full] = "a directory"
			maps.Copy(all, everything(t, fs, full))
		default:
			var content []byte
			content, err = fs.ReadFile(full)
			all[full] = fmt.Sprintf("%d bytes, %q", info.SizeBytes, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Goal: trees of one image share equal contents, whether written at once or line by line. They stop
// sharing when a content differs.
func TestWhatIsWrittenAlikeIsKeptOnce(t *testing.T) {
	w := vtime.New(vtime.Config{})
	defer w.Close()
	image := files.NewFS(w).Image()
	first := func(fs *files.FS) *byte {
		content, _, err := fs.Content("/log")
		if err != nil {
			t.Fatal(err)
		}
		return &content[0]
	}
	one, other := files.NewFSFrom(w, image), files.NewFSFrom(w, image)
	for _, err := range []error{one.WriteFile("/log", []byte("one\ntwo\n")), other.AppendFile("/log", []byte("one\n")), other.AppendFile("/log", []byte("two\n"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if first(one) != first(other) {
		t.Error("equal contents: got two copies, want one")
	}
	if err := other.AppendFile("/log", []byte("three\n")); err != nil {
		t.Fatal(err)
	}
	if got, err := one.ReadFile("/log"); string(got) != "one\ntwo\n" || err != nil {
		t.Errorf("after the other tree's write: got %q, %v, want what was written here", got, err)
	}
}
