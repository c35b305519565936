package tfserving

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// Host supplies the clock, the disk, random choices and the end of the process, in virtual time or
// on a real machine (TFS-1.2, TFS-21.3). The server's thread calls it. There are two exceptions:
// the function ask of Look may call Log on another thread, and any thread that uses a shared Reader
// may call Choose and Log.
type Host interface {
	// Now returns a monotonic time. Its zero is arbitrary.
	Now() time.Duration
	// After calls fn once when d has passed, unless cancel is called first. It always returns
	// before it calls fn.
	After(d time.Duration, fn func()) (cancel func())
	// Look calls the function ask with the storage, and then the function told. In virtual time it
	// returns after both calls. On a real machine another thread calls ask, and the server's thread
	// calls told later. A disk that hangs then blocks only the work that needs its answer
	// (TFS-2.4).
	Look(ask func(Storage), told func())
	// Work calls the function do and then the function done, on the same threads as Look. It is for
	// long computations.
	Work(do, done func())
	// Watch makes the host call changed after every change of the storage at or below the path. The
	// beginning and the end of a fault count as changes. If ok is false, the host cannot watch the
	// path, and the server must poll.
	Watch(path string, changed func()) (cancel func(), ok bool)
	// Choose returns a random number in [0, n); site names the choice. 0 is the default outcome.
	Choose(site string, n int) int
	// Exit ends the process. code is the exit code, or the negated number of the signal that killed
	// it. stdout is the last output. The server does nothing afterwards.
	Exit(code int, stdout string)
	Log(level env.Level, format string, args ...any)
}

// Storage is the file system with the models. It is valid during one call of Look. An error is an
// *env.RPCError, or wraps fs.ErrNotExist, or has the reason as its text.
type Storage interface {
	// List returns the children of a directory in any order. Object stores may return longer
	// relative paths. The first component of such a path is the child.
	List(path string) ([]string, error)
	Exists(path string) bool
	// SizeBytes returns the total size in bytes of the files at and below the path.
	SizeBytes(path string) (int64, error)
	ReadFile(path string) ([]byte, error)
}

// look calls ask with the storage, and then goOn with the result. ask may run on another thread
// while the server does other things. So ask must not write shared data, and must read only data
// that cannot change meanwhile. After the end of the process goOn is not called.
func look[T any](s *Server, ask func(Storage) T, goOn func(T)) {
	var found T
	s.host.Look(func(disk Storage) { found = ask(disk) }, func() {
		if !s.dead {
			s.timers.Enter(timerqueue.Thread, func() { goOn(found) })
		}
	})
}

// work calls the function do and then the function goOn, on the same threads on which look calls
// its two functions.
func (s *Server) work(do, goOn func()) {
	s.host.Work(do, func() {
		if !s.dead {
			s.timers.Enter(timerqueue.Thread, goOn)
		}
	})
}

// storageError converts an error of the storage to a status, as TensorFlow's file systems convert
// errno.
func storageError(path string, err error) *env.RPCError {
	var status *env.RPCError
	switch {
	case errors.As(err, &status):
		return status
	case errors.Is(err, fs.ErrNotExist):
		return statusf(rpcerrors.NotFound, "%s; No such file or directory", path)
	case errors.Is(err, fs.ErrPermission):
		return statusf(rpcerrors.PermissionDenied, "%s; Permission denied", path)
	}
	return statusf(rpcerrors.Unknown, "%s; %s", path, err)
}

// joinPath joins two paths with exactly one slash between them (tensorflow io::JoinPath).
func joinPath(parent, child string) string {
	if n := len(parent); n > 0 && parent[n-1] == '/' {
		return parent + child
	}
	return fmt.Sprintf("%s/%s", parent, child)
}
