package zookeeper

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/monosim/monosim/sim/zookeeper/expiring"
)

// Goal: sessions expire exactly on a tick (ZK-3.1). Method: the test moves the clock by hand, with
// ticks of 2 s.

func TestDeadlineIsTheNextGridInstantAfterTheTimeout(t *testing.T) { // ZK-3.1
	e := expiry{sets: expiring.NewSets(2_000)}
	for _, c := range []struct {
		name    string
		t, want int64
	}{
		{"between instants", 4_500, 6_000},
		{"exact multiple moves on", 4_000, 6_000},
		{"just before", 3_999, 4_000},
		{"start", 0, 2_000},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, e.deadline(c.t), c.want) })
	}
}

// session4 connects with the shortest allowed session timeout, which is 4 s.
func (l *lab) session4() ConnID {
	id, _ := l.dial(ConnectRequest{TimeoutMs: 4_000})
	return id
}

func TestSilentSessionExpiresAtTheGridInstant(t *testing.T) { // ZK-3.1, ZK-3.4, ZK-22.7
	l := newLab(t, Config{})
	l.advance(500)
	l.session4()
	atMs, ok := l.m.NextExpiryMs()
	expect(t, atMs, int64(6_000))
	expect(t, ok, true)
	expect(t, l.advance(5_499), []string{})
	expect(t, l.advance(1), []string{"1 close"})
	_, ok = l.m.NextExpiryMs()
	expect(t, ok, false)
	expect(t, l.m.Counters().SessionsExpired, uint64(1))
}

func TestSessionsOfOneBucketDieTogether(t *testing.T) { // ZK-3.1, ZK-13.13
	l := newLab(t, Config{})
	l.session4()
	l.advance(1_999)
	l.session4()
	l.advance(1)
	l.session4()
	expect(t, l.advance(4_000), []string{"1 close", "2 close"})
	expect(t, l.advance(2_000), []string{"3 close"})
}

func TestWhatKeepsASessionAlive(t *testing.T) { // ZK-3.2, ZK-13.14
	for _, op := range append(OpCodes(), 77) {
		if op == OpCloseSession {
			continue
		}
		t.Run(op.String(), func(t *testing.T) {
			l := newLab(t, Config{})
			c := l.session4()
			l.advance(3_000)
			l.do(c, Request{Op: op, Path: "/nowhere", Scheme: "digest", Data: []byte("u:p"), TimeoutMs: 4_000})
			want := int64(8_000)
			if op == OpAuth || op == OpSASL {
				want = 6_000
			}
			expect(t, l.m.Sessions()[0].DeadlineMs, want)
		})
	}
}

func TestASessionThatOnlyAuthenticatesExpires(t *testing.T) { // ZK-3.2
	l := newLab(t, Config{})
	c := l.session4()
	for range 11 {
		expect(t, l.advance(500), []string{})
		l.do(c, Request{Op: OpAuth, Scheme: "digest", Data: []byte("u:p")})
		l.do(c, Request{Op: OpSASL, Data: []byte("token")})
	}
	expect(t, l.advance(500), []string{"1 close"})
}

func TestExpiryDeletesEphemeralsInOneTransaction(t *testing.T) { // ZK-3.5
	l := newLab(t, Config{})
	owner, watcher := l.session4(), l.connect()
	l.must(owner, mkFlags("/e0", FlagEphemeral))
	l.must(owner, mkFlags("/e1", FlagEphemeral))
	l.must(watcher, watchOn(OpGetData, "/e0"))
	l.must(watcher, watchOn(OpGetChildren, "/"))
	l.must(owner, watchOn(OpGetData, "/e0"))
	before := l.m.Zxid()
	expect(t, l.advance(6_000), []string{"1 close", "2 event DELETED /e0", "2 event CHILD /"})
	expect(t, l.m.Zxid(), before+1)
	expect(t, l.m.Children("/"), []string{"zookeeper"})
}

func TestExpiryComesBeforeARequestOfTheSameInstant(t *testing.T) {
	l := newLab(t, Config{})
	c := l.session4()
	l.nowMs = 6_000
	expect(t, l.do(c, Request{Op: OpPing}), []string{"1 close"})
}

func TestReattachAfterExpiryIsRefused(t *testing.T) { // ZK-3.4
	l := newLab(t, Config{})
	l.session4()
	id := l.m.Sessions()[0].ID
	l.advance(6_000)
	_, said := l.dial(reattach(id, 4_000))
	expect(t, said, []string{"2 refused", "2 close"})
}

func TestShorterTimeoutAfterReattachCountsAtOnce(t *testing.T) { // ZK-2.5
	l := newLab(t, Config{})
	l.dial(ConnectRequest{TimeoutMs: 40_000})
	l.dial(reattach(l.m.Sessions()[0].ID, 4_000))
	expect(t, l.advance(5_999), []string{})
	expect(t, l.advance(1), []string{"2 close"})
	expect(t, l.advance(60_000), []string{})
}

