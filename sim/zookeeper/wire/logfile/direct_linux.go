package logfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openDirect opens a file whose writes go to the disk at once, past the kernel's cache. Not
// every file system can do that.
func openDirect(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|unix.O_DIRECT|unix.O_DSYNC, 0)
}

// notDirect reports whether an error says that the file system has no direct writes.
func notDirect(err error) bool { return errors.Is(err, unix.EINVAL) }

// syncData makes the bytes of a file durable, and as much about the file as it takes to read
// them.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
