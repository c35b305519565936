package session

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/monosim/monosim/engine/pysem"
)

// opErrors lists the classes that derive from tf.errors.OpError (errors_impl.py).
var opErrors = []string{
	"AbortedError", "AlreadyExistsError", "CancelledError", "DataLossError", "DeadlineExceededError", "FailedPreconditionError",
	"InternalError", "InvalidArgumentError", "NotFoundError", "OpError", "OutOfRangeError", "PermissionDeniedError",
	"ResourceExhaustedError", "UnauthenticatedError", "UnavailableError", "UnimplementedError", "UnknownError",
}

// Raise makes TensorFlow's error of a class, such as "NotFoundError".
func Raise(class, format string, args ...any) error { return pysem.Raise(class, format, args...) }

// IsOpError reports whether Python's "except tf.errors.OpError" would catch err.
func IsOpError(err error) bool { return slices.Contains(opErrors, pysem.TypeOf(err)) }

// FileError returns err with the class and text that TensorFlow's file system gives it. A missing
// file is a NotFoundError "<path>; No such file or directory". A directory where a file is wanted,
// or the reverse, is a FailedPreconditionError. Other errors are an UnknownError.
func FileError(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return Raise("NotFoundError", "%s; No such file or directory", path)
	case errors.Is(err, fs.ErrPermission):
		return Raise("PermissionDeniedError", "%s; Permission denied", path)
	case errors.Is(err, fs.ErrExist):
		return Raise("AlreadyExistsError", "file already exists")
	}
	if text, ok := preconditions[reason(err)]; ok {
		return Raise("FailedPreconditionError", "%s; %s", path, text)
	}
	return Raise("UnknownError", "%s; %v", path, err)
}

// preconditions maps texts of Linux errors, as Go words them, to TensorFlow's words. TensorFlow
// raises these errors as FailedPreconditionError.
var preconditions = map[string]string{
	"is a directory": "Is a directory", "not a directory": "Not a directory", "directory not empty": "Directory not empty",
}

// reason returns the text of a file error without its operation and path.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return err.Error()
}
