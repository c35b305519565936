package grpccore

import (
	"bytes"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// sent is a connection whose client has sent the bytes in in.
type sent struct {
	net.Conn
	in  io.Reader
	out bytes.Buffer
}

func (s *sent) Read(p []byte) (int, error)  { return s.in.Read(p) }
func (s *sent) Write(p []byte) (int, error) { return s.out.Write(p) }

// usualLimits are those of a server without options.
var usualLimits = limits{message: 4 << 20, soft: 8 << 10, hard: 16 << 10, compression: compression{enabled: algorithms}}

// conversation returns the bytes that a client sends: calls with a growing HPACK table, with odd
// and refused calls among them, long headers, messages in pieces, and too large or cut messages.
func conversation(t testing.TB) []byte {
	t.Helper()
	var all, block bytes.Buffer
	all.WriteString(http2.ClientPreface)
	framer, encoder := http2.NewFramer(&all, nil), hpack.NewEncoder(&block)
	try := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	try(framer.WriteSettings())
	try(framer.WriteSettingsAck())
	stream := uint32(1)
	call := func(body []byte, changes ...string) {
		block.Reset()
		fields := []string{":method", "POST", ":scheme", "http", ":path", "/a.B/C", ":authority", "peer", "te", "trailers", "content-type", "application/grpc"}
		for i := 0; i < len(changes); i += 2 {
			fields = append(fields, changes[i], changes[i+1])
		}
		for i := 0; i < len(fields); i += 2 {
			try(encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}))
		}
		half := block.Len() / 2
		try(framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes()[:half]}))
		try(framer.WriteContinuation(stream, true, block.Bytes()[half:]))
		try(framer.WriteData(stream, false, body[:len(body)/2]))
		try(framer.WriteData(stream, true, body[len(body)/2:]))
		stream += 2
	}
	hello := []byte("\x00\x00\x00\x00\x05hello")
	for range 2 {
		call(hello)
		call(hello, "x-name", "value", "grpc-timeout", "5S")
		call(hello, "host", "other")
		call(hello, "grpc-encoding", "br")
		call(hello, "x-long", strings.Repeat("v", 20000))
		call([]byte("\x00\xff\x00\x00\x00" + strings.Repeat("large", 100)))
		call([]byte("\x01\x00\x00\x00\x05hello"))
		call(hello[:8])
	}
	return all.Bytes()
}

// TestPiecesMakeNoDifference checks that it does not matter how a conversation is cut into pieces.
// The server must read the same bytes, and the client must get the same answers, as when it arrives
// as a whole.
func TestPiecesMakeNoDifference(t *testing.T) {
	read := func(in io.Reader) (server, client []byte) {
		c := &sent{in: in}
		server, err := io.ReadAll(newFront(c, usualLimits))
		if err != nil {
			t.Fatal(err)
		}
		return server, c.out.Bytes()
	}
	all := conversation(t)
	server, client := read(bytes.NewReader(all))
	if bytes.Equal(server, all) || len(client) == 0 {
		t.Fatalf("%d bytes were read as %d, and %d answered: nothing was odd, and nothing refused", len(all), len(server), len(client))
	}
	for name, in := range map[string]io.Reader{
		"byte by byte": iotest.OneByteReader(bytes.NewReader(all)),
		"halves":       iotest.HalfReader(bytes.NewReader(all)),
	} {
		if s, c := read(in); !bytes.Equal(s, server) || !bytes.Equal(c, client) {
			t.Errorf("%s: the server read %d bytes and the client %d, want %d and %d, and the same ones", name, len(s), len(c), len(server), len(client))
		}
	}
}

// TestUsualCallsPassAsTheyCame checks that the front does not change calls that grpc-go answers as
// C-core does.
func TestUsualCallsPassAsTheyCame(t *testing.T) {
	all := conversation(t)
	first := bytes.Index(all, []byte("hello")) + len("hello")
	got, err := io.ReadAll(newFront(&sent{in: bytes.NewReader(all[:first])}, usualLimits))
	if err != nil || !bytes.Equal(got, all[:first]) {
		t.Errorf("%d bytes were read as %d (%v), want them as they were", first, len(got), err)
	}
}

