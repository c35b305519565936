package tfserving

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// Host is what a mode of running supplies: the clock, the disk, choices and the
// end of the process (TFS-1.2, TFS-21.3). It is called from the one thread that calls the
// server, but Log from looks, too, and Choose from whatever thread a shared Reader
// is called on.
type Host interface {
	// Now is monotonic, from any start.
	Now() time.Duration
	// After calls fn once, d from now, unless cancel is called first. It never
	// calls fn before it has returned.
	After(d time.Duration, fn func()) (cancel func())
	// Look has ask look at the storage and then calls told. In virtual time both
	// are over when it returns. On a real machine ask runs on a thread of its own,
	// and told later on the thread that calls the server: a disk that hangs holds up
	// who waits for what it says, and nobody else (TFS-2.4).
	Look(ask func(Storage), told func())
	// Watch calls changed after every change of what the storage would answer for
	// the path or anything below it, the beginning and the end of faults included.
	// ok false means that it cannot; the server then polls.
	Watch(path string, changed func()) (cancel func(), ok bool)
	// Choose picks a number in [0, n); 0 is the default outcome.
	Choose(site string, n int) int
	// Exit ends the process: code as a shell or Popen sees it (-9: killed by
	// signal 9), stdout what it printed last. The server does nothing after it.
	Exit(code int, stdout string)
	Log(level env.Level, format string, args ...any)
}

// Storage is the file system that models are read from, for one look at it. Its
// errors are *env.RPCError, or fs.ErrNotExist in some wrapping, or a plain reason.
type Storage interface {
	// List names the children of a directory in any order; as on object stores,
	// a name may be a longer relative path, of which the first part counts.
	List(path string) ([]string, error)
	Exists(path string) bool
	// SizeBytes is the total size of the files at and below the path.
	SizeBytes(path string) (int64, error)
	ReadFile(path string) ([]byte, error)
}

// look asks the storage and goes on with what was found. ask may run on another
// thread while the server does other things: it changes nothing, and reads what
// nothing changes meanwhile. A process that ends meanwhile does not go on.
func look[T any](s *Server, ask func(Storage) T, goOn func(T)) {
	var found T
	s.host.Look(func(disk Storage) { found = ask(disk) }, func() {
		if !s.dead {
			s.timers.Enter(timerqueue.Thread, func() { goOn(found) })
		}
	})
}

// storageError turns an error of the storage into a status, as TensorFlow's
// file systems do with errno.
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
