// Package wholefile writes files that are never seen half written.
//
// Two things to use first:
//
//   - [Write] replaces a file in one step.
//   - [Create] begins one that is written bit by bit and is there at its [File.Close].
//
// Their users are the commands, for reports, and the servers, for what others wait for.
// To change what becomes of links and devices look in [Create].
//
// Unstable: any commit may change it.
package wholefile

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file of a name, so that readers see its old content or the new
// one. Links are followed, and what is no file, as a pipe or a device, is written to.
// An error names the file, never the temporary beside it, which is gone in any case.
func Write(name string, content []byte) error {
	f, err := Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err != nil {
		f.Discard()
		return err
	}
	return f.Close()
}

// File is a file that is being written. Readers of its name see what was there before
// until Close.
type File struct {
	name, target string
	file         *os.File
	out          *bufio.Writer
	temporary    bool
	ended        bool
}

// Create begins the file of a name, as [Write] does. End it by Close or Discard.
func Create(name string) (*File, error) {
	f := &File{name: name, target: name}
	var err error
	if info, missing := os.Stat(name); missing == nil && !info.Mode().IsRegular() {
		// What cannot be written to says so at its open: a directory, too.
		f.file, err = os.OpenFile(name, os.O_WRONLY, 0)
	} else {
		if linked, unlinked := filepath.EvalSymlinks(name); unlinked == nil {
			f.target = linked
		}
		f.temporary = true
		f.file, err = os.CreateTemp(filepath.Dir(f.target), ".*.tmp")
	}
	if err != nil {
		return nil, Named(name, err)
	}
	f.out = bufio.NewWriterSize(f.file, 1<<16)
	return f, nil
}

// Write adds to the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.out.Write(p)
	return n, Named(f.name, err)
}

// Close ends the file and gives it its name. After an error, be it one of a Write before,
// there is what was there before Create.
func (f *File) Close() error {
	if f.ended {
		return nil
	}
	err := f.out.Flush()
	if !f.temporary {
		f.ended = true
		return Named(f.name, errors.Join(err, f.file.Close()))
	}
	if err == nil {
		err = f.file.Chmod(0o644)
	}
	if closed := f.file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.file.Name(), f.target)
	}
	f.ended = err == nil
	f.Discard()
	return Named(f.name, err)
}

// Discard forgets what was written. It does nothing after Close.
func (f *File) Discard() {
	if f.ended {
		return
	}
	f.ended = true
	f.file.Close()
	if f.temporary {
		os.Remove(f.file.Name())
	}
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
