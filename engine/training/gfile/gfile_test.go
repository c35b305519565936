package gfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/engine/walltime/machine"
)

// recorded has the answers of TensorFlow 2.4.4 (testdata/record.py).
type recorded struct {
	Files, Empty []string
	Links        map[string]string
	Globs        []struct {
		Pattern string
		Is      []string
	}
	Calls []struct {
		Op, Path, Class, Text string
		Is                    any
	}
}

func readRecorded(t *testing.T) (r recorded) {
	data, err := os.ReadFile("testdata/glob.json")
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// in makes the recorded tree and calls fn with the files of a process that is there. What fn says of
// /case it says of the tree: real has the path that a recorded one is here, shown the reverse.
func (r recorded) in(t *testing.T, fn func(f env.Files, real, shown func(string) string)) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(top, "case")
	for _, name := range r.Files {
		p := filepath.Join(root, name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(name), 0o644))
	}
	for _, name := range r.Empty {
		err = errors.Join(err, os.MkdirAll(filepath.Join(root, name), 0o755))
	}
	for name, to := range r.Links {
		err = errors.Join(err, os.Symlink(to, filepath.Join(root, name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	w := walltime.New(walltime.Config{})
	defer w.Close()
	p := w.NewProcess("host", "test")
	p.Go("MainThread", func() {
		m, err := machine.New(p, machine.Options{Dir: root})
		if err != nil {
			t.Error(err)
			return
		}
		fn(m.Files(), func(p string) string {
			if rest, ok := strings.CutPrefix(p, "/case"); ok {
				return root + rest
			}
			return p
		}, func(text string) string { return strings.ReplaceAll(text, root, "/case") })
	})
	if err := w.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestGlob(t *testing.T) {
	r := readRecorded(t)
	r.in(t, func(f env.Files, real, shown func(string) string) {
		for _, c := range r.Globs {
			got := lists.Map(gfile.Glob(f, real(c.Pattern)), shown)
			slices.Sort(got)
			if diff := cmp.Diff(c.Is, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("glob %q (-TensorFlow +here):\n%s", c.Pattern, diff)
			}
		}
	})
}

// TestEscape finds every file of the tree by its own name.
func TestEscape(t *testing.T) {
	r := readRecorded(t)
	r.in(t, func(f env.Files, real, _ func(string) string) {
		for _, name := range r.Files {
			p := real("/case/" + name)
			if got := gfile.Glob(f, gfile.Escape(p)); !slices.Equal(got, []string{p}) {
				t.Errorf("%s: %q", p, got)
			}
		}
	})
}

func TestErrors(t *testing.T) {
	r := readRecorded(t)
	calls := map[string]func(f env.Files, p string) error{
		"listdir":  func(f env.Files, p string) error { _, err := gfile.ListDir(f, p); return err },
		"rmtree":   gfile.RemoveTree,
		"makedirs": gfile.MakeDirs,
		"read":     func(f env.Files, p string) error { _, err := gfile.Read(f, p); return err },
	}
	for _, c := range r.Calls {
		call := calls[c.Op]
		if call == nil {
			continue
		}
		t.Run(c.Op+" "+c.Path, func(t *testing.T) {
			r.in(t, func(f env.Files, real, shown func(string) string) {
				var want error
				if c.Class != "" {
					want = pysem.Raise(c.Class, "%s", c.Text)
				}
				if err := call(f, real(c.Path)); shown(fmt.Sprint(err)) != fmt.Sprint(want) {
					t.Errorf("%v, TensorFlow: %v", err, want)
				}
			})
		})
	}
}
