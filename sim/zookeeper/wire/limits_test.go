package wire

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: the server slows down or cuts off a client that floods it, does not read or sends garbage.
// Other clients notice nothing (ZK-1.9).

func TestTooManyConnectionsOfOneAddress(t *testing.T) {
	l := serve(t, Options{Limits: Limits{ConnsPerAddr: 2}})
	a, b := l.connect(), l.connect()
	c := l.dial()
	c.ends()
	a.ok(get("/"))
	b.ok(zookeeper.Request{Op: zookeeper.OpCloseSession})
	b.ends()
	b.Close()
	l.await("room for another connection", func() bool {
		l.s.mu.Lock()
		defer l.s.mu.Unlock()
		return len(l.s.sockets) == 1
	})
	l.connect().ok(get("/"))
	expect(t, len(l.logged()), 1)
	if want := "too many connections from /127.0.0.1 - max is 2"; l.logged()[0] != want {
		t.Errorf("got %q, want %q", l.logged()[0], want)
	}
}

// limitFirstFrame changes Limits.FirstFrame for later connections. A limit that is short from the
// beginning could also end connections that only a busy machine has made late.
func (l *lab) limitFirstFrame(limit time.Duration) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.s.limits.FirstFrame = limit
}

func TestConnectionThatSaysNothingIsClosed(t *testing.T) {
	l := serve(t, Options{})
	idle := l.connect()
	l.limitFirstFrame(20 * time.Millisecond)
	silent, half := l.dial(), l.dial()
	half.bytes([]byte("\x00\x00\x00\x2d\x00\x00"))
	silent.ends()
	half.ends()
	idle.ok(get("/")) // a connection with a session may be silent for longer
}

// Goal: a client that sends requests without reading the answers is slowed down. The server reads
// no more of its requests, and keeps no more unsent answers than the limits allow.
func TestClientThatFloodsIsSlowedDown(t *testing.T) { // ZK-1.9
	limits := Limits{UnsentBytes: 1 << 16, Outstanding: 50}
	l := serve(t, Options{Limits: limits})
	other := l.connect()
	other.ok(mk("/big", make([]byte, 1<<18)...))
	other.ok(mk("/small"))
	flood := l.connect()
	var written sync.WaitGroup
	written.Add(1)
	const n = 200
	go func() {
		defer written.Done()
		var b []byte
		for i := range n {
			b = AppendRequest(b, &zookeeper.Request{Xid: int32(i), Op: zookeeper.OpGetData, Path: "/big"})
		}
		flood.Write(b)
	}()
	l.await("the first answers", func() bool {
		l.s.mu.Lock()
		defer l.s.mu.Unlock()
		for _, c := range l.s.conns {
			if c.stats.session == flood.session.SessionID && c.out.waiting() > 0 && !c.out.hasRoom(&l.s.limits) {
				return true
			}
		}
		return false
	})
	for range 100 {
		other.ok(set("/small", "x"))
	}
	l.s.mu.Lock()
	for _, c := range l.s.conns {
		c.out.mu.Lock()
		// Beyond the limit there may be two more answers: the last one queued while there was room,
		// and the one being sent.
		if got, most := c.out.unsent(), limits.UnsentBytes+2<<18+1000; got > most {
			t.Errorf("%d bytes wait, want %d at most", got, most)
		}
		c.out.mu.Unlock()
	}
	l.s.mu.Unlock()
	for i := range n {
		expect(t, flood.reply(zookeeper.OpGetData).Xid, int32(i))
	}
	written.Wait()
}

func TestClientThatDoesNotReadItsEventsIsCut(t *testing.T) { // ZK-1.9
	l := serve(t, Options{Limits: Limits{EventBytes: 1 << 16}})
	deaf, other := l.connect(), l.connect()
	path := "/" + strings.Repeat("p", 4000)
	other.ok(mk(path))
	deaf.ok(zookeeper.Request{Op: zookeeper.OpAddWatch, Path: path, Mode: zookeeper.ModePersistent})
	l.await("the connection to be cut", func() bool {
		other.ok(set(path, "x"))
		return l.conns() == 1
	})
	// Its session is still alive.
	again := l.dial()
	expect(t, again.greet(deaf.again()).SessionID, deaf.session.SessionID)
	expect(t, len(l.logged()), 1)
}

