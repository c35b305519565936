// Package wholefile writes files that are never seen half written.
//
// Two things to use first:
//
//   - [Write] replaces a file in one step.
//   - [Create] begins a file that is written piece by piece and appears at its [File.Close].
//
// The commands use it for reports, and the servers for files that other processes wait for. To
// change how links and devices are treated, look in [Create].
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

// Write replaces a file atomically, so that readers see the old content or the new one. It follows
// links, and writes directly into what is not a regular file, such as a pipe. An error names the
// file, never the temporary file beside it, which is always removed.
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

// File is a file that is being written. Until Close, readers of its name see the old content.
type File struct {
	name, target string
	file         *os.File
	out          *bufio.Writer
	temporary    bool
	ended        bool
}

// Create begins to replace the file of a name, as [Write] does. End it by Close or Discard.
func Create(name string) (*File, error) {
	f := &File{name: name, target: name}
	var err error
	if info, missing := os.Stat(name); missing == nil && !info.Mode().IsRegular() {
		// Opening fails for anything that cannot be written to, such as a directory.
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

// Write adds p to the end of the file. Readers see it after Close.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.out.Write(p)
	return n, Named(f.name, err)
}

// Close ends the writing and gives the file its name. If Close fails, or an earlier Write has
// failed, the old file is left as it was before Create.
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

// Discard drops what was written and keeps the old file. After Close it does nothing.
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

// Named turns an error about the temporary file into one about the file name.
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
