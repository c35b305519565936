package wire

import (
	"net"
	"syscall"
)

// socket waits with its buffer.
type socket struct{ waiting }

func socketOf(tcp *net.TCPConn, _ syscall.RawConn) lender { return &socket{waiting{tcp}} }
