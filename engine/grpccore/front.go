package grpccore

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// fronted puts a front between grpc-go and the connections of a server. With TLS, the front reads
// what is already decrypted.
type fronted struct {
	credentials.TransportCredentials
	limits limits
}

func newFronted(secure credentials.TransportCredentials, l limits) fronted {
	if secure == nil {
		secure = insecure.NewCredentials()
	}
	return fronted{secure, l}
}

func (f fronted) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := f.TransportCredentials.ServerHandshake(raw)
	if err != nil {
		return nil, nil, err
	}
	return newFront(conn, f.limits), info, nil
}

func (f fronted) Clone() credentials.TransportCredentials {
	return fronted{f.TransportCredentials.Clone(), f.limits}
}

// ClientHandshake is for client connections, which get no front.
func (f fronted) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return f.TransportCredentials.ClientHandshake(ctx, authority, raw)
}

// front is a connection as grpc-go reads it. It passes the frames of usual calls on unchanged, in
// the reader's buffer. For other calls it passes a header with which grpc-go answers as C-core
// does, or it answers itself.
type front struct {
	net.Conn
	judge  *judge
	bodies bodies

	ready []byte // bytes that Read returns before it reads on
	held  []byte // beginning of a frame that has not arrived completely
	room  []byte // buffer in which held and the bytes after it are stored
	skip  int    // number of following bytes that are passed on unchecked
	err   error

	strikes strikes
	out     writing
}

func newFront(conn net.Conn, l limits) *front {
	return &front{
		Conn: conn, judge: newJudge(l), bodies: bodies{limit: l.message}, skip: len(http2.ClientPreface), strikes: l.strikes,
		out: writing{hard: l.hard, noStreams: l.noStreams, accepted: l.compression.acceptedField(), whole: l.compression.answers()},
	}
}

// Close first tells the running calls why the connection ends, if C-core would tell them.
func (f *front) Close() error {
	f.out.farewell(f.Conn)
	return f.Conn.Close()
}

func (f *front) Read(p []byte) (int, error) {
	for len(f.ready) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		if len(f.held) > 0 {
			f.readOn()
			continue
		}
		var n int
		n, f.err = f.Conn.Read(p)
		if clean := f.scan(p[:n], false); clean > 0 {
			return clean, nil
		}
	}
	n := copy(p, f.ready)
	f.ready = f.ready[n:]
	return n, nil
}

// readOn reads more bytes from the connection, after the bytes that are held back.
func (f *front) readOn() {
	const more = 16 << 10
	f.room = slices.Grow(append(f.room[:0], f.held...), more)
	n, err := f.Conn.Read(f.room[len(f.room) : len(f.room)+more])
	whole := f.room[:len(f.room)+n]
	f.held, f.ready, f.err = f.held[:0], f.ready[:0], err
	f.scan(whole, true)
}

const (
	frameHead    = 9       // length of the head of a frame
	largestBlock = 4 << 20 // largest size of a header block with its frame heads; a client that sends more is disconnected
)

var errTooManyPings = errors.New("grpccore: too many pings")

var errBlockTooLarge = errors.New("grpccore: a header block of more than 4 MiB")

// scan checks bytes from the client. It returns how many bytes at the beginning can be read
// unchanged. What has to be read after them goes into f.ready. If copying is set, everything goes
// there.
func (f *front) scan(b []byte, copying bool) (clean int) {
	pass := func(n int) {
		if copying {
			f.ready = append(f.ready, b[:n]...)
		} else {
			clean += n
		}
		b = b[n:]
	}
	own := func(n int) { // from the first changed frame on, all bytes are copied to ready
		if !copying {
			copying = true
			f.ready = f.ready[:0]
		}
		b = b[n:]
	}
	for len(b) > 0 {
		if f.skip > 0 {
			n := min(f.skip, len(b))
			f.skip -= n
			pass(n)
			continue
		}
		size, whole := blockSize(b)
		if !whole {
			if len(b) > largestBlock {
				f.err = errBlockTooLarge
				return clean
			}
			f.held = append(f.held[:0], b...)
			return clean
		}
		if size == 0 {
			f.skip = frameHead + payloadSize(b)
			instead, whole := f.other(b)
			if !whole {
				f.held, f.skip = append(f.held[:0], b...), 0
				return clean
			}
			if instead != nil {
				own(f.bodies.taken)
				f.ready = append(f.ready, instead...)
				f.skip -= f.bodies.taken
			}
			continue
		}
		f.judge.drained = f.out.drained.Load()
		v := f.judge.frames(b[:size])
		if v.begins {
			f.out.running.begin(streamOf(b), len(v.answer) == 0, v.format)
		}
		f.bodies.begin(streamOf(b), v.coded)
		if v.pass {
			pass(size)
			continue
		}
		if len(v.answer) > 0 {
			f.out.tell(f.Conn, v.answer)
		}
		own(size)
		f.ready = append(f.ready, v.instead...)
	}
	return clean
}

// other checks a frame, at the beginning of b, that does not belong to a header block. It returns
// the bytes that replace the first bytes of the frame, nil for no change. It returns false if more
// bytes have to arrive first.
func (f *front) other(b []byte) (instead []byte, whole bool) {
	switch kind, flags := http2.FrameType(b[3]), http2.Flags(b[4]); {
	case kind == http2.FrameData:
		f.strikes.owed = true
		return f.bodies.frame(b, f.skip)
	case kind == http2.FrameSettings && flags.Has(http2.FlagSettingsAck):
		f.judge.settled = true
	case kind == http2.FramePing && !flags.Has(http2.FlagPingAck) && f.strikes.most > 0:
		if len(b) < f.skip {
			return nil, false
		}
		if f.out.sent.Swap(false) {
			f.strikes.forgive()
		}
		if f.strikes.ping(time.Now(), f.out.running.any()) {
			f.out.tooManyPings(f.Conn, b[frameHead:f.skip])
			f.err = errTooManyPings
		}
	case kind == http2.FrameRSTStream:
		f.bodies.end(streamOf(b))
		f.out.running.end(streamOf(b))
	}
	return nil, true
}

func payloadSize(frame []byte) int { return int(binary.BigEndian.Uint32(frame) >> 8) }

// blockSize returns how many bytes at the beginning of b are frames of a header block. It returns 0
// if b begins with another frame. whole is false if the block, or the head of a frame, is
// incomplete.
func blockSize(b []byte) (size int, whole bool) {
	for {
		if len(b)-size < frameHead {
			return 0, false
		}
		frame := b[size:]
		kind, flags := http2.FrameType(frame[3]), http2.Flags(frame[4])
		if size == 0 && kind != http2.FrameHeaders {
			return 0, true
		}
		if size > 0 && kind != http2.FrameContinuation {
			return size, true // the judge sees that the block does not end
		}
		n := frameHead + payloadSize(frame)
		if len(frame) < n {
			return 0, false
		}
		size += n
		if flags.Has(http2.FlagHeadersEndHeaders) {
			return size, true
		}
	}
}
