//go:build unix

package wire

import (
	"io"
	"net"
	"os"
	"syscall"
)

// socket waits without a buffer: it borrows one to ask whether there is something to
// read, and gives it back before it waits.
type socket struct {
	*net.TCPConn
	raw syscall.RawConn
	try func(fd uintptr) bool // attempt

	// What the last attempt has read.
	buffer *[]byte
	n      int
	err    error
}

func socketOf(tcp *net.TCPConn, raw syscall.RawConn) lender {
	s := &socket{TCPConn: tcp, raw: raw}
	s.try = s.attempt
	return s
}

func (s *socket) readLent() (buffer *[]byte, n int, err error) {
	s.buffer, s.n, s.err = nil, 0, nil
	if err := s.raw.Read(s.try); err != nil {
		return nil, 0, err
	}
	buffer, s.buffer = s.buffer, nil
	return buffer, s.n, s.err
}

// attempt reads what is there, and reports whether there was something.
func (s *socket) attempt(fd uintptr) bool {
	buffer := borrowBurst()
	n, err := syscall.Read(int(fd), *buffer)
	for err == syscall.EINTR {
		n, err = syscall.Read(int(fd), *buffer)
	}
	switch {
	case err == nil && n > 0:
		s.buffer, s.n = buffer, n
		return true
	case err == syscall.EAGAIN:
		giveBackBurst(buffer)
		return false
	case err == nil:
		s.err = io.EOF
	default:
		s.err = os.NewSyscallError("read", err)
	}
	giveBackBurst(buffer)
	return true
}
