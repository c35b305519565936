package node

import (
	"time"

	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// idleTimer sends pings on a quiet connection and finds out when the connection is dead. Kazoo's
// loop (connection.py:581) draws a new wait whenever something was sent or read: half the read
// timeout, less up to 0.4 s of jitter. If nothing is sent or read during the wait, kazoo sends a
// ping. If nothing is read during the wait after a ping, it drops the connection. In a burst only
// the last wait counts. So the timer is first set to the shortest possible wait, and the wait is
// drawn only if that passes without anything. Timers and pings are steps of a loop. While there are
// only pings on a connection, they have no events ([fastForward]).
type idleTimer struct {
	s       *Session
	source  *vtime.Source // random source of the jitter, for this session only
	loop    *vtime.Loop
	request ping
	forward fastForward
	limit   time.Duration // length of a wait without jitter: half the read timeout
	since   time.Duration // when something was last sent or read

	// at is when the timer fires. At first this is the time in since plus the shortest possible
	// wait. If nothing was sent or read by then, the actual wait is drawn: drawn is set, and at
	// becomes the end of that wait.
	at    time.Duration
	drawn bool
	timer vtime.Timer
	armed bool
	// fresh reports whether the field since was changed after the field at was set.
	fresh bool

	outstanding bool // whether a ping is still unanswered
}

var kindIdle = vtime.NewKind("zookeeper.idle")

// maxJitter is the largest random reduction of a wait. It is a multiple of jitterStep.
const (
	jitterStep = 10 * time.Millisecond
	maxJitter  = 40 * jitterStep
)

// partIdle is the part of the loop's steps at which the timer fires.
const partIdle = 0

// init prepares the ping timer of a session.
func (t *idleTimer) init(s *Session) {
	t.s, t.source = s, s.p.OwnSource("kazoo.ping")
	t.loop = s.p.Node().NewLoop(t.source.Site())
	t.request.loop = t.loop
	t.forward = fastForward{t: t, sleeper: leap.NewSleeper(s.p, t.loop, &t.forward)}
	t.forward.sleeper.Tolerant = true
}

// begin starts the timer for a new connection.
func (t *idleTimer) begin(readTimeout time.Duration) {
	t.timer.Cancel()
	t.limit, t.outstanding = readTimeout/2, false
	t.arm(t.now())
	t.schedule()
}

func (t *idleTimer) stop() {
	t.armed = false
	t.timer.Cancel()
}

// arm sets the field at to the earliest possible end of a wait that begins at the time in the
// argument since.
func (t *idleTimer) arm(since time.Duration) {
	t.since, t.armed, t.fresh, t.drawn = since, true, false, false
	t.at = since + t.shortest()
}

func (t *idleTimer) draw() time.Duration {
	jitter := time.Duration(t.source.Intn(int(maxJitter/jitterStep)+1)) * jitterStep
	return max(t.limit-jitter, jitter)
}

// shortest returns a lower bound for all waits. A wait is the larger of limit-jitter and jitter, so
// it is never below limit/2.
func (t *idleTimer) shortest() time.Duration { return max(t.limit-maxJitter, t.limit/2) }

// schedule sets the timer. Its event has no origin, because it is caused by the passing of time
// alone.
func (t *idleTimer) schedule() {
	defer unled(t.s.host)()
	t.timer = t.loop.ScheduleIn(t.s.p, partIdle, t.at, kindIdle, t, 0)
}

// now returns the virtual time. Unlike other ways to read the clock, it does not keep the turn of a
// loop from being skipped later.
func (t *idleTimer) now() time.Duration { return t.s.host.Network().World().Now() }

// touch records that something was sent or read now.
func (t *idleTimer) touch() { t.touchedAt(t.now()) }

// touchedAt records that something was sent or read at a virtual time. If pings have no events, it
// first computes those before that time. They still have no events afterwards.
func (t *idleTimer) touchedAt(at time.Duration) {
	if t.forward.sleeper.Asleep() {
		t.forward.sleeper.CatchUp()
	}
	t.since, t.fresh = at, true
}

// pong records that the answer to a ping was read.
func (t *idleTimer) pong() {
	t.outstanding = false
	if !t.armed {
		return
	}
	t.timer.Cancel()
	t.answered(t.now())
	if !t.forward.begin() {
		t.schedule()
	}
}

// joins makes pings have no events, because a loop that uses the connection is about to sleep. It
// returns false if that is not possible. The server does not see the requests of a sleeping loop,
// so without the pings it would expire the session.
func (t *idleTimer) joins() bool {
	return t.forward.sleeper.Asleep() || t.armed && !t.outstanding && t.forward.begin()
}

func (t *idleTimer) answered(at time.Duration) {
	t.outstanding = false
	t.arm(at)
}

// ping records that a ping was sent at a virtual time and waits for its answer.
func (t *idleTimer) ping(at time.Duration) {
	t.outstanding = true
	t.arm(at)
}

// Handle is called by the engine when the timer fires. If nothing was sent or read during the wait,
// it sends a ping. If an earlier ping has no answer yet, it drops the connection.
func (t *idleTimer) Handle(uint64) {
	if s := t.s; t.quiet(t.now()) {
		switch {
		case !s.open:
			// While the connection task is busy, it checks neither the time nor messages.
			t.arm(t.now())
		case t.outstanding:
			t.armed, t.outstanding = false, false
			s.over(recipes.EndDropped)
			return
		default:
			t.ping(t.now())
			s.conn.SendStep(t.loop, &t.request, pingBytes)
		}
	}
	t.schedule()
}

// quiet reports whether the wait has ended without anything being sent or read. If not, it sets the
// time of the next check.
func (t *idleTimer) quiet(now time.Duration) bool {
	switch {
	case t.fresh:
		t.arm(t.since)
		return t.at <= now && t.quiet(now)
	case !t.drawn:
		t.drawn = true
		was := t.at
		t.at = t.since + t.draw()
		return t.at <= was
	}
	return true
}

// These are the sizes in bytes of a ping and its answer.
const (
	pingBytes = 12
	pongBytes = 20
)
