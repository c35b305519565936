package files

import (
	"errors"
	"io/fs"
)

// These errors occur inside the *fs.PathError of operations, besides fs.ErrNotExist and
// fs.ErrExist. Their texts are Linux's.
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
