package serve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/monosim/monosim/engine/env"
)

// disk is the tfserving.Storage of a real machine, for one look at it. A poll
// costs one access and one listing for each base path.
type disk struct {
	store   string
	entries []byte // what List reads into; a look is one thread's
}

// local is where a path is found; ok false means that its file system is not
// there.
func (d *disk) local(path string) (name string, ok bool) {
	scheme, rest, uri := strings.Cut(path, "://")
	switch {
	case !uri:
		return path, true
	case scheme == "file":
		return rest, true
	}
	return filepath.Join(d.store, scheme, rest), d.store != ""
}

// List names the children of a directory.
func (d *disk) List(path string) ([]string, error) {
	name, ok := d.local(path)
	if !ok {
		return nil, noFileSystem(path)
	}
	names, err := d.readNames(name)
	if err != nil {
		return nil, diskError(path, err)
	}
	return names, nil
}

// Exists is Env::FileExists: what cannot be reached is not there.
func (d *disk) Exists(path string) bool {
	name, ok := d.local(path)
	return ok && present(name)
}

// SizeBytes is what a version is taken to be when it is loaded: all files below a
// directory, and below what symbolic links lead to
// (servables/tensorflow/util.cc:84-109,266-283). A circle of links ends where the
// system gives up.
func (d *disk) SizeBytes(path string) (int64, error) {
	name, ok := d.local(path)
	if !ok {
		return 0, noFileSystem(path)
	}
	if !d.Exists(path) {
		return 0, &env.RPCError{Code: env.NotFound, Message: path + " not found"}
	}
	n, err := directoryBytes(name)
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return 0, diskError(path+strings.TrimPrefix(failed.Path, name), err)
	}
	return n, err
}

func directoryBytes(name string) (sum int64, err error) {
	children, err := os.ReadDir(name)
	if err != nil {
		return 0, err
	}
	for _, child := range children {
		n, err := treeBytes(filepath.Join(name, child.Name()))
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func treeBytes(name string) (int64, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return 0, err
	case info.IsDir():
		return directoryBytes(name)
	}
	return sizeOf(info), nil
}

func sizeOf(info os.FileInfo) int64 {
	if !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// ReadFile reads a whole file. A device is empty, as its length says: it need not
// end.
func (d *disk) ReadFile(path string) ([]byte, error) {
	name, ok := d.local(path)
	if !ok {
		return nil, noFileSystem(path)
	}
	info, err := os.Stat(name)
	if err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, diskError(path, err)
	}
	return data, nil
}

// noFileSystem is Env::GetFileSystemForFile of a scheme that nobody registered.
func noFileSystem(path string) error {
	scheme, _, _ := strings.Cut(path, "://")
	return &env.RPCError{
		Code:    env.Unimplemented,
		Message: "File system scheme '" + scheme + "' not implemented (file: '" + path + "')",
	}
}

// diskError is TensorFlow's IOError: the path, then errno in words.
func diskError(path string, err error) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err
	}
	return &env.RPCError{Code: errnoCode(errno), Message: path + "; " + errnoText(errno)}
}

// errnoText is what strerror says, which is Go's text with a capital.
func errnoText(errno syscall.Errno) string {
	text := errno.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
