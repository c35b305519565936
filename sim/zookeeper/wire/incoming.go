package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// errFrameLength ends a connection without an answer (ZK-1.6).
var errFrameLength = errors.New("frame length")

// incoming cuts what a connection sends into messages. It has a buffer only while bytes
// are there that were not taken, and a larger one only as far as bytes really come.
type incoming struct {
	from       lender
	buf        []byte
	start, end int     // of what was read and not taken
	burst      *[]byte // of buf, when that is lent
}

// lender is where bytes come from.
type lender interface {
	io.Reader
	// readLent waits for bytes and returns them at the beginning of a buffer from
	// borrowBurst, n of them at least 1 unless there is an error.
	readLent() (buffer *[]byte, n int, err error)
}

// peek waits for n bytes and does not take them.
func (in *incoming) peek(n int) ([]byte, error) {
	for in.end-in.start < n {
		if err := in.read(n); err != nil && in.end-in.start < n {
			return nil, err
		}
	}
	return in.buf[in.start : in.start+n], nil
}

// read reads at least one more of n bytes.
func (in *incoming) read(n int) error {
	if in.start == in.end {
		in.rest()
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

// rest gives the buffer back, in which nothing is left.
func (in *incoming) rest() {
	giveBackBurst(in.burst)
	in.start, in.end, in.buf, in.burst = 0, 0, nil, nil
}

// makeRoom lets at least one more of n bytes be read behind what is there. The buffer
// doubles when it is full, so a client has to send what it announces before it costs
// memory.
func (in *incoming) makeRoom(n int) {
	switch {
	case in.end < len(in.buf) && in.start+n <= len(in.buf):
	case in.end-in.start < len(in.buf):
		in.moveTo(in.buf)
	default:
		in.moveTo(make([]byte, 2*len(in.buf)))
		giveBackBurst(in.burst)
		in.burst = nil
	}
}

// moveTo has what was not taken at the beginning of a buffer, from where it goes on.
func (in *incoming) moveTo(to []byte) {
	in.end = copy(to, in.buf[in.start:in.end])
	in.start, in.buf = 0, to
}

// message waits for a whole frame and takes it. The message is valid until the
// next call.
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

// ready reports whether message would not wait.
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
