package files_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall" //lint:hidden the tree is held to the kernel's errors
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
)

// The goal is that the tree is the kernel's, with links, slashes at the end and ".." in
// any place. The method is to do the same at random in a tree and in a directory of the
// machine, at the same path, and to compare answers, errors and what is there.

// answer is what an operation gave: a value, or what kept it from one.
type answer struct {
	Value any
	Error string
}

func answerOf(value any, err error) answer {
	if err == nil {
		return answer{Value: value}
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	switch err {
	case syscall.ENOENT:
		err = fs.ErrNotExist
	case syscall.EEXIST:
		err = fs.ErrExist
	}
	return answer{Error: err.Error()}
}

// operation is done on both sides; x is a content, where a link points to, or the name
// to rename to.
type operation struct {
	name string
	tree func(v *files.View, name, x string) answer
	real func(name, x string) answer
}

// GoString is what a failed test prints of it.
func (o operation) GoString() string { return o.name }

var (
	write = operation{"write",
		func(v *files.View, name, x string) answer { return answerOf(nil, v.WriteFile(name, []byte(x))) },
		func(name, x string) answer { return answerOf(nil, os.WriteFile(name, []byte(x), 0o644)) }}
	extend = operation{"append",
		func(v *files.View, name, x string) answer { return answerOf(nil, v.AppendFile(name, []byte(x))) },
		func(name, x string) answer { return answerOf(nil, appendReal(name, x)) }}
	// os.MkdirAll has errors of its own where a path says "file/" or "new/../file".
	mkdir = operation{"mkdir",
		func(v *files.View, name, _ string) answer { return answerOf(nil, v.MkdirAll(tidied(name))) },
		func(name, _ string) answer { return answerOf(nil, os.MkdirAll(tidied(name), 0o755)) }}
	symlink = operation{"symlink",
		func(v *files.View, name, x string) answer { return answerOf(nil, v.Symlink(x, name)) },
		func(name, x string) answer { return answerOf(nil, os.Symlink(x, name)) }}
	remove = operation{"remove",
		func(v *files.View, name, _ string) answer { return answerOf(nil, v.Remove(name)) },
		func(name, _ string) answer { return answerOf(nil, os.Remove(name)) }}
	removeAll = operation{"removeall",
		func(v *files.View, name, _ string) answer { return answerOf(nil, v.RemoveAll(name)) },
		func(name, _ string) answer { return answerOf(nil, os.RemoveAll(name)) }}
	// os.Rename asks more than rename(2) does.
	rename = operation{"rename",
		func(v *files.View, name, x string) answer { return answerOf(nil, v.Rename(name, x)) },
		func(name, x string) answer { return answerOf(nil, syscall.Rename(name, x)) }}

	read = operation{"read",
		func(v *files.View, name, _ string) answer {
			data, err := v.ReadFile(name)
			return answerOf(string(data), err)
		},
		func(name, _ string) answer { data, err := os.ReadFile(name); return answerOf(string(data), err) }}
	list = operation{"list",
		func(v *files.View, name, _ string) answer { return listed(v.ReadDir(name)) },
		func(name, _ string) answer { return listed(listReal(name)) }}
	stat = operation{"stat",
		func(v *files.View, name, _ string) answer { return described(v.Stat(name)) },
		func(name, _ string) answer { return described(infoOf(os.Stat(name))) }}
	lstat = operation{"lstat",
		func(v *files.View, name, _ string) answer { return described(v.Lstat(name)) },
		func(name, _ string) answer { return described(infoOf(os.Lstat(name))) }}
	readlink = operation{"readlink",
		func(v *files.View, name, _ string) answer {
			target, err := v.Readlink(name)
			return answerOf(target, err)
		},
		func(name, _ string) answer { target, err := os.Readlink(name); return answerOf(target, err) }}

	changes = []operation{write, extend, mkdir, symlink, symlink, remove, removeAll, rename}
	looks   = []operation{read, list, stat, lstat, readlink}
)

// tidied is a name without double slashes and dots.
func tidied(name string) string {
	return strings.NewReplacer("//", "/", "/./", "/", "/../", "/").Replace(strings.TrimSuffix(name, "/"))
}

func appendReal(name, x string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(x)
	return errors.Join(err, f.Close())
}

func listReal(name string) ([]string, error) {
	entries, err := os.ReadDir(name)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func listed(names []string, err error) answer { return answerOf(strings.Join(names, " "), err) }

func infoOf(info fs.FileInfo, err error) (env.FileInfo, error) {
	if err != nil {
		return env.FileInfo{}, err
	}
	return env.FileInfo{SizeBytes: info.Size(), Dir: info.IsDir(), Link: info.Mode()&fs.ModeSymlink != 0}, nil
}

// described is what can be compared of a file: the size of a directory is the disk's
// business.
func described(info env.FileInfo, err error) answer {
	if info.Dir {
		info.SizeBytes = 0
	}
	info.Name, info.ModTimeUnixMs = "", 0
	return answerOf(info, err)
}

// reporter is a test, the testing package's or rapid's.
type reporter interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// sides are the tree and the machine's directory, at the same path.
type sides struct {
	reporter
	view *files.View
	top  string
}

func newSides(t reporter, dir string) *sides {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := vtime.New(vtime.Config{})
	t.Cleanup(w.Close)
	s := &sides{reporter: t, view: files.NewView(w.Node("n").NewProcess("p"), files.NewFS(w), ""), top: dir + "/top"}
	if err := errors.Join(s.view.MkdirAll(s.top), os.Mkdir(s.top, 0o755)); err != nil {
		t.Fatal(err)
	}
	return s
}

// same does the operation on both sides.
func (s *sides) same(op operation, name, x string) {
	s.Helper()
	if diff := cmp.Diff(op.real(name, x), op.tree(s.view, name, x)); diff != "" {
		s.Fatalf("%s %q %q (-kernel +tree):\n%s", op.name, name, x, diff)
	}
}

// sameBelow looks at all that is there: links themselves, and where they lead.
func (s *sides) sameBelow(name string) {
	s.Helper()
	for _, look := range looks {
		s.same(look, name, "")
	}
	if info, err := os.Lstat(name); err != nil || !info.IsDir() {
		return
	}
	names, err := listReal(name)
	if err != nil {
		s.Fatal(err)
	}
	for _, below := range names {
		s.sameBelow(name + "/" + below)
	}
}

// inside reports whether what is done at a name stays in the directory: ".." and links
// may lead out of it, and the machine's other files are nobody's to touch.
func (s *sides) inside(name string) bool {
	for {
		name = name[:strings.LastIndexByte(strings.TrimRight(name, "/"), '/')]
		if at, err := filepath.EvalSymlinks(name); err == nil {
			return at == s.top || strings.HasPrefix(at, s.top+"/")
		}
	}
}

// enter compares the working directory that a path leads to.
func (s *sides) enter(name string) {
	s.Helper()
	want, err := filepath.EvalSymlinks(name)
	if err != nil {
		return
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return
	}
	if err := s.view.Chdir(name); err != nil || s.view.Getwd() != want {
		s.Fatalf("chdir %s: got %s, %v, want %s", name, s.view.Getwd(), err, want)
	}
}

func TestTheTreeAgreesWithTheKernel(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "c", "a/b", "a/c", "b/a", "b/c", "a/b/c", "a/", "b/", "a/b/", "a//b", "a/./c", "a/../b", "b/../c"})
	targets := rapid.SampledFrom([]string{"a", "b", "c", "b/c", "../a", "../b", "..", ".", "a/", "./c", "TOP/a", "TOP/b/c", "TOP"})
	rapid.Check(t, func(rt *rapid.T) {
		s := newSides(rt, t.TempDir())
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			op := rapid.SampledFrom(changes).Draw(rt, "operation")
			name, x := s.top+"/"+names.Draw(rt, "name"), strings.ReplaceAll(targets.Draw(rt, "target"), "TOP", s.top)
			if op.name == rename.name {
				x = s.top + "/" + names.Draw(rt, "to")
			}
			if !s.inside(name) || op.name == rename.name && !s.inside(x) {
				continue
			}
			s.same(op, name, x)
			s.sameBelow(s.top)
			for _, look := range looks {
				s.same(look, s.top+"/"+names.Draw(rt, "look"), "")
			}
			s.enter(s.top + "/" + names.Draw(rt, "enter"))
		}
	})
}

// A chain of links may be as long as the kernel's, and no longer.
func TestAChainOfLinksEndsWhereTheKernelEndsIt(t *testing.T) {
	s := newSides(t, t.TempDir())
	s.same(write, s.top+"/0", "content")
	for i := range 42 {
		s.same(symlink, fmt.Sprint(s.top, "/", i+1), fmt.Sprint(i))
		s.same(read, fmt.Sprint(s.top, "/", i+1), "")
	}
}
