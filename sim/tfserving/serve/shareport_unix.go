//go:build unix

package serve

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// sharePort lets other servers listen on the port too.
func sharePort(_, _ string, conn syscall.RawConn) error {
	var failed error
	err := conn.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	})
	if err != nil {
		return err
	}
	return failed
}
