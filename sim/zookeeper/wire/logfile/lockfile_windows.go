package logfile

import (
	"os"

	"golang.org/x/sys/windows"
)

// errLocked is lockFile's error when another process has the lock.
const errLocked = windows.ERROR_LOCK_VIOLATION

func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
}
