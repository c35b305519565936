package wire

import (
	"net"
	"syscall"
)

// socket holds its buffer while it waits for bytes, because Windows has no non-blocking read.
type socket struct{ waiting }

func socketOf(tcp *net.TCPConn, _ syscall.RawConn) duplex { return &socket{waiting{tcp}} }

// fileDescriptors returns -1 for both numbers, because Windows has no count like that of Unix.
func fileDescriptors() (open, most int64) { return -1, -1 }
