package disk

import (
	"syscall"

	"github.com/monosim/monosim/engine/env"
)

// ErrnoCode is the status of a system call that failed (tensorflow
// ErrnoToCode), for those that reading files can meet.
func ErrnoCode(errno syscall.Errno) env.Code {
	switch errno {
	case syscall.EINVAL, syscall.ENAMETOOLONG, syscall.EFAULT, syscall.ESPIPE:
		return env.InvalidArgument
	case syscall.ETIMEDOUT, syscall.ETIME:
		return env.DeadlineExceeded
	case syscall.ENOENT, syscall.ENODEV, syscall.ENXIO, syscall.ESRCH:
		return env.NotFound
	case syscall.EEXIST:
		return env.AlreadyExists
	case syscall.EPERM, syscall.EACCES, syscall.EROFS:
		return env.PermissionDenied
	case syscall.ENOTEMPTY, syscall.EISDIR, syscall.ENOTDIR, syscall.EBADF, syscall.EBUSY, syscall.EPIPE, syscall.ETXTBSY:
		return env.FailedPrecondition
	case syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.EMLINK, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM:
		return env.ResourceExhausted
	case syscall.EFBIG, syscall.EOVERFLOW, syscall.ERANGE:
		return env.OutOfRange
	case syscall.ENOSYS, syscall.ENOTSUP, syscall.EXDEV:
		return env.Unimplemented
	case syscall.EAGAIN, syscall.EINTR, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EHOSTDOWN,
		syscall.EHOSTUNREACH, syscall.ENETDOWN, syscall.ENETUNREACH, syscall.ENOLCK, syscall.ENOLINK:
		return env.Unavailable
	case syscall.EDEADLK, syscall.ESTALE:
		return env.Aborted
	case syscall.ECANCELED:
		return env.Canceled
	}
	return env.Unknown
}
