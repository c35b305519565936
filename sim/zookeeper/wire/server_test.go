package wire

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: a client on a socket gets the machine's answers and events, in the machine's order. Method:
// the test sends bytes over TCP to a server whose clock it moves.

func TestSessionOverTheWire(t *testing.T) {
	l := serve(t, Options{})
	p := l.connect()
	expect(t, p.session.SessionID, int64(0x100000000000000))
	expect(t, p.session.TimeoutMs, int32(10_000))
	expect(t, p.session.Password, zookeeper.Password(p.session.SessionID))
	expect(t, p.ok(mk("/a", 'x')), zookeeper.Reply{Xid: 1, Zxid: 2, Op: zookeeper.OpCreate, Path: "/a"})
	r := p.ok(get("/a"))
	expect(t, string(r.Data), "x")
	expect(t, r.Stat.Czxid, int64(2))
	expect(t, p.do(get("/none")).Err, zookeeper.Code(-101))
	expect(t, p.ok(zookeeper.Request{Xid: zookeeper.XidPing, Op: zookeeper.OpPing}).Xid, zookeeper.XidPing)
	expect(t, p.ok(zookeeper.Request{Op: zookeeper.OpCloseSession}).Zxid, int64(3))
	p.ends()
}

func TestTimeoutIsClampedByTicks(t *testing.T) { // ZK-2.6
	l := serve(t, Options{Config: zookeeper.Config{TickMs: 500}})
	expect(t, l.dial().greet(zookeeper.ConnectRequest{TimeoutMs: 1}).TimeoutMs, int32(1_000))
	expect(t, l.dial().greet(zookeeper.ConnectRequest{TimeoutMs: 1_000_000}).TimeoutMs, int32(10_000))
}

func TestReattach(t *testing.T) { // ZK-2.5
	l := serve(t, Options{})
	p := l.connect()
	p.ok(mkFlags("/e", zookeeper.FlagEphemeral))
	p.Close()
	l.await("the server to see the end", func() bool { return l.conns() == 0 })
	q := l.dial()
	expect(t, q.greet(p.again()).SessionID, p.session.SessionID)
	expect(t, q.ok(get("/e")).Stat.EphemeralOwner, p.session.SessionID)

	// Attaching once more closes the older connection without a message.
	r := l.dial()
	expect(t, r.greet(p.again()).SessionID, p.session.SessionID)
	q.ends()
	r.ok(get("/e"))

	// A connect request with a wrong password also closes the older connection, and is refused.
	wrong := p.again()
	wrong.Password, wrong.HasReadOnly = make([]byte, 16), true
	refused := l.dial()
	expect(t, refused.greet(wrong), zookeeper.ConnectResponse{HasReadOnly: true})
	refused.ends()
	r.ends()
	last := l.dial()
	expect(t, last.greet(p.again()).SessionID, p.session.SessionID)
}

func TestClientAheadIsClosedWithoutAnswer(t *testing.T) { // ZK-2.4
	l := serve(t, Options{})
	p := l.dial()
	p.bytes(AppendConnectRequest(nil, &zookeeper.ConnectRequest{LastZxidSeen: 1}))
	p.ends()
}

func TestExpiryClosesTheIdleConnection(t *testing.T) { // ZK-3.1, ZK-3.4
	l := serve(t, Options{})
	watcher := l.connect()
	p := l.dial()
	expect(t, p.greet(zookeeper.ConnectRequest{TimeoutMs: 4_000}).TimeoutMs, int32(4_000))
	p.ok(mkFlags("/e", zookeeper.FlagEphemeral))
	watcher.ok(zookeeper.Request{Op: zookeeper.OpExists, Path: "/e", Watch: true})
	l.advance(5_999)
	watcher.ok(get("/e"))
	l.advance(1)
	p.ends()
	expect(t, watcher.event(), zookeeper.Event{Type: 2, Path: "/e", Zxid: -1})
	q := l.dial()
	expect(t, q.greet(p.again()), zookeeper.ConnectResponse{})
	q.ends()
}

func TestWallClockExpiresSessions(t *testing.T) {
	l := serve(t, Options{Speed: 200})
	p := l.dial()
	p.greet(zookeeper.ConnectRequest{TimeoutMs: 4_000})
	p.ends() // the server ends the connection 20 to 30 ms later
}

