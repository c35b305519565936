package wire

import (
	"io"
	"net"
)

// duplex is a connection's socket, for reading and writing.
type duplex interface {
	lender
	// offer writes as many bytes as the socket takes without blocking, and returns how many.
	offer(bytes []byte) (n int, err error)
}

// waiting is a duplex that keeps its borrowed buffer while it waits for bytes. It is for readers
// that are not sockets, and for systems without non-blocking reads.
type waiting struct{ io.Reader }

func (w waiting) readLent() (buffer *[]byte, n int, err error) {
	buffer = borrowBurst()
	if n, err = w.Read(*buffer); n == 0 {
		giveBackBurst(buffer)
		return nil, 0, err
	}
	return buffer, n, err
}

// offer writes nothing, because a plain reader has no non-blocking write.
func (w waiting) offer([]byte) (n int, err error) { return 0, nil }

var _ duplex = (*socket)(nil)

// newSocket returns a duplex for a connection. It needs no buffer while it waits for bytes, if the
// system allows that.
func newSocket(tcp *net.TCPConn) duplex {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return waiting{tcp}
	}
	return socketOf(tcp, raw)
}
