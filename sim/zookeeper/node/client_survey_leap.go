package node

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// surveyLeap is the sleep of a survey (leap.Sleeper). While the contents that it reads stay
// as they are, and nobody else uses the connection, there is nothing to its messages but
// their instants: they are gone through at one go when somebody looks or touches. When its
// end comes can be told from below only: there, it is looked at.
type surveyLeap struct {
	v        *survey
	sleeper  *leap.Sleeper
	server   *serverConn
	at       *zookeeper.Conn // the machine's side of server
	below    *contentsBelow
	limit    int // how many reads from that of the moment on bring nothing odd, when it was last counted
	look     vtime.Timer
	exchange network.Exchange
	served   time.Duration // when the last request came in
	xid      int32         // of what is on its way
	flows    flows         // what the server counts its requests by, from the first leap on
}

// worthLeaping is how many reads are to come at the least before a survey falls asleep, and
// leastAhead after which fewest it wakes up.
const (
	worthLeaping = 6
	leastAhead   = 4
)

func (l *surveyLeap) init(v *survey) {
	l.v = v
	l.sleeper = leap.NewSleeper(v.s.p, v.loop, l)
	l.sleeper.KeepsCause = true
}

// end is the end of the survey.
func (l *surveyLeap) end() { l.sleeper.Wake() }

// begin asks for the present path, and falls asleep. It reports false, and has not asked,
// when the network or the server do not let it.
func (l *surveyLeap) begin() bool {
	v := l.v
	s := v.s
	w := s.host.Network().World()
	if s.history != nil || !s.open || s.p.Dead() || !w.Leaps() {
		return false
	}
	server := s.leader()
	if server == nil || s.conn.MinLatency()+server.conn.MinLatency() <= 0 {
		return false
	}
	at := server.s.machine.Conn(server.id)
	if at == nil || v.reads.parent == "" {
		return false
	}
	l.server, l.at = server, at
	if l.count(); l.limit < worthLeaping || !s.idle.joins() || !s.conn.Join(l.sleeper) {
		return false
	}
	l.agree()
	l.below = server.s.contentsBelow(v.reads.parent)
	l.below.surveys = append(l.below.surveys, v)
	v.asking = true
	l.ask(w.Now())
	l.sleeper.Sleep()
	l.lookOut()
	return true
}

// count counts the reads up to the first odd one.
func (l *surveyLeap) count() {
	v := l.v
	blocks := v.names.Blocks()
	l.limit = -v.i
	for at, r := v.block, v.reads; ; r = readsOf(blocks[at], v.of) {
		if r.parent != v.reads.parent {
			return
		}
		from := 0
		if at == v.block {
			from = v.i
		}
		odd := r.look(l.server, v.of).firstOdd(from)
		l.limit += odd
		if at++; odd < r.n || r.odd != nil || at == len(blocks) {
			return
		}
	}
}

// agree has what was read of the block so far be as seen now, or the survey's own.
func (l *surveyLeap) agree() {
	v := l.v
	now := v.reads.now
	switch {
	case v.own != nil || v.seen == now:
	case slices.Equal(v.seen.contents[:v.i], now.contents[:v.i]):
		v.seen = now
	default:
		v.disagree()
	}
}

// lookOut sets the time at which to look whether the end is near.
func (l *surveyLeap) lookOut() {
	s := l.v.s
	to, from := s.conn.MinLatency(), l.server.conn.MinLatency()
	at, _ := l.exchange.Next()
	at += time.Duration(l.limit-leastAhead/2) * (to + from)
	if l.exchange.Answers() {
		at -= from
	}
	l.look = l.v.loop.CheckAt(s.p, at, l)
}

// Handle looks whether the end is near. The engine calls it.
func (l *surveyLeap) Handle(uint64) {
	l.sleeper.CatchUp()
	if l.count(); l.limit < leastAhead {
		l.sleeper.Wake()
		return
	}
	l.lookOut()
}

// ask sends the present request at an instant.
func (l *surveyLeap) ask(at time.Duration) {
	v := l.v
	v.s.xid++
	l.xid = v.s.xid
	l.exchange.Begin(v.s.conn, v.loop, at)
	l.exchange.Count(network.Bytes{Messages: 1, Bytes: v.reads.asked(v.i, v.i+1)}, network.Bytes{}, network.Bytes{}, network.Bytes{})
	v.s.idle.touchedAt(at)
}

