package node

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// question records the reads that a loop makes in one turn, with their answers (a leap.Request). It
// is the read of one znode, or of a list of them. The answers stay right until the next write at
// the server. So later turns can make the same reads without events.
type question struct {
	*asker
	op   zookeeper.OpCode
	path string    // path of the znode, if there is only one
	got  *answer   // answer about that single znode
	list *readList // list of znodes; nil if there is only one
	zxid int64     // zxid in all answers; 0 if it differs, as in a [surveyLeap]
	// flows are the traffic counters for the requests, set when the reads are first computed
	// without events. For a list they are the same for all requests, unless mixed is set.
	flows flows
	mixed bool
}

// asker is what all questions of one loop share. They are made one after the other.
type asker struct {
	s       *Session
	loop    *vtime.Loop
	task    *vtime.Task
	conn    *network.Conn
	server  *serverConn
	machine *zookeeper.Machine
	at      *zookeeper.Conn // server's Conn in the machine

	i        int // index in list of the znode that is being read
	exchange network.Exchange
	xid      int32         // xid of the last request sent
	sent     time.Duration // virtual time at which the last request was sent
	served   time.Duration // virtual time at which the last request arrived at the server
	call     *call         // call whose message was on its way when the loop was woken; nil if there was none
}

// answer is what the answer to a read contains.
type answer struct {
	err       zookeeper.Code
	data      []byte
	children  []string
	stat      *zookeeper.Stat // stat of the znode; nil if all its fields are 0
	sizeBytes int
}

func answerOf(r *zookeeper.Reply) *answer {
	a := &answer{err: r.Err, data: r.Data, children: r.Children, sizeBytes: replySizeBytes(r)}
	if r.Stat != (zookeeper.Stat{}) {
		stat := r.Stat
		a.stat = &stat
	}
	return a
}

// reply returns the answer to a question about a single znode, as the client received it.
func (q *question) reply() zookeeper.Reply {
	r := zookeeper.Reply{Op: q.op, Zxid: q.zxid, Err: q.got.err, Data: q.got.data, Children: q.got.children}
	if q.got.stat != nil {
		r.Stat = *q.got.stat
	}
	return r
}

// ask reads one znode in a turn of a loop. If the loop slept for the beginning of the turn, it uses
// the recorded answer.
func (s *Session) ask(t *leap.Turns, c *call) error {
	leap.Think(s.p)
	a, waiting := t.Recall()
	q, _ := a.(*question)
	switch {
	case a != nil && (q == nil || q.list != nil || q.op != c.request.Op || q.path != c.request.Path):
		panic("zookeeper: a turn reads " + c.request.Path + ", and did not before")
	case waiting:
		f := q.call
		q.call = nil
		s.await(f)
		c.reply, c.err, c.answered = f.reply, f.err, f.answered
		if f.answered {
			s.done(f)
		}
	case q != nil:
		c.reply = q.reply()
		return nil
	default:
		if err := s.life.Refuse(); err != nil {
			s.p.Acts()
			return err
		}
		s.put(c)
		s.await(c)
	}
	if c.err != nil || !s.write(t, c.request.Op, c.request.Path, nil, &c.reply) {
		s.p.Acts()
	}
	return c.failure(s)
}

// write records a question with its answer. It returns false if later turns must not skip the read.
func (s *Session) write(t *leap.Turns, op zookeeper.OpCode, path string, list *readList, reply *zookeeper.Reply) bool {
	if s.history != nil || s.conn == nil || !s.open {
		return false
	}
	server, ok := s.conn.PeerReceiver().(*serverConn)
	if !ok || server.follower != nil || server.s.machine == nil || server.s.machine.Zxid() != reply.Zxid {
		return false
	}
	at := server.s.machine.Conn(server.id)
	if at == nil {
		return false
	}
	q, ok := t.Spare().(*question)
	if !ok {
		q = &question{}
	}
	*q = question{asker: s.askerOf(t, server, at), op: op, path: path, list: list, zxid: reply.Zxid}
	if list == nil {
		q.got = answerOf(reply)
	} else {
		q.list = s.calls.one(list)
		q.mixed = list.mixed()
	}
	t.Record(q, &server.s.writes, server.s.writes.Version())
	return true
}

// askerOf returns the asker of a loop. If the connection or the server has changed since, it makes
// a new one.
func (s *Session) askerOf(t *leap.Turns, server *serverConn, at *zookeeper.Conn) *asker {
	if a := s.asker; a == nil || a.loop != &t.Loop || a.conn != s.conn || a.server != server || a.machine != server.s.machine || a.at != at {
		s.asker = &asker{s: s, loop: &t.Loop, task: t.Task(), conn: s.conn, server: server, machine: server.s.machine, at: at}
	}
	return s.asker
}

// Thinks returns true, because a program takes some time before it reads.
func (q *question) Thinks() bool { return true }

// Join makes the connection wake the sleeper before anything else happens on it. It returns false
// if that is not possible, or if the pings on the connection still have events.
func (q *question) Join(sl *leap.Sleeper) bool {
	s := q.s
	return s.idle.forward.sleeper.Asleep() && s.conn == q.conn && s.open && q.server.s.machine == q.machine && q.conn.Join(sl)
}

// Leave ends the effect of Join.
func (q *question) Leave(sl *leap.Sleeper) { q.conn.Leave(sl) }

// Begin sends the first request of the question at the virtual time at.
func (q *question) Begin(at time.Duration) { q.begin(0, at) }

