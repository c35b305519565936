package serve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/monosim/monosim/engine/confined"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// disk implements tfserving.Storage with the real disk, for a single call of Look. A poll makes one
// access and one listing for each base path.
type disk struct {
	store   string
	entries []byte // entries is List's buffer; only one thread uses a disk
}

// local converts a path or URI to a path on this machine. ok is false if there is no directory for
// the URI's file system.
func (d *disk) local(path string) (name string, ok bool) {
	scheme, rest, uri := strings.Cut(path, "://")
	switch {
	case !uri:
		return path, true
	case scheme == "file":
		return rest, true
	}
	return filepath.Join(d.store, confined.Clamp(scheme), confined.Clamp(rest)), d.store != ""
}

// List returns the names of a directory's children.
func (d *disk) List(path string) ([]string, error) {
	name, ok := d.local(path)
	if !ok {
		return nil, noFileSystem(path)
	}
	names, err := d.readNames(name)
	if err != nil {
		return nil, diskError(path, err)
	}
	return names, nil
}

// Exists reports whether a path is accessible, as upstream's Env::FileExists does. It returns false
// if the check itself fails with an error.
func (d *disk) Exists(path string) bool {
	name, ok := d.local(path)
	return ok && present(name)
}

// SizeBytes returns the total size of all files below a directory. It follows symbolic links, as a
// load does (servables/tensorflow/util.cc:84-109,266-283). A cycle of links ends where the system
// refuses to follow it.
func (d *disk) SizeBytes(path string) (int64, error) {
	name, ok := d.local(path)
	if !ok {
		return 0, noFileSystem(path)
	}
	if !d.Exists(path) {
		return 0, &env.RPCError{Code: rpcerrors.NotFound, Message: path + " not found"}
	}
	n, err := directoryBytes(name)
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return 0, diskError(path+strings.TrimPrefix(failed.Path, name), err)
	}
	return n, err
}

func directoryBytes(name string) (sum int64, err error) {
	children, err := os.ReadDir(name)
	if err != nil {
		return 0, err
	}
	for _, child := range children {
		n, err := treeBytes(filepath.Join(name, child.Name()))
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func treeBytes(name string) (int64, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return 0, err
	case info.IsDir():
		return directoryBytes(name)
	}
	return sizeOf(info), nil
}

func sizeOf(info os.FileInfo) int64 {
	if !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// ReadFile reads a whole file. A device counts as empty: it reports length 0, and reading it may
// never end.
func (d *disk) ReadFile(path string) ([]byte, error) {
	name, ok := d.local(path)
	if !ok {
		return nil, noFileSystem(path)
	}
	info, err := os.Stat(name)
	if err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, diskError(path, err)
	}
	return data, nil
}

// noFileSystem returns the error of Env::GetFileSystemForFile for a URI scheme that is not
// registered.
func noFileSystem(path string) error {
	scheme, _, _ := strings.Cut(path, "://")
	return &env.RPCError{
		Code:    rpcerrors.Unimplemented,
		Message: "File system scheme '" + scheme + "' not implemented (file: '" + path + "')",
	}
}

// diskError converts an error to the form of TensorFlow's IOError: the path, and the text of errno.
func diskError(path string, err error) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err
	}
	return &env.RPCError{Code: errnoCode(errno), Message: path + "; " + errnoText(errno)}
}

// errnoText returns the text of C's strerror. It is Go's text with a capital first letter.
func errnoText(errno syscall.Errno) string {
	text := errno.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// errnoCode returns the gRPC code for a failed system call, for the errors that can occur on
// reading files (tensorflow ErrnoToCode).
func errnoCode(errno syscall.Errno) rpcerrors.Code {
	switch errno {
	case syscall.EINVAL, syscall.ENAMETOOLONG, syscall.EFAULT, syscall.ESPIPE:
		return rpcerrors.InvalidArgument
	case syscall.ETIMEDOUT, syscall.ETIME:
		return rpcerrors.DeadlineExceeded
	case syscall.ENOENT, syscall.ENODEV, syscall.ENXIO, syscall.ESRCH:
		return rpcerrors.NotFound
	case syscall.EEXIST:
		return rpcerrors.AlreadyExists
	case syscall.EPERM, syscall.EACCES, syscall.EROFS:
		return rpcerrors.PermissionDenied
	case syscall.ENOTEMPTY, syscall.EISDIR, syscall.ENOTDIR, syscall.EBADF, syscall.EBUSY, syscall.EPIPE, syscall.ETXTBSY:
		return rpcerrors.FailedPrecondition
	case syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.EMLINK, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM:
		return rpcerrors.ResourceExhausted
	case syscall.EFBIG, syscall.EOVERFLOW, syscall.ERANGE:
		return rpcerrors.OutOfRange
	case syscall.ENOSYS, syscall.ENOTSUP, syscall.EXDEV:
		return rpcerrors.Unimplemented
	case syscall.EAGAIN, syscall.EINTR, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EHOSTDOWN,
		syscall.EHOSTUNREACH, syscall.ENETDOWN, syscall.ENETUNREACH, syscall.ENOLCK, syscall.ENOLINK:
		return rpcerrors.Unavailable
	case syscall.EDEADLK, syscall.ESTALE:
		return rpcerrors.Aborted
	case syscall.ECANCELED:
		return rpcerrors.Canceled
	}
	return rpcerrors.Unknown
}
