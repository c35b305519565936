package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"github.com/monosim/monosim/engine/env"
)

// files implements env.Files on the machine. Each process has its own working directory. The
// working directory of the operating system process never changes.
type files struct {
	m   *Machine
	dir string
	// root, when set, is the only directory in which files may be changed.
	root *os.Root
}

// These are the permission bits of new files and directories, before the umask applies.
const (
	fileMode = 0o666
	dirMode  = 0o777
)

// abs returns the absolute path, and first checks that the process lives. The empty path stays
// empty, because it names no file.
func (f *files) abs(name string) string {
	f.m.p.Check()
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	// The path is not cleaned: ".." after a link is the parent of the link's target.
	return f.dir + string(filepath.Separator) + filepath.FromSlash(name)
}

// do calls fn with the absolute path. An error names the path as the caller of the method gave it.
func (f *files) do(op, name string, fn func(abs string) error) error {
	abs := f.abs(name)
	if abs == "" {
		return env.NotExist(op, name)
	}
	return asNamed(op, name, fn(abs))
}

// asNamed returns err with the operation op, and with the path as the caller of the method gave it.
func asNamed(op, name string, err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func (f *files) ReadFile(name string) (data []byte, err error) {
	err = f.do("open", name, func(abs string) (err error) {
		tree, at := f.in(abs)
		data, err = tree.ReadFile(at)
		return err
	})
	return data, err
}

func (f *files) WriteFile(name string, data []byte) error {
	return f.do("open", name, func(abs string) error {
		tree, at := f.in(abs)
		return tree.WriteFile(at, data, fileMode)
	})
}

func (f *files) AppendFile(name string, data []byte) error {
	return f.do("open", name, func(abs string) error {
		tree, at := f.in(abs)
		file, err := tree.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_APPEND, fileMode)
		if err != nil {
			return err
		}
		_, err = file.Write(data)
		return errors.Join(err, file.Close())
	})
}

// Sync flushes a file, and its entry in the directory, to the disk.
func (f *files) Sync(name string) error {
	return f.do("sync", name, func(abs string) error {
		if err := syncPath(abs); err != nil {
			return err
		}
		return syncDirectory(filepath.Dir(abs))
	})
}

func syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

func (f *files) Rename(oldName, newName string) error {
	return f.do("rename", oldName, func(from string) error {
		to := f.abs(newName)
		if to == "" {
			return fs.ErrNotExist
		}
		tree, at := f.in(from)
		other, into := f.in(to)
		if tree != other {
			return errOutside
		}
		return tree.Rename(at, into)
	})
}

func (f *files) Remove(name string) error {
	return f.do("remove", name, func(abs string) error {
		tree, at := f.in(abs)
		return tree.Remove(at)
	})
}

func (f *files) RemoveAll(name string) error {
	return f.do("removeall", name, func(abs string) error {
		tree, at := f.in(abs)
		return tree.RemoveAll(at)
	})
}

func (f *files) MkdirAll(name string) error {
	return f.do("mkdir", name, func(abs string) error {
		tree, at := f.in(abs)
		return tree.MkdirAll(at, dirMode)
	})
}

func (f *files) ReadDir(name string) (names []string, err error) {
	err = f.do("open", name, func(abs string) error {
		tree, at := f.in(abs)
		dir, err := tree.OpenFile(at, os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		names, err = dir.Readdirnames(-1)
		sort.Strings(names)
		return errors.Join(err, dir.Close())
	})
	return names, err
}

func (f *files) Stat(name string) (env.FileInfo, error) { return f.stat("stat", name, tree.Stat) }

// Lstat describes a file as Stat does. For a symbolic link it describes the link itself, not the
// file that the link names.
func (f *files) Lstat(name string) (env.FileInfo, error) { return f.stat("lstat", name, tree.Lstat) }

func (f *files) stat(op, name string, stat func(tree, string) (fs.FileInfo, error)) (info env.FileInfo, err error) {
	err = f.do(op, name, func(abs string) error {
		found, err := stat(f.in(abs))
		if err != nil {
			return err
		}
		info = env.FileInfo{
			Name: found.Name(), SizeBytes: found.Size(), Dir: found.IsDir(),
			Link: found.Mode()&fs.ModeSymlink != 0, Socket: found.Mode()&fs.ModeSocket != 0, ModTimeUnixMs: found.ModTime().UnixMilli(),
		}
		return nil
	})
	return info, err
}

// These are the characters and the length of random names, as Python's tempfile._RandomNameSequence
// makes them.
const (
	tempCharacters = "abcdefghijklmnopqrstuvwxyz0123456789_"
	tempLength     = 8
)

// TempFile returns a path that does not exist, as tempfile.mktemp does.
func (f *files) TempFile() string {
	dir := f.tempDir()
	for {
		name := "tmp"
		for range tempLength {
			name += string(tempCharacters[f.m.p.Intn("files.temp", len(tempCharacters))])
		}
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path
		}
	}
}

// tempDir returns the directory that Python's tempfile.gettempdir tries first.
func (f *files) tempDir() string {
	for _, key := range []string{"TMPDIR", "TEMP", "TMP"} {
		if dir, _ := f.m.host.LookupEnv(key); dir != "" {
			return f.abs(dir)
		}
	}
	return os.TempDir()
}

func (f *files) Getwd() string {
	f.m.p.Check()
	return f.dir
}

func (f *files) Chdir(name string) error {
	return f.do("chdir", name, func(abs string) error {
		dir, err := directory(abs)
		if err == nil {
			f.dir = dir
		}
		return err
	})
}

// directory returns a path with its links resolved. It fails if the path is not a directory.
func directory(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", errNotDirectory
	}
	return filepath.EvalSymlinks(path)
}

var (
	_ env.Files     = (*files)(nil)
	_ env.LinkFiles = (*files)(nil)
)