// TestEachCallIsDrawnFor sends the same header of 12 KiB many times. Half of the calls must be
// refused, independently of the calls before them.
func TestEachCallIsDrawnFor(t *testing.T) {
	const calls, size = 1000, 12 << 10
	c := &call{path: &hpack.HeaderField{Value: "/a.B/C"}, authority: &hpack.HeaderField{Value: "peer"}}
	fields := append(c.instead(), hpack.HeaderField{Name: "x-large"})
	left := size
	for _, f := range fields {
		left -= int(f.Size())
	}
	fields[len(fields)-1].Value = strings.Repeat("v", left)
	writer, refused, first := newJudge(usualLimits), 0, 0
	for range calls {
		j := newJudge(usualLimits) // judge of a new connection
		j.settled = true
		for stream := uint32(1); stream < 6; stream += 2 {
			if len(j.frames(writer.headers(stream, true, fields)).answer) > 0 {
				refused++
				if stream == 1 {
					first++
				}
			}
		}
	}
	// The bounds allow about seven standard deviations: 200 of 3000 calls, and 115 of 1000.
	if refused < 1300 || refused > 1700 || first < 385 || first > 615 {
		t.Errorf("%d of %d calls were refused, and %d of %d first ones, want half", refused, 3*calls, first, calls)
	}
}

// Goal: a reset of grpc-go's behind the answer to a call whose deadline has passed is not sent, and one in place of the
// answer becomes it. Method: the frames in one write, each in a write of its own, and with what follows.
func TestResetsOfDeadlines(t *testing.T) {
	frames := func(write func(f *http2.Framer) error) []byte {
		var b bytes.Buffer
		if err := write(http2.NewFramer(&b, nil)); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	answer := frames(func(f *http2.Framer) error {
		return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88}, EndStream: true, EndHeaders: true})
	})
	reset := frames(func(f *http2.Framer) error { return f.WriteRSTStream(1, http2.ErrCodeCancel) })
	ping := frames(func(f *http2.Framer) error { return f.WritePing(true, [8]byte{}) })
	for _, c := range []struct {
		name   string
		writes [][]byte
		want   []byte
	}{
		{"one write", [][]byte{slices.Concat(answer, reset)}, answer},
		{"a write each", [][]byte{answer, reset}, answer},
		{"a write each, and more", [][]byte{answer, slices.Concat(reset, ping)}, slices.Concat(answer, ping)},
		{"the reset again", [][]byte{answer, reset, reset, ping}, slices.Concat(answer, ping)},
	} {
		conn := &sent{}
		f := newFront(conn, usualLimits)
		for _, w := range c.writes {
			if n, err := f.Write(w); n != len(w) || err != nil {
				t.Errorf("%s: wrote %d of %d, %v", c.name, n, len(w), err)
			}
		}
		if got := conn.out.Bytes(); !bytes.Equal(got, c.want) {
			t.Errorf("%s: got %x, want %x", c.name, got, c.want)
		}
	}
}

// FuzzFront sends random bytes after a preface. The front must always end, and the pieces in which
// the bytes arrive must make no difference.
func FuzzFront(f *testing.F) {
	f.Add(conversation(f))
	f.Fuzz(func(t *testing.T, all []byte) {
		var read [2][]byte
		for i, in := range []io.Reader{bytes.NewReader(all), iotest.HalfReader(bytes.NewReader(all))} {
			// the error is not looked at: a connection may end with one
			read[i], _ = io.ReadAll(newFront(&sent{in: in}, limits{message: 1 << 10, soft: 8 << 10, hard: 16 << 10, compression: usualLimits.compression}))
		}
		if !bytes.Equal(read[0], read[1]) {
			t.Errorf("read %d bytes whole and %d in pieces, want the same", len(read[0]), len(read[1]))
		}
	})
}

// BenchmarkUsualCall measures the cost of the front for a call that it does not change.
func BenchmarkUsualCall(b *testing.B) {
	var all bytes.Buffer
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, f := range (&call{path: &hpack.HeaderField{Value: "/a.B/C"}, authority: &hpack.HeaderField{Value: "peer"}}).instead() {
		f.Sensitive = true
		_ = encoder.WriteField(f)
	}
	framer := http2.NewFramer(&all, nil)
	j := newJudge(usualLimits)
	for i := range b.N {
		all.Reset()
		_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(2*i + 1), BlockFragment: block.Bytes(), EndHeaders: true})
		if !j.frames(all.Bytes()).pass {
			b.Fatal("a usual call did not pass")
		}
	}
}
