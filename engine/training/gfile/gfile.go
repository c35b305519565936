// Package gfile handles files as TensorFlow's tf.io.gfile does: its errors are TensorFlow's, such
// as NotFoundError.
//
// Two things to use first:
//
//   - [Glob] finds files by a pattern. Most functions of TensorFlow treat a path as a pattern.
//   - [WriteAtomic] replaces a file, so that readers see the old content or the new.
//
// To change how errors are named: session.FileError; how a name matches: fnmatch in glob.go.
//
// Unstable: any commit may change it.
package gfile

import (
	"io/fs"
	"path"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/session"
)

// translated returns the path by which TensorFlow opens name: without dots, doubled slashes and a
// slash at the end (FileSystem::TranslateName). So "/m/ckpt/" is the file /m/ckpt. Errors have the
// name as it was given.
func translated(name string) string {
	if name == "" || strings.Contains(name, "://") {
		return name
	}
	return path.Clean(name)
}

// Exists reports whether there is something by a name.
func Exists(f env.Files, name string) bool { return name != "" && env.Exists(f, translated(name)) }

// Stat describes a file.
func Stat(f env.Files, name string) (env.FileInfo, error) {
	if name == "" { // for TensorFlow, an empty path is not the working directory
		return env.FileInfo{}, session.FileError(name, fs.ErrNotExist)
	}
	info, err := f.Stat(translated(name))
	return info, session.FileError(name, err)
}

// Read reads a file.
func Read(f env.Files, name string) ([]byte, error) {
	if name == "" {
		return nil, session.FileError(name, fs.ErrNotExist)
	}
	data, err := f.ReadFile(translated(name))
	if info, missing := f.Stat(translated(name)); err != nil && missing == nil && info.Dir {
		name = translated(name) // it was opened, and reading fails
	}
	return data, session.FileError(name, err)
}

// temporary is the name suffix of a file that is still being written. The reference appends a
// random name instead (file_io.py: atomic_write_string_to_file).
const temporary = ".tmp"

// WriteAtomic replaces a file's content in a single step.
func WriteAtomic(f env.Files, path string, data []byte) error {
	if err := f.WriteFile(path+temporary, data); err != nil {
		return session.FileError(path+temporary, err)
	}
	if err := f.Rename(path+temporary, path); err != nil {
		_ = f.Remove(path + temporary) // the error of the removal is not looked at: that of the write is returned
		return session.FileError(path, err)
	}
	return nil
}

// longestPath is the most bytes of a path that Linux takes (PATH_MAX without its zero).
const longestPath = 4095

// MakeDirs creates a directory and its missing parents. If a file is in the way, it raises a
// FailedPreconditionError that names the file.
func MakeDirs(f env.Files, name string) error {
	if name == "" {
		return nil
	}
	if len(name) > longestPath {
		return session.Raise("InvalidArgumentError", "%s; File name too long", name)
	}
	err := f.MkdirAll(translated(name))
	if err != nil && hasLink(f, name) && !Exists(f, name) {
		return nil // a link that leads nowhere is there
	}
	for way := name; err != nil && way != "" && way != "/"; way = pysem.Dirname(way) {
		if info, missing := f.Stat(translated(way)); missing == nil && !info.Dir {
			return session.Raise("FailedPreconditionError", "%s is not a directory", way)
		}
	}
	return session.FileError(name, err)
}

// RemoveTree removes a file or directory. It raises a NotFoundError if there is none. A link to a
// directory stays, with nothing in the directory, and is a FailedPreconditionError.
func RemoveTree(f env.Files, name string) error {
	if !Exists(f, name) {
		return session.Raise("NotFoundError", "%s not found", name)
	}
	link, err := env.Lstat(f, translated(name))
	info, missing := f.Stat(translated(name))
	if err != nil || missing != nil || !link.Link || !info.Dir {
		return session.FileError(name, f.RemoveAll(translated(name)))
	}
	names, err := f.ReadDir(translated(name))
	for i := 0; err == nil && i < len(names); i++ {
		err = f.RemoveAll(pysem.JoinStrings(translated(name), names[i]))
	}
	if err != nil {
		return session.FileError(name, err)
	}
	return session.Raise("FailedPreconditionError", "%s; Not a directory", name)
}

// Copy copies a file. If the destination exists, it raises an AlreadyExistsError unless overwrite
// is set. If the source is a directory, it raises an InvalidArgumentError and leaves an empty file.
// A copy of a file onto itself leaves it empty, because the destination is emptied first.
func Copy(f env.Files, src, dst string, overwrite bool) error {
	if !overwrite && Exists(f, dst) {
		return session.Raise("AlreadyExistsError", "file already exists")
	}
	if info, err := f.Stat(translated(src)); err == nil && info.Dir {
		if err := f.WriteFile(translated(dst), nil); err != nil {
			return session.FileError(dst, err)
		}
		return session.Raise("InvalidArgumentError", "%s; Invalid argument", dst)
	}
	data, err := Read(f, src)
	if err != nil {
		return err
	}
	if translated(src) == translated(dst) || hasLink(f, src) || hasLink(f, dst) {
		if err := f.WriteFile(translated(dst), nil); err != nil {
			return session.FileError(dst, err)
		}
		if data, err = Read(f, src); err != nil {
			return err
		}
	}
	return session.FileError(dst, f.WriteFile(translated(dst), data))
}

// hasLink reports whether a part of a name is a symbolic link, so that another name may be that of
// the same file.
func hasLink(f env.Files, name string) bool {
	for part := translated(name); part != "." && part != "/" && part != ""; part = path.Dir(part) {
		if info, err := env.Lstat(f, part); err == nil && info.Link {
			return true
		}
	}
	return false
}

// ListDir returns the names in a directory in sorted order. It raises a NotFoundError if the name is
// not that of a directory.
func ListDir(f env.Files, name string) ([]string, error) {
	if info, err := Stat(f, name); err != nil || !info.Dir {
		return nil, session.Raise("NotFoundError", "Could not find directory %s", name)
	}
	names, err := f.ReadDir(translated(name))
	return names, session.FileError(name, err)
}
