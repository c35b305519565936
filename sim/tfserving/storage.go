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

// Host supplies the clock, the disk, choices and the end of the process, in virtual time or on a
// real machine (TFS-1.2, TFS-21.3). The server's thread calls it. But Look's ask may also call
// Log, and any thread that uses a shared Reader may call Choose and Log.
type Host interface {
	// Now returns a monotonic time, counted from any instant.
	Now() time.Duration
	// After calls fn once, d from now, unless cancel is called first. It always returns before it
	// calls fn.
	After(d time.Duration, fn func()) (cancel func())
	// Look calls ask with the storage, and then told. In virtual time it does both before it
	// returns. On a real machine ask runs on another thread, and told later on the server's thread.
	// So a disk that hangs only blocks the work that needs its answer (TFS-2.4).
	Look(ask func(Storage), told func())
	// Work calls do, and then done, in the way of Look. It is for what takes time without the disk.
	Work(do, done func())
	// Watch calls changed after every change of the storage at or below the path. The beginning and
	// the end of a fault count as changes. If ok is false it cannot watch, and the server must
	// poll.
	Watch(path string, changed func()) (cancel func(), ok bool)
	// Choose returns a number in [0, n) for the choice named site; 0 is the default outcome.
	Choose(site string, n int) int
	// Exit ends the process. code is the exit code as a shell or Popen sees it (-9 is a death by
	// signal 9), and stdout is the last output. The server does nothing after it.
	Exit(code int, stdout string)
	Log(level env.Level, format string, args ...any)
}

// Storage is the file system with the models, valid during one call of Look. An error is an
// *env.RPCError, or wraps fs.ErrNotExist, or its text is the reason.
type Storage interface {
	// List returns the children of a directory in any order. A name may be a longer relative path,
	// as on object stores; its first component is the child.
	List(path string) ([]string, error)
	Exists(path string) bool
	// SizeBytes returns the total size of the files at and below the path.
	SizeBytes(path string) (int64, error)
	ReadFile(path string) ([]byte, error)
}

// look calls ask with the storage, and then goOn with its result. ask may run on another thread
// while the server does other things. So ask must write nothing, and must read nothing that may
// change meanwhile. goOn is not called after the end of the process.
func look[T any](s *Server, ask func(Storage) T, goOn func(T)) {
	var found T
	s.host.Look(func(disk Storage) { found = ask(disk) }, func() {
		if !s.dead {
			s.timers.Enter(timerqueue.Thread, func() { goOn(found) })
		}
	})
}

// work calls do, and then goOn, in the way of look.
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
