//go:build unix

package wire

import (
	"io"
	"net"
	"os"
	"syscall"
)

// socket is a duplex that waits for bytes without holding a buffer. It borrows one to try a read,
// and returns it before it waits.
type socket struct {
	*net.TCPConn
	raw syscall.RawConn
	try func(fd uintptr) bool // try is the method value tryRead

	// These are the results of the last tryRead.
	buffer *[]byte
	n      int
	err    error

	give func(fd uintptr) bool // give is the method value tryWrite
	// These are the arguments and results of the last tryWrite. Only one goroutine writes at a
	// time.
	offered []byte
	taken   int
	failed  error
}

func socketOf(tcp *net.TCPConn, raw syscall.RawConn) duplex {
	s := &socket{TCPConn: tcp, raw: raw}
	s.try, s.give = s.tryRead, s.tryWrite
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

// tryRead reads the bytes that have arrived. It returns false if there were none, and true at the
// end of the stream.
func (s *socket) tryRead(fd uintptr) bool {
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

// tryWrite writes as much as the socket takes. It always returns true, so that the runtime does
// not wait for more room.
func (s *socket) tryWrite(fd uintptr) bool {
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

// fileDescriptors returns how many files the process has open, and how many it may have; -1 if that
// cannot be found out.
func fileDescriptors() (open, most int64) {
	open, most = -1, -1
	if entries, err := os.ReadDir("/dev/fd"); err == nil {
		open = int64(len(entries))
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		most = int64(limit.Cur)
	}
	return open, most
}
