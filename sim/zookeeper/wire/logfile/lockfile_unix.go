//go:build unix

package logfile

import (
	"os"
	"syscall"
)

// errLocked is lockFile's error when another process has the lock.
const errLocked = syscall.EWOULDBLOCK

func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
