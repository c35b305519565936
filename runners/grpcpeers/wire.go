package grpcpeers

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/monosim/monosim/engine/lists"
)

// field is a header field of a request.
type field struct{ name, value string }

// request returns the header fields of a usual call with changes. A change replaces the field with
// its name, or removes it if the value is "-". Other changes are added at the end.
func request(method string, changes ...field) []field {
	path := "/peers.Probe/" + method
	fields := []field{
		{":method", "POST"},
		{":scheme", "http"},
		{":path", path},
		{":authority", "peers"},
		{"te", "trailers"},
		{"content-type", "application/grpc"},
	}
	for _, c := range changes {
		same := func(f field) bool { return f.name == c.name }
		at := slices.IndexFunc(fields, same)
		switch {
		case c.value == "-":
			fields = slices.DeleteFunc(fields, same)
		case at >= 0 && c.name[0] != '+':
			fields[at] = c
		default:
			fields = append(fields, field{strings.TrimPrefix(c.name, "+"), c.value})
		}
	}
	return fields
}

// message frames a gRPC message: the compression flag, the length in four bytes, and the body.
func message(flag byte, body []byte) []byte {
	n := len(body)
	return append([]byte{flag, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, body...)
}

// wire is an HTTP/2 connection that can also send what no client sends. It records as text what the
// server sends.
type wire struct {
	net      net.Conn
	framer   *http2.Framer
	block    bytes.Buffer
	encoder  *hpack.Encoder
	lines    []string
	bodies   map[uint32][]byte
	began    map[uint32]bool
	encoding map[uint32]string // grpc-encoding of answers
	ended    map[uint32]bool
	acks     int
	goaways  int
	mute     bool // whether pings remain unanswered until pong is called
	pinged   [][8]byte
	limits   string // limits that the server's settings state
	settled  bool   // whether the server's settings have been acknowledged
	over     bool
	err      error // error of a write that failed
}

// patience is the longest wait for an answer. It is long because the machine may be busy.
const patience = 20 * time.Second

func dial(addr string) (*wire, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	w := &wire{net: c, framer: http2.NewFramer(c, c), bodies: map[uint32][]byte{}, began: map[uint32]bool{}, encoding: map[uint32]string{}, ended: map[uint32]bool{}}
	w.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	w.framer.SetMaxReadFrameSize(1 << 24)
	w.framer.AllowIllegalWrites = true
	w.encoder = hpack.NewEncoder(&w.block)
	return w, nil
}

// hello sends the HTTP/2 preface, and windows so large that no answer fills them.
func (w *wire) hello() {
	w.raw(http2.ClientPreface)
	w.note(w.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 24}))
	w.note(w.framer.WriteWindowUpdate(0, 1<<24))
}

// greet does what hello does, and then waits for the server's settings and acknowledges them.
func (w *wire) greet() {
	w.hello()
	w.read(func() bool { return w.settled })
}

// note keeps the first error of a write, as the server may close the connection at any time.
func (w *wire) note(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *wire) raw(bytes string) {
	_, err := io.WriteString(w.net, bytes)
	w.note(err)
}

// largestFrame is the largest frame in bytes that a server accepts by default.
const largestFrame = 16384

// headers begins a call.
func (w *wire) headers(stream uint32, end bool, fields []field) {
	w.block.Reset()
	for _, f := range fields {
		w.note(w.encoder.WriteField(hpack.HeaderField{Name: f.name, Value: f.value}))
	}
	w.sendBlock(stream, end)
}

// sendBlock sends the header block that has been encoded.
func (w *wire) sendBlock(stream uint32, end bool) {
	block := w.block.Bytes()
	first := block[:min(len(block), largestFrame)]
	block = block[len(first):]
	w.note(w.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: first, EndStream: end, EndHeaders: len(block) == 0}))
	for len(block) > 0 {
		more := block[:min(len(block), largestFrame)]
		block = block[len(more):]
		w.note(w.framer.WriteContinuation(stream, len(block) == 0, more))
	}
}

// data sends bytes of a call in frames of at most largestFrame bytes.
func (w *wire) data(stream uint32, end bool, body []byte) {
	for {
		part := body[:min(len(body), largestFrame)]
		body = body[len(part):]
		w.note(w.framer.WriteData(stream, end && len(body) == 0, part))
		if len(body) == 0 {
			return
		}
	}
}

// call sends one complete call with one message on stream 1.
func (w *wire) call(fields []field, flag byte, body string) {
	w.headers(1, false, fields)
	w.data(1, true, message(flag, []byte(body)))
}

// await reads until all these streams have ended, or the connection has.
func (w *wire) await(streams ...uint32) {
	w.read(func() bool {
		return !slices.ContainsFunc(streams, func(id uint32) bool { return !w.ended[id] })
	})
}

// pings sends n pings, one after another, and reads until each is answered or the connection ends.
func (w *wire) pings(n int) {
	for range n {
		before := w.acks
		w.note(w.framer.WritePing(false, [8]byte{'p', 'e', 'e', 'r'}))
		w.read(func() bool { return w.acks > before })
	}
	if w.goaways > 0 {
		w.awaitEnd()
	}
}

// pong answers the pings of the server, also those that come from now on.
func (w *wire) pong() {
	for _, data := range w.pinged {
		w.note(w.framer.WritePing(true, data))
	}
	w.mute, w.pinged = false, nil
}

