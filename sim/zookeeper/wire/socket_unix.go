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

	give func(fd uintptr) bool // push
	// What is offered, and what came of it. There is one writer at a time.
	offered []byte
	taken   int
	failed  error
}

func socketOf(tcp *net.TCPConn, raw syscall.RawConn) duplex {
	s := &socket{TCPConn: tcp, raw: raw}
	s.try, s.give = s.attempt, s.push
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

func (s *socket) offer(bytes []byte) (n int, err error) {
	s.offered, s.taken, s.failed = bytes, 0, nil
	err = s.raw.Write(s.give)
	s.offered = nil
	if err != nil {
		return 0, err
	}
	return s.taken, s.failed
}

// push writes what there is room for. It never asks to be called again.
func (s *socket) push(fd uintptr) bool {
	n, err := syscall.Write(int(fd), s.offered)
	for err == syscall.EINTR {
		n, err = syscall.Write(int(fd), s.offered)
	}
	switch {
	case err == nil:
		s.taken = n
	case err != syscall.EAGAIN:
		s.failed = os.NewSyscallError("write", err)
	}
	return true
}
