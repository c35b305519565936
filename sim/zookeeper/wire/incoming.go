package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// errFrameLength is the error for a frame whose length is not allowed. The connection is closed
// without an answer (ZK-1.6).
var errFrameLength = errors.New("frame length")

// incoming splits the bytes of a connection into messages. It has a buffer only while there are
// unread bytes, and enlarges it only as more bytes arrive.
type incoming struct {
	from       lender
	buf        []byte
	start, end int     // the unread bytes are buf[start:end]
	burst      *[]byte // burst is the pooled buffer behind buf; nil if buf is not pooled
	before     func()  // before, when set, is called before each read
	longest    int     // longest is the length of the longest frame
}

// lender is a reader that can supply its own buffer.
type lender interface {
	io.Reader
	// readLent waits for bytes and returns them in a buffer from borrowBurst. n is their number, at
	// least 1 unless there is an error.
	readLent() (buffer *[]byte, n int, err error)
}

// peek waits for n bytes and returns them without consuming them.
func (in *incoming) peek(n int) ([]byte, error) {
	for in.end-in.start < n {
		if err := in.read(n); err != nil && in.end-in.start < n {
			return nil, err
		}
	}
	return in.buf[in.start : in.start+n], nil
}

// read reads at least one more byte into the buffer. n is the number of unread bytes that the
// caller needs in all.
func (in *incoming) read(n int) error {
	if in.before != nil {
		in.before()
	}
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

// returnBuffer returns the buffer, whose bytes are all consumed, to the pool.
func (in *incoming) returnBuffer() {
	giveBackBurst(in.burst)
	in.start, in.end, in.buf, in.burst = 0, 0, nil, nil
}

// makeRoom makes room in the buffer for at least one more byte. n is the number of unread bytes
// that the caller needs in all. The buffer doubles only when it is full. So a client that announces
// a long message costs memory only for the bytes that it has sent.
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

// compactInto copies the unread bytes to the beginning of the buffer that is passed as to. That
// buffer becomes in.buf.
func (in *incoming) compactInto(to []byte) {
	in.end = copy(to, in.buf[in.start:in.end])
	in.start, in.buf = 0, to
}

// message waits for a whole frame and returns its content. The result is valid until the next call.
func (in *incoming) message() ([]byte, error) {
	head, err := in.peek(4)
	if err != nil {
		return nil, err
	}
	n, err := in.frameLength(head)
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

// ready reports whether the method message can return without waiting.
func (in *incoming) ready() bool {
	have := in.end - in.start
	if have < 4 {
		return false
	}
	n, err := in.frameLength(in.buf[in.start:])
	return err != nil || have >= 4+n
}

func (in *incoming) frameLength(head []byte) (int, error) {
	n := int32(binary.BigEndian.Uint32(head))
	if n <= 0 || int(n) > in.longest {
		if what := otherProtocol(head); what != "" {
			return 0, fmt.Errorf("%w: this is %s, which is not served on this port", errFrameLength, what)
		}
		return 0, fmt.Errorf("%w: got %d, want 1 to %d", errFrameLength, n, in.longest)
	}
	return int(n), nil
}

// otherProtocol names the common protocol that begins with the four bytes of head, such as TLS. It
// returns "" for other bytes.
func otherProtocol(head []byte) string {
	switch {
	case (head[0] == 0x16 || head[0] == 0x15) && head[1] == 3: // a record of TLS: a handshake or an alert
		return "TLS"
	// the hello of SSL 2: its length, a 1, and the version that the client wants
	case head[0]&0x80 != 0 && head[2] == 1 && (head[3] == 0 || head[3] == 3):
		return "SSL 2"
	}
	switch string(head[:4]) {
	case "GET ", "POST", "PUT ", "HEAD", "DELE", "OPTI", "CONN", "PATC", "TRAC", "PRI ":
		return "HTTP"
	case "SSH-":
		return "SSH"
	case "PROX", "\r\n\r\n":
		return "the PROXY protocol"
	}
	return ""
}
