package files

import (
	"errors"
	"io/fs"
)

// The *fs.PathError of an operation wraps one of these errors, fs.ErrNotExist or fs.ErrExist. The
// texts are those of Linux.
var (
	ErrNotDir      = errors.New("not a directory")
	ErrIsDir       = errors.New("is a directory")
	ErrNotEmpty    = errors.New("directory not empty")
	ErrLoop        = errors.New("too many levels of symbolic links")
	ErrIO          = errors.New("input/output error")
	ErrBusy        = errors.New("device or resource busy")
	ErrCrossDevice = errors.New("invalid cross-device link")
	ErrInvalid     = errors.New("invalid argument")
)

func pathError(op, path string, err error) error {
	return &fs.PathError{Op: op, Path: path, Err: err}
}
