package wire

import (
	"net"
	"syscall"
)

// socket waits with its buffer.
type socket struct{ waiting }

func socketOf(tcp *net.TCPConn, _ syscall.RawConn) duplex { return &socket{waiting{tcp}} }
