package grpccore

import (
	"encoding/binary"
	"maps"
	"math"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
)

// writing tracks the frames that grpc-go writes, so that other frames can be inserted between them.
type writing struct {
	mu       sync.Mutex
	rest     int    // number of bytes of the current frame's payload that are still to be written
	head     []byte // bytes of a frame's head that were written so far
	waiting  []byte // bytes that are sent after the current frame
	buffer   []byte
	answered []uint32 // lists the calls whose answer has begun but not ended
	ended    [64]uint32
	last     int // index in ended of the call that was written last
	encoder  *judge

	noStreams bool   // whether our SETTINGS tell the client that no calls are accepted
	accepted  []byte // field that lists the formats in which requests may be compressed
	// whole says that answers may be compressed. Then grpc-go's frames are written only as a whole,
	// and part holds the beginning of a frame that grpc-go has not written completely.
	whole bool
	part  []byte
	sent  atomic.Bool // whether headers or data were sent since the last ping

	hard    int         // hard limit of the metadata of a request, as sent in SETTINGS
	running running     // calls that have not been answered yet
	why     string      // error text sent to running calls when the connection ends; "" for none
	drained atomic.Bool // whether new calls are refused; reset at the second GOAWAY, after which nobody reads new calls
	newest  uint32      // last call that is still answered, as the last GOAWAY says
	idle    bool        // whether the connection ends after this write
}

// running are the calls of a connection that have begun and not ended.
type running struct {
	mu      sync.Mutex // is held for moments only, so that reading waits for no write
	calls   map[uint32]bool
	formats map[uint32]*flags // compression formats of the compressed answers, by stream
	newest  uint32
	refused uint32 // number of the newest call that was refused before grpc-go saw it
}

func (r *running) begin(stream uint32, known bool, format string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known && format != "" {
		if r.formats == nil {
			r.formats = map[uint32]*flags{}
		}
		r.formats[stream] = &flags{magic: magics[format], field: literal(hpack.HeaderField{Name: "grpc-encoding", Value: format})}
	}
	switch r.newest = stream; {
	case !known:
		r.refused = stream
	case r.calls == nil:
		r.calls = map[uint32]bool{stream: true}
	default:
		r.calls[stream] = true
	}
}

func (r *running) end(stream uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.calls, stream)
	delete(r.formats, stream)
}

// format returns how the answer of a call is compressed; nil if it is not.
func (r *running) format(stream uint32) *flags {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.formats[stream]
}

// any reports whether a call is running.
func (r *running) any() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls) > 0
}

// state returns the calls in their order, the newest call, and the newest one that was refused.
func (r *running) state() (calls []uint32, newest, refused uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.calls)), r.newest, r.refused
}

// farewell answers the running calls of a connection that is about to be closed, if there is a reason
// that C-core tells. It waits for nobody: neither for a write under way, nor for a client that does not read.
func (w *writing) farewell(to net.Conn) {
	if !w.mu.TryLock() {
		return
	}
	defer w.mu.Unlock()
	if w.why == "" || w.rest > 0 || len(w.head) > 0 {
		return
	}
	var all []byte
	calls, _, _ := w.running.state()
	for _, stream := range calls {
		if stream > w.newest {
			break // this call and all after it began after the last call that the GOAWAY names
		}
		all = append(all, w.judge().refusal(stream, true, &refusal{code: codes.Unavailable, text: w.why})...)
	}
	w.why = ""
	const moment = time.Second
	_ = to.SetWriteDeadline(time.Now().Add(moment))
	_, _ = to.Write(all) // the error is not looked at: the connection ends in any case
}

// tooManyPings answers the last ping of a client, and tells it why its connection is about to end.
func (w *writing) tooManyPings(to net.Conn, ping []byte) {
	w.mu.Lock()
	_, w.newest, _ = w.running.state()
	w.why = "Too many pings"
	goAway := w.judge().goAway(w.newest, http2.ErrCodeEnhanceYourCalm, "too_many_pings")
	frames := append([]byte{0, 0, byte(len(ping)), byte(http2.FramePing), byte(http2.FlagPingAck), 0, 0, 0, 0}, ping...)
	frames = append(frames, goAway...)
	w.mu.Unlock()
	w.tell(to, frames)
}

func (w *writing) judge() *judge {
	if w.encoder == nil {
		w.encoder = newJudge(limits{})
	}
	return w.encoder
}

// tell inserts frames of the front into the connection, after the current frame of grpc-go. It
// ignores errors, because the connection's reader gets them too.
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

