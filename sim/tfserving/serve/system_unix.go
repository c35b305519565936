//go:build unix

package serve

import (
	"cmp"
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// readNames returns the names in a directory. It needs four system calls for a small directory.
// os.ReadDir needs twice as many, which matters for a server that polls 1,000 models each second.
func (d *disk) readNames(dir string) (names []string, err error) {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	if d.entries == nil {
		d.entries = make([]byte, 8<<10)
	}
	for {
		n, err := syscall.ReadDirent(fd, d.entries)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil || n <= 0:
			return names, err
		}
		_, _, names = syscall.ParseDirent(d.entries[:n], -1, names)
	}
}

func present(name string) bool {
	const exists = 0 // F_OK
	return syscall.Access(name, exists) == nil
}

// sharePort allows other servers to listen on the same port (SO_REUSEPORT).
func sharePort(_, _ string, conn syscall.RawConn) error {
	var failed error
	err := conn.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	})
	return cmp.Or(err, failed)
}