// Goal: the server reads nothing more from a client that stops reading its answers. So the
// client's session expires, and its connection is closed with the answers unread.
func TestClientThatStopsReadingIsCutWhenItsSessionExpires(t *testing.T) {
	l := serve(t, Options{Limits: Limits{LastBytes: 20 * time.Millisecond}})
	other := l.connect()
	other.ok(mk("/big", make([]byte, 1<<19)...))
	deaf := l.connect()
	deaf.ok(mkFlags("/of-the-deaf", zookeeper.FlagEphemeral))
	var asked sync.WaitGroup
	asked.Go(func() {
		var b []byte
		for range 1000 {
			b = AppendRequest(b, &zookeeper.Request{Op: zookeeper.OpGetData, Path: "/big"})
		}
		deaf.Write(b)
	})
	l.await("answers to be stuck", func() bool {
		l.s.mu.Lock()
		defer l.s.mu.Unlock()
		for _, c := range l.s.conns {
			if c.stats.session == deaf.session.SessionID && !c.out.hasRoom(&l.s.limits) {
				return true
			}
		}
		return false
	})
	asked.Wait()
	l.await("the session to expire", func() bool {
		l.advance(1000)
		other.ok(get("/"))
		return other.do(get("/of-the-deaf")).Err == zookeeper.Code(-101)
	})
	l.await("the connection to be gone", func() bool {
		l.s.mu.Lock()
		defer l.s.mu.Unlock()
		return len(l.s.sockets) == 1
	})
	other.ok(get("/"))
}

// Goal: clients that send requests without pause, and read the answers, take turns with others.
func TestFloodsLetOthersIn(t *testing.T) {
	l := serve(t, Options{})
	other := l.connect()
	other.ok(mk("/n"))
	var b []byte
	for range 10_000 {
		b = AppendRequest(b, &zookeeper.Request{Op: zookeeper.OpGetData, Path: "/n"})
	}
	var floods sync.WaitGroup
	var clients []*peer
	for range 4 {
		flood := l.connect()
		clients = append(clients, flood)
		for _, part := range []func(){
			func() {
				for {
					if _, err := flood.Write(b); err != nil {
						return
					}
				}
			},
			func() { io.Copy(io.Discard, flood) },
		} {
			floods.Go(part)
		}
	}
	l.await("the floods", func() bool { return l.requests(zookeeper.OpGetData) > 1000 })
	for range 200 {
		other.ok(set("/n", "x"))
	}
	before := l.requests(zookeeper.OpGetData)
	l.await("the floods to go on", func() bool { return l.requests(zookeeper.OpGetData) > before })
	for _, flood := range clients {
		flood.Close()
	}
	floods.Wait()
}

func TestGarbageHurtsNobody(t *testing.T) {
	l := serve(t, Options{Limits: Limits{LastBytes: 50 * time.Millisecond}})
	good := l.connect()
	l.limitFirstFrame(50 * time.Millisecond)
	good.ok(mk("/n"))
	random := rand.New(rand.NewPCG(1, 2))
	var wg sync.WaitGroup
	for i := range 40 {
		b := make([]byte, 1+random.IntN(4000))
		for j := range b {
			b[j] = byte(random.Uint32())
		}
		switch i % 4 {
		case 0: // a plausible length
			b = append([]byte{0, 0, 0, byte(i)}, b...)
		case 1: // the bytes come after a valid connect request
			b = append(AppendConnectRequest(nil, &zookeeper.ConnectRequest{TimeoutMs: 10_000}), b...)
		case 2: // the bytes have a plausible length before them
			b = append(append(AppendConnectRequest(nil, &zookeeper.ConnectRequest{}), 0, 0, 0, 200), b...)
		}
		p := l.dial()
		wg.Add(1)
		go func() {
			defer wg.Done()
			p.Write(b)
			p.Conn.(interface{ CloseWrite() error }).CloseWrite()
			bytes.NewBuffer(nil).ReadFrom(p)
		}()
	}
	for range 200 {
		good.ok(set("/n", "x"))
	}
	wg.Wait()
	good.ok(get("/n"))
}

// Goal: the server allocates no memory for a long frame that a client announces but does not send.
func TestAnnouncedBytesCostNothing(t *testing.T) {
	in := incoming{longest: MaxFrame, from: waiting{bytes.NewReader(unhex(t, "000fffff 01"))}}
	if _, err := in.message(); err == nil {
		t.Fatal("got a message that did not come")
	}
	if len(in.buf) > burstBuffer {
		t.Errorf("buffer of %d bytes for 5 bytes", len(in.buf))
	}
}

