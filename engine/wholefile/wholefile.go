// Package wholefile writes files that are never seen half written.
//
// One thing to use: [Write] replaces a file in one step. Its users are the commands, for
// reports, and the servers, for what others wait for.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file of a name, so that readers see its old content or the new
// one. Links are followed, and what is no file, as a pipe or a device, is written to.
// An error names the file, never the temporary beside it, which is gone in any case.
func Write(name string, content []byte) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return writeInto(name, content)
	}
	target := name
	if linked, err := filepath.EvalSymlinks(name); err == nil {
		target = linked
	}
	return Named(name, replace(target, content))
}

// writeInto writes to what is there. What cannot be written to says so at its open: a
// directory, too.
func writeInto(name string, content []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// replace makes a temporary beside the file and renames it.
func replace(name string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(name), ".*.tmp")
	if err != nil {
		return err
	}
	_, err = temporary.Write(content)
	err = errors.Join(err, temporary.Chmod(0o644), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), name)
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}

// Named is an error about a temporary told as one about the file that it is for.
func Named(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return &fs.PathError{Op: path.Op, Path: name, Err: path.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: link.Op, Path: name, Err: link.Err}
	}
	return err
}