func TestWatchesComeBeforeTheReply(t *testing.T) { // ZK-7.3, ZK-7.4
	l := serve(t, Options{})
	p, other := l.connect(), l.connect()
	for _, c := range []*peer{p, other} {
		c.do(zookeeper.Request{Op: zookeeper.OpExists, Path: "/a", Watch: true})
		c.ok(zookeeper.Request{Op: zookeeper.OpGetChildren, Path: "/", Watch: true})
	}
	p.send(mk("/a"))
	created := zookeeper.Event{Type: 1, Path: "/a", Zxid: -1}
	children := zookeeper.Event{Type: 4, Path: "/", Zxid: -1}
	expect(t, p.event(), created)
	expect(t, p.event(), children)
	expect(t, p.reply(zookeeper.OpCreate).Path, "/a")
	expect(t, other.event(), created)
	expect(t, other.event(), children)

	p.ok(zookeeper.Request{Op: zookeeper.OpAddWatch, Path: "/", Mode: zookeeper.ModePersistentRecursive})
	other.ok(set("/a", "1"))
	other.ok(set("/a", "2"))
	expect(t, p.event().Type, env.EventType(3))
	expect(t, p.event().Type, env.EventType(3))
}

func TestWatchesBelongToTheConnection(t *testing.T) { // ZK-3.6, ZK-7.5
	l := serve(t, Options{})
	p, other := l.connect(), l.connect()
	zxid := p.ok(mk("/a")).Zxid
	p.ok(zookeeper.Request{Op: zookeeper.OpGetData, Path: "/a", Watch: true})
	q := l.dial()
	q.greet(p.again())
	other.ok(set("/a", "1"))
	q.ok(get("/a")) // no event comes before this reply
	q.send(zookeeper.Request{Op: zookeeper.OpSetWatches, Xid: zookeeper.XidSetWatches, Watches: &zookeeper.WatchLists{
		RelativeZxid: zxid, Data: []string{"/a", "/gone"}, Exist: []string{"/a"}, Child: []string{"/"},
	}})
	expect(t, q.event(), zookeeper.Event{Type: 3, Path: "/a", Zxid: -1})
	expect(t, q.event(), zookeeper.Event{Type: 2, Path: "/gone", Zxid: -1})
	expect(t, q.event(), zookeeper.Event{Type: 1, Path: "/a", Zxid: -1})
	expect(t, q.reply(zookeeper.OpSetWatches).Xid, zookeeper.XidSetWatches)
}

func TestPipelinedRequestsAreAnsweredInOrder(t *testing.T) { // ZK-1.5
	l := serve(t, Options{Limits: Limits{Outstanding: 10}})
	p := l.connect()
	const n = 1000
	reqs := []zookeeper.Request{mk("/n")}
	for range n {
		reqs = append(reqs, set("/n", "x"), get("/n"))
	}
	p.send(reqs...)
	p.reply(zookeeper.OpCreate)
	for i := range n {
		expect(t, p.reply(zookeeper.OpSetData).Stat.Version, int32(i+1))
		r := p.reply(zookeeper.OpGetData)
		expect(t, r.Stat.Version, int32(i+1))
		expect(t, r.Xid, int32(2*i+3))
	}
}

func TestFrameLimits(t *testing.T) { // ZK-1.6, ZK-2.9, ZK-13.22, ZK-13.23
	l := serve(t, Options{})
	p := l.connect()
	// Beside its data, the request to set "/n" has 8 bytes of header and 6 of path. The length of
	// the data and the version take 4 each.
	largest := make([]byte, MaxFrame-22)
	p.ok(mk("/n"))
	p.ok(zookeeper.Request{Op: zookeeper.OpSetData, Path: "/n", Version: -1, Data: largest})
	expect(t, len(p.ok(get("/n")).Data), len(largest))
	for _, c := range []struct{ name, length string }{
		{"too long", "00100000"}, {"zero", "00000000"}, {"negative", "ffffffff"}, {"a word that comes late", "72756f6b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := l.connect()
			q.bytes(unhex(t, c.length))
			q.ends()
			first := l.dial()
			if c.name != "a word that comes late" {
				first.bytes(unhex(t, c.length))
				first.ends()
			}
		})
	}
	p.ok(get("/n"))
}

func TestUnknownOpcodeIsAnsweredAndClosed(t *testing.T) { // ZK-1.6
	l := serve(t, Options{})
	p := l.connect()
	p.send(zookeeper.Request{Op: 77}, get("/"))
	r := p.reply(77)
	expect(t, r.Err, zookeeper.Code(-6))
	expect(t, r.Zxid, int64(-1))
	p.ends()
}

