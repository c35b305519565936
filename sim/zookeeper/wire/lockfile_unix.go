//go:build unix

package wire

import (
	"os"
	"syscall"
)

// errLocked is that of lockFile when another process has the lock.
const errLocked = syscall.EWOULDBLOCK

// lockFile takes the lock of a file until it is closed.
func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
