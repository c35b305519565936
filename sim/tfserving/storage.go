package tfserving

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// Host is what a mode of running supplies: the clock, the disk, choices and the end of the
// process (TFS-1.2, TFS-21.3). Calls come from the one thread that calls the server. But Log
// also comes from looks, and Choose from any thread that calls a shared Reader.
type Host interface {
	// Now is monotonic, from any start.
	Now() time.Duration
	// After calls fn once, d from now, unless cancel is called first. It never calls fn
	// before it has returned.
	After(d time.Duration, fn func()) (cancel func())
	// Look calls ask with the storage, and then told. In virtual time both are over when it
	// returns. On a real machine ask runs on a thread of its own, and told later on the
	// thread that calls the server. So a disk that hangs holds up those who wait for its
	// answer, and nobody else (TFS-2.4).
	Look(ask func(Storage), told func())
	// Watch calls changed after every change of what the storage would answer for the path
	// or anything below it, the beginning and the end of faults included. ok is false when it
	// cannot watch; the server then polls.
	Watch(path string, changed func()) (cancel func(), ok bool)
	// Choose returns a number in [0, n); 0 is the default outcome.
	Choose(site string, n int) int
	// Exit ends the process. code is what a shell or Popen sees (-9 is a death by signal 9),
	// and stdout is the last output. The server does nothing after it.
	Exit(code int, stdout string)
	Log(level env.Level, format string, args ...any)
}

// Storage is the file system of the models, for one look at it. Its errors are *env.RPCError,
// or wrap fs.ErrNotExist, or are a plain reason.
type Storage interface {
	// List returns the children of a directory in any order. As on object stores, a name may
	// be a longer relative path, of which only the first part counts.
	List(path string) ([]string, error)
	Exists(path string) bool
	// SizeBytes returns the total size of the files at and below the path.
	SizeBytes(path string) (int64, error)
	ReadFile(path string) ([]byte, error)
}

// look asks the storage, and calls goOn with the answer. ask may run on another thread while
// the server does other things: it must change nothing, and read nothing that may change
// meanwhile. After the end of the process goOn is not called.
func look[T any](s *Server, ask func(Storage) T, goOn func(T)) {
	var found T
	s.host.Look(func(disk Storage) { found = ask(disk) }, func() {
		if !s.dead {
			s.timers.Enter(timerqueue.Thread, func() { goOn(found) })
		}
	})
}

// storageError turns an error of the storage into a status, as TensorFlow's file systems do
// with errno.
func storageError(path string, err error) *env.RPCError {
	var status *env.RPCError
	switch {
	case errors.As(err, &status):
		return status
	case errors.Is(err, fs.ErrNotExist):
		return statusf(env.NotFound, "%s; No such file or directory", path)
	case errors.Is(err, fs.ErrPermission):
		return statusf(env.PermissionDenied, "%s; Permission denied", path)
	}
	return statusf(env.Unknown, "%s; %s", path, err)
}

// joinPath puts one slash between the parts (tensorflow io::JoinPath).
func joinPath(parent, child string) string {
	if n := len(parent); n > 0 && parent[n-1] == '/' {
		return parent + child
	}
	return fmt.Sprintf("%s/%s", parent, child)
}
