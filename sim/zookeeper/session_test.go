package zookeeper

import (
	"encoding/hex"
	"testing"
)

// Goal: sessions and connections follow ZK-2. Method: the tests connect to one machine by hand and
// compare the outbox as text.

func TestConnectClampsTheTimeout(t *testing.T) { // ZK-2.6, ZK-13.13
	for _, c := range []struct {
		name string
		ask  int32
		want int32
	}{
		{"below the minimum", 1, 4_000},
		{"in range", 10_000, 10_000},
		{"above the maximum", 1_000_000, 40_000},
		{"negative", -5, 4_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := New(Config{}, 0)
			m.Connect(0, 1, &ConnectRequest{TimeoutMs: c.ask})
			expect(t, m.Drain()[0].Connected.TimeoutMs, c.want)
		})
	}
}

func TestConnectEchoesWhetherReadOnlyWasSent(t *testing.T) { // ZK-2.2, ZK-13.16
	for _, readOnly := range []bool{true, false} {
		m := New(Config{}, 0)
		m.Connect(0, 1, &ConnectRequest{TimeoutMs: 10_000, HasReadOnly: readOnly})
		expect(t, m.Drain()[0].Connected.HasReadOnly, readOnly)
		m.Connect(0, 2, &ConnectRequest{TimeoutMs: 10_000, HasReadOnly: readOnly, SessionID: 99})
		expect(t, m.Drain()[0].Connected, ConnectResponse{HasReadOnly: readOnly})
	}
}

func TestSessionIDStartsFromClockAndServerID(t *testing.T) { // ZK-2.8
	m := New(Config{ServerID: 3}, 0x5fd99)
	m.Connect(0x5fd99, 1, &ConnectRequest{})
	m.Connect(0x5fd99, 2, &ConnectRequest{})
	out := m.Drain()
	expect(t, out[0].Connected.SessionID, int64(0x0300_0005_fd99_0000))
	expect(t, out[1].Connected.SessionID, int64(0x0300_0005_fd99_0001))
}

func TestPasswordIsThatOfTheRealServer(t *testing.T) { // ZK-2.2's example
	p := Password(0x0100005fd9900000)
	expect(t, hex.EncodeToString(p[:]), "429641f9a777599bf0c78c4ec80975f4")
}

func TestConnectAndCloseTakeAZxidEach(t *testing.T) { // ZK-4.1
	l := newLab(t, Config{})
	c := l.connect()
	expect(t, l.m.Zxid(), int64(1))
	expect(t, l.do(c, Request{Op: OpCloseSession}), []string{"1 closeSession OK zxid=2", "1 close"})
}

func TestUnknownSessionIsRefusedWithZeros(t *testing.T) { // ZK-2.3
	l := newLab(t, Config{})
	_, said := l.dial(ConnectRequest{TimeoutMs: 10_000, SessionID: 42, Password: make([]byte, 16)})
	expect(t, said, []string{"1 refused", "1 close"})
	expect(t, l.m.Connected(1), false)
	expect(t, l.m.Zxid(), int64(0))
}

func TestClientAheadIsClosedWithoutResponse(t *testing.T) { // ZK-2.4
	l := newLab(t, Config{})
	_, said := l.dial(ConnectRequest{TimeoutMs: 10_000, LastZxidSeen: 1})
	expect(t, said, []string{"1 close"})
}

// reattach returns a connect request for a session, with the right password.
func reattach(id int64, timeoutMs int32) ConnectRequest {
	p := Password(id)
	return ConnectRequest{TimeoutMs: timeoutMs, SessionID: id, Password: p[:]}
}

func TestReattachKeepsTheIDAndClosesTheOlderConnection(t *testing.T) { // ZK-2.5, ZK-13.15
	l := newLab(t, Config{})
	l.connect()
	id := l.m.Sessions()[0].ID
	_, said := l.dial(reattach(id, 6_000))
	expect(t, said, []string{"1 close", "2 connected session=0x100000000000000 timeout=6000"})
	expect(t, l.m.Zxid(), int64(1))
	expect(t, l.do(1, mk("/late")), []string{})
}

func TestWrongPasswordDropsTheRightfulConnectionButNotTheSession(t *testing.T) { // ZK-2.5
	l := newLab(t, Config{})
	l.connect()
	id := l.m.Sessions()[0].ID
	_, said := l.dial(ConnectRequest{TimeoutMs: 10_000, SessionID: id, Password: make([]byte, 16)})
	expect(t, said, []string{"1 close", "2 refused", "2 close"})
	_, said = l.dial(reattach(id, 10_000))
	expect(t, said, []string{"3 connected session=0x100000000000000 timeout=10000"})
}

func TestWrongPasswordDoesNotTouchTheSession(t *testing.T) { // ZK-2.5
	l := newLab(t, Config{})
	l.connect()
	before := l.m.Sessions()[0].DeadlineMs
	l.advance(5_000)
	l.dial(ConnectRequest{TimeoutMs: 10_000, SessionID: l.m.Sessions()[0].ID})
	expect(t, l.m.Sessions()[0].DeadlineMs, before)
}

func TestReattachAfterCloseIsRefused(t *testing.T) { // ZK-2.7
	l := newLab(t, Config{})
	c := l.connect()
	id := l.m.Sessions()[0].ID
	l.do(c, Request{Op: OpCloseSession})
	_, said := l.dial(reattach(id, 10_000))
	expect(t, said, []string{"2 refused", "2 close"})
}

func TestCloseSessionDeletesEphemeralsThenRepliesThenCloses(t *testing.T) { // ZK-2.7, ZK-13.17
	l := newLab(t, Config{})
	owner, watcher := l.connect(), l.connect()
	for _, path := range []string{"/e1", "/e0", "/e2"} {
		l.must(owner, mkFlags(path, FlagEphemeral))
		l.must(watcher, watchOn(OpGetData, path))
	}
	l.must(watcher, watchOn(OpGetChildren, "/"))
	expect(t, l.do(owner, Request{Op: OpCloseSession}), []string{
		"2 event DELETED /e0", "2 event CHILD /", "2 event DELETED /e1", "2 event DELETED /e2",
		"1 closeSession OK zxid=6", "1 close",
	})
	expect(t, l.stat("/").Pzxid, int64(6)) // ZK-4.5
}

func TestDroppedConnectionLeavesSessionAndEphemerals(t *testing.T) { // ZK-3.3, ZK-13.14
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mkFlags("/e", FlagEphemeral))
	l.m.Drop(l.nowMs, c)
	expect(t, l.said(), []string{})
	expect(t, l.m.Children("/"), []string{"e", "zookeeper"})
	expect(t, len(l.m.Sessions()), 1)
}

func TestWatchesDoNotSurviveAReattach(t *testing.T) { // ZK-3.6
	l := newLab(t, Config{})
	c, other := l.connect(), l.connect()
	l.must(c, watchOn(OpGetChildren, "/"))
	l.m.Drop(l.nowMs, c)
	l.dial(reattach(l.m.Sessions()[0].ID, 10_000))
	expect(t, l.do(other, mk("/a")), []string{"2 create OK zxid=3 /a"})
	expect(t, l.m.Watches(), nil)
}

func TestConnectionUsedTwicePanics(t *testing.T) {
	m := New(Config{}, 0)
	m.Connect(0, 1, &ConnectRequest{})
	defer func() { expect(t, recover(), any("zookeeper: connection used twice")) }()
	m.Connect(0, 1, &ConnectRequest{})
}
