package wire

import (
	"io"
	"net"
)

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

var _ lender = (*socket)(nil)

// newSocket is the reading side of a connection.
func newSocket(tcp *net.TCPConn) lender {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return waiting{tcp}
	}
	return socketOf(tcp, raw)
}
