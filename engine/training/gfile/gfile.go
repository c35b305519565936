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

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/session"
)

// Read reads a file.
func Read(f env.Files, path string) ([]byte, error) {
	if path == "" { // for TensorFlow, an empty path is not the working directory
		return nil, session.FileError(path, fs.ErrNotExist)
	}
	data, err := f.ReadFile(path)
	return data, session.FileError(path, err)
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

// MakeDirs creates a directory and its missing parents. If a file is in the way, it raises a
// FailedPreconditionError that names the file.
func MakeDirs(f env.Files, path string) error {
	if path == "" {
		return nil
	}
	err := f.MkdirAll(path)
	for way := path; err != nil && way != "" && way != "/"; way = pysem.Dirname(way) {
		if info, missing := f.Stat(way); missing == nil && !info.Dir {
			return session.Raise("FailedPreconditionError", "%s is not a directory", way)
		}
	}
	return session.FileError(path, err)
}

// RemoveTree removes a file or directory. It raises a NotFoundError if there is none.
func RemoveTree(f env.Files, path string) error {
	if path == "" || !env.Exists(f, path) {
		return session.Raise("NotFoundError", "%s not found", path)
	}
	return session.FileError(path, f.RemoveAll(path))
}

// Copy copies a file. If the destination exists, it raises an AlreadyExistsError unless overwrite
// is set. If the source is a directory, it raises an InvalidArgumentError and leaves an empty file.
func Copy(f env.Files, src, dst string, overwrite bool) error {
	if !overwrite && env.Exists(f, dst) {
		return session.Raise("AlreadyExistsError", "file already exists")
	}
	if info, err := f.Stat(src); err == nil && info.Dir {
		if err := f.WriteFile(dst, nil); err != nil {
			return session.FileError(dst, err)
		}
		return session.Raise("InvalidArgumentError", "%s; Invalid argument", dst)
	}
	data, err := Read(f, src)
	if err != nil {
		return err
	}
	return session.FileError(dst, f.WriteFile(dst, data))
}

// ListDir returns the names in a directory in sorted order. It raises a NotFoundError if path is
// not a directory.
func ListDir(f env.Files, path string) ([]string, error) {
	if info, err := f.Stat(path); path == "" || err != nil || !info.Dir {
		return nil, session.Raise("NotFoundError", "Could not find directory %s", path)
	}
	names, err := f.ReadDir(path)
	return names, session.FileError(path, err)
}
