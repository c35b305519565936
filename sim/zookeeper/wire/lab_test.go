package wire

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// patience is how long a test waits for an expected event. Only failing tests wait so long.
const patience = 20 * time.Second

// lab is a server under test, with a manual clock and the lines that the server logged.
type lab struct {
	testing.TB
	s     *Server
	addr  string
	nowMs atomic.Int64

	mu   sync.Mutex
	logs []string
}

// serve starts a server and stops it at the end of the test. By default its clock stands at 0.
func serve(t testing.TB, opt Options) *lab {
	t.Helper()
	return serveAt(t, 0, opt)
}

// serveAt does what serve does, with a clock that stands at nowMs.
func serveAt(t testing.TB, nowMs int64, opt Options) *lab {
	t.Helper()
	l := &lab{TB: t}
	l.nowMs.Store(nowMs)
	if opt.Clock == nil && opt.Speed == 0 {
		opt.Clock = ManualClock(l.nowMs.Load)
	}
	opt.Log = func(line string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.logs = append(l.logs, line)
	}
	l.s = must[*Server](t)(Listen("127.0.0.1:0", opt))
	l.addr = l.s.Addr()
	t.Cleanup(func() {
		if err := l.s.Close(); err != nil && l.s.Err() == nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

func (l *lab) logged() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.logs...)
}

// advance moves the clock forward and runs the server's due timers.
func (l *lab) advance(ms int64) {
	l.nowMs.Add(ms)
	l.s.Tick()
}

// await waits until done returns true. what names the awaited event if the test fails.
func (l *lab) await(what string, done func() bool) {
	l.Helper()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	limit := time.After(patience)
	for !done() {
		select {
		case <-ticker.C:
		case <-limit:
			l.Fatalf("waited %v for %s", patience, what)
		}
	}
}

// conns returns the number of connections that the server has.
func (l *lab) conns() int {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	return len(l.s.conns)
}

// settle waits until no answer is counted as queued. The server counts one until its writer has
// come back from the socket, which may be after the client has read it.
func (l *lab) settle() {
	l.Helper()
	l.await("the last answer to be written", func() bool {
		l.s.mu.Lock()
		defer l.s.mu.Unlock()
		return l.s.outstanding() == 0
	})
}

// requests returns how many requests with an opcode the server has handled.
func (l *lab) requests(op zookeeper.OpCode) uint64 {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	counters := l.s.machine.Counters()
	return counters.Requests(op)
}

func (l *lab) dump() string {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	return l.s.machine.Dump()
}

// peer is a test client: a socket whose messages are encoded and decoded by this package.
type peer struct {
	*lab
	net.Conn
	xid     int32
	session zookeeper.ConnectResponse
}

func (l *lab) dial() *peer {
	l.Helper()
	conn := must[net.Conn](l)(net.Dial("tcp", l.addr))
	if _, bench := l.TB.(*testing.B); !bench {
		conn.SetDeadline(time.Now().Add(patience))
	}
	l.Cleanup(func() { conn.Close() })
	return &peer{lab: l, Conn: conn}
}

// connect opens a connection and creates a session with a timeout of ten seconds.
func (l *lab) connect() *peer {
	l.Helper()
	p := l.dial()
	if p.greet(zookeeper.ConnectRequest{TimeoutMs: 10_000}).SessionID == 0 {
		l.Fatal("refused")
	}
	return p
}

func (p *peer) greet(req zookeeper.ConnectRequest) zookeeper.ConnectResponse {
	p.Helper()
	p.bytes(AppendConnectRequest(nil, &req))
	p.session = must[zookeeper.ConnectResponse](p)(DecodeConnectResponse(p.message()))
	return p.session
}

// again returns the connect request that attaches a new connection to the peer's session.
func (p *peer) again() zookeeper.ConnectRequest {
	return zookeeper.ConnectRequest{TimeoutMs: 10_000, SessionID: p.session.SessionID, Password: p.session.Password[:]}
}

func (p *peer) bytes(b []byte) {
	p.Helper()
	if _, err := p.Write(b); err != nil {
		p.Fatal(err)
	}
}

// send sends requests without waiting for answers. Requests without an xid get 1, 2 and so on.
func (p *peer) send(reqs ...zookeeper.Request) {
	p.Helper()
	var b []byte
	for i := range reqs {
		if reqs[i].Xid == 0 {
			p.xid++
			reqs[i].Xid = p.xid
		}
		b = AppendRequest(b, &reqs[i])
	}
	p.bytes(b)
}

func (p *peer) message() []byte {
	p.Helper()
	head := make([]byte, 4)
	if _, err := io.ReadFull(p, head); err != nil {
		p.Fatalf("no message: %v", err)
	}
	b := make([]byte, binary.BigEndian.Uint32(head))
	if _, err := io.ReadFull(p, b); err != nil {
		p.Fatalf("message cut short: %v", err)
	}
	return b
}

// answered waits for a message and reports whether one came.
func (p *peer) answered() bool {
	head := make([]byte, 4)
	if _, err := io.ReadFull(p, head); err != nil {
		return false
	}
	_, err := io.CopyN(io.Discard, p, int64(binary.BigEndian.Uint32(head)))
	return err == nil
}

// reply reads the answer to a request with opcode op.
func (p *peer) reply(op zookeeper.OpCode) zookeeper.Reply {
	p.Helper()
	return must[zookeeper.Reply](p)(DecodeReply(p.message(), op))
}

// do sends a request and reads the answer to it.
func (p *peer) do(req zookeeper.Request) zookeeper.Reply {
	p.Helper()
	p.send(req)
	r := p.reply(req.Op)
	if want := p.xid; req.Xid == 0 && r.Xid != want {
		p.Fatalf("%s: got the answer to %d, want %d", req.Op, r.Xid, want)
	}
	return r
}

// ok sends a request as do does, and fails the test if the answer is an error.
func (p *peer) ok(req zookeeper.Request) zookeeper.Reply {
	p.Helper()
	r := p.do(req)
	if r.Err != 0 {
		p.Fatalf("%s %s: %s", req.Op, req.Path, zookeeper.CodeName(r.Err))
	}
	return r
}

func (p *peer) event() zookeeper.Event {
	p.Helper()
	message := p.message()
	if xid := must[int32](p)(ReplyXid(message)); xid != zookeeper.XidNotification {
		p.Fatalf("got a message with xid %d, want an event", xid)
	}
	return must[zookeeper.Event](p)(DecodeEvent(message))
}

// ends fails the test unless the server closes the connection without sending another byte.
func (p *peer) ends() {
	p.Helper()
	n, err := p.Read(make([]byte, 1))
	if n != 0 || !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		p.Fatalf("got %d bytes and %v, want the end", n, err)
	}
}

// word sends a four-letter word on a new connection and returns the answer.
func (l *lab) word(word string) string {
	l.Helper()
	p := l.dial()
	p.bytes([]byte(word))
	return string(must[[]byte](l)(io.ReadAll(p)))
}

func mk(path string, data ...byte) zookeeper.Request {
	return zookeeper.Request{Op: zookeeper.OpCreate, Path: path, Data: append([]byte{}, data...), ACL: openACL}
}

func mkFlags(path string, flags int32) zookeeper.Request {
	return zookeeper.Request{Op: zookeeper.OpCreate, Path: path, ACL: openACL, Flags: flags}
}

func set(path, data string) zookeeper.Request {
	return zookeeper.Request{Op: zookeeper.OpSetData, Path: path, Data: []byte(data), Version: -1}
}

func get(path string) zookeeper.Request {
	return zookeeper.Request{Op: zookeeper.OpGetData, Path: path}
}
func del(path string) zookeeper.Request {
	return zookeeper.Request{Op: zookeeper.OpDelete, Path: path, Version: -1}
}
