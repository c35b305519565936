package wholefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/monosim/monosim/engine/wholefile"
)

// Goal: a file has its complete new content or its old one, and no other file is left. Method: list
// the directory after each attempt.

func TestWriteReplacesTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.xml")
	for _, content := range []string{"first, longer", "second"} {
		if err := wholefile.Write(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != content {
			t.Errorf("got %q, %v, want %q", got, err, content)
		}
	}
	alone(t, name)
}

func TestWriteFollowsALink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o644), os.Symlink(file, link), wholefile.Write(link, []byte("x"))); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "x" {
		t.Errorf("got %q, %v behind the link, want x", got, err)
	}
}

func TestAFailedWriteNamesTheFileAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	nowhere := filepath.Join(dir, "none", "report.xml")
	for _, name := range []string{nowhere, dir} {
		err := wholefile.Write(name, []byte("x"))
		if err == nil || !strings.Contains(err.Error(), name+":") {
			t.Errorf("got error %v, want one that names %s", err, name)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("got %v, %v left, want nothing", list, err)
	}
}

func TestADeviceIsWrittenTo(t *testing.T) {
	before, err := os.Stat("/dev/full")
	if err != nil {
		t.Skip(err)
	}
	if err := wholefile.Write("/dev/full", []byte("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v, want no space left on device", err)
	}
	if after, err := os.Stat("/dev/full"); err != nil || after.Mode() != before.Mode() {
		t.Errorf("got %v, %v, want the device as it was", after, err)
	}
}

// alone fails the test unless the file is the only one in its directory.
func alone(t *testing.T, name string) {
	t.Helper()
	var names []string
	err := filepath.WalkDir(filepath.Dir(name), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil || len(names) != 1 || names[0] != name {
		t.Errorf("got files %v, %v, want %s alone", names, err, name)
	}
}

func TestAFileIsThereWhenItIsWhole(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.xml")
	if err := wholefile.Write(name, []byte("old")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		end  func(*wholefile.File) error
		want string
	}{
		{func(f *wholefile.File) error { f.Discard(); return nil }, "old"},
		{(*wholefile.File).Close, "onetwo"},
	} {
		f, err := wholefile.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"one", "two"} {
			if _, err := f.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(name); err != nil || string(got) != "old" {
				t.Errorf("before the end: got %q, %v, want old", got, err)
			}
		}
		if err := c.end(f); err != nil {
			t.Fatal(err)
		}
		f.Discard() // has no effect after the file was written
		if got, err := os.ReadFile(name); err != nil || string(got) != c.want {
			t.Errorf("at the end: got %q, %v, want %s", got, err, c.want)
		}
		alone(t, name)
	}
}
