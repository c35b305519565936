//go:build unix

package realrun

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// sharePort sets SO_REUSEPORT on a socket. The gRPC C-core does this by default, but gRPC-Go
// does not.
func sharePort(_, _ string, c syscall.RawConn) error {
	var set error
	err := c.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	})
	return errors.Join(err, set)
}
