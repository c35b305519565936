package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// tree is the set of files that calls may reach: those of the whole machine, or those in a root.
// From a root, neither names nor links lead outside.
type tree interface {
	ReadFile(name string) ([]byte, error)
	WriteFile(name string, data []byte, mode fs.FileMode) error
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	Rename(oldName, newName string) error
	Remove(name string) error
	RemoveAll(name string) error
	MkdirAll(name string, mode fs.FileMode) error
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
}

// whole gives access to all files of the machine.
type whole struct{}

func (whole) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

func (whole) WriteFile(name string, data []byte, mode fs.FileMode) error {
	return os.WriteFile(name, data, mode)
}

func (whole) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}

func (whole) Rename(oldName, newName string) error         { return os.Rename(oldName, newName) }
func (whole) Remove(name string) error                     { return os.Remove(name) }
func (whole) RemoveAll(name string) error                  { return os.RemoveAll(name) }
func (whole) MkdirAll(name string, mode fs.FileMode) error { return os.MkdirAll(name, mode) }
func (whole) Stat(name string) (fs.FileInfo, error)        { return os.Stat(name) }
func (whole) Lstat(name string) (fs.FileInfo, error)       { return os.Lstat(name) }

// unchanged gives access to the files outside of a root. They can be read but not changed.
type unchanged struct{ whole }

// errOutside is the error of trying to change a file outside of the root.
var errOutside = errors.New("outside of the folder that this process may change")

func (unchanged) WriteFile(string, []byte, fs.FileMode) error { return errOutside }
func (unchanged) Rename(string, string) error                 { return errOutside }
func (unchanged) Remove(string) error                         { return errOutside }
func (unchanged) RemoveAll(string) error                      { return errOutside }
func (unchanged) MkdirAll(string, fs.FileMode) error          { return errOutside }

func (o unchanged) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	if flag != os.O_RDONLY {
		return nil, errOutside
	}
	return o.whole.OpenFile(name, flag, mode)
}

// openRoot opens a root by its absolute path. It stays open until the program ends.
func openRoot(dir string) (*os.Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(abs)
}

// in returns the tree that an absolute path belongs to, and the path's name in that tree.
func (f *files) in(abs string) (tree, string) {
	if f.root == nil {
		return whole{}, abs
	}
	if name, err := filepath.Rel(f.root.Name(), abs); err == nil && filepath.IsLocal(name) {
		return f.root, name
	}
	return unchanged{}, abs
}
