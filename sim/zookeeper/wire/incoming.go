package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// errFrameLength makes a server close a connection without an answer (ZK-1.6).
var errFrameLength = errors.New("frame length")

// incoming cuts what a connection sends into messages. It has a buffer only while there are
// unread bytes, and a larger one only as more bytes really come.
type incoming struct {
	from       lender
	buf        []byte
	start, end int     // of the bytes in buf that were read and not yet taken
	burst      *[]byte // the lent buffer under buf; nil when buf is incoming's own
}

// lender is a source of bytes.
type lender interface {
	io.Reader
	// readLent waits for bytes and returns them in a buffer from borrowBurst. n is how many
	// there are, at least 1 unless there is an error.
	readLent() (buffer *[]byte, n int, err error)
}

// peek waits for n bytes and returns them without taking them.
func (in *incoming) peek(n int) ([]byte, error) {
	for in.end-in.start < n {
		if err := in.read(n); err != nil && in.end-in.start < n {
			return nil, err
		}
	}
	return in.buf[in.start : in.start+n], nil
}

// read reads at least one more byte, towards n bytes in all.
func (in *incoming) read(n int) error {
	if in.start == in.end {
		in.returnBuffer()
		buffer, k, err := in.from.readLent()
		if k > 0 {
			in.burst, in.buf, in.end = buffer, *buffer, k
		}
		return err
	}
	in.makeRoom(n)
	k, err := in.from.Read(in.buf[in.end:])
	in.end += k
	return err
}

// returnBuffer gives the empty buffer back to the pool.
func (in *incoming) returnBuffer() {
	giveBackBurst(in.burst)
	in.start, in.end, in.buf, in.burst = 0, 0, nil, nil
}

// makeRoom makes room for at least one more byte, towards n bytes in all. The buffer
// doubles only when it is full: a client has to send what it announces before it costs
// memory.
func (in *incoming) makeRoom(n int) {
	switch {
	case in.end < len(in.buf) && in.start+n <= len(in.buf):
	case in.end-in.start < len(in.buf):
		in.compactInto(in.buf)
	default:
		in.compactInto(make([]byte, 2*len(in.buf)))
		giveBackBurst(in.burst)
		in.burst = nil
	}
}

// compactInto copies the unread bytes to the beginning of a buffer, which becomes in.buf.
func (in *incoming) compactInto(to []byte) {
	in.end = copy(to, in.buf[in.start:in.end])
	in.start, in.buf = 0, to
}

// message waits for a whole frame and returns its message, which is valid until the next
// call.
func (in *incoming) message() ([]byte, error) {
	head, err := in.peek(4)
	if err != nil {
		return nil, err
	}
	n, err := frameLength(head)
	if err != nil {
		return nil, err
	}
	if _, err := in.peek(4 + n); err != nil {
		return nil, err
	}
	message := in.buf[in.start+4 : in.start+4+n]
	in.start += 4 + n
	return message, nil
}

// ready reports whether message would return without waiting.
func (in *incoming) ready() bool {
	have := in.end - in.start
	if have < 4 {
		return false
	}
	n, err := frameLength(in.buf[in.start:])
	return err != nil || have >= 4+n
}

func frameLength(head []byte) (int, error) {
	n := int32(binary.BigEndian.Uint32(head))
	if n <= 0 || n > MaxFrame {
		return 0, fmt.Errorf("%w: got %d, want 1 to %d", errFrameLength, n, MaxFrame)
	}
	return int(n), nil
}
