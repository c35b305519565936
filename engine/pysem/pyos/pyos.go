// Package pyos is what Python's open, os and os.walk do over an env.Files: the same
// contents, and the same exceptions in the same words.
//
// Two things to use first:
//
//   - [ReadFile] and [ReadText] are open and read.
//   - [Error] is an error of env.Files as the exception that Python raises.
package pyos

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// osErrors are the exceptions that Python's file functions raise, by the reason
// that Linux words.
var osErrors = []struct {
	reason string
	errno  int
	class  string
}{
	{"no such file or directory", 2, "FileNotFoundError"},
	{"file already exists", 17, "FileExistsError"},
	{"file exists", 17, "FileExistsError"},
	{"permission denied", 13, "PermissionError"},
	{"not a directory", 20, "NotADirectoryError"},
	{"is a directory", 21, "IsADirectoryError"},
	{"directory not empty", 39, "OSError"},
	{"too many levels of symbolic links", 40, "OSError"},
}

// Error is an error of env.Files about a path as the exception that open, os.listdir and
// the like raise: a FileNotFoundError, a NotADirectoryError and so on, or an OSError.
func Error(err error, path string) *pysem.Error {
	reason := err.Error()
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		reason = pathErr.Err.Error()
	}
	if errors.Is(err, fs.ErrNotExist) {
		reason = osErrors[0].reason
	}
	for _, e := range osErrors {
		if e.reason == reason {
			return pysem.Raise(e.class, "[Errno %d] %s: %s", e.errno, reason, pysem.Repr(path))
		}
	}
	return pysem.Raise("OSError", "%s: %s", reason, pysem.Repr(path))
}

// ReadFile is open(path, 'rb').read(). Errors are those of [Error].
func ReadFile(files env.Files, path string) ([]byte, error) {
	if info, err := files.Stat(path); err == nil && info.Dir {
		return nil, pysem.Raise("IsADirectoryError", "[Errno 21] Is a directory: %s", pysem.Repr(path))
	}
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, Error(err, path)
	}
	return data, nil
}

// ReadText is open(path).read() in a UTF-8 locale, line ends made "\n". Errors are those
// of [Error], and a UnicodeDecodeError.
func ReadText(files env.Files, path string) (string, error) {
	data, err := ReadFile(files, path)
	if err != nil {
		return "", err
	}
	text, err := pysem.DecodeUTF8(data)
	if err != nil {
		return "", err
	}
	return strings.Join(pysem.Lines(text), "\n"), nil
}

// WalkTop is the first step of os.walk: the directories and the other names in a
// directory, sorted; a link to a directory is one of the directories. ok reports whether
// the path can be listed: where it cannot, os.walk gives nothing.
func WalkTop(files env.Files, path string) (dirs, others []string, ok bool) {
	names, err := files.ReadDir(path)
	if err != nil {
		return nil, nil, false
	}
	for _, name := range names {
		if info, err := files.Stat(pysem.JoinStrings(path, name)); err == nil && info.Dir {
			dirs = append(dirs, name)
		} else {
			others = append(others, name)
		}
	}
	return dirs, others, true
}
