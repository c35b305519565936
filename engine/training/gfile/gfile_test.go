package gfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
)

// recorded holds the recorded answers of TensorFlow 2.4.4 (testdata/record.py).
type recorded struct {
	Files, Empty []string
	Links        map[string]string
	Globs        []struct {
		Pattern string
		Is      []string
	}
	Calls []struct {
		Op, Path, To, Class, Text string
		Is                        any
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

// tree creates the recorded tree in /case and returns the files of a process with that working
// directory.
func (r recorded) tree(t *testing.T) env.Files {
	t.Helper()
	w := vtime.New(vtime.Config{})
	t.Cleanup(w.Close)
	fs := files.NewFS(w)
	var err error
	for _, name := range r.Files {
		p := path.Join("/case", name)
		err = errors.Join(err, fs.MkdirAll(path.Dir(p)), fs.WriteFile(p, []byte(name)))
	}
	for _, name := range r.Empty {
		err = errors.Join(err, fs.MkdirAll(path.Join("/case", name)))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Links)) {
		err = errors.Join(err, fs.Symlink(r.Links[name], path.Join("/case", name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	return files.NewView(w.Node("host").NewProcess("test"), fs, "/case")
}

func TestGlob(t *testing.T) {
	r := readRecorded(t)
	f := r.tree(t)
	for _, c := range r.Globs {
		got := gfile.Glob(f, c.Pattern)
		slices.Sort(got)
		if diff := cmp.Diff(c.Is, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("glob %q (-TensorFlow +here):\n%s", c.Pattern, diff)
		}
	}
}

// TestEscape checks that every file of the tree is found by its own escaped name, also if
// directories are taken literally.
func TestEscape(t *testing.T) {
	r := readRecorded(t)
	f := r.tree(t)
	literally := gfile.Literally(&env.Env{Files: f}).Files
	for _, name := range r.Files {
		p := path.Join("/case", name)
		if got := gfile.Glob(f, gfile.Escape(p)); !slices.Equal(got, []string{p}) {
			t.Errorf("%s: %q", p, got)
		}
		dir, last := path.Split(p)
		if got := gfile.Glob(literally, dir+gfile.Escape(last)); !slices.Equal(got, []string{p}) {
			t.Errorf("%s, literally: %q", p, got)
		}
	}
}

func TestErrors(t *testing.T) {
	r := readRecorded(t)
	calls := map[string]func(f env.Files, p, to string) (any, error){
		"listdir":  func(f env.Files, p, _ string) (any, error) { return valued(gfile.ListDir(f, p)) },
		"rmtree":   func(f env.Files, p, _ string) (any, error) { return nil, gfile.RemoveTree(f, p) },
		"makedirs": func(f env.Files, p, _ string) (any, error) { return nil, gfile.MakeDirs(f, p) },
		"read": func(f env.Files, p, _ string) (any, error) {
			text, err := gfile.Read(f, p)
			return valued(string(text), err)
		},
		"exists": func(f env.Files, p, _ string) (any, error) { return gfile.Exists(f, p), nil },
		"stat": func(f env.Files, p, _ string) (any, error) {
			info, err := gfile.Stat(f, p)
			return valued(info.SizeBytes, err)
		},
		"copy": func(f env.Files, p, to string) (any, error) {
			if err := gfile.Copy(f, p, to, true); err != nil {
				return nil, err
			}
			src, err1 := gfile.Read(f, p)
			dst, err2 := gfile.Read(f, to)
			return []string{string(src), string(dst)}, errors.Join(err1, err2)
		},
	}
	for _, c := range r.Calls {
		call := calls[c.Op]
		if call == nil {
			continue
		}
		var want error
		if c.Class != "" {
			want = pysem.Raise(c.Class, "%s", c.Text)
		}
		got, err := call(r.tree(t), c.Path, c.To)
		if fmt.Sprint(err) != fmt.Sprint(want) {
			t.Errorf("%s %q %q: %v, TensorFlow: %v", c.Op, c.Path, c.To, err, want)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.Is) {
			t.Errorf("%s %q %q: %v, TensorFlow: %v", c.Op, c.Path, c.To, got, c.Is)
		}
	}
}

// valued returns v, or nil beside an error.
func valued(v any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Goal: what a link to a directory leads to is gone after RemoveTree, as of TensorFlow 2.4.4, and the
// link is there.
func TestRemoveTreeOfALink(t *testing.T) {
	f := readRecorded(t).tree(t)
	err := gfile.RemoveTree(f, "/case/linked")
	names, missing := f.ReadDir("/case/v1")
	if fmt.Sprint(err) != "FailedPreconditionError: /case/linked; Not a directory" || missing != nil || len(names) != 0 || !gfile.Exists(f, "/case/linked") {
		t.Errorf("got %v, and %v with %v in the directory, want an error, the link and nothing in it", err, missing, names)
	}
}