func TestBuffersShrinkAgain(t *testing.T) {
	var frames []byte
	for _, size := range []int{1, MaxFrame, 3, 100_000, 7, 7} {
		frames = append(frames, byte(size>>24), byte(size>>16), byte(size>>8), byte(size))
		frames = append(frames, bytes.Repeat([]byte{byte(size)}, size)...)
	}
	in := incoming{longest: MaxFrame, from: waiting{bytes.NewReader(frames)}}
	for _, size := range []int{1, MaxFrame, 3, 100_000, 7, 7} {
		m, err := in.message()
		if err != nil {
			t.Fatal(err)
		}
		if len(m) != size || m[0] != byte(size) || m[size-1] != byte(size) {
			t.Fatalf("got %d bytes, want %d", len(m), size)
		}
	}
	if _, err := in.peek(4); err != io.EOF {
		t.Errorf("got %v at the end", err)
	}
	if len(in.buf) > 0 || in.burst != nil {
		t.Errorf("an idle connection keeps %d bytes", len(in.buf))
	}
}

// Goal: serving a request from socket to socket allocates only what the machine keeps.
func TestServingAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector has sync.Pool drop buffers at random")
	}
	l := serve(t, Options{})
	p := l.connect()
	p.ok(mk("/n", make([]byte, 100)...))
	for _, c := range []struct {
		name   string
		req    zookeeper.Request
		allocs float64
	}{
		{"ping", zookeeper.Request{Op: zookeeper.OpPing}, 0},
		{"get", get("/n"), 0},
		{"exists with watch", zookeeper.Request{Op: zookeeper.OpExists, Path: "/n", Watch: true}, 0},
		{"set", zookeeper.Request{Op: zookeeper.OpSetData, Path: "/none", Data: make([]byte, 100), Version: -1}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			frame := AppendRequest(nil, &c.req)
			p.bytes(frame)
			answer := make([]byte, 4+len(p.message()))
			allocs := testing.AllocsPerRun(500, func() {
				if _, err := p.Write(frame); err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(p, answer); err != nil {
					t.Fatal(err)
				}
			})
			expect(t, allocs, c.allocs)
		})
	}
}

// Goal: the length of the longest request can be configured, as jute.maxbuffer (ZK-1.6).
func TestTheLongestFrameIsASetting(t *testing.T) {
	l := serve(t, Options{Limits: Limits{FrameBytes: 2000}})
	p := l.connect()
	long := func(n int) []byte {
		frame := AppendRequest(nil, &zookeeper.Request{Xid: 1, Op: zookeeper.OpGetData, Path: "/"})
		frame = append(frame, make([]byte, n+4-len(frame))...)
		return endFrame(frame, 0)
	}
	p.bytes(long(2000))
	if got := must[zookeeper.Reply](t)(DecodeReply(p.message(), zookeeper.OpGetData)); got.Err != zookeeper.CodeOK {
		t.Errorf("a frame of 2000 bytes: got %v", got.Err)
	}
	p.bytes(long(2001))
	p.ends()
}

// Goal: the first bytes of another protocol are named, so that a wrong port is seen at once.
func TestOtherProtocolsAreNamed(t *testing.T) {
	for head, want := range map[string]string{
		"\x16\x03\x01\x02": "TLS", "\x16\x03\x03\x00": "TLS", "\x15\x03\x01\x00": "TLS", "\x80\x2e\x01\x03": "SSL 2", "\x80\x2e\x01\x00": "SSL 2",
		"GET ": "HTTP", "PATC": "HTTP", "TRAC": "HTTP", "DELE": "HTTP", "PRI ": "HTTP", "SSH-": "SSH", "PROX": "the PROXY protocol", "\r\n\r\n": "the PROXY protocol",
		"\xff\xff\xff\xff": "", "\x7f\xff\xff\xff": "", "PRIX": "", "\x16\x04\x00\x00": "",
	} {
		in := incoming{buf: []byte(head), end: 4, longest: 1 << 20}
		_, err := in.message()
		switch {
		case err == nil:
			t.Errorf("%q: read", head)
		case want == "" && !strings.Contains(err.Error(), "want 1 to 1048576"):
			t.Errorf("%q: got %v, want the length", head, err)
		case want != "" && !strings.Contains(err.Error(), "this is "+want+","):
			t.Errorf("%q: got %v, want %s", head, err, want)
		}
	}
}
