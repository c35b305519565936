package grpccore

import (
	"bytes"
	"encoding/binary"
	"net"
	"slices"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
)

// writing follows the frames that grpc-go writes, so that others can be put between them.
type writing struct {
	mu       sync.Mutex
	rest     int    // bytes of the current frame's payload that have not been written
	head     []byte // begins the head of a frame
	waiting  []byte // goes out behind the current frame
	buffer   []byte
	answered []uint32 // are the calls whose answer has begun, and not ended
	ended    [64]uint32
	last     int // index of ended that was written last
	encoder  *judge
}

// tell writes frames of our own. An error of the connection is met by its reader.
func (w *writing) tell(to net.Conn, frames []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting = append(w.waiting, frames...); w.rest == 0 && len(w.head) == 0 {
		w.flush(to)
	}
}

func (w *writing) flush(to net.Conn) {
	_, _ = to.Write(w.waiting)
	w.waiting = w.waiting[:0]
}

// Write writes what grpc-go does, with the two differences of C-core's answers: their headers say
// which encodings a server accepts, and a call whose deadline passes is answered, not reset.
func (f *front) Write(p []byte) (int, error) {
	w, size := &f.out, len(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buffer = w.buffer[:0]
	from := 0 // what is before it is in the buffer
	for at := 0; at < len(p); {
		if w.rest > 0 {
			n := min(w.rest, len(p)-at)
			w.rest, at = w.rest-n, at+n
			continue
		}
		if len(w.head) > 0 || len(p)-at < frameHead {
			n := min(frameHead-len(w.head), len(p)-at)
			if w.head, at = append(w.head, p[at:at+n]...), at+n; len(w.head) == frameHead {
				w.begin(w.head)
				w.head = w.head[:0]
			}
			continue
		}
		frame := p[at:]
		change := w.begin(frame)
		if whole := frameHead + w.rest; change != asItIs && whole <= len(frame) {
			w.buffer = append(w.buffer, p[from:at]...)
			w.changed(change, frame[:whole])
			at += whole
			from, w.rest = at, 0
			continue
		}
		at += frameHead
	}
	if len(w.buffer) > 0 || len(w.waiting) > 0 && w.rest == 0 && len(w.head) == 0 {
		w.buffer = append(w.buffer, p[from:]...)
		p = w.buffer
		if w.rest == 0 && len(w.head) == 0 {
			p = append(p, w.waiting...)
			w.buffer, w.waiting = p, w.waiting[:0]
		}
	}
	if _, err := f.Conn.Write(p); err != nil {
		return 0, err
	}
	return size, nil
}

// change is what becomes of a frame.
type change int

const (
	asItIs change = iota
	withAccepted
	late
)

// accepted is the field that says which encodings requests may have: the answer to any.
var accepted = func() []byte {
	var b bytes.Buffer
	_ = hpack.NewEncoder(&b).WriteField(hpack.HeaderField{Name: "grpc-accept-encoding", Value: "identity, deflate, gzip", Sensitive: true}) // so that it is not put into the table
	return b.Bytes()
}()

// changed puts a frame into the buffer as C-core sends it.
func (w *writing) changed(c change, frame []byte) {
	if c == withAccepted {
		n := payloadSize(frame) + len(accepted)
		w.buffer = append(w.buffer, byte(n>>16), byte(n>>8), byte(n))
		w.buffer = append(append(w.buffer, frame[3:]...), accepted...)
		return
	}
	stream := streamOf(frame)
	if slices.Contains(w.ended[:], stream) {
		return // it was answered in the meantime
	}
	if w.encoder == nil {
		w.encoder = newJudge()
	}
	w.buffer = append(w.buffer, w.encoder.refusal(stream, false, &refusal{code: codes.DeadlineExceeded, text: deadlineExceeded})...)
}

// begin takes note of a frame that begins, and says what becomes of it.
func (w *writing) begin(frame []byte) change {
	w.rest = payloadSize(frame)
	kind, flags := http2.FrameType(frame[3]), http2.Flags(frame[4])
	if kind != http2.FrameHeaders && kind != http2.FrameRSTStream {
		return asItIs
	}
	stream := streamOf(frame)
	at := slices.Index(w.answered, stream)
	if kind == http2.FrameHeaders && !flags.Has(http2.FlagHeadersEndStream) {
		w.answered = append(w.answered, stream)
		if flags.Has(http2.FlagHeadersEndHeaders) {
			return withAccepted
		}
		return asItIs
	}
	if at >= 0 {
		w.answered = slices.Delete(w.answered, at, at+1)
	}
	if kind == http2.FrameHeaders {
		w.last = (w.last + 1) % len(w.ended)
		w.ended[w.last] = stream
		return asItIs
	}
	if at < 0 && len(frame) >= frameHead+4 && http2.ErrCode(binary.BigEndian.Uint32(frame[frameHead:])) == http2.ErrCodeCancel {
		return late
	}
	return asItIs
}
