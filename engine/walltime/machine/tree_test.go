package machine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/engine/walltime/machine"
)

// Goal: with a root, no call changes a file outside of it, by its name or through a link. Method:
// every method of env.Files that changes files, with names inside, outside, and behind a link that
// leads out.

func TestARootKeepsChangesBelowIt(t *testing.T) {
	parent := t.TempDir()
	root, outside := filepath.Join(parent, "root"), filepath.Join(parent, "outside")
	if err := errors.Join(os.Mkdir(root, 0o755), os.Mkdir(outside, 0o755), os.WriteFile(filepath.Join(outside, "kept"), []byte("as it was"), 0o644),
		os.Symlink(outside, filepath.Join(root, "link")), os.Symlink(filepath.Join(outside, "kept"), filepath.Join(root, "file"))); err != nil {
		t.Fatal(err)
	}
	w := walltime.New(walltime.Config{})
	defer w.Close()
	p := w.NewProcess("host", "test")
	p.Go("MainThread", func() {
		m, err := machine.New(p, machine.Options{Dir: root, Root: root})
		if err != nil {
			t.Error(err)
			return
		}
		f := m.Files()
		for _, name := range []string{"new", "a/../new", filepath.Join(root, "new")} {
			if err := errors.Join(f.WriteFile(name, []byte("x")), f.AppendFile(name, []byte("y")), f.Rename(name, "renamed"), f.MkdirAll("dir/below"), f.Remove("renamed"), f.RemoveAll("dir")); err != nil {
				t.Errorf("%s: %v, want it changed", name, err)
			}
		}
		for _, dir := range []string{outside, "../outside", "link", filepath.Join(root, "..", "outside")} {
			changes := changesIn(f, dir)
			for what, err := range changes {
				if err == nil {
					t.Errorf("%s in %s: done, want it refused", what, dir)
				}
			}
		}
		if err := f.WriteFile("file", nil); err == nil {
			t.Error("wrote through a link")
		}
		if data, err := f.ReadFile(filepath.Join(outside, "kept")); err != nil || string(data) != "as it was" {
			t.Errorf("outside: got %q, %v", data, err)
		}
	})
	if err := w.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) != 1 {
		t.Errorf("outside: found %v, %v, want what was there", list, err)
	}
}

// changesIn calls every method that changes something in a directory, and returns the error of
// each.
func changesIn(f env.Files, dir string) map[string]error {
	kept := dir + "/kept"
	return map[string]error{
		"write": f.WriteFile(kept, nil), "append": f.AppendFile(kept, []byte("x")), "create": f.WriteFile(dir+"/new", nil),
		"rename": f.Rename(kept, dir+"/other"), "rename away": f.Rename(kept, "taken"), "remove": f.Remove(kept), "mkdir": f.MkdirAll(dir + "/new"),
		"remove all": removed(f, kept),
	}
}

// removed calls RemoveAll and returns its error. If the file was missing before, it returns the
// error of Stat.
func removed(f env.Files, name string) error {
	if err := f.RemoveAll(name); err != nil {
		return err
	}
	if _, err := f.Stat(name); err != nil {
		return nil
	}
	return errors.New("it is still there")
}
