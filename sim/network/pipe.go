package network

import (
	"strconv"
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// pipe is one direction of a connection: a queue of segments of which the first has an
// event. A segment that was quicker than the one before it arrives at the same instant,
// right behind it. A segment that is a step of a loop arrives a nanosecond later, because
// steps come before everything else of their instant.
//
// A segment is lost when its link is cut at the instant of its arrival. Then the pipe
// stalls: everything in it stays, without events. Once the link is whole again the pipe
// continues at its next retransmission instant, counted from the first loss: 200 ms, then
// doubling, at most 120 s apart. A pipe in which nothing got through for 924.6 s is given
// up, and with it its sender's connection.
type pipe struct {
	from, to *Conn
	link     *link
	latency  *vtime.Source // source of random latency; nil before the first draw
	last     time.Duration // arrival time of the segment that was sent last
	trouble  *trouble      // not nil from the loss of a segment until the next delivery
	count    int32
	stalled  bool // whether no delivery is scheduled, because the link does not work
	local    bool // whether both ends are on the same host

	first segment     // segment that arrives first; there is seldom another one
	timer vtime.Timer // timer for the arrival of the first segment
	ring  []segment   // the other segments, a ring buffer whose length is a power of two
	head  int32       // index in ring of the earliest segment
}

// trouble holds what a pipe needs after losing a segment, until it delivers one again.
type trouble struct {
	firstLoss time.Duration
	giveUp    vtime.Timer
	place     int // index in Network.stalled
}

// segment is a message, or a control segment such as a SYN or a reset.
type segment struct {
	payload   any
	loop      *vtime.Loop // loop of which the segment's arrival is a step; nil if the arrival is an event
	at        time.Duration
	number    uint64 // place in the order of events, given when the segment is sent; unused if loop is set
	sizeBytes int
	what      segmentKind
}

type segmentKind uint8

const (
	segmentSyn segmentKind = iota
	segmentAccepted
	segmentMessage
	segmentClose
	segmentReset
)

var (
	segmentKinds = [...]vtime.Kind{
		segmentSyn:      vtime.NewKind("network.dial"),
		segmentAccepted: vtime.NewKind("network.accepted"),
		segmentMessage:  vtime.NewKind("network.message"),
		segmentClose:    vtime.NewKind("network.close"),
		segmentReset:    vtime.NewKind("network.reset"),
	}
	kindGiveUp = vtime.NewKind("network.give_up")
	kindNotice = vtime.NewKind("network.notice")
)

// push queues a segment without content behind all others in the pipe.
func (p *pipe) push(what segmentKind) { p.queue(segment{what: what}) }

// pushStep queues a message whose arrival is a step of the given loop.
func (p *pipe) pushStep(loop *vtime.Loop, payload any, sizeBytes int) {
	p.queue(segment{payload: payload, loop: loop, sizeBytes: sizeBytes, what: segmentMessage})
}

func (p *pipe) queue(s segment) {
	if !p.stalled {
		// In a stalled pipe the arrival times are computed when it continues.
		at := p.arrival(s.sizeBytes)
		if s.at = p.behindLast(at); s.loop == nil && s.at > at {
			p.last--
			s.at = p.last
		}
	}
	if s.loop == nil {
		s.number = p.to.node.TakeNumber()
	}
	p.add(s)
	if p.count == 1 && !p.stalled {
		p.schedule()
	}
}

// arrival returns the time at which a segment that is sent now would arrive in an empty pipe. It
// skips the link while no link has a fault, for speed.
func (p *pipe) arrival(sizeBytes int) time.Duration {
	n := p.from.n
	m := &n.latency
	if n.faulty || p.local || m.BytesPerSecond > 0 || m.LossPerMille > 0 {
		return p.link.arrival(sizeBytes, p.source())
	}
	return n.w.Now() + m.Min + draw(p.source(), m.Spread)
}

// law returns the range of latencies, [min, min + spread). It does not read the link, because the
// range depends only on whether the pipe stays inside one host.
func (p *pipe) law() (min, spread time.Duration) { return p.from.n.latency.law(p.local) }

// behindLast returns the time at which a step arrives: after all earlier segments, and not before
// at. at is the time at which the step would arrive in an empty pipe.
func (p *pipe) behindLast(at time.Duration) time.Duration {
	p.last = max(at, p.last+1)
	return p.last
}

// source returns the random source of the pipe's latencies. Each connection has its own, so its
// latencies do not depend on other traffic.
func (p *pipe) source() *vtime.Source {
	switch {
	case p.latency != nil:
	case p.local:
		p.latency = p.link.from.node.Source(LatencySite(p.link.to.name, p.from.number) + p.back())
	default:
		p.latency = p.link.from.node.FreshSource(p.link.to.latencySites(), p.from.number)
	}
	return p.latency
}

// back returns a suffix that gives the two directions of a connection inside one host different
// random sources.
func (p *pipe) back() string {
	if p.local && !p.asks() {
		return ":back"
	}
	return ""
}

// asks reports whether the pipe leads from the dialing end to the accepting end.
func (p *pipe) asks() bool { return p.from.dialer }

// LatencySite returns the name of the random site that decides the latencies of a node's messages
// to another host. number counts the connections between the two hosts from 1, whichever of them
// dials.
func LatencySite(to string, number uint64) string {
	return latencySites(to) + strconv.FormatUint(number, 10)
}

func latencySites(to string) string { return "network.latency:" + to + ":" }

// latencySites returns the common beginning of the names of all latency sites toward the host.
func (h *Host) latencySites() string {
	if h.sites == "" {
		h.sites = latencySites(h.name)
	}
	return h.sites
}

func (p *pipe) add(s segment) {
	p.count++
	if p.count == 1 {
		p.first = s
		return
	}
	if int(p.count)-2 == len(p.ring) {
		p.grow()
	}
	*p.behind(int(p.count) - 2) = s
}

// insert puts a segment among the others of the pipe, in the order of arrival.
func (p *pipe) insert(s segment) {
	p.add(s)
	i := int(p.count) - 2 // index in the ring; -1 stands for the field first
	for ; i > 0 && s.before(p.behind(i-1)); i-- {
		*p.behind(i), *p.behind(i - 1) = *p.behind(i - 1), s
	}
	if i == 0 && s.before(&p.first) {
		p.timer.Cancel()
		*p.behind(0), p.first = p.first, s
		i = -1
	}
	if i < 0 {
		p.schedule()
	}
}

// before reports whether s, a new segment, must arrive before o. At the same instant the step of a
// loop comes before everything else.
func (s *segment) before(o *segment) bool {
	return s.at < o.at || s.at == o.at && s.loop != nil && o.loop == nil
}

// behind returns the i-th segment after the first. These segments are in a ring buffer.
func (p *pipe) behind(i int) *segment { return &p.ring[(int(p.head)+i)&(len(p.ring)-1)] }

func (p *pipe) grow() {
	ring := make([]segment, max(2, 2*len(p.ring)))
	for i := range len(p.ring) {
		ring[i] = *p.behind(i)
	}
	p.ring, p.head = ring, 0
}

// pop removes the first segment.
func (p *pipe) pop() {
	p.count--
	if p.count == 0 {
		p.first.payload = nil
		return
	}
	next := p.behind(0)
	p.first = *next
	next.payload = nil
	p.head = (p.head + 1) & int32(len(p.ring)-1)
}

func (p *pipe) schedule() {
	s := &p.first
	if s.loop != nil {
		p.timer = s.loop.Schedule(p.to.node, p.part(), s.at, segmentKinds[s.what], p, uint64(s.sizeBytes))
		return
	}
	p.timer = p.to.node.ScheduleNumbered(s.at, s.number, segmentKinds[s.what], p, uint64(s.sizeBytes))
}

// part orders the steps of a loop at one instant: messages to a server come before messages from
// a server.
func (p *pipe) part() int {
	if p.asks() {
		return PartRequest
	}
	return PartAnswer
}

// These are the parts of a loop that makes calls (see vtime.Loop): the arrivals of its requests and
// answers. Lower numbers are for the loop's own steps.
const (
	PartRequest = 3 + iota
	PartAnswer
)

// Handle delivers the first segment of the pipe, or stalls the pipe if its link is cut. The engine
// calls it when the segment arrives.
func (p *pipe) Handle(uint64) {
	if p.to.n.faulty && p.link.cut() {
		p.stall()
		return
	}
	if p.trouble != nil {
		p.trouble.giveUp.Cancel()
		p.trouble = nil
	}
	what, payload, sizeBytes := p.first.what, p.first.payload, p.first.sizeBytes
	p.pop()
	if p.count > 0 {
		p.schedule()
	}
	p.to.arrive(what, payload, sizeBytes)
}

func (p *pipe) stall() {
	if p.first.what == segmentSyn && p.from.state == connClosed {
		p.discard() // the dial was cancelled in the meantime
		return
	}
	n := p.from.n
	fresh := p.trouble == nil
	if fresh {
		p.trouble = &trouble{firstLoss: n.w.Now()}
	}
	p.stalled, p.trouble.place = true, len(n.stalled)
	n.stalled = append(n.stalled, p)
	if !fresh {
		return
	}
	limit := giveUpAfter
	if p.first.what == segmentSyn {
		limit = dialAfter
	}
	p.trouble.giveUp = p.from.node.Schedule(p.trouble.firstLoss+limit, kindGiveUp, (*pipeGiveUp)(p), 0)
}

// resume lets a stalled pipe continue at its next retransmission.
func (p *pipe) resume() {
	p.unstall()
	rto := rtoMin
	if p.first.what == segmentSyn {
		rto = synRTO
	}
	at := nextRetransmission(p.trouble.firstLoss, p.from.n.w.Now(), rto)
	p.first.at = at
	for i := range int(p.count) - 1 {
		p.behind(i).at = at
	}
	p.last = at
	p.schedule()
}

// nextRetransmission returns the first instant after now at which a segment is sent again. lost is
// the time of the segment's first loss. rto is the first time-out, which doubles with each
// retransmission.
func nextRetransmission(lost, now, rto time.Duration) time.Duration {
	at := lost
	for at <= now {
		at += rto
		rto = min(2*rto, rtoMax)
	}
	return at
}

func (p *pipe) unstall() {
	n := p.from.n
	last := len(n.stalled) - 1
	at := p.trouble.place
	n.stalled[at] = n.stalled[last]
	n.stalled[at].trouble.place = at
	n.stalled[last] = nil
	n.stalled = n.stalled[:last]
	p.stalled = false
}

// discard drops all segments that are on their way.
func (p *pipe) discard() {
	if p.stalled {
		p.unstall()
	}
	p.timer.Cancel()
	if p.trouble != nil {
		p.trouble.giveUp.Cancel()
		p.trouble = nil
	}
	p.first, p.ring, p.head, p.count = segment{}, nil, 0, 0
}

// pipeGiveUp handles the timer after which the sender of unacknowledged data gives up.
type pipeGiveUp pipe

func (g *pipeGiveUp) Handle(uint64) {
	p := (*pipe)(g)
	p.discard()
	p.from.end(ErrTimedOut)
}
