package node

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/zookeeper"
)

// readsLeap is the sleep of a round of reads in the middle of a turn of a loop
// (leap.Sleeper): the turn is not one that can be left out, as when all is read for the
// first time, but what it reads is usual. Its task waits meanwhile, as if for one answer.
//
// The reads ahead are a question of their own, whose answers are what is there: before each
// write at the server it is woken. When the end comes can be told from below only: there, it
// is looked at, and its last reads are events.
type readsLeap struct {
	r       *readRound
	sleeper *leap.Sleeper
	q       question // its list is the reads ahead, from r.at on
	taken   int      // of that list
	task    *vtime.Task
	look    vtime.Timer
}

// leap makes reads without the task, from the next one on, and returns the one whose answer
// is for the task again. It is nil, and nothing was read, when the network or the server do
// not let it.
func (r *readRound) leap(t *leap.Turns) *call {
	s := r.s
	if s.history != nil || !s.open || s.p.Dead() || len(r.paths)-r.at < worthLeaping || !s.host.Network().World().Leaps() || s.life.Refuse() != nil {
		return nil
	}
	server := s.leader()
	if server == nil || s.conn.MinLatency()+server.conn.MinLatency() <= 0 {
		return nil
	}
	at := server.s.machine.Conn(server.id)
	if at == nil {
		return nil
	}
	l := &readsLeap{r: r, task: t.Task()}
	l.q = question{
		asker: &asker{s: s, turns: t, conn: s.conn, server: server, machine: server.s.machine, at: at},
		op:    zookeeper.OpGetData, list: &reads{}, zxid: server.s.machine.Zxid(),
	}
	l.sleeper = leap.NewSleeper(s.p, &t.Loop, l)
	l.sleeper.KeepsCause = true
	if l.lookAhead(worthLeaping); len(l.q.list.paths) < worthLeaping || !s.idle.joins() || !s.conn.Join(l.sleeper) {
		return nil
	}
	l.lookAhead(mostAhead)
	defer l.sleeper.Wake() // also when the task unwinds
	server.s.reads = append(server.s.reads, l)
	l.q.Begin(s.host.Network().World().Now())
	l.sleeper.Sleep()
	l.lookOut()
	for l.q.call == nil || !l.q.call.done {
		s.p.ParkOn(l.q.op.String(), r.paths[r.at])
	}
	if l.take(); r.odd {
		s.p.Acts()
	}
	return l.q.call
}

// lookAhead looks at more of the znodes ahead, up to the first one that is not usual, or so
// many.
func (l *readsLeap) lookAhead(most int) {
	r, list := l.r, l.q.list
	m := l.q.machine
	for i := r.at + len(list.known); i < len(r.paths) && len(list.known) < most; i++ {
		k := r.known[i]
		if !k.node.Known() {
			k.node = *l.q.server.s.recentNode(r.paths[i])
		}
		data, everybody := m.Look(&k.node, r.paths[i])
		if !everybody || k.takes(data) && (len(data) == 0 || r.usual == nil || !r.usual(i, data)) {
			break
		}
		k.taken(data)
		list.known = append(list.known, k)
	}
	list.paths, l.q.upTo = r.paths[r.at:r.at+len(list.known)], nil
	l.q.mixed = l.q.server.s.traffic != nil && len(list.paths) > 0 && list.mixed()
}

// lookOut sets the time at which to look whether the end is near.
func (l *readsLeap) lookOut() {
	s := l.r.s
	to, from := s.conn.MinLatency(), l.q.server.conn.MinLatency()
	at, _ := l.q.Next()
	at += time.Duration(len(l.q.list.paths)-l.q.i-leastAhead/2) * (to + from)
	if l.q.exchange.Answers() {
		at -= from
	}
	l.look = l.q.turns.CheckAt(s.p, at, l)
}

// Handle looks whether the end is near. The engine calls it.
func (l *readsLeap) Handle(uint64) {
	l.sleeper.CatchUp()
	l.take()
	list := l.q.list
	list.known = slices.Delete(list.known, 0, l.taken)
	l.q.i, l.taken = 0, 0
	if l.lookAhead(mostAhead); len(list.paths) < leastAhead {
		l.sleeper.Wake()
		return
	}
	l.lookOut()
}

// take takes what was answered so far.
func (l *readsLeap) take() {
	r := l.r
	for ; l.taken < l.q.i; l.taken++ {
		k := l.q.list.known[l.taken]
		if r.zxid == 0 {
			r.zxid = l.q.zxid
		}
		r.odd = r.odd || r.zxid != l.q.zxid || r.known[r.at].takes(k.data())
		if err := r.take(k.data(), nil); err != nil {
			panic("zookeeper: what was usual of " + r.paths[r.at] + " is an error: " + err.Error())
		}
		if !r.known[r.at].node.Known() {
			r.known[r.at].node = k.node
		}
		r.at++
	}
}

// Next is the next arrival.
func (l *readsLeap) Next() (time.Duration, int) { return l.q.Next() }

// Leap makes the steps that come before the bound.
func (l *readsLeap) Leap(b vtime.Bound) {
	if ended, _ := l.q.Leap(b); ended {
		panic("zookeeper: a round of reads has leapt over its end")
	}
	l.task.WaitsOn(l.q.asked(l.q.i), l.q.sent)
}

// Resume makes the request, or the answer, one that is on its way.
func (l *readsLeap) Resume() {
	l.look.Cancel()
	of := l.q.server.s
	i := slices.Index(of.reads, l)
	of.reads = slices.Delete(of.reads, i, i+1)
	l.q.Leave(l.sleeper)
	l.q.Resume()
}

// rouseReads wakes the rounds of reads that are asleep before a write.
func (s *Server) rouseReads() {
	for len(s.reads) > 0 && !s.host.Network().World().Closing() {
		s.reads[len(s.reads)-1].sleeper.Wake()
	}
}

var (
	_ leap.Leaper   = (*readsLeap)(nil)
	_ vtime.Handler = (*readsLeap)(nil)
)
