package env

import "io/fs"

// Files is the file system of a process. Paths use slashes, and a relative path is below the
// working directory. Errors are *fs.PathError that wrap fs.ErrNotExist, fs.ErrExist,
// fs.ErrPermission or another error.
type Files interface {
	ReadFile(path string) ([]byte, error)
	// WriteFile creates or truncates the file and writes data, as Python's open(path, 'w') does.
	// Readers may see a part of the data, and a crash of the host before Sync may lose it.
	WriteFile(path string, data []byte) error
	// AppendFile adds data to the end of a file, which it creates if it is missing.
	AppendFile(path string, data []byte) error
	// Sync makes the present content of a file survive a crash of the host.
	Sync(path string) error
	// Rename moves a file to newPath, and atomically replaces a file that is there.
	Rename(oldPath, newPath string) error
	Remove(path string) error
	RemoveAll(path string) error
	MkdirAll(path string) error
	// ReadDir returns the names in a directory, sorted.
	ReadDir(path string) ([]string, error)
	Stat(path string) (FileInfo, error)
	// TempFile returns an unused name in the temporary directory, without creating the file.
	TempFile() string
	Getwd() string
	Chdir(path string) error
}

// SharedFiles is an optional interface of a Files that can read a file without copying its content.
// Call the function ReadShared, which works for every Files.
type SharedFiles interface {
	// ReadShared reads a file as ReadFile does. Others may share the result, so do not change it.
	ReadShared(path string) ([]byte, error)
}

// ReadShared reads a file as f.ReadFile does. Others may share the result, so do not change it.
func ReadShared(f Files, path string) ([]byte, error) {
	if s, ok := f.(SharedFiles); ok {
		return s.ReadShared(path)
	}
	return f.ReadFile(path)
}

// LinkFiles is an optional interface of a Files that has symbolic links and can tell a link from
// its target.
type LinkFiles interface {
	// Lstat describes a path as Stat does, but describes a link itself and not its target.
	Lstat(path string) (FileInfo, error)
}

// Lstat describes a path as f.Stat does, but describes a link itself and not its target. If f is no
// [LinkFiles], it calls Stat.
func Lstat(f Files, path string) (FileInfo, error) {
	if links, ok := f.(LinkFiles); ok {
		return links.Lstat(path)
	}
	return f.Stat(path)
}

// FileInfo describes a file or directory.
type FileInfo struct {
	Name      string
	SizeBytes int64
	Dir       bool
	// Link means that the path is a symbolic link. Only Lstat sets it.
	Link bool
	// Socket means that the path is a Unix socket, which only a real machine has.
	Socket bool
	// ModTimeUnixMs is the time of the last write, in ms since the Unix epoch.
	ModTimeUnixMs int64
}

// Exists reports whether Stat finds the path.
func Exists(f Files, path string) bool {
	_, err := f.Stat(path)
	return err == nil
}

// NotExist returns the error for a missing path.
func NotExist(op, path string) error {
	return &fs.PathError{Op: op, Path: path, Err: fs.ErrNotExist}
}