// awaitEnd reads until the connection ends.
func (w *wire) awaitEnd() { w.read(func() bool { return false }) }

// awaitGoAways reads until n GOAWAY frames have come in all.
func (w *wire) awaitGoAways(n int) { w.read(func() bool { return w.goaways >= n }) }

// drain ends the server by a call on another connection. grace is how many seconds running calls
// get.
func (w *wire) drain(grace string) {
	other, err := dial(w.net.RemoteAddr().String())
	if err != nil {
		w.note(err)
		return
	}
	defer other.net.Close()
	other.greet()
	other.call(request("Drain"), 0, grace)
	other.await(1)
}

func (w *wire) read(enough func() bool) {
	// The deadline is set once for the whole read, because a reset connection loses what came
	// before.
	_ = w.net.SetReadDeadline(time.Now().Add(patience))
	for !w.over && !enough() {
		frame, err := w.framer.ReadFrame()
		if err != nil {
			w.end(err)
			return
		}
		w.take(frame)
	}
}

func (w *wire) end(err error) {
	w.over = true
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.lines = append(w.lines, "nothing more")
		return
	}
	w.lines = append(w.lines, "closed")
}

func (w *wire) take(frame http2.Frame) {
	id := frame.Header().StreamID
	switch f := frame.(type) {
	case *http2.MetaHeadersFrame:
		kind := "headers"
		if f.StreamEnded() {
			kind = "trailers"
			if w.began[id] {
				w.tellMessages(id)
			}
		}
		w.began[id] = true
		for _, h := range f.Fields {
			if h.Name == "grpc-encoding" {
				w.encoding[id] = h.Value
			}
		}
		w.tell(id, kind+" "+fieldsOf(f))
		w.ended[id] = w.ended[id] || f.StreamEnded()
	case *http2.DataFrame:
		w.bodies[id] = append(w.bodies[id], f.Data()...)
		w.ended[id] = w.ended[id] || f.StreamEnded()
		if f.StreamEnded() {
			w.tellMessages(id)
			w.tell(id, "end of data")
		}
	case *http2.RSTStreamFrame:
		// C-core resets a stream after its answer if it has not read the end of the call yet. Such
		// a reset is not recorded.
		if !w.ended[id] || f.ErrCode != http2.ErrCodeNo {
			w.tellMessages(id)
			w.tell(id, "reset "+f.ErrCode.String())
			w.ended[id] = true
		}
	case *http2.GoAwayFrame:
		w.goaways++
		w.lines = append(w.lines, fmt.Sprintf("goaway last=%d %v %q", f.LastStreamID, f.ErrCode, f.DebugData()))
	case *http2.PingFrame:
		if f.IsAck() {
			w.acks++
		} else if w.pinged = append(w.pinged, f.Data); !w.mute {
			w.pong()
		}
	case *http2.SettingsFrame:
		if !f.IsAck() {
			w.note(w.framer.WriteSettingsAck())
			w.settled = true
			for _, id := range []http2.SettingID{http2.SettingMaxHeaderListSize, http2.SettingMaxConcurrentStreams} {
				if n, ok := f.Value(id); ok {
					w.limits += fmt.Sprintf(" %v=%d", id, n)
				}
			}
		}
	}
}

func (w *wire) tell(stream uint32, line string) {
	if stream != 1 {
		line = fmt.Sprintf("stream %d: %s", stream, line)
	}
	w.lines = append(w.lines, line)
}

// tellMessages records the gRPC messages that have arrived on a stream.
func (w *wire) tellMessages(stream uint32) {
	body := w.bodies[stream]
	delete(w.bodies, stream)
	for len(body) >= 5 {
		n := int(body[1])<<24 | int(body[2])<<16 | int(body[3])<<8 | int(body[4])
		if len(body) < 5+n {
			break
		}
		plain, text := body[5:5+n], ""
		if body[0] == 1 {
			// Compressors differ in the bytes that they make, so the decompressed text is compared.
			plain, text = decompressed(w.encoding[stream], plain), " "+w.encoding[stream]
		}
		if text = fmt.Sprintf("%q", plain) + text; len(plain) > 64 {
			text = fmt.Sprintf("%d bytes", len(plain)) + text[strings.LastIndexByte(text, '"')+1:]
		}
		w.tell(stream, fmt.Sprintf("message %d %s", body[0], text))
		body = body[5+n:]
	}
	if len(body) > 0 {
		w.tell(stream, fmt.Sprintf("%d bytes of a message", len(body)))
	}
}

// fieldsOf formats header fields, sorted by name. It omits an empty grpc-message, since clients
// cannot tell it from a missing one.
func fieldsOf(f *http2.MetaHeadersFrame) string {
	list := lists.Select(f.Fields, func(h hpack.HeaderField) (string, bool) {
		return h.Name + "=" + h.Value, h.Name != "grpc-message" || h.Value != ""
	})
	slices.Sort(list)
	return strings.Join(list, " | ")
}

// decompressed returns the bytes of a message that is compressed in this way.
func decompressed(encoding string, message []byte) []byte {
	open := func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }
	if encoding == "gzip" {
		open = func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	}
	reader, err := open(bytes.NewReader(message))
	if err == nil {
		message, err = io.ReadAll(reader)
	}
	if err != nil {
		return []byte(err.Error())
	}
	return message
}
