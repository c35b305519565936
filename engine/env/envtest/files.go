package envtest

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
)

// Dir is the working directory of tests.
const Dir = "/case"

// Files keeps a test's files in memory. It has the operations of env.Files that tests of engine
// code need; the others panic. It has no links and no crashes. A test that depends on these uses
// sim/files.
type Files struct {
	env.Files // nil, so that calling an operation that is missing here panics
	tree      fstest.MapFS
	temps     int
}

// key returns a path's key in the map of files: the absolute path without its first slash.
func key(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = Dir + "/" + name
	}
	return strings.TrimPrefix(path.Clean(name), "/")
}

// ReadFile returns the content of a file.
func (f *Files) ReadFile(name string) ([]byte, error) { return f.tree.ReadFile(key(name)) }

// AppendFile adds data to the end of a file.
func (f *Files) AppendFile(name string, data []byte) error {
	content, err := f.ReadFile(name)
	if err != nil && env.Exists(f, name) {
		return err
	}
	return f.WriteFile(name, append(slices.Clone(content), data...))
}

// ReadDir lists the names in a directory, sorted.
func (f *Files) ReadDir(name string) ([]string, error) {
	entries, err := f.tree.ReadDir(key(name))
	return lists.Map(entries, fs.DirEntry.Name), err
}

// Stat describes a file or directory.
func (f *Files) Stat(name string) (env.FileInfo, error) {
	info, err := f.tree.Stat(key(name))
	if err != nil {
		return env.FileInfo{}, err
	}
	return env.FileInfo{Name: info.Name(), SizeBytes: info.Size(), Dir: info.IsDir()}, nil
}

// WriteFile writes a file. Its directory must exist.
func (f *Files) WriteFile(name string, data []byte) error {
	if _, err := f.tree.Stat(path.Dir(key(name))); err != nil {
		return err
	}
	f.tree[key(name)] = &fstest.MapFile{Data: slices.Clone(data)}
	return nil
}

// MkdirAll makes a directory.
func (f *Files) MkdirAll(name string) error {
	f.tree[key(name)] = &fstest.MapFile{Mode: fs.ModeDir}
	return nil
}

// Remove removes a file.
func (f *Files) Remove(name string) error {
	delete(f.tree, key(name))
	return nil
}

// RemoveAll removes a path and everything below it.
func (f *Files) RemoveAll(name string) error {
	for _, below := range f.below(name) {
		delete(f.tree, below)
	}
	return nil
}

// Rename moves a path and everything below it. The new path must not exist yet.
func (f *Files) Rename(oldName, newName string) error {
	for _, below := range f.below(oldName) {
		f.tree[key(newName)+strings.TrimPrefix(below, key(oldName))] = f.tree[below]
		delete(f.tree, below)
	}
	return nil
}

// below returns the keys of a path and of everything below it, sorted.
func (f *Files) below(name string) []string {
	top := key(name)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f.tree)), func(name string) bool {
		return name != top && !strings.HasPrefix(name, top+"/")
	})
}

// TempFile returns an unused name in the working directory, a different name at each call.
func (f *Files) TempFile() string {
	f.temps++
	return Dir + "/tmpabcdefg" + string(rune('0'+f.temps))
}

// Getwd returns [Dir].
func (f *Files) Getwd() string { return Dir }
