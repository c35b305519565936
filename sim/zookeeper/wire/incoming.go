package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// firstBuffer is what a connection reads into; it grows only as far as bytes
// really come, and goes back to this size.
const firstBuffer = 4 << 10

// errFrameLength ends a connection without an answer (ZK-1.6).
var errFrameLength = errors.New("frame length")

// incoming cuts what a connection sends into messages.
type incoming struct {
	from       io.Reader
	buf        []byte
	start, end int // of what was read and not taken
}

// peek waits for n bytes and does not take them.
func (in *incoming) peek(n int) ([]byte, error) {
	for in.end-in.start < n {
		in.makeRoom(n)
		k, err := in.from.Read(in.buf[in.end:])
		in.end += k
		if err != nil && in.end-in.start < n {
			return nil, err
		}
	}
	return in.buf[in.start : in.start+n], nil
}

// makeRoom lets at least one more of n bytes be read. The buffer doubles when it
// is full, so a client has to send what it announces before it costs memory.
func (in *incoming) makeRoom(n int) {
	if in.start == in.end {
		in.start, in.end = 0, 0
		if len(in.buf) > 16*firstBuffer && n <= firstBuffer {
			in.buf = nil
		}
	}
	if in.buf == nil {
		in.buf = make([]byte, firstBuffer)
	}
	if in.end < len(in.buf) && in.start+n <= len(in.buf) {
		return
	}
	to := in.buf
	if in.end-in.start == len(in.buf) {
		to = make([]byte, 2*len(in.buf))
	}
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
