package node

import (
	"strconv"
	"time"

	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/vtime"
)

// idleTimer pings a quiet connection and finds a dead one. Kazoo's loop
// (connection.py:581) draws a new wait whenever something was sent or read: half
// the read timeout, less up to 0.4 s of jitter. A wait without anything ends with
// a ping; one after a ping without anything drops the connection.
//
// Only the last wait of a burst counts, so it is drawn when the timer of an
// earlier one ends. A ping whose answer nothing can precede is over within one
// event (see [vtime.Node.FastForward]), and a connection on which there are only pings
// has no events at all (see [fastForward]).
type idleTimer struct {
	s       *Session
	source  *vtime.Source // of jitter and latency, of this session only
	request ping
	plain   bool
	forward fastForward
	limit   time.Duration // half the read timeout
	since   time.Duration // when something was last sent or read

	// at is what the timer is set to; it is never later than the end of the present
	// wait.
	at    time.Duration
	timer vtime.Timer
	armed bool
	// fresh says that since has moved after at was drawn for it. end is the end of
	// the wait from there, 0 when it is not drawn yet.
	fresh bool
	end   time.Duration

	outstanding bool // a ping is
}

var kindIdle = vtime.NewKind("zookeeper.idle")

// maxJitter is the most that a wait is shortened by, in steps of jitterStep.
const (
	jitterStep = 10 * time.Millisecond
	maxJitter  = 40 * jitterStep
)

// init makes the timer of a session, the number-th of its process.
func (t *idleTimer) init(s *Session, number int, plain bool) {
	site := "kazoo.ping"
	if number > 1 {
		site += strconv.Itoa(number)
	}
	t.s, t.source, t.plain = s, s.p.Node().Source(site), plain
	t.request.latency = t.source
	t.forward.t = t
}

// begin starts with a new connection.
func (t *idleTimer) begin(readTimeout time.Duration) {
	t.timer.Cancel()
	t.limit, t.since, t.outstanding = readTimeout/2, t.s.p.Elapsed(), false
	t.arm()
	t.schedule()
}

func (t *idleTimer) stop() {
	t.armed = false
	t.timer.Cancel()
}

// arm sets the end of a wait that begins now.
func (t *idleTimer) arm() {
	t.armed, t.fresh = true, false
	t.at = t.since + t.draw()
}

func (t *idleTimer) draw() time.Duration {
	jitter := time.Duration(t.source.Intn(int(maxJitter/jitterStep)+1)) * jitterStep
	return max(t.limit-jitter, jitter)
}

// shortest is less than or equal to any wait.
func (t *idleTimer) shortest() time.Duration { return max(t.limit-maxJitter, t.limit/2) }

func (t *idleTimer) schedule() { t.timer = t.s.p.Schedule(t.at, kindIdle, t, 0) }

func (t *idleTimer) reschedule() {
	// Within a ping the timer is set when the ping is over.
	if t.timer.Cancel() {
		t.schedule()
	}
}

// touch tells that something was sent or read.
func (t *idleTimer) touch() {
	t.since = t.s.p.Elapsed()
	t.fresh, t.end = true, 0
	if t.armed && t.at > t.since+t.shortest() {
		// The wait from here may end before the timer.
		if t.end = t.since + t.draw(); t.end < t.at {
			t.at, t.fresh = t.end, false
			t.reschedule()
		}
	}
}

// pong tells that the answer to the ping was read. As nothing else is likely to
// come, the timer is set for good, or not at all.
func (t *idleTimer) pong() {
	t.outstanding = false
	if !t.armed {
		return
	}
	t.answered(t.s.p.Elapsed())
	if t.forward.begin(); !t.forward.active {
		t.reschedule()
	}
}

func (t *idleTimer) answered(at time.Duration) {
	t.outstanding = false
	t.since = at
	t.arm()
}

// ping begins the wait for the answer to a ping.
func (t *idleTimer) ping(at time.Duration) {
	t.outstanding = true
	t.since = at
	t.arm()
}

// Handle pings, or drops a dead connection, at the end of a wait that may have been
// quiet. The engine calls it.
func (t *idleTimer) Handle(uint64) {
	s := t.s
	now := s.p.Elapsed()
	if t.fresh {
		if t.end == 0 {
			t.end = t.since + t.draw()
		}
		t.at, t.fresh = t.end, false
		if t.at > now {
			t.schedule()
			return
		}
	}
	switch {
	case !s.open:
		// The connection task is busy and looks neither at time nor at messages.
		t.since = now
		t.arm()
	case t.outstanding:
		t.armed, t.outstanding = false, false
		s.over(recipes.EndDropped)
		return
	default:
		t.ping(now)
		t.request.before = t.at
		s.conn.SendLast(&t.request, pingBytes, t.source, t.at)
		if t.forward.active {
			return
		}
	}
	t.schedule()
}

// The sizes of a ping and its answer.
const (
	pingBytes = 12
	pongBytes = 20
)
