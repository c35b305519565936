package wiretap

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Call is a call to a model server that it has answered.
type Call struct {
	// Method is the path of a gRPC method, "/tensorflow.serving.ModelService/GetModelStatus", or the
	// verb and the path of a REST request.
	Method string
	// Request is the first message of a gRPC call.
	Request []byte
	// Code is the status of gRPC, or of HTTP for REST.
	Code  int
	Ended time.Time
}

// Reading takes copies of what passes on a connection, before it is passed on. Each half has to be
// written in order, and to be closed.
type Reading struct {
	FromClient, FromServer io.WriteCloser
}

// GRPC reads a connection of a gRPC client. tell is called from one goroutine at a time.
func GRPC(tell func(Call)) Reading {
	g := &grpcCalls{tell: tell, open: map[uint32]*grpcCall{}}
	return Reading{newFrames(len(http2.ClientPreface), g.asked), newFrames(0, g.answered)}
}

// frames reads the frames of one side of a connection as they are written.
type frames struct {
	take    func(http2.Frame)
	preface int // bytes before the first frame that are still to come
	rest    []byte
	in      bytes.Buffer
	framer  *http2.Framer
	broken  bool // what comes makes no sense
}

// mostHeaders bounds the table of headers that a side may keep.
const mostHeaders = 1 << 20

func newFrames(preface int, take func(http2.Frame)) *frames {
	f := &frames{take: take, preface: preface}
	f.framer = http2.NewFramer(io.Discard, &f.in)
	f.framer.SetMaxReadFrameSize(mostFrame)
	f.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.framer.ReadMetaHeaders.SetAllowedMaxDynamicTableSize(mostHeaders)
	return f
}

// Write never fails: what makes no sense is not read on.
func (f *frames) Write(b []byte) (int, error) {
	n := len(b)
	skipped := min(f.preface, n)
	f.preface -= skipped
	if f.rest = append(f.rest, b[skipped:]...); f.broken {
		f.rest = nil
	}
	for {
		whole := wholeFrame(f.rest)
		if whole == 0 {
			f.broken = f.broken || len(f.rest) > 2*mostFrame
			return n, nil
		}
		f.in.Write(f.rest[:whole])
		f.rest = f.rest[whole:]
		frame, err := f.framer.ReadFrame()
		if _, bad := err.(http2.StreamError); err != nil && !bad {
			f.broken, f.rest = true, nil
		}
		if err == nil {
			f.take(frame)
		}
	}
}

func (f *frames) Close() error { return nil }

// The header of a frame has its length, type and flags, and the stream. Headers may go on in more
// frames (RFC 9113, 4.1 and 6.10).
const (
	frameHeader    = 9
	mostFrame      = 1<<24 - 1
	flagEndHeaders = 4
)

// wholeFrame returns the length of the first frame with those that go on with it, 0 if it is not whole.
func wholeFrame(b []byte) int {
	for at := 0; ; {
		if len(b) < at+frameHeader {
			return 0
		}
		head := b[at : at+frameHeader]
		at += frameHeader + int(head[0])<<16 + int(head[1])<<8 + int(head[2])
		kind := http2.FrameType(head[3])
		switch {
		case len(b) < at:
			return 0
		case kind != http2.FrameHeaders && kind != http2.FrameContinuation, head[4]&flagEndHeaders != 0:
			return at
		}
	}
}

// grpcCalls holds the calls of a connection that are not answered yet, by stream.
type grpcCalls struct {
	tell func(Call)
	mu   sync.Mutex
	open map[uint32]*grpcCall
}

type grpcCall struct {
	method string
	data   []byte // of the request, with what precedes its message
}

// mostData bounds what is kept of a request.
const mostData = 1 << 16

// asked reads a frame of the client.
func (g *grpcCalls) asked(frame http2.Frame) {
	g.mu.Lock()
	defer g.mu.Unlock()
	id := frame.Header().StreamID
	switch f := frame.(type) {
	case *http2.MetaHeadersFrame:
		if path := f.PseudoValue("path"); path != "" {
			g.open[id] = &grpcCall{method: path}
		}
	case *http2.DataFrame:
		if c := g.open[id]; c != nil && len(c.data)+len(f.Data()) <= mostData {
			c.data = append(c.data, f.Data()...)
		}
	case *http2.RSTStreamFrame:
		delete(g.open, id) // the client has given up
	}
}

// answered reads a frame of the server.
func (g *grpcCalls) answered(frame http2.Frame) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f, ok := frame.(*http2.MetaHeadersFrame)
	c := g.open[frame.Header().StreamID]
	if !ok || c == nil {
		return
	}
	for _, field := range f.RegularFields() {
		if field.Name != "grpc-status" {
			continue
		}
		code, err := strconv.Atoi(field.Value)
		delete(g.open, frame.Header().StreamID)
		if err == nil {
			g.tell(Call{Method: c.method, Request: message(c.data), Code: code, Ended: time.Now()})
		}
		return
	}
}

// message returns the first message of a request that is not compressed: a byte, the length, the
// message.
func message(data []byte) []byte {
	if len(data) < 5 || data[0] != 0 {
		return nil
	}
	n := binary.BigEndian.Uint32(data[1:])
	if uint64(n) > uint64(len(data)-5) {
		return nil
	}
	return data[5 : 5+n]
}

// REST reads a connection of a client of HTTP/1.1. tell is called from one goroutine at a time.
func REST(tell func(Call)) Reading {
	client, server := newTape(), newTape()
	requests := make(chan *http.Request, 16)
	go func() {
		defer close(requests)
		in := bufio.NewReader(client)
		for {
			req, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			requests <- req
			if _, err := io.Copy(io.Discard, req.Body); err != nil {
				return
			}
		}
	}()
	go func() {
		in := bufio.NewReader(server)
		for req := range requests {
			resp, err := http.ReadResponse(in, req)
			if err != nil {
				continue // the client's end is still to be read
			}
			_, _ = io.Copy(io.Discard, resp.Body) // a client may have had enough of it
			tell(Call{Method: fmt.Sprintf("%s %s", req.Method, req.URL.Path), Code: resp.StatusCode, Ended: time.Now()})
		}
	}()
	return Reading{client, server}
}

// tape keeps what was written until it is read. Writing never waits: what nobody reads is dropped,
// and with it all that comes later.
type tape struct {
	mu      sync.Mutex
	more    sync.Cond
	data    []byte
	stopped bool
}

func newTape() *tape {
	t := &tape{}
	t.more.L = &t.mu
	return t
}

func (t *tape) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.data)+len(b) > mostFrame {
		t.stopped, t.data = true, nil
	}
	if !t.stopped {
		t.data = append(t.data, b...)
	}
	t.more.Broadcast()
	return len(b), nil
}

func (t *tape) Read(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.data) == 0 && !t.stopped {
		t.more.Wait()
	}
	if len(t.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, t.data)
	t.data = t.data[n:]
	return n, nil
}

func (t *tape) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	t.more.Broadcast()
	return nil
}

// Copy passes on all that is read, after a copy of it was written. It returns the bytes that were read.
func Copy(to io.Writer, from io.Reader, copied io.Writer) (n int64) {
	buffer := make([]byte, 32<<10)
	for {
		read, err := from.Read(buffer)
		n += int64(read)
		if read > 0 {
			_, _ = copied.Write(buffer[:read]) // a reading does not fail
			if _, broken := to.Write(buffer[:read]); broken != nil {
				return n
			}
		}
		if err != nil {
			return n
		}
	}
}
