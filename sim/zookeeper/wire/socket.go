package wire

import (
	"io"
	"net"
)

// duplex is a connection's socket.
type duplex interface {
	lender
	// offer writes as many bytes as there is room for without waiting, and says how many.
	offer(bytes []byte) (n int, err error)
}

// waiting reads into a lent buffer that it has while it waits: for what is no socket, and
// where sockets cannot be asked without waiting.
type waiting struct{ io.Reader }

func (w waiting) readLent() (buffer *[]byte, n int, err error) {
	buffer = borrowBurst()
	if n, err = w.Read(*buffer); n == 0 {
		giveBackBurst(buffer)
		return nil, 0, err
	}
	return buffer, n, err
}

// offer takes nothing: whether there is room is not known.
func (w waiting) offer([]byte) (n int, err error) { return 0, nil }

var _ duplex = (*socket)(nil)

// newSocket is the socket of a connection.
func newSocket(tcp *net.TCPConn) duplex {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return waiting{tcp}
	}
	return socketOf(tcp, raw)
}
