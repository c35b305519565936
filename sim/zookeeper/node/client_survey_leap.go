package node

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/zookeeper"
)

// surveyLeap computes the reads of a survey without events (a leap.Leaper). In the meantime the
// task waits, as if for a single answer. The reads of the present block are a question, whose
// answers are the present data of the znodes. So events are needed again before any child of the
// parent changes. When the survey ends is known only approximately: at the earliest possible time,
// a timer checks. The last reads always have events.
type surveyLeap struct {
	v       *survey
	sleeper *leap.Sleeper
	below   *below
	q       question // question for the present block; its list belongs to a blockSeen
	limit   int      // number of reads, beginning with the present one, up to the first unusual znode, when count last looked
	look    vtime.Timer
}

// below keeps track of the children of one znode, for the surveys that read them.
type below struct {
	epoch   uint64        // number of changes of the children's data, access rights and existence
	surveys []*surveyLeap // sleeping surveys that depend on these children
}

// belowOf returns what the server keeps track of for the children of a znode.
func (s *Server) belowOf(parent string) *below {
	b := s.below[parent]
	if b == nil {
		b = &below{}
		if s.below == nil {
			s.below = map[string]*below{}
		}
		s.below[parent] = b
	}
	return b
}

// blockSeen holds the data of the znodes of a block. All clients that read the block share it.
type blockSeen struct {
	machine *zookeeper.Machine
	epoch   uint64
	list    *readList
	odd     []int // indices of the znodes that have unusual data or that not everybody may read
}

// see returns the data of the znodes of a block. If they may have changed since, it reads them from
// the machine.
func (l *surveyLeap) see(block int) *blockSeen {
	b := l.v.blocks[block]
	seen, _ := b.Seen.(*blockSeen)
	switch {
	case seen == nil || seen.machine != l.q.machine:
		seen = &blockSeen{machine: l.q.machine}
		b.Seen = seen
	case seen.epoch == l.below.epoch:
		return seen
	}
	list := &readList{parent: l.v.parent, children: b.Names, found: make([][]byte, len(b.Names))}
	seen.epoch, seen.odd = l.below.epoch, nil
	for i, child := range b.Names {
		data, everybody := seen.machine.LookBelow(list.parent, child)
		if list.found[i] = data; !everybody || len(data) == 0 || !l.v.to.Usual(block, i, data) {
			seen.odd = append(seen.odd, i)
		}
	}
	if seen.list == nil || !seen.list.same(list) {
		seen.list = list
	}
	return seen
}

// firstOdd returns the index of the first unusual znode that is not before from. If there is none,
// it returns the number of znodes.
func (b *blockSeen) firstOdd(from int) int {
	for _, i := range b.odd {
		if i >= from {
			return i
		}
	}
	return len(b.list.children)
}

// leapOn makes the next reads without events. It returns the first call whose answer the task
// itself has to handle. If the network or the server does not allow it, it reads nothing and
// returns nil.
func (v *survey) leapOn() *call {
	s := v.s
	if s.history != nil || !s.open || s.p.Dead() || !s.host.Network().World().Leaps() || s.life.Refuse() != nil {
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
	l := v.ahead
	if l == nil {
		l = &surveyLeap{v: v}
		l.sleeper = leap.NewSleeper(s.p, v.loop, l)
		l.sleeper.KeepsCause = true
		v.ahead = l
	}
	l.below = server.s.belowOf(v.parent)
	l.q = question{asker: &asker{s: s, loop: v.loop, task: v.task, conn: s.conn, server: server, machine: server.s.machine, at: at}, op: zookeeper.OpGetData}
	if l.count(); l.limit < worthLeaping || !s.idle.joins() || !s.conn.Join(l.sleeper) {
		return nil
	}
	defer l.sleeper.Wake() // deferred, because the task may unwind
	l.below.surveys = append(l.below.surveys, l)
	l.begin(s.host.Network().World().Now())
	l.sleeper.Sleep()
	l.lookOut()
	for l.q.call == nil || !l.q.call.done {
		s.p.ParkOn(l.q.op.String(), v.path())
	}
	return l.q.call
}

// begin sends the request for the present child at a virtual time.
func (l *surveyLeap) begin(at time.Duration) {
	l.q.list = l.see(l.v.block).list
	l.q.mixed = l.q.list.mixed()
	l.q.begin(l.v.i, at)
}

// count counts the reads up to the first unusual znode.
func (l *surveyLeap) count() {
	from := l.v.i
	l.limit = -from
	for block := l.v.block; block < len(l.v.blocks) && l.limit < mostAhead; block++ {
		seen := l.see(block)
		odd := seen.firstOdd(from)
		if l.limit += odd; odd < len(seen.list.children) {
			return
		}
		from = 0
	}
}

// lookOut sets the timer that checks whether the end is near.
func (l *surveyLeap) lookOut() {
	s := l.v.s
	to, from := s.conn.MinLatency(), l.q.server.conn.MinLatency()
	at, _ := l.q.Next()
	at += time.Duration(l.limit-leastAhead/2) * (to + from)
	if l.q.exchange.Answers() {
		at -= from
	}
	l.look = l.q.loop.CheckAt(s.p, at, l)
}

// Handle is called by the engine when the timer fires. If fewer than leastAhead reads are left,
// these get events again. Otherwise it sets the timer anew.
func (l *surveyLeap) Handle(uint64) {
	l.sleeper.CatchUp()
	l.take()
	if l.count(); l.limit < leastAhead {
		l.sleeper.Wake()
		return
	}
	l.lookOut()
}

// take passes the answers that have come so far to the Taker.
func (l *surveyLeap) take() {
	if v := l.v; v.i < l.q.i {
		v.to.TakeUsual(v.block, v.i, l.q.i, l.q.list.found)
		if v.list != nil {
			v.list.found = append(v.list.found, l.q.list.found[v.i:l.q.i]...)
		}
		v.past(l.q.i - v.i)
	}
}

// Next returns the time at which the next message arrives, and whether it is a request or an
// answer.
func (l *surveyLeap) Next() (time.Duration, int) { return l.q.Next() }

// Leap computes the requests and answers that arrive before the bound.
func (l *surveyLeap) Leap(b vtime.Bound) {
	for ended, at := l.q.Leap(b); ended; ended, at = l.q.Leap(b) {
		if l.take(); l.v.block == len(l.v.blocks) {
			panic("zookeeper: a survey has leapt over its end")
		}
		if l.begin(at); !l.allows(b) {
			break
		}
	}
	l.q.task.WaitsOn(l.q.asked(l.q.i), l.q.sent)
}

func (l *surveyLeap) allows(b vtime.Bound) bool {
	at, part := l.q.Next()
	return b.Allows(l.q.loop, at, part)
}

// Resume schedules an event for the request or answer that is on its way. From then on the reads
// have events.
func (l *surveyLeap) Resume() {
	l.look.Cancel()
	l.take()
	i := slices.Index(l.below.surveys, l)
	l.below.surveys = slices.Delete(l.below.surveys, i, i+1)
	l.q.Leave(l.sleeper)
	l.q.Resume()
	l.q.call.survey = l.v
}

var (
	_ leap.Leaper   = (*surveyLeap)(nil)
	_ vtime.Handler = (*surveyLeap)(nil)
)