func TestMalformedBodies(t *testing.T) { // ZK-1.6
	l := serve(t, Options{})
	p := l.connect()
	p.bytes(unhex(t, "0000000c 00000007 00000001 7fffffff")) // a create
	r := p.reply(zookeeper.OpCreate)
	expect(t, r.Err, zookeeper.Code(-5))
	expect(t, r.Zxid, int64(2)) // burnt (ZK-4.1)
	p.bytes(unhex(t, "00000006 00000007 0000"))
	p.ends()
}

func TestRequestsBeforeABrokenOneAreAnswered(t *testing.T) {
	l := serve(t, Options{})
	p := l.connect()
	p.bytes(append(AppendRequest(nil, &zookeeper.Request{Xid: 1, Op: zookeeper.OpSync, Path: "/"}), unhex(t, "00000000")...))
	expect(t, p.reply(zookeeper.OpSync).Path, "/")
	p.ends()
}

func TestRequestsAfterShuttingDownAreAnswered(t *testing.T) {
	l := serve(t, Options{})
	p := l.connect()
	p.send(mk("/a"), get("/a"))
	p.Conn.(interface{ CloseWrite() error }).CloseWrite()
	p.reply(zookeeper.OpCreate)
	p.reply(zookeeper.OpGetData)
	p.ends()
}

func TestAddressIsAnIdentity(t *testing.T) { // ZK-1.8
	l := serve(t, Options{})
	p := l.connect()
	p.ok(zookeeper.Request{Op: zookeeper.OpAuth, Xid: zookeeper.XidAuth, Scheme: "digest", Data: []byte("u:p")})
	expect(t, p.ok(zookeeper.Request{Op: zookeeper.OpWhoAmI}).Clients,
		[]zookeeper.ClientInfo{{Scheme: "ip", User: "127.0.0.1"}, {Scheme: "digest", User: "u"}})
	r := p.do(zookeeper.Request{Op: zookeeper.OpAuth, Xid: zookeeper.XidAuth, Scheme: "nothing"})
	expect(t, r.Err, zookeeper.Code(-115))
	p.ends()
}

func TestCloseEndsConnectionsAndKeepsAnswers(t *testing.T) {
	l := serve(t, Options{})
	p := l.connect()
	p.ok(mk("/a"))
	idle := l.dial()
	if err := l.s.Close(); err != nil {
		t.Fatal(err)
	}
	p.ends()
	idle.ends()
	snapshot, _ := l.s.Snapshot()
	again := serve(t, Options{Snapshot: snapshot})
	q := again.dial()
	expect(t, q.greet(p.again()).SessionID, p.session.SessionID)
	q.ok(get("/a"))
}

func TestWriteLog(t *testing.T) {
	var log strings.Builder
	l := serve(t, Options{WriteLog: &log})
	p := l.connect()
	l.nowMs.Add(1_250)
	p.ok(mk("/a", []byte(`{"k": 1}`)...))
	p.ok(zookeeper.Request{Op: zookeeper.OpCreate, Path: "/s-", Data: []byte("text"), ACL: openACL, Flags: 3})
	p.do(mk("/a", 0xff))
	p.ok(del("/a"))
	p.ok(zookeeper.Request{Op: zookeeper.OpCloseSession})
	p.ends()
	l.s.Close()
	expect(t, log.String(), `{"at":"0s","pod":"127.0.0.1","op":"zookeeper.createSession","session":1}
{"at":"1.25s","pod":"127.0.0.1","op":"zookeeper.create","path":"/a","data":{"k":1},"session":1}
{"at":"1.25s","pod":"127.0.0.1","op":"zookeeper.create","path":"/s-0000000001","note":"ephemeral","data":"text","session":1}
{"at":"1.25s","pod":"127.0.0.1","op":"zookeeper.create","path":"/a","note":"NodeExistsError","data_base64":"/w==","session":1}
{"at":"1.25s","pod":"127.0.0.1","op":"zookeeper.delete","path":"/a","session":1}
{"at":"1.25s","pod":"127.0.0.1","op":"zookeeper.closeSession","session":1}
{"at":"1.25s","pod":"127.0.0.1","op":"zookeeper.delete","path":"/s-0000000001","note":"with its session","session":1}
`)
}
