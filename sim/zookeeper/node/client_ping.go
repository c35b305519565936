package node

import (
	"time"

	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// idleTimer pings a quiet connection and finds a dead one. Kazoo's loop
// (connection.py:581) draws a new wait whenever something was sent or read: half
// the read timeout, less up to 0.4 s of jitter. A wait without anything ends with
// a ping; one after a ping without anything drops the connection.
//
// Only the last wait of a burst counts. The timer is therefore set to the shortest wait
// first, and the wait is drawn when that has passed without anything.
//
// Timers and pings are steps of a loop. A connection on which there are only pings has no
// events at all (see [fastForward]).
type idleTimer struct {
	s       *Session
	source  *vtime.Source // of jitter, of this session only
	loop    *vtime.Loop
	request ping
	forward fastForward
	limit   time.Duration // half the read timeout
	since   time.Duration // when something was last sent or read

	// at is what the timer is set to: the shortest wait from since, or, when that has
	// passed and drawn is set, the end of the wait.
	at    time.Duration
	drawn bool
	timer vtime.Timer
	armed bool
	// fresh says that since has moved after at was set.
	fresh bool

	outstanding bool // a ping is
}

var kindIdle = vtime.NewKind("zookeeper.idle")

// maxJitter is the most that a wait is shortened by, in steps of jitterStep.
const (
	jitterStep = 10 * time.Millisecond
	maxJitter  = 40 * jitterStep
)

// partIdle is the timer's, of the parts of the loop.
const partIdle = 0

// init makes the timer of a session.
func (t *idleTimer) init(s *Session) {
	t.s, t.source = s, s.p.OwnSource("kazoo.ping")
	t.loop = s.p.Node().NewLoop(t.source.Site())
	t.request.loop = t.loop
	t.forward = fastForward{t: t, sleeper: leap.NewSleeper(s.p, t.loop, &t.forward)}
	t.forward.sleeper.Tolerant = true
}

// begin starts with a new connection.
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

// arm sets the shortest end of a wait that begins at an instant.
func (t *idleTimer) arm(since time.Duration) {
	t.since, t.armed, t.fresh, t.drawn = since, true, false, false
	t.at = since + t.shortest()
}

func (t *idleTimer) draw() time.Duration {
	jitter := time.Duration(t.source.Intn(int(maxJitter/jitterStep)+1)) * jitterStep
	return max(t.limit-jitter, jitter)
}

// shortest is less than or equal to any wait, and more than half of any.
func (t *idleTimer) shortest() time.Duration { return max(t.limit-maxJitter, t.limit/2) }

// schedule sets the timer. Nothing has led to its end but that time passes.
func (t *idleTimer) schedule() {
	defer unled(t.s.host)()
	t.timer = t.loop.ScheduleIn(t.s.p, partIdle, t.at, kindIdle, t, 0)
}

// now is the virtual time, at which a loop may look without seeing anything by it.
func (t *idleTimer) now() time.Duration { return t.s.host.Network().World().Now() }

// touch tells that something was sent or read.
func (t *idleTimer) touch() { t.touchedAt(t.now()) }

// touchedAt is touch at an instant. A message of a loop that was woken alone comes in while
// the timer still sleeps: what is past of it comes first.
func (t *idleTimer) touchedAt(at time.Duration) {
	if t.forward.sleeper.Asleep() {
		t.forward.sleeper.CatchUp()
	}
	t.since, t.fresh = at, true
}

// pong tells that the answer to the ping was read.
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

// joins puts the timer to sleep, for a loop that is about to fall asleep: the server does
// not look whether a session expires whose requests it does not see.
func (t *idleTimer) joins() bool {
	return t.forward.sleeper.Asleep() || t.armed && !t.outstanding && t.forward.begin()
}

func (t *idleTimer) answered(at time.Duration) {
	t.outstanding = false
	t.arm(at)
}

// ping begins the wait for the answer to a ping.
func (t *idleTimer) ping(at time.Duration) {
	t.outstanding = true
	t.arm(at)
}

// Handle pings, or drops a dead connection, at the end of a quiet wait. The engine calls
// it.
func (t *idleTimer) Handle(uint64) {
	if s := t.s; t.quiet(t.now()) {
		switch {
		case !s.open:
			// The connection task is busy and looks neither at time nor at messages.
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

// quiet reports whether a wait is over at an end of the timer; otherwise it says when to
// look again.
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

// The sizes of a ping and its answer.
const (
	pingBytes = 12
	pongBytes = 20
)
