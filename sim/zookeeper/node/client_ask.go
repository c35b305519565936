package node

import (
	"time"
	"unsafe"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// question is what a turn of a loop reads, one znode or a list of them, with what it got
// (vtime.Ask). Answers stay the same as long as nothing is written at the server: they tell
// how much was.
type question struct {
	s       *Session
	turns   *vtime.Turns
	conn    *network.Conn
	server  *serverConn
	machine *zookeeper.Machine
	at      *zookeeper.Conn // the machine's side of server

	op    zookeeper.OpCode
	path  string          // of a single one
	reply zookeeper.Reply // to it
	list  *reads          // nil for a single one
	zxid  int64

	i       int // of the list: that is asked for
	answers bool
	next    time.Duration
	call    *call // that is on its way when the loop is woken
}

// ask asks a question of a loop, a single one.
func (s *Session) ask(t *vtime.Turns, c *call) error {
	s.p.Think()
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
		c.reply = q.reply
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

// write writes down a question with its answer. It reports false for one that is not to be
// leapt over.
func (s *Session) write(t *vtime.Turns, op zookeeper.OpCode, path string, list *reads, reply *zookeeper.Reply) bool {
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
	*q = question{
		s: s, turns: t, conn: s.conn, server: server, machine: server.s.machine, at: at,
		op: op, path: path, list: list, zxid: reply.Zxid,
	}
	if list == nil {
		q.reply = *reply
	}
	t.Asked(q, &server.s.writes, server.s.writes.Count())
	return true
}

// Thinks is true: a program takes its time before it reads.
func (q *question) Thinks() bool { return q.list == nil || len(q.list.paths) > 0 }

// Sleep joins the connection, once pings on it are asleep.
func (q *question) Sleep(sl *vtime.Sleeper) bool {
	s := q.s
	return s.idle.forward.sleeper.Asleep() && s.conn == q.conn && s.open && q.server.s.machine == q.machine && q.conn.Join(sl)
}

// Wake leaves it.
func (q *question) Wake(sl *vtime.Sleeper) { q.conn.Leave(sl) }

// Begin sends the first request.
func (q *question) Begin(at time.Duration) {
	q.i = 0
	q.asksAt(at)
}

// asksAt sends a request.
func (q *question) asksAt(at time.Duration) {
	s := q.s
	s.xid++
	q.answers, q.next = false, q.conn.SendsAt(at, requestBytes(q.asked()))
	s.idle.touchedAt(at)
}

// asked is the path that is read.
func (q *question) asked() string {
	if q.list == nil {
		return q.path
	}
	return q.list.paths[q.i]
}

// answerBytes is the size of the answer that comes.
func (q *question) answerBytes() int {
	if q.list == nil {
		return replySizeBytes(&q.reply)
	}
	return emptyReplyBytes + q.list.known[q.i].sizeBytes
}

// Next is the next arrival.
func (q *question) Next() (time.Duration, int) {
	if q.answers {
		return q.next, network.PartAnswer
	}
	return q.next, network.PartRequest
}

// Leap makes the steps that come before the bound.
func (q *question) Leap(b vtime.Bound) (ended bool, at time.Duration) {
	l := q.turns.Loop
	var steps, squares uint64
	served, last := 0, time.Duration(0)
	for {
		if !q.answers {
			if !b.Allows(l, q.next, network.PartRequest) {
				break
			}
			steps, squares = steps+1, squares+uint64(q.next)*uint64(q.next)
			served, last = served+1, q.next
			q.serves()
		}
		if !b.Allows(l, q.next, network.PartAnswer) {
			break
		}
		at = q.next
		steps, squares = steps+1, squares+uint64(at)*uint64(at)
		q.conn.Takes(q.answerBytes())
		q.s.idle.touchedAt(at)
		if q.list == nil || q.i+1 == len(q.list.paths) {
			ended = true
			break
		}
		q.i++
		q.asksAt(at)
	}
	if served > 0 {
		q.machine.Leapt(q.at, q.op, served, last.Milliseconds())
		if q.zxid > 0 {
			q.s.lastZxid = q.zxid
		}
	}
	l.DidMany(steps, squares)
	return ended, at
}

// serves is the arrival of the request.
func (q *question) serves() {
	bytes := q.answerBytes()
	server := q.server.conn
	server.Takes(requestBytes(q.asked()))
	if t := q.server.s.traffic; t != nil {
		t.leapt(q.next, server.RemoteHost().Name(), &zookeeper.Request{Op: q.op, Path: q.asked()}, bytes)
	}
	q.answers, q.next = true, server.SendsAt(q.next, bytes)
}

// Resume makes the request, or the answer, one that is on its way.
func (q *question) Resume() {
	s := q.s
	c := s.newRead(q.op, q.asked(), nil)
	c.request.Xid, c.request.loop, c.task = s.xid, q.turns.Loop, q.turns.Task()
	if q.list != nil {
		c.request.known, c.follows = &q.list.known[q.i], true
	}
	s.pending.push(c)
	q.call = c
	if !q.answers {
		q.conn.Resume(q.turns.Loop, &c.request, requestBytes(c.request.Path), q.next)
		return
	}
	if q.list == nil {
		c.reply = q.reply
	} else {
		k := &q.list.known[q.i]
		c.reply = zookeeper.Reply{Op: q.op, Zxid: q.zxid, Data: unsafe.Slice(k.content, k.sizeBytes)}
	}
	c.reply.Xid = s.xid
	q.server.conn.Resume(q.turns.Loop, &c.reply, q.answerBytes(), q.next)
}

// askAll reads the list in a turn of a loop.
func (r *readRound) askAll(t *vtime.Turns) error {
	r.s.p.Think()
	a, waiting := t.Recall()
	q, _ := a.(*question)
	switch {
	case a != nil && (q == nil || q.list != r.reads):
		panic("zookeeper: a turn reads a list of znodes, and did not before")
	case a != nil && !waiting:
		return nil
	case a != nil:
		r.at = q.i
		c := q.call
		q.call = nil
		if err := r.got(c); err != nil {
			return err
		}
	}
	for r.at < len(r.paths) {
		if err := r.ask(); err != nil {
			return err
		}
	}
	if r.odd || !r.s.write(t, zookeeper.OpGetData, "", r.reads, &zookeeper.Reply{Zxid: r.zxid}) {
		r.s.p.Acts()
	}
	return nil
}

// ask reads the next znode.
func (r *readRound) ask() error {
	s := r.s
	if err := s.life.Refuse(); err != nil {
		return r.takeNext(nil, err)
	}
	c := s.newRead(zookeeper.OpGetData, r.paths[r.at], nil)
	c.request.known, c.request.loop = &r.known[r.at], s.p.Loop()
	s.put(c)
	return r.got(c)
}

// got waits for an answer and takes it.
func (r *readRound) got(c *call) error {
	r.s.await(c)
	if err := c.failure(r.s); err != nil {
		return r.takeNext(nil, err)
	}
	reply := r.s.done(c)
	if r.zxid == 0 {
		r.zxid = reply.Zxid
	}
	r.odd = r.odd || r.zxid != reply.Zxid
	return r.takeNext(reply.Data, nil)
}

// takeNext takes an answer; one that is not as it was makes the turn another one.
func (r *readRound) takeNext(data []byte, err error) error {
	if err != nil || r.known[r.at].takes(data) {
		r.odd = true
		r.s.p.Acts()
	}
	err = r.take(data, err)
	r.at++
	return err
}

var _ vtime.Ask = (*question)(nil)
