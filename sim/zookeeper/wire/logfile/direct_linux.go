package logfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openDirect opens a file for writes that bypass the kernel's cache and are durable when they
// return. Not every file system supports that.
func openDirect(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|unix.O_DIRECT|unix.O_DSYNC, 0)
}

// notDirect reports whether an error means that the file system has no direct writes.
func notDirect(err error) bool { return errors.Is(err, unix.EINVAL) }

// syncData makes a file's bytes durable, with only the metadata that reading them needs.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
