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

// Call is a call to a model server, with its answer.
type Call struct {
	// Method is the path of a gRPC method, such as
	// "/tensorflow.serving.ModelService/GetModelStatus", or the verb and path of a REST request.
	Method string
	// Request is the first message of a gRPC call.
	Request []byte
	// Code is the gRPC status code, or the HTTP status for REST.
	Code  int
	Ended time.Time
}

// Reading receives copies of the bytes of a connection, before they are passed on. Each
// direction has to be written in order and closed.
type Reading struct {
	FromClient, FromServer io.WriteCloser
}

// GRPC decodes a gRPC connection and reports its calls. tell is never called concurrently.
func GRPC(tell func(Call)) Reading {
	g := &grpcCalls{tell: tell, open: map[uint32]*grpcCall{}}
	return Reading{newFrames(len(http2.ClientPreface), g.asked), newFrames(0, g.answered)}
}

// frames splits the bytes of one side of a connection into HTTP/2 frames.
type frames struct {
	take    func(http2.Frame)
	preface int // number of bytes before the first frame that have not arrived yet
	rest    []byte
	in      bytes.Buffer
	framer  *http2.Framer
	broken  bool // whether the bytes were malformed, so that the rest is ignored
}

// mostHeaders is the largest header compression table that a side may use, in bytes.
const mostHeaders = 1 << 20

func newFrames(preface int, take func(http2.Frame)) *frames {
	f := &frames{take: take, preface: preface}
	f.framer = http2.NewFramer(io.Discard, &f.in)
	f.framer.SetMaxReadFrameSize(mostFrame)
	f.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.framer.ReadMetaHeaders.SetAllowedMaxDynamicTableSize(mostHeaders)
	return f
}

// Write never fails. After malformed bytes, it ignores the rest of the connection.
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

// The 9 bytes before a frame hold its length, type, flags and stream. Headers may continue
// in further frames (RFC 9113, 4.1 and 6.10).
const (
	frameHeader    = 9
	mostFrame      = 1<<24 - 1
	flagEndHeaders = 4
)

// wholeFrame returns the length of the first frame, including the frames that continue it.
// It is 0 if they have not all arrived.
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

// grpcCalls holds the unanswered calls of a connection, by stream id.
type grpcCalls struct {
	tell func(Call)
	mu   sync.Mutex
	open map[uint32]*grpcCall
}

type grpcCall struct {
	method string
	data   []byte // the request: the 5-byte prefix of the gRPC message, and the message
}

// mostData is how many bytes of a request are kept.
const mostData = 1 << 16

// asked handles a frame of the client, which begins or continues a request.
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
		delete(g.open, id) // the client has given up the call
	}
}

// answered handles a frame of the server. A call is reported when its final headers arrive.
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

// message returns the first message of a gRPC request. In data, a byte of flags and the length of
// the message (4 bytes) come before it. message returns nil for compressed or incomplete data.
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

// REST decodes an HTTP/1.1 connection and reports its requests. tell is never called
// concurrently.
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
				continue // the loop goes on to drain the requests until the client's side ends
			}
			_, _ = io.Copy(io.Discard, resp.Body) // the body ends early if the client stopped reading
			tell(Call{Method: fmt.Sprintf("%s %s", req.Method, req.URL.Path), Code: resp.StatusCode, Ended: time.Now()})
		}
	}()
	return Reading{client, server}
}

// tape is a buffer between a writer and a reader. Writing never blocks. After the reader has
// stopped, everything written is dropped.
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

// Copy copies bytes from a reader to a writer until either fails or ends. Before it passes a piece
// on, it writes the piece to the third parameter, copied. It returns the number of bytes read.
func Copy(to io.Writer, from io.Reader, copied io.Writer) (n int64) {
	buffer := make([]byte, 32<<10)
	for {
		read, err := from.Read(buffer)
		n += int64(read)
		if read > 0 {
			_, _ = copied.Write(buffer[:read]) // writing to a Reading never fails
			if _, broken := to.Write(buffer[:read]); broken != nil {
				return n
			}
		}
		if err != nil {
			return n
		}
	}
}
