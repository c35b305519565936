package node

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// feedLeap computes the reads of a feed without events (a leap.Leaper). What the reads change at
// the server matters only at the next write, and what they change in the process only when one of
// its tasks continues. So they are computed just before a write, or before a task continues. Watch
// events do not interrupt this. When the feed ends is known only approximately: at the earliest
// possible time, a timer checks.
type feedLeap struct {
	v       *feed
	sleeper *leap.Sleeper
	server  *serverConn
	at      *zookeeper.Conn // server's Conn in the machine
	phase   feedPhase
	next    time.Duration // time at which the phase ends
	xid     int32         // xid of the request that is on its way
	limit   int           // number of reads, beginning with the present one, up to the first unusual znode, when count last looked
	look    vtime.Timer

	// data, stat and zxid are the server's answer to the present read.
	data []byte
	stat zookeeper.Stat
	zxid int64
}

type feedPhase uint8

const (
	feedThinks feedPhase = iota
	feedAsks             // the request is on its way to the server
	feedHears            // the answer is on its way back
)

// mostAhead limits how many of the coming reads are counted at a time.
const mostAhead = 256

// worthLeaping is the smallest number of coming reads for which a feed or a survey goes without
// events. When fewer than leastAhead are left, they get events again.
const (
	worthLeaping = 6
	leastAhead   = 4
)

func (l *feedLeap) init(v *feed) {
	l.v = v
	l.sleeper = leap.NewSleeper(v.s.p, v.loop, l)
	l.sleeper.KeepsCause, l.sleeper.Tolerant, l.sleeper.Mutates = true, true, true
	l.sleeper.Valid = func() bool { return v.of.Ready() }
}

// begin makes the reads have no events, beginning with the present one. It returns false, without
// effect, if the network or the server does not allow it.
func (l *feedLeap) begin() bool {
	s := l.v.s
	if s.history != nil || !s.open || s.p.Dead() || !s.host.Network().World().Leaps() || s.life.Refuse() != nil {
		return false
	}
	server := l.v.look()
	if server == nil || s.conn.MinLatency()+server.conn.MinLatency() <= 0 || l.v.odd(l.v.path) {
		return false
	}
	if l.count(); l.limit < worthLeaping || !l.v.of.Ready() {
		return false
	}
	at := server.s.machine.Conn(server.id)
	if at == nil || !s.idle.joins() || !s.conn.Join(l.sleeper) {
		return false
	}
	l.server, l.at = server, at
	server.s.feeds = append(server.s.feeds, l.v)
	l.think(l.v.now())
	l.sleeper.Sleep()
	l.lookOut()
	return true
}

// count counts the reads, beginning with the present one, up to the first znode that may be unusual
// or missing.
func (l *feedLeap) count() { l.limit = 1 + l.v.of.Ahead(mostAhead, l.v.anyOdd()) }

// lookOut sets the timer that checks whether the end is near. It fires before the answer to the
// last but one of the counted reads can arrive.
func (l *feedLeap) lookOut() {
	s := l.v.s
	to, from := s.conn.MinLatency(), l.server.conn.MinLatency()
	at := l.next + time.Duration(l.limit-leastAhead/2)*(to+from)
	switch l.phase {
	case feedThinks:
		at += to + from
	case feedAsks:
		at += from
	}
	l.look = l.v.loop.CheckAt(s.p, at, l)
}

// Handle is called by the engine when the timer fires. If the end is near, reads get events again.
func (l *feedLeap) Handle(uint64) {
	l.sleeper.CatchUp()
	if l.count(); l.limit < leastAhead {
		l.sleeper.Wake()
		return
	}
	l.lookOut()
}

// think begins the present read at a virtual time, with the time that the program takes before it
// sends the request.
func (l *feedLeap) think(at time.Duration) {
	if l.v.s.callTime == nil {
		l.ask(at)
		return
	}
	l.phase, l.next = feedThinks, at+l.v.s.callTime()
}

// ask sends the present request at the virtual time at.
func (l *feedLeap) ask(at time.Duration) {
	s := l.v.s
	s.xid++
	l.xid = s.xid
	s.idle.touchedAt(at)
	l.phase, l.next = feedAsks, s.conn.SendsAt(at, requestBytes(l.v.path))
}

// Next returns the time at which the present phase ends, and which step of the loop ends it.
func (l *feedLeap) Next() (time.Duration, int) {
	switch l.phase {
	case feedAsks:
		return l.next, network.PartRequest
	case feedHears:
		return l.next, network.PartAnswer
	}
	return l.next, partThink
}

// Leap computes what happens before the bound.
func (l *feedLeap) Leap(b vtime.Bound) {
	for at, part := l.Next(); b.Allows(l.v.loop, at, part); at, part = l.Next() {
		l.v.loop.Did(at)
		switch l.phase {
		case feedThinks:
			l.ask(at)
		case feedAsks:
			l.serve(at)
		case feedHears:
			l.hear(at)
		}
	}
}

// serve handles a request at the server, at the virtual time at.
func (l *feedLeap) serve(at time.Duration) {
	c, path := l.server, l.v.path
	c.conn.Takes(requestBytes(path))
	var ok bool
	l.data, l.stat, ok = c.s.machine.LeaptRead(l.at, path, at.Milliseconds())
	if !ok {
		panic("zookeeper: a read of " + path + " was leapt over that nobody could make")
	}
	l.zxid = c.s.zxidThen(at)
	bytes := emptyReplyBytes + len(l.data)
	if t := c.s.traffic; t != nil {
		r := zookeeper.Request{Op: zookeeper.OpGetData, Path: path}
		t.leapt(c.asks.of(t, c.client, &r), at, 1, 4+frameBytes(&r), 4+bytes)
	}
	l.phase, l.next = feedHears, c.conn.SendsAt(at, bytes)
}

// hear handles an answer at the client, and begins the next read.
func (l *feedLeap) hear(at time.Duration) {
	v := l.v
	s := v.s
	s.conn.Takes(emptyReplyBytes + len(l.data))
	s.idle.touchedAt(at)
	s.lastZxid = l.zxid
	if !s.life.Stopped() {
		s.life.Watches.AddData(v.path, v.watch)
	}
	v.stat = l.stat
	v.s.p.Ran()
	v.of.Take(l.data, &v.stat)
	if !v.next() {
		panic("zookeeper: a feed has leapt over its end")
	}
	l.think(at)
}

// Resume schedules an event for the next step. From then on the reads have events.
func (l *feedLeap) Resume() {
	v := l.v
	s := v.s
	l.look.Cancel()
	of := l.server.s
	i := slices.Index(of.feeds, v)
	of.feeds = slices.Delete(of.feeds, i, i+1)
	s.conn.Leave(l.sleeper)
	if l.phase == feedThinks {
		v.thinkUntil(l.next)
		return
	}
	c := s.newRead(zookeeper.OpGetData, v.path, v.watch)
	c.request.Xid, c.request.loop, c.feed = l.xid, v.loop, v
	s.pending.insert(c)
	v.asking = true
	if l.phase == feedAsks {
		s.conn.Resume(v.loop, &c.request, requestBytes(v.path), l.next)
		return
	}
	c.reply = zookeeper.Reply{Op: zookeeper.OpGetData, Xid: l.xid, Zxid: l.zxid, Data: l.data, Stat: l.stat}
	l.server.conn.Resume(v.loop, &c.reply, replySizeBytes(&c.reply), l.next)
}

var _ leap.Leaper = (*feedLeap)(nil)
