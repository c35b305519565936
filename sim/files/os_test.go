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

// Goal: the tree behaves as the kernel's file system, with links, trailing slashes and ".." at any
// place. Method: the same random operations run in a tree and in a real directory at the same path.
// Answers, errors and the resulting files must be equal.

// answer is the result of an operation: a value or the text of an error.
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

// operation runs on both sides, the tree and the real directory. Depending on the operation, x is
// a content, the target of a link or the new name.
type operation struct {
	name string
	tree func(v *files.View, name, x string) answer
	real func(name, x string) answer
}

// GoString returns the name that a failed test prints for the operation.
func (o operation) GoString() string { return o.name }

var (
	write = operation{"write",
		func(v *files.View, name, x string) answer { return answerOf(nil, v.WriteFile(name, []byte(x))) },
		func(name, x string) answer { return answerOf(nil, os.WriteFile(name, []byte(x), 0o644)) }}
	extend = operation{"append",
		func(v *files.View, name, x string) answer { return answerOf(nil, v.AppendFile(name, []byte(x))) },
		func(name, x string) answer { return answerOf(nil, appendReal(name, x)) }}
	// The path is tidied because os.MkdirAll has its own errors for "file/" and "new/../file".
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
	// The real side uses rename(2), because os.Rename makes additional checks.
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

// tidied returns a path without double slashes, dots and a trailing slash.
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

// described keeps what both sides must agree on. It drops the name, the time, and the size of
// directories, which depends on the disk.
func described(info env.FileInfo, err error) answer {
	if info.Dir {
		info.SizeBytes = 0
	}
	info.Name, info.ModTimeUnixMs = "", 0
	return answerOf(info, err)
}

// reporter is the common part of *testing.T and *rapid.T.
type reporter interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// sides holds the simulated tree and the real directory, which are at the same path.
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

// same runs the operation on both sides and fails if the answers differ.
func (s *sides) same(op operation, name, x string) {
	s.Helper()
	if diff := cmp.Diff(op.real(name, x), op.tree(s.view, name, x)); diff != "" {
		s.Fatalf("%s %q %q (-kernel +tree):\n%s", op.name, name, x, diff)
	}
}

// sameBelow compares everything at and below a name, both links themselves and their targets.
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

// inside reports whether an operation on a name stays in the test's directory. ".." and links may
// lead out of it, and the test must not change other files of the machine.
func (s *sides) inside(name string) bool {
	for {
		name = name[:strings.LastIndexByte(strings.TrimRight(name, "/"), '/')]
		if at, err := filepath.EvalSymlinks(name); err == nil {
			return at == s.top || strings.HasPrefix(at, s.top+"/")
		}
	}
}

// enter changes to a directory on both sides and compares the resulting working directories.
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

// Goal: the tree follows as many links in a chain as the kernel, and no more.
func TestAChainOfLinksEndsWhereTheKernelEndsIt(t *testing.T) {
	s := newSides(t, t.TempDir())
	s.same(write, s.top+"/0", "content")
	for i := range 42 {
		s.same(symlink, fmt.Sprint(s.top, "/", i+1), fmt.Sprint(i))
		s.same(read, fmt.Sprint(s.top, "/", i+1), "")
	}
}
