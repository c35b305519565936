package wire

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openDirect opens a file so that what is written to it goes to the disk at once, in one
// step, past the kernel's cache. Not every file system has that.
func openDirect(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|unix.O_DIRECT|unix.O_DSYNC, 0)
}

// notDirect reports whether an error says that a file system cannot write like that.
func notDirect(err error) bool { return errors.Is(err, unix.EINVAL) }

// syncData makes what was written to a file durable, with as much about the file as it
// takes to read it.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
