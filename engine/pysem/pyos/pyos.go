// Package pyos has Python's file functions (open, functions of os, os.walk) for an env.Files, with
// the exceptions that Python raises. [ReadFile] and [ReadText] read a file; [Error] converts an
// error of env.Files to Python's exception.
//
// Unstable: any commit may change it.
package pyos

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Failure describes an OSError without the path that the error is about.
type Failure struct {
	Errno int
	Class string
	// Words is the system's message for the error number, as strerror returns it.
	Words string
}

// failures lists the OSErrors that Python's file functions can raise in this project.
var failures = []Failure{
	{2, "FileNotFoundError", "No such file or directory"},
	{13, "PermissionError", "Permission denied"},
	{17, "FileExistsError", "File exists"},
	{20, "NotADirectoryError", "Not a directory"},
	{21, "IsADirectoryError", "Is a directory"},
	{39, "OSError", "Directory not empty"},
	{40, "OSError", "Too many levels of symbolic links"},
}

// FailureOf returns the OSError that Python raises for an error of env.Files. ok is false if it is
// not known.
func FailureOf(err error) (f Failure, ok bool) {
	reason := err.Error()
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		reason = path.Err.Error()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		reason = failures[0].Words
	case errors.Is(err, fs.ErrExist):
		reason = "File exists"
	}
	i := slices.IndexFunc(failures, func(f Failure) bool { return strings.EqualFold(f.Words, reason) })
	if i < 0 {
		return Failure{Class: "OSError", Words: reason}, false
	}
	return failures[i], true
}

// Error converts an error of env.Files to the exception that Python's open, os.listdir and similar
// functions raise for the path: a FileNotFoundError, a NotADirectoryError or another OSError.
func Error(err error, path string) *pysem.Error {
	f, known := FailureOf(err)
	if !known {
		return pysem.Raise(f.Class, "%s: %s", f.Words, pysem.Repr(path))
	}
	return f.About(path)
}

// About returns the exception for this failure that names the given path.
func (f Failure) About(path string) *pysem.Error {
	return pysem.Raise(f.Class, "[Errno %d] %s: %s", f.Errno, f.Words, pysem.Repr(path))
}

// MakeDirs makes a directory and its parents, as os.makedirs does. If the path exists, or is a link
// to a missing file, it returns a FileExistsError.
func MakeDirs(files env.Files, path string) error {
	for at := 0; at < len(path); {
		end := strings.IndexByte(path[at+1:], '/')
		if end < 0 {
			break
		}
		above := path[:at+1+end]
		at += 1 + end
		_, err := files.Stat(above)
		if info, none := env.Lstat(files, above); err != nil && none == nil && info.Link {
			next, _, _ := strings.Cut(path[at+1:], "/")
			return Error(err, pysem.JoinStrings(above, next))
		}
	}
	if _, err := env.Lstat(files, path); err == nil {
		return Error(fs.ErrExist, path)
	}
	if err := files.MkdirAll(path); err != nil {
		return Error(err, path)
	}
	return nil
}

// ReadFile returns open(path, 'rb').read(). Errors are those of [Error].
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

// ReadText returns Python's open(path).read() in a UTF-8 locale, which turns all line ends into
// "\n". Errors are those of [Error], or a UnicodeDecodeError.
func ReadText(files env.Files, path string) (string, error) {
	data, err := ReadFile(files, path)
	if err != nil {
		return "", err
	}
	return Text(data)
}

// Text converts the bytes of a file to text as [ReadText] does.
func Text(data []byte) (string, error) {
	text, err := pysem.DecodeUTF8(data)
	if err != nil {
		return "", err
	}
	return strings.Join(pysem.Lines(text), "\n"), nil
}

// WalkTop returns the first step of os.walk(path): the sorted names of its directories, and of
// everything else in it. A link to a directory counts as a directory. If the path cannot be listed,
// ok is false; os.walk yields nothing then.
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
