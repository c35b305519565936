package files

import (
	"io/fs"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// View is a tree as one process sees it. It is the env.Files of the process, with its own working
// directory for relative paths. In a process that was killed, each operation ends the calling
// task. Errors are those of [FS], with the path that the process gave.
type View struct {
	p   *vtime.Process
	fs  *FS
	cwd string
}

// NewView makes the view of p, with the working directory cwd; "" means the root.
func NewView(p *vtime.Process, tree *FS, cwd string) *View {
	return &View{p: p, fs: tree, cwd: clean(cwd)}
}

// FS returns the tree.
func (v *View) FS() *FS { return v.fs }

// looks records that the process's present turn reads the tree. While the tree does not change, the
// simulation may skip a repetition of the turn.
func (v *View) looks() { leap.Depend(v.p, &v.fs.looked) }

// abs returns the absolute path of a name, or "" for "", which names no file. In a killed process
// it ends the calling task.
func (v *View) abs(name string) string {
	v.p.Check()
	switch {
	case name == "" || name[0] == '/':
		return name
	case v.cwd == "/":
		return "/" + name
	}
	return v.cwd + "/" + name
}

// look executes an operation fn that only reads. Its errors show the path that the process gave.
func look[T any](v *View, op, name string, fn func(abs string) (T, error)) (result T, err error) {
	v.looks()
	abs := v.abs(name)
	if abs == "" {
		return result, env.NotExist(op, name)
	}
	result, err = fn(abs)
	return result, asNamed(err, name)
}

// ReadFile returns a copy of a file's content.
func (v *View) ReadFile(name string) ([]byte, error) { return look(v, "open", name, v.fs.ReadFile) }

// ReadShared returns a file's content without a copy; the caller must not change it.
func (v *View) ReadShared(name string) ([]byte, error) {
	return look(v, "open", name, func(abs string) ([]byte, error) {
		content, _, err := v.fs.Content(abs)
		if content == nil && err == nil {
			content = []byte{}
		}
		return content, err
	})
}

// WriteFile creates or truncates the file and writes data.
func (v *View) WriteFile(name string, data []byte) error {
	return v.do("open", name, func(abs string) error { return v.fs.WriteFile(abs, data) })
}

// AppendFile appends data to a file, which it creates if needed.
func (v *View) AppendFile(name string, data []byte) error {
	return v.do("open", name, func(abs string) error { return v.fs.AppendFile(abs, data) })
}

// Sync makes the file's content durable, so that it survives a crash of the host.
func (v *View) Sync(name string) error { return v.do("sync", name, v.fs.Sync) }

// Rename renames a file or directory, and replaces newName atomically.
func (v *View) Rename(oldName, newName string) error {
	return v.do("rename", oldName, func(from string) error {
		return v.do("rename", newName, func(to string) error { return v.fs.Rename(from, to) })
	})
}

// Remove removes a file or an empty directory.
func (v *View) Remove(name string) error { return v.do("remove", name, v.fs.Remove) }

// RemoveAll removes the entry at name and everything below it.
func (v *View) RemoveAll(name string) error { return v.do("removeall", name, v.fs.RemoveAll) }

// MkdirAll makes a directory and its missing parents.
func (v *View) MkdirAll(name string) error { return v.do("mkdir", name, v.fs.MkdirAll) }

// ReadDir lists the names in a directory, sorted.
func (v *View) ReadDir(name string) ([]string, error) { return look(v, "open", name, v.fs.ReadDir) }

// Stat describes a file or directory.
func (v *View) Stat(name string) (env.FileInfo, error) { return look(v, "stat", name, v.fs.Stat) }

// Lstat describes the link itself if the path ends in one.
func (v *View) Lstat(name string) (env.FileInfo, error) { return look(v, "lstat", name, v.fs.Lstat) }

// Symlink makes name a symbolic link to target. A relative target starts at the link's directory.
func (v *View) Symlink(target, name string) error {
	return v.do("symlink", name, func(abs string) error { return v.fs.Symlink(target, abs) })
}

// Readlink returns the target of a symbolic link, unresolved.
func (v *View) Readlink(name string) (target string, err error) {
	err = v.do("readlink", name, func(abs string) error {
		target, err = v.fs.Readlink(abs)
		return err
	})
	return target, err
}

// do executes an operation that may change the tree.
func (v *View) do(op, name string, fn func(abs string) error) error {
	v.p.Acts()
	abs := v.abs(name)
	if abs == "" {
		return env.NotExist(op, name)
	}
	return asNamed(fn(abs), name)
}

// asNamed replaces the path in an error by the one that the process gave.
func asNamed(err error, name string) error {
	if e, ok := err.(*fs.PathError); ok {
		e.Path = name
	}
	return err
}

// tempCharacters holds the characters of Python's tempfile._RandomNameSequence.
const tempCharacters = "abcdefghijklmnopqrstuvwxyz0123456789_"

// TempFile returns a new name as tempfile.mktemp does: /tmp/tmp and eight characters. Five
// characters are random. The other three count up, so that no two names are equal.
func (v *View) TempFile() string {
	v.p.Acts()
	const base = uint64(len(tempCharacters))
	for {
		chosen := v.p.Node().Source("files.temp").Uint64n(base * base * base * base * base)
		counted := v.fs.temps
		v.fs.temps++
		var name [8]byte
		for i := range name {
			digits := &chosen
			if i >= 5 {
				digits = &counted
			}
			name[i] = tempCharacters[*digits%base]
			*digits /= base
		}
		abs := "/tmp/tmp" + string(name[:])
		if _, err := v.fs.Stat(abs); err != nil {
			return abs
		}
	}
}

// Getwd returns the working directory.
func (v *View) Getwd() string {
	v.p.Check()
	return v.cwd
}

// Chdir changes the working directory. It resolves the links in the path.
func (v *View) Chdir(name string) error {
	return v.do("chdir", name, func(abs string) error {
		p, err := v.fs.existing("chdir", abs, followed)
		switch {
		case err != nil:
			return err
		case !p.entry.dir:
			return pathError("chdir", name, ErrNotDir)
		}
		v.cwd = clean(p.path)
		return nil
	})
}

var (
	_ env.Files       = (*View)(nil)
	_ env.SharedFiles = (*View)(nil)
	_ env.LinkFiles   = (*View)(nil)
)
