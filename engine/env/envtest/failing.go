package envtest

import (
	"io/fs"

	"github.com/monosim/monosim/engine/env"
)

// Failing is a file system in which one call fails, with an error of permissions. A test makes each
// call in turn fail, and sees that the code under test tells of it.
type Failing struct {
	env.Files
	// At is the number of the call that fails, counted from 0. Calls counts the calls.
	At, Calls int
}

func (f *Failing) next(op, path string) error {
	f.Calls++
	if f.Calls-1 == f.At {
		return &fs.PathError{Op: op, Path: path, Err: fs.ErrPermission}
	}
	return nil
}

// ReadFile reads a file.
func (f *Failing) ReadFile(path string) ([]byte, error) {
	if err := f.next("open", path); err != nil {
		return nil, err
	}
	return f.Files.ReadFile(path)
}

// ReadDir lists a directory.
func (f *Failing) ReadDir(path string) ([]string, error) {
	if err := f.next("open", path); err != nil {
		return nil, err
	}
	return f.Files.ReadDir(path)
}

// WriteFile writes a file.
func (f *Failing) WriteFile(path string, data []byte) error {
	if err := f.next("open", path); err != nil {
		return err
	}
	return f.Files.WriteFile(path, data)
}

// AppendFile adds to a file.
func (f *Failing) AppendFile(path string, data []byte) error {
	if err := f.next("open", path); err != nil {
		return err
	}
	return f.Files.AppendFile(path, data)
}

// Rename moves a file.
func (f *Failing) Rename(from, to string) error {
	if err := f.next("rename", from); err != nil {
		return err
	}
	return f.Files.Rename(from, to)
}

// Remove removes a file.
func (f *Failing) Remove(path string) error {
	if err := f.next("remove", path); err != nil {
		return err
	}
	return f.Files.Remove(path)
}

// RemoveAll removes a directory.
func (f *Failing) RemoveAll(path string) error {
	if err := f.next("remove", path); err != nil {
		return err
	}
	return f.Files.RemoveAll(path)
}

// MkdirAll makes a directory.
func (f *Failing) MkdirAll(path string) error {
	if err := f.next("mkdir", path); err != nil {
		return err
	}
	return f.Files.MkdirAll(path)
}