func TestTimeoutGoingDownAndUpAgainExpiresOnce(t *testing.T) {
	l := newLab(t, Config{})
	l.dial(ConnectRequest{TimeoutMs: 20_000})
	id := l.m.Sessions()[0].ID
	l.dial(reattach(id, 4_000))
	l.dial(reattach(id, 20_000))
	l.advance(7_000) // at 6 s the bucket comes due, and the session is filed again under 22 s
	expect(t, l.advance(14_999), []string{})
	expect(t, l.advance(1), []string{"3 close"})
	expect(t, l.m.Counters().SessionsExpired, uint64(1))
}

func TestLateTickCatchesUpInOrder(t *testing.T) {
	l := newLab(t, Config{})
	long, _ := l.dial(ConnectRequest{TimeoutMs: 8_000})
	l.session4()
	l.must(long, mkFlags("/long", FlagEphemeral))
	expect(t, l.advance(100_000), []string{"2 close", "1 close"})
}

func TestClockGoingBackwardsStandsStill(t *testing.T) {
	l := newLab(t, Config{})
	l.advance(5_000)
	l.m.Tick(1_000)
	expect(t, l.m.NowMs(), int64(5_000))
}

func TestKilledSessionEndsAtOnce(t *testing.T) {
	l := newLab(t, Config{})
	c, watcher := l.connect(), l.connect()
	l.must(c, mkFlags("/e", FlagEphemeral))
	l.must(watcher, watchOn(OpGetData, "/e"))
	id := l.m.Sessions()[0].ID
	l.m.KillSession(l.nowMs, id)
	expect(t, l.said(), []string{"1 close", "2 event DELETED /e"})
	l.m.KillSession(l.nowMs, id)
	expect(t, l.said(), []string{})
	expect(t, l.m.Counters().SessionsExpired, uint64(1))
}

// Goal: each session with a timeout of 4 s expires exactly at the tick that follows from its last
// packet, whatever the other sessions do. Method: random packets, and steps of 1 ms around every
// tick.
func TestSessionsOf4sExpireExactlyOnTheGrid(t *testing.T) { // ZK-3.1, ZK-22.7
	rapid.Check(t, func(rt *rapid.T) {
		l := newLab(t, Config{})
		last := map[ConnID]int64{}
		for range rapid.IntRange(1, 30).Draw(rt, "packets") {
			l.nowMs += rapid.Int64Range(0, 1_500).Draw(rt, "pause")
			if n := len(last); n == 0 || rapid.Bool().Draw(rt, "new") {
				last[l.session4()] = l.nowMs
			} else if c := ConnID(rapid.IntRange(1, n).Draw(rt, "connection")); l.m.Connected(c) {
				l.m.Handle(l.nowMs, c, &Request{Op: OpPing})
				if l.m.Drain(); l.m.Connected(c) {
					last[c] = l.nowMs
				}
			}
		}
		for ; len(l.m.Sessions()) > 0; l.nowMs++ {
			before := l.m.Sessions()
			l.m.Tick(l.nowMs)
			l.m.Drain()
			for _, s := range before {
				due := ((last[s.Conn]+4_000)/2_000 + 1) * 2_000
				if alive := l.m.Connected(s.Conn); alive != (l.nowMs < due) {
					rt.Fatalf("at %d ms: connection %d alive %t, last heard of at %d ms, want its end at %d ms", l.nowMs, s.Conn, alive, last[s.Conn], due)
				}
			}
		}
	})
}

func TestSetsOfSessionsStayUntilTheirTime(t *testing.T) { // ZK-3.1
	l := newLab(t, Config{})
	c := l.session4()
	l.advance(2_000)
	l.reply(c, Request{Op: OpPing, Xid: XidPing})
	l.advance(1_999)
	l.reply(c, Request{Op: OpPing, Xid: XidPing})
	expect(t, l.m.ExpirySets(), []int64{6_000, 8_000})
	l.advance(2_001)
	l.reply(c, Request{Op: OpPing, Xid: XidPing})
	expect(t, l.m.ExpirySets(), []int64{8_000, 12_000})
	l.reply(c, Request{Op: OpCloseSession})
	expect(t, l.m.ExpirySets(), []int64{8_000, 12_000})
	l.advance(6_000)
	expect(t, l.m.ExpirySets(), []int64{})
}

// Goal: a server remembers that a session had an ephemeral until the session ends, but a failed
// multi leaves no trace (DataTree.java, ephemerals).
func TestSessionWhoseEphemeralsAreGone(t *testing.T) {
	l := newLab(t, Config{})
	c := l.connect()
	l.reply(c, multi(mkFlags("/e", FlagEphemeral), mkFlags("/f", FlagEphemeral), del("/none")))
	expect(t, l.m.Sessions()[0].Ephemerals, []string(nil))
	l.must(c, mkFlags("/e", FlagEphemeral))
	l.must(c, del("/e"))
	expect(t, l.m.Sessions()[0].Ephemerals, []string{})
}
