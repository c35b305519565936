package wire

import (
	"net"
	"syscall"
)

// socket keeps its buffer while it waits.
type socket struct{ waiting }

func socketOf(tcp *net.TCPConn, _ syscall.RawConn) duplex { return &socket{waiting{tcp}} }
