package env

import "io/fs"

// Files is the file system that the process sees. Paths use slashes; a relative
// path counts from the working directory. Errors are *fs.PathError around
// fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, or a plain reason.
type Files interface {
	ReadFile(path string) ([]byte, error)
	// WriteFile creates or truncates the file and writes data, as Python's
	// open(path, 'w') does: readers may see it half-written, and a host crash
	// before Sync may lose it.
	WriteFile(path string, data []byte) error
	// AppendFile creates the file when missing and adds data at its end.
	AppendFile(path string, data []byte) error
	// Sync makes the file's present content survive a host crash.
	Sync(path string) error
	// Rename replaces newPath atomically.
	Rename(oldPath, newPath string) error
	Remove(path string) error
	RemoveAll(path string) error
	MkdirAll(path string) error
	// ReadDir lists the names in a directory, sorted.
	ReadDir(path string) ([]string, error)
	Stat(path string) (FileInfo, error)
	// TempFile names a fresh file in the temporary directory without creating it.
	TempFile() string
	Getwd() string
	Chdir(path string) error
}

// SharedFiles is an optional interface of a Files that can read without a copy.
// Callers use the function ReadShared, which does without.
type SharedFiles interface {
	// ReadShared is ReadFile, but the result may be shared: it must not be changed.
	ReadShared(path string) ([]byte, error)
}

// ReadShared reads a file as f.ReadFile does. The caller must not change the result,
// which may be shared with others.
func ReadShared(f Files, path string) ([]byte, error) {
	if s, ok := f.(SharedFiles); ok {
		return s.ReadShared(path)
	}
	return f.ReadFile(path)
}

// LinkFiles is what Files may also be: it knows symbolic links. Files that do not know
// them follow them everywhere.
type LinkFiles interface {
	// Lstat is Stat of a link itself, where the path ends in one.
	Lstat(path string) (FileInfo, error)
}

// Lstat describes a link itself, where the path ends in one and the files know links;
// else it is Stat.
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
	// Link says that it is a symbolic link, which only Lstat can find.
	Link bool
	// Socket says that it is a Unix socket, which only a real machine has.
	Socket bool
	// ModTimeUnixMs is the time of the last write, in ms since the Unix epoch.
	ModTimeUnixMs int64
}

// Exists reports whether path names a file or directory that can be looked at; any
// error of Stat counts as none.
func Exists(f Files, path string) bool {
	_, err := f.Stat(path)
	return err == nil
}

// NotExist makes the error of a missing path.
func NotExist(op, path string) error {
	return &fs.PathError{Op: op, Path: path, Err: fs.ErrNotExist}
}
