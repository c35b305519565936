package bench

import (
	"encoding/binary"
	"fmt"
)

// Call is a unary gRPC method with the requests that are sent to it in turn.
type Call struct {
	// Name is what tables show.
	Name string
	// Method is /package.Service/Method.
	Method string
	// Requests are as Frame makes them.
	Requests [][]byte
	// Check says what is wrong with a message that answers a request, by its
	// index. An answer that is the same, byte for byte, as one that was right
	// before is right.
	Check func(index int, answer []byte) error
}

// framePrefix is the length of what comes before a message: whether it is
// compressed, and its length (gRPC over HTTP/2, "Length-Prefixed-Message").
const framePrefix = 5

// Frame returns a message as gRPC sends it.
func Frame(message []byte) []byte {
	frame := make([]byte, framePrefix, framePrefix+len(message))
	binary.BigEndian.PutUint32(frame[1:], uint32(len(message)))
	return append(frame, message...)
}

// unframe returns the one message of a frame.
func unframe(frame []byte) ([]byte, error) {
	if len(frame) < framePrefix {
		return nil, fmt.Errorf("an answer of %d bytes, want a message", len(frame))
	}
	if frame[0] != 0 {
		return nil, fmt.Errorf("a message with flags %d, want one that is not compressed", frame[0])
	}
	message := frame[framePrefix:]
	if want := binary.BigEndian.Uint32(frame[1:]); int(want) != len(message) {
		return nil, fmt.Errorf("a message of %d bytes, want the %d that it says", len(message), want)
	}
	return message, nil
}
