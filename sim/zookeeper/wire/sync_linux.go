package wire

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes what was written to a file durable, with as much about the file as it
// takes to read it.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