// begin sends a request.
func (q *question) begin(i int, at time.Duration) {
	q.i = i
	q.s.xid++
	q.xid, q.sent = q.s.xid, at
	q.exchange.Begin(q.conn, q.loop, at)
	first, _ := q.bytes(i, i+1)
	q.exchange.Count(network.Bytes{Messages: 1, Bytes: first}, network.Bytes{}, network.Bytes{}, network.Bytes{})
	q.s.idle.touchedAt(at)
}

// asked returns the path that the request with index i reads.
func (q *question) asked(i int) string {
	if q.list == nil {
		return q.path
	}
	return q.list.path(i)
}

// len returns the number of requests in the question.
func (q *question) len() int {
	if q.list == nil {
		return 1
	}
	return len(q.list.children)
}

// bytes returns the total size of the requests with the indices [from, to), and that of their
// answers.
func (q *question) bytes(from, to int) (asked, answered int) {
	n := to - from
	asked, answered = n*requestBytes(""), n*emptyReplyBytes
	if q.list == nil {
		return asked + n*len(q.path), n * q.got.sizeBytes
	}
	sum := q.list.sizes(from, to)
	return asked + sum.asked, answered + sum.answered
}

// Next returns the time at which the next message arrives, and whether it is a request or an
// answer.
func (q *question) Next() (time.Duration, int) { return q.exchange.Next() }

// Leap computes the requests and answers that arrive before the bound. When all answers have
// arrived, ended is true, and at is when the last one did.
func (q *question) Leap(b vtime.Bound) (ended bool, at time.Duration) {
	n, t := q.len(), q.server.s.traffic
	for {
		from, served, until := q.i, q.i, network.Forever
		if q.exchange.Answers() {
			served++
		}
		if t != nil { // messages and bytes are counted for each second separately
			at, _ := q.exchange.Next()
			until = at.Truncate(time.Second) + time.Second
		}
		many := n - from
		if q.mixed {
			many = 1
		}
		l := q.exchange.Leap(b, until, many)
		q.i = from + l.Answered
		q.count(from, served, &l)
		switch {
		case l.Answered > 0 && q.i == n:
			return true, l.LastAnswered
		case l.Answered == many:
			q.exchange.Begin(q.conn, q.loop, l.LastAnswered)
		}
		if at, part := q.exchange.Next(); !b.Allows(q.loop, at, part) {
			return false, 0
		}
	}
}

// count adds the messages that Leap has computed to the counters of both hosts. Before that, the
// server had received the first served requests, and the client the first from answers.
func (q *question) count(from, served int, l *network.Leapt) {
	if l.Served+l.Answered == 0 {
		return
	}
	asked, answered := q.bytes(from, q.i)
	in, out := network.Bytes{Messages: l.Served, Bytes: asked}, network.Bytes{Messages: l.Served, Bytes: answered}
	more := network.Bytes{Messages: l.Answered, Bytes: asked}
	if served > from {
		asked, answered := q.bytes(from, served)
		in.Bytes, out.Bytes = in.Bytes-asked, out.Bytes-answered
	}
	if served += l.Served; served > q.i {
		asked, answered := q.bytes(q.i, served)
		in.Bytes, out.Bytes = in.Bytes+asked, out.Bytes+answered
	}
	s := q.s
	if l.Answered > 0 {
		s.idle.touchedAt(l.LastAnswered)
		first, _ := q.bytes(from, from+1) // was asked before
		last, _ := q.bytes(q.i, min(q.i+1, q.len()))
		more.Bytes += last - first
		if q.i == q.len() {
			more.Messages--
		}
		s.xid += int32(more.Messages)
		q.xid, q.sent = s.xid, l.LastAnswered
		request := l.ItsRequest
		if request == 0 {
			request = q.served
		}
		if zxid := q.zxidAt(request); zxid > 0 {
			s.lastZxid = zxid
		}
	}
	q.exchange.Count(more, in, out, network.Bytes{Messages: l.Answered, Bytes: answered})
	if l.Served == 0 {
		return
	}
	q.served = l.LastServed
	q.machine.Leapt(q.at, q.op, l.Served, l.LastServed.Milliseconds())
	if t := q.server.s.traffic; t != nil {
		if q.flows.of != t || q.mixed {
			q.flows = t.flowsOf(q.server.client, q.op, q.asked(from))
		}
		names := in.Bytes - l.Served*requestBytes("")
		perRequest := 4 + frameBytes(&zookeeper.Request{Op: q.op})
		t.leapt(q.flows, l.LastServed, l.Served, l.Served*perRequest+names, l.Served*4+out.Bytes)
	}
}

// zxidAt returns the zxid in the answer to a request that arrived at a virtual time. It returns 0
// if that was too long ago.
func (q *question) zxidAt(at time.Duration) int64 {
	if q.zxid > 0 {
		return q.zxid
	}
	zxid, _ := q.server.s.zxidAt(at)
	return zxid
}

// Resume schedules an event for the request or answer that is on its way, because the loop is awake
// again.
func (q *question) Resume() {
	s := q.s
	c := s.newRead(q.op, q.asked(q.i), nil)
	c.request.Xid, c.request.loop, c.task = q.xid, q.loop, q.task
	s.pending.insert(c)
	q.call = c
	asked, answered := q.bytes(q.i, q.i+1)
	if !q.exchange.Answers() {
		q.exchange.Resume(&c.request, asked)
		return
	}
	if q.list == nil {
		c.reply = q.reply()
	} else {
		c.reply = zookeeper.Reply{Op: q.op, Zxid: q.zxidAt(q.served), Data: q.list.found[q.i]}
	}
	c.reply.Xid = q.xid
	q.exchange.Resume(&c.reply, answered)
}

var _ leap.Request = (*question)(nil)
