package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"github.com/monosim/monosim/engine/env"
)

// files implements env.Files on the machine. Each process has its own working directory; that of
// the program is never changed.
type files struct {
	m   *Machine
	dir string
}

// Modes of new files and directories, before the umask.
const (
	fileMode = 0o666
	dirMode  = 0o777
)

// abs returns the absolute path, after a check that the process lives. The empty path stays empty,
// because it names nothing.
func (f *files) abs(name string) string {
	f.m.p.Check()
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	// The path is not cleaned: ".." after a link is the parent of the link's target.
	return f.dir + string(filepath.Separator) + filepath.FromSlash(name)
}

// do calls fn with the absolute path. Its error names the path as the caller gave it.
func (f *files) do(op, name string, fn func(abs string) error) error {
	abs := f.abs(name)
	if abs == "" {
		return env.NotExist(op, name)
	}
	return asNamed(op, name, fn(abs))
}

// asNamed returns an error that names the operation, and the path as the caller gave it.
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
		data, err = os.ReadFile(abs)
		return err
	})
	return data, err
}

func (f *files) WriteFile(name string, data []byte) error {
	return f.do("open", name, func(abs string) error { return os.WriteFile(abs, data, fileMode) })
}

func (f *files) AppendFile(name string, data []byte) error {
	return f.do("open", name, func(abs string) error {
		file, err := os.OpenFile(abs, os.O_WRONLY|os.O_CREATE|os.O_APPEND, fileMode)
		if err != nil {
			return err
		}
		_, err = file.Write(data)
		return errors.Join(err, file.Close())
	})
}

// Sync writes a file, and its entry in its directory, to the disk.
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
		return os.Rename(from, to)
	})
}

func (f *files) Remove(name string) error { return f.do("remove", name, os.Remove) }

func (f *files) RemoveAll(name string) error { return f.do("removeall", name, os.RemoveAll) }

func (f *files) MkdirAll(name string) error {
	return f.do("mkdir", name, func(abs string) error { return os.MkdirAll(abs, dirMode) })
}

func (f *files) ReadDir(name string) (names []string, err error) {
	err = f.do("open", name, func(abs string) error {
		entries, err := os.ReadDir(abs)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		sort.Strings(names)
		return err
	})
	return names, err
}

func (f *files) Stat(name string) (env.FileInfo, error) { return f.stat("stat", name, os.Stat) }

// Lstat describes a link itself.
func (f *files) Lstat(name string) (env.FileInfo, error) { return f.stat("lstat", name, os.Lstat) }

func (f *files) stat(op, name string, stat func(string) (fs.FileInfo, error)) (info env.FileInfo, err error) {
	err = f.do(op, name, func(abs string) error {
		found, err := stat(abs)
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

// The alphabet and the length of the names that Python's tempfile._RandomNameSequence makes.
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

// directory checks that a path is a directory and returns it with links resolved.
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
