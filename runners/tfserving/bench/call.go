package bench

import (
	"encoding/binary"
	"fmt"
)

// Call is a unary gRPC method with the requests that are sent in turn.
type Call struct {
	// Name names the call in tables.
	Name string
	// Method is /package.Service/Method.
	Method string
	// Requests holds encoded requests in the form that Frame returns.
	Requests [][]byte
	// Check returns an error for a wrong answer to the request with the given index. It is not
	// called for an answer that equals an earlier right answer byte for byte.
	Check func(index int, answer []byte) error
}

// framePrefix is the length of the prefix of a message: a compression flag and the message's
// length (gRPC over HTTP/2, "Length-Prefixed-Message").
const framePrefix = 5

// Frame adds the prefix with which gRPC sends a message.
func Frame(message []byte) []byte {
	frame := make([]byte, framePrefix, framePrefix+len(message))
	binary.BigEndian.PutUint32(frame[1:], uint32(len(message)))
	return append(frame, message...)
}

// unframe removes the prefix from the single message of an answer.
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
