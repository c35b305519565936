package wire

import (
	"io"
	"net"
)

// duplex is a connection's socket.
type duplex interface {
	lender
	// offer writes without waiting as many bytes as the socket takes, and returns how many.
	offer(bytes []byte) (n int, err error)
}

// waiting is a duplex that keeps a lent buffer while it waits. It serves readers that are no
// socket, and systems whose sockets cannot be asked without waiting.
type waiting struct{ io.Reader }

func (w waiting) readLent() (buffer *[]byte, n int, err error) {
	buffer = borrowBurst()
	if n, err = w.Read(*buffer); n == 0 {
		giveBackBurst(buffer)
		return nil, 0, err
	}
	return buffer, n, err
}

// offer writes nothing: whether the socket would take it at once is not known.
func (w waiting) offer([]byte) (n int, err error) { return 0, nil }

var _ duplex = (*socket)(nil)

// newSocket returns the duplex for a connection.
func newSocket(tcp *net.TCPConn) duplex {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return waiting{tcp}
	}
	return socketOf(tcp, raw)
}
