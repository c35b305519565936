package grpccore

import (
	"encoding/binary"

	"golang.org/x/net/http2"
)

// bodies finds messages that grpc-go would refuse with its own texts: too large ones, cut ones, and
// compressed ones of a call without an encoding. It replaces them by messages that the codec
// refuses with C-core's texts, once a handler receives them. A call that has no handler gets the
// same answer as with other messages.
type bodies struct {
	limit int
	// coded holds the streams of calls that have an encoding. If a message does not end within its
	// frame, rest holds, by stream, how many bytes of the message are missing.
	coded map[uint32]bool
	rest  map[uint32]int

	taken   int // number of bytes of the original frame that the field instead replaces
	instead []byte
}

const (
	messageHead = 5  // a byte of flags and four bytes of length precede a message
	lost        = -1 // marks, in rest, a call whose messages are not tracked any more
)

// frame checks a data frame of the length size. b has at least the head of the frame. frame returns
// the bytes that replace the first m.taken bytes of the frame, nil for no change. whole is false if
// more bytes have to arrive first.
func (m *bodies) frame(b []byte, size int) (instead []byte, whole bool) {
	stream, flags, payload := streamOf(b), http2.Flags(b[4]), size-frameHead
	ends, at := flags.Has(http2.FlagDataEndStream), m.rest[stream]
	if flags.Has(http2.FlagDataPadded) {
		at = lost
	}
	for whole = true; at != lost && at < payload; {
		from, length := frameHead+at, payload // the head of a message may be incomplete, which cuts the message off
		if payload-at >= messageHead {
			if len(b) < from+messageHead {
				return nil, false
			}
			length = int(binary.BigEndian.Uint32(b[from+1:]))
		}
		why := ""
		switch {
		case payload-at >= messageHead && length > m.limit:
			why = sizeMark
		case ends && at+messageHead+length > payload:
			instead, whole = m.cut(b, size, from)
		case payload-at < messageHead:
		case b[from] == 1 && !m.coded[stream]:
			why = flagMark
		default:
			at += messageHead + length
			continue
		}
		if why != "" {
			instead, whole = m.refuse(b, size, from, why)
		}
		if !whole {
			return nil, false
		}
		at = lost
	}
	switch {
	case ends:
		m.end(stream)
	case at == lost, at > payload:
		if m.rest == nil {
			m.rest = map[uint32]int{}
		}
		m.rest[stream] = lost
		if at != lost {
			m.rest[stream] = at - payload
		}
	default:
		delete(m.rest, stream)
	}
	return instead, true
}

// cut removes the message that begins in b at the index from, because the call ends in the middle
// of this message. C-core ignores such an incomplete message.
func (m *bodies) cut(b []byte, size, from int) (instead []byte, whole bool) {
	m.taken = size
	if len(b) < size {
		return nil, false
	}
	m.instead = append(m.instead[:0], b[:from]...)
	m.setSize(from - frameHead)
	return m.instead, true
}

func (m *bodies) setSize(payload int) {
	m.instead[0], m.instead[1], m.instead[2] = byte(payload>>16), byte(payload>>8), byte(payload)
}

// refuse overwrites the message that begins in b at the index from. The rest of the frame stays, so
// that the client's flow control window is used up as the client expects. A frame that is too short
// for the new message becomes longer.
func (m *bodies) refuse(b []byte, size, from int, why string) (instead []byte, whole bool) {
	text := append(append(append([]byte{}, mark...), why+"\n"...), b[from+1:from+messageHead]...)
	own := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(text))), text...)
	m.taken = min(from+len(own), size)
	if len(b) < m.taken {
		return nil, false
	}
	m.instead = append(append(m.instead[:0], b[:from]...), own...)
	if grown := from + len(own) - size; grown > 0 {
		m.setSize(size - frameHead + grown)
	}
	return m.instead, true
}

// begin records a new call, and whether it has an encoding.
func (m *bodies) begin(stream uint32, coded bool) {
	if coded {
		if m.coded == nil {
			m.coded = map[uint32]bool{}
		}
		m.coded[stream] = true
	}
}

// end forgets a call.
func (m *bodies) end(stream uint32) {
	delete(m.coded, stream)
	delete(m.rest, stream)
}
