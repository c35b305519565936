package env

import "io/fs"

// Files is the file system of a process. Paths use slashes; a relative path is below the working
// directory. Errors are *fs.PathError around fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, or
// another reason.
type Files interface {
	ReadFile(path string) ([]byte, error)
	// WriteFile creates or truncates the file and writes data, as Python's open(path, 'w') does:
	// readers may see it half-written, and a host crash before Sync may lose it.
	WriteFile(path string, data []byte) error
	// AppendFile adds data to the end of a file, which it creates if it is missing.
	AppendFile(path string, data []byte) error
	// Sync makes a file's present content survive a host crash.
	Sync(path string) error
	// Rename moves a file to newPath and atomically replaces what is there.
	Rename(oldPath, newPath string) error
	Remove(path string) error
	RemoveAll(path string) error
	MkdirAll(path string) error
	// ReadDir returns the names in a directory, sorted.
	ReadDir(path string) ([]string, error)
	Stat(path string) (FileInfo, error)
	// TempFile returns an unused name in the temporary directory, but creates no file.
	TempFile() string
	Getwd() string
	Chdir(path string) error
}

// SharedFiles is an optional interface of a Files that can read a file without copying it. Callers
// use the function ReadShared, which works for every Files.
type SharedFiles interface {
	// ReadShared is ReadFile, but callers must not change the result, which others may share.
	ReadShared(path string) ([]byte, error)
}

// ReadShared reads a file as f.ReadFile does. The caller must not change the result, which may be
// shared with others.
func ReadShared(f Files, path string) ([]byte, error) {
	if s, ok := f.(SharedFiles); ok {
		return s.ReadShared(path)
	}
	return f.ReadFile(path)
}

// LinkFiles is an optional interface of a Files that has symbolic links and can tell them from what
// they lead to.
type LinkFiles interface {
	// Lstat is Stat, but if the path is a link, it describes that link.
	Lstat(path string) (FileInfo, error)
}

// Lstat describes a path and, if it is a link, that link. Without [LinkFiles] it is Stat.
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
	// Link tells that this is a symbolic link, which only Lstat reports.
	Link bool
	// Socket tells that this is a Unix socket, which only a real machine has.
	Socket bool
	// ModTimeUnixMs is the time of the last write, in ms since the Unix epoch.
	ModTimeUnixMs int64
}

// Exists reports whether path is a file or directory for which Stat returns no error.
func Exists(f Files, path string) bool {
	_, err := f.Stat(path)
	return err == nil
}

// NotExist returns the error for a missing path.
func NotExist(op, path string) error {
	return &fs.PathError{Op: op, Path: path, Err: fs.ErrNotExist}
}
