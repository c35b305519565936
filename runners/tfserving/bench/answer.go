package bench

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/net/http2"
)

// receive waits for frames until a deadline and handles all frames that have arrived. For
// each answer it calls done with the time at which the request was started. If nothing
// arrived, the error is os.ErrDeadlineExceeded.
func (c *conn) receive(until time.Time, done func(started time.Duration)) error {
	if err := c.tcp.SetReadDeadline(until); err != nil {
		return err
	}
	if err := c.await(); err != nil {
		return err
	}
	for c.buffered() {
		frame, err := c.framer.ReadFrame()
		if err != nil {
			return err
		}
		if err := c.handle(frame, done); err != nil {
			return err
		}
	}
	return nil
}

// frameHeader is the length of the shortest frame; its first three bytes hold the length of
// the payload (RFC 9113, 4.1).
const frameHeader = 9

// await waits until a whole frame has arrived, without consuming any bytes. So a deadline in
// the middle of a frame loses nothing.
func (c *conn) await() error {
	head, err := c.in.Peek(frameHeader)
	if err == nil {
		_, err = c.in.Peek(frameLength(head))
	}
	return err
}

// buffered reports whether a whole frame has arrived.
func (c *conn) buffered() bool {
	n := c.in.Buffered()
	if n < frameHeader {
		return false
	}
	head, _ := c.in.Peek(frameHeader)
	return n >= frameLength(head)
}

func frameLength(head []byte) int {
	return frameHeader + (int(head[0])<<16 | int(head[1])<<8 | int(head[2]))
}

func (c *conn) handle(frame http2.Frame, done func(time.Duration)) error {
	switch f := frame.(type) {
	case *http2.DataFrame:
		return c.data(f)
	case *http2.HeadersFrame:
		return c.header(f, done)
	case *http2.SettingsFrame:
		return c.settings(f)
	case *http2.WindowUpdateFrame:
		if f.StreamID == 0 {
			c.sendWindow += int64(f.Increment)
		}
		return nil
	case *http2.PingFrame:
		if f.IsAck() {
			return nil
		}
		return c.framer.WritePing(true, f.Data)
	case *http2.RSTStreamFrame:
		// A server that answers before it has read the end of a request sends this after its
		// answer. It means that the server needs no more of the request (RFC 9113, 8.1).
		if f.ErrCode == http2.ErrCodeNo {
			return nil
		}
	}
	return fmt.Errorf("got the frame %v, want an answer", frame.Header())
}

func (c *conn) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	if v, ok := f.Value(http2.SettingInitialWindowSize); ok {
		c.streamWindow = int64(v)
	}
	if v, ok := f.Value(http2.SettingMaxConcurrentStreams); ok && int(v) < c.window {
		return fmt.Errorf("the server allows %d streams, want %d", v, c.window)
	}
	return c.framer.WriteSettingsAck()
}

// request returns the pending request of a stream.
func (c *conn) request(stream uint32) (*request, error) {
	r := &c.flying[int(stream/2)%len(c.flying)]
	if r.stream != stream || stream == 0 {
		return nil, fmt.Errorf("a frame of stream %d, which waits for nothing", stream)
	}
	return r, nil
}

func (c *conn) data(f *http2.DataFrame) error {
	r, err := c.request(f.StreamID)
	if err != nil {
		return err
	}
	if f.StreamEnded() {
		return errors.New("an answer ended without trailers")
	}
	data := f.Data()
	if len(r.body) == 0 && !r.right && c.isKnown(r.index, data) {
		r.right = true
	} else {
		r.body = append(r.body, data...)
	}
	c.consumed += int(f.Length)
	if c.consumed < receiveWindow/2 {
		return nil
	}
	increment := uint32(c.consumed)
	c.consumed = 0
	return c.framer.WriteWindowUpdate(0, increment)
}

func (c *conn) isKnown(index int, body []byte) bool {
	return slices.ContainsFunc(c.known[index], func(known []byte) bool { return bytes.Equal(known, body) })
}

func (c *conn) header(f *http2.HeadersFrame, done func(time.Duration)) error {
	r, err := c.request(f.StreamID)
	if err != nil {
		return err
	}
	if !f.HeadersEnded() {
		return errors.New("a header block of more than one frame")
	}
	h, err := c.heads.read(f.HeaderBlockFragment())
	if err != nil {
		return err
	}
	if !r.headed && h.httpStatus != "200" {
		return fmt.Errorf("answered :status %q", h.httpStatus)
	}
	r.headed = true
	if !f.StreamEnded() {
		return nil
	}
	if err := errors.Join(h.answered(), c.check(r)); err != nil {
		return fmt.Errorf("%s: %w", c.call.Name, err)
	}
	r.stream = 0
	c.inFlight--
	done(r.started)
	return nil
}

// maxKnown is how many different right answers to one request are cached.
const maxKnown = 16

// check checks an answer that equals none of the cached right answers.
func (c *conn) check(r *request) error {
	if r.right && len(r.body) == 0 {
		return nil
	}
	if r.right {
		return errors.New("an answer with more than one message")
	}
	if c.isKnown(r.index, r.body) {
		return nil // the answer came in more than one frame
	}
	message, err := unframe(r.body)
	if err != nil {
		return err
	}
	if err := c.call.Check(r.index, message); err != nil {
		return fmt.Errorf("wrong answer to request %d: %w", r.index, err)
	}
	if len(c.known[r.index]) < maxKnown {
		c.known[r.index] = append(c.known[r.index], bytes.Clone(r.body))
	}
	return nil
}