// Write writes the frames of grpc-go with changes, so that they become those of C-core (see
// [change]). The headers of an answer list the encodings that the server accepts. A call whose
// deadline passes is answered and not reset. Settings, GOAWAYs, and the flags of compressed
// messages change too.
func (f *front) Write(p []byte) (int, error) {
	w, size := &f.out, len(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.whole {
		p = w.wholeFrames(p)
	}
	w.buffer = w.buffer[:0]
	from := 0 // index up to which everything is in the buffer already
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
	if from > 0 || len(w.waiting) > 0 && w.rest == 0 && len(w.head) == 0 {
		w.buffer = append(w.buffer, p[from:]...)
		p = w.buffer
		if w.rest == 0 && len(w.head) == 0 {
			p = append(p, w.waiting...)
			w.buffer, w.waiting = p, w.waiting[:0]
		}
	}
	if len(p) > 0 { // if p is empty, all of it was dropped
		if _, err := f.Conn.Write(p); err != nil {
			return 0, err
		}
	}
	if w.idle {
		_ = f.Conn.Close() // not left to grpc-go, which would wait for calls
	}
	return size, nil
}

// wholeFrames returns a copy of all complete frames written so far. An incomplete frame is kept in
// w.part until the next write. That write always comes, because grpc-go ends with a complete frame.
func (w *writing) wholeFrames(p []byte) []byte {
	all := append(w.part, p...)
	at := 0
	for len(all)-at >= frameHead && len(all)-at >= frameHead+payloadSize(all[at:]) {
		at += frameHead + payloadSize(all[at:])
	}
	w.part = slices.Clone(all[at:])
	return all[:at]
}

// change says how a frame is changed before it is written.
type change int

const (
	asItIs change = iota
	withAccepted
	withFlags
	withLimit
	late
	goAway
)

// changed appends a frame to the buffer, with the given change.
func (w *writing) changed(c change, frame []byte) {
	switch c {
	case withAccepted:
		fields := w.accepted
		if f := w.running.format(streamOf(frame)); f != nil {
			fields = slices.Concat(fields, f.field)
		}
		n := payloadSize(frame) + len(fields)
		w.buffer = append(w.buffer, byte(n>>16), byte(n>>8), byte(n))
		w.buffer = append(append(w.buffer, frame[3:]...), fields...)
		return
	case withFlags:
		w.buffer = append(w.buffer, frame...)
		if f := w.running.format(streamOf(frame)); f != nil {
			f.frame(w.buffer[len(w.buffer)-payloadSize(frame):])
		}
		return
	case withLimit:
		w.buffer = append(w.buffer, frame...)
		settings := w.buffer[len(w.buffer)-payloadSize(frame):]
		for ; len(settings) >= settingBytes; settings = settings[settingBytes:] {
			switch id := http2.SettingID(binary.BigEndian.Uint16(settings)); {
			case id == http2.SettingMaxHeaderListSize:
				binary.BigEndian.PutUint32(settings[2:], uint32(w.hard))
			case id == http2.SettingMaxConcurrentStreams && w.noStreams:
				binary.BigEndian.PutUint32(settings[2:], 0)
			}
		}
		return
	case goAway:
		w.buffer = append(w.buffer, w.goAway(frame[frameHead:])...)
		return
	}
	stream := streamOf(frame)
	if slices.Contains(w.ended[:], stream) {
		return // the call was answered in the meantime
	}
	w.buffer = append(w.buffer, w.judge().refusal(stream, false, &refusal{code: codes.DeadlineExceeded, text: deadlineExceeded})...)
}

const (
	settingBytes = 6 // of one setting
	goAwayBytes  = 8 // length of a GOAWAY frame's payload before its text
)

// goAway returns the GOAWAY frame that C-core sends in place of a GOAWAY of grpc-go. payload is
// that of grpc-go's frame, and its text is grpc-go's reason.
func (w *writing) goAway(payload []byte) []byte {
	last, code, text := binary.BigEndian.Uint32(payload), http2.ErrCode(binary.BigEndian.Uint32(payload[4:])), string(payload[goAwayBytes:])
	_, newest, refused := w.running.state()
	switch text {
	case "graceful_stop":
		text, w.why = "Server shutdown", "Cancelling all calls"
		w.drained.Store(last == math.MaxInt32)
	case "max_idle":
		// C-core does not wait for calls that may be under way.
		last, code, text, w.idle = newest, http2.ErrCodeInternal, "connection idle", true
	case "max_age":
		w.why = "max connection age"
	case "too_many_pings":
		w.why = "Too many pings"
	}
	w.newest = max(last, refused)
	return w.judge().goAway(w.newest, code, text)
}

// begin records the beginning of a frame, and returns how the frame has to change.
func (w *writing) begin(frame []byte) change {
	w.rest = payloadSize(frame)
	kind, flags := http2.FrameType(frame[3]), http2.Flags(frame[4])
	if kind == http2.FrameHeaders || kind == http2.FrameData {
		w.sent.Store(true)
	}
	switch {
	case kind == http2.FrameData && w.whole:
		return withFlags
	case kind == http2.FrameSettings && !flags.Has(http2.FlagSettingsAck):
		return withLimit
	case kind == http2.FrameGoAway:
		return goAway
	case kind != http2.FrameHeaders && kind != http2.FrameRSTStream:
		return asItIs
	}
	stream := streamOf(frame)
	if kind == http2.FrameRSTStream || flags.Has(http2.FlagHeadersEndStream) {
		w.running.end(stream)
	}
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
