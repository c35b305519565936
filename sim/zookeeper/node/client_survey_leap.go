package node

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/zookeeper"
)

// surveyLeap simulates the reads of a survey without events (leap.Sleeper). Meanwhile the task
// waits, as if for one answer.
//
// The reads of the present block are a question. Its answers are the present data of the znodes, so
// the leap ends before any child of the parent changes. Only a lower bound is known for the time at
// which the survey ends. At that bound a check is made. The last reads are events.
type surveyLeap struct {
	v       *survey
	sleeper *leap.Sleeper
	below   *below
	q       question // the list of q belongs to a blockSeen
	limit   int      // number of reads, from the present one on, that count last found not odd
	look    vtime.Timer
}

// below tracks the data of the children of one znode for surveys.
type below struct {
	epoch   uint64        // counts changes of data, access and existence
	surveys []*surveyLeap // surveys that are asleep and depend on these data
}

// belowOf returns the tracking data for the children of a znode.
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

// blockSeen caches the data of the znodes of a block, for all clients that read the block.
type blockSeen struct {
	machine *zookeeper.Machine
	epoch   uint64
	list    *readList
	odd     []int // the indices of the znodes with unusual data, and of those that not everybody may read
}

// see returns the data of the znodes of a block. It reads them from the machine if they may have
// changed.
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

// firstOdd returns the first odd index that is not before from. If there is none, it returns the
// number of znodes.
func (b *blockSeen) firstOdd(from int) int {
	for _, i := range b.odd {
		if i >= from {
			return i
		}
	}
	return len(b.list.children)
}

// leapOn leaps over the next reads. It returns the first call whose answer the task itself must
// handle. If the network or the server does not allow a leap, it reads nothing and returns nil.
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
	defer l.sleeper.Wake() // deferred, so that it runs even if the task unwinds
	l.below.surveys = append(l.below.surveys, l)
	l.begin(s.host.Network().World().Now())
	l.sleeper.Sleep()
	l.lookOut()
	for l.q.call == nil || !l.q.call.done {
		s.p.ParkOn(l.q.op.String(), v.path())
	}
	return l.q.call
}

// begin sends the request for the present child at the virtual time at.
func (l *surveyLeap) begin(at time.Duration) {
	l.q.list = l.see(l.v.block).list
	l.q.mixed = l.q.list.mixed()
	l.q.begin(l.v.i, at)
}

// count counts the reads up to the first odd znode.
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

// lookOut sets a timer for the next check whether the end is near.
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

// Handle ends the leap if fewer than leastAhead reads are left, and otherwise sets the time of the
// next check. The engine calls it.
func (l *surveyLeap) Handle(uint64) {
	l.sleeper.CatchUp()
	l.take()
	if l.count(); l.limit < leastAhead {
		l.sleeper.Wake()
		return
	}
	l.lookOut()
}

// take passes the answers so far to the Taker.
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

// Leap executes the steps that come before the bound.
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

// Resume turns the request or answer that is on its way into a message with an event.
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