// Next is the next arrival.
func (l *surveyLeap) Next() (time.Duration, int) { return l.exchange.Next() }

// Leap makes the steps that come before the bound, block by block.
func (l *surveyLeap) Leap(b vtime.Bound) {
	v := l.v
	for {
		served, many, until := v.i, v.reads.n-v.i, network.Forever
		if l.exchange.Answers() {
			served++
		}
		if l.server.s.traffic != nil { // which counts them by the second, and by class
			at, _ := l.exchange.Next()
			until = at.Truncate(time.Second) + time.Second
			if v.reads.classes {
				many = 1
			}
		}
		leapt := l.exchange.Leap(b, until, many)
		l.add(served, &leapt, leapt.Answered == many)
		if leapt.Answered == many {
			if v.i == v.reads.n {
				l.enter()
			}
			l.ask(leapt.LastAnswered)
		}
		if at, part := l.exchange.Next(); !b.Allows(v.loop, at, part) {
			return
		}
	}
}

// add counts what a leap within a block has brought before which the requests before served
// had come in; stopped says that the last answer has not led to a request.
func (l *surveyLeap) add(served int, n *network.Leapt, stopped bool) {
	if n.Served+n.Answered == 0 {
		return
	}
	v := l.v
	s, from := v.s, v.i
	v.i += n.Answered
	sent := n.Answered
	if stopped {
		sent--
	}
	r, last := v.reads, served+n.Served
	in := network.Bytes{Messages: n.Served, Bytes: r.asked(served, last)}
	out := network.Bytes{Messages: n.Served, Bytes: r.answered(served, last)}
	l.exchange.Count(network.Bytes{Messages: sent, Bytes: r.asked(from+1, from+1+sent)}, in, out,
		network.Bytes{Messages: n.Answered, Bytes: r.answered(from, v.i)})
	if n.Answered > 0 {
		s.idle.touchedAt(n.LastAnswered)
		s.xid += int32(sent)
		l.xid = s.xid
		request := n.ItsRequest
		if request == 0 {
			request = l.served
		}
		if zxid, ok := l.server.s.zxidAt(request); ok && zxid > 0 {
			s.lastZxid = zxid
		}
	}
	if n.Served == 0 {
		return
	}
	l.served = n.LastServed
	l.server.s.machine.Leapt(l.at, zookeeper.OpGetData, n.Served, n.LastServed.Milliseconds())
	if t := l.server.s.traffic; t != nil {
		if l.flows.of != t || r.classes {
			l.flows = t.flowsOf(l.server.client, zookeeper.OpGetData, r.path(served))
		}
		more := 4 + frameBytes(&zookeeper.Request{Op: zookeeper.OpGetData}) - requestBytes("")
		t.leapt(l.flows, n.LastServed, n.Served, in.Bytes+n.Served*more, out.Bytes+n.Served*4)
	}
}

// enter goes on to the next block.
func (l *surveyLeap) enter() {
	v := l.v
	if v.own != nil {
		v.catchUp(v.reads.now)
	}
	if !v.enter() {
		panic("zookeeper: a survey has leapt over its end")
	}
}

// Resume makes the request, or the answer, one that is on its way.
func (l *surveyLeap) Resume() {
	v := l.v
	s := v.s
	l.look.Cancel()
	i := slices.Index(l.below.surveys, v)
	l.below.surveys = slices.Delete(l.below.surveys, i, i+1)
	s.conn.Leave(l.sleeper)
	if v.own != nil {
		v.catchUp(v.reads.now)
	}
	c := s.newRead(zookeeper.OpGetData, v.reads.path(v.i), nil)
	c.request.Xid, c.request.loop, c.survey = l.xid, v.loop, v
	s.pending.insert(c)
	if !l.exchange.Answers() {
		l.exchange.Resume(&c.request, requestBytes(c.request.Path))
		return
	}
	zxid, _ := l.server.s.zxidAt(l.served)
	c.reply = zookeeper.Reply{Op: zookeeper.OpGetData, Xid: l.xid, Zxid: zxid, Data: v.reads.now.contents[v.i].data()}
	l.exchange.Resume(&c.reply, replySizeBytes(&c.reply))
}

var _ leap.Leaper = (*surveyLeap)(nil)
