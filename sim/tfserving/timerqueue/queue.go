// Package timerqueue runs the threads of a simulated model server as chains of callbacks. It
// decides when and in which order they run, and has locks and thread pools for them.
//
// Two things to use first:
//
//   - [New] makes a [Queue] on a [Host]. [Queue.Request] is a call from outside, and [Queue.Set]
//     puts a [Timer] on the queue.
//   - [Grid] is the schedule of a loop whose runs may be left out.
//
// To change:
//
//   - the order of callbacks at one instant: [Rank]
//   - locks: mutex.go
//   - pools of threads: executor.go
//
// Unstable: any commit may change it.
package timerqueue

import (
	"slices"
	"time"
)

// Rank orders the callbacks of one instant. The manager comes before the polls, because its loop
// was started before theirs and is ahead by microseconds. A request at the same instant comes last.
type Rank uint8

// These are the ranks, first to last.
const (
	Thread Rank = iota // Thread is for loads, unloads and wake-ups of blocked threads
	Manager
	StorePoll
	ConfigPoll
	Request
)

// Timer is a callback for one instant. A periodic loop reuses one timer, so that setting it again
// allocates nothing. Queued is true while the timer is in a queue.
type Timer struct {
	at     time.Duration
	Rank   Rank
	Fn     func()
	Queued bool
}

// Queue runs the server's timers with a single timer of the host. It orders them by instant, rank
// and the order of Set. Every call from outside first runs due timers, so that the order does not
// depend on how the host breaks ties.
type Queue struct {
	host    Host
	queue   []*Timer // queue has the earliest timer last
	Running bool     // Running is true during a callback of the server
	stopped bool

	// at is the latest instant at which a callback ran. passed is the highest rank that ran at that
	// instant.
	at     time.Duration
	passed Rank

	armed   bool
	armedAt time.Duration
	disarm  func()
	wake    func()
}

// Host is the clock of a queue.
type Host interface {
	// Now returns a monotonic time. Its zero is arbitrary.
	Now() time.Duration
	// After calls fn once when d has passed, unless cancel is called first. It always returns
	// before it calls fn.
	After(d time.Duration, fn func()) (cancel func())
}

// New makes an empty queue.
func New(host Host) *Queue {
	q := &Queue{host: host}
	q.wake = func() {
		q.armed = false
		q.run()
	}
	return q
}

// Now returns the host's time.
func (q *Queue) Now() time.Duration { return q.host.Now() }

// Set schedules t for an instant. If t was already scheduled, the new instant replaces the old one.
// On a stopped queue it does nothing.
func (q *Queue) Set(t *Timer, at time.Duration) {
	q.Unset(t)
	if q.stopped {
		return
	}
	t.at, t.Queued = at, true
	i := len(q.queue)
	for i > 0 && !q.queue[i-1].after(t) {
		i--
	}
	// Timers before index i run later than t. Timers of the same instant and rank come after i,
	// because they were set earlier and run earlier.
	q.queue = slices.Insert(q.queue, i, t)
}

// after reports whether t runs later than u. It assumes that u is set after t, so at the same
// instant and rank t runs first.
func (t *Timer) after(u *Timer) bool {
	if t.at != u.at {
		return t.at > u.at
	}
	return t.Rank > u.Rank
}

// Unset removes t from the queue, if it is queued.
func (q *Queue) Unset(t *Timer) {
	if !t.Queued {
		return
	}
	t.Queued = false
	if i := slices.Index(q.queue, t); i >= 0 {
		q.queue = slices.Delete(q.queue, i, i+1)
	}
}

// Sleep runs fn when d has passed, like a thread that sleeps. A negative d counts as 0.
func (q *Queue) Sleep(d time.Duration, fn func()) {
	q.Set(&Timer{Rank: Thread, Fn: fn}, q.Now()+max(d, 0))
}

// Soon runs fn at this instant, after the present callback.
func (q *Queue) Soon(fn func()) { q.Sleep(0, fn) }

// Request runs fn as a request to the server. It first runs due timers, then fn, then timers that
// fn made due. Inside a callback of the server it only runs fn.
func (q *Queue) Request(fn func()) { q.Enter(Request, fn) }

// Enter runs fn as a call from outside with rank r. It first runs due timers, then fn, then timers
// that fn made due. Inside a callback of the server it only runs fn.
func (q *Queue) Enter(r Rank, fn func()) {
	if q.Running {
		fn()
		return
	}
	q.drain()
	q.pass(r)
	q.Running = true
	fn()
	q.Running = false
	q.run()
}

// run runs all due timers, and arms the host's timer for the rest.
func (q *Queue) run() {
	if q.Running {
		return
	}
	q.drain()
	q.Arm()
}

// CatchUp runs due timers. Every call from outside that changes nothing itself, such as a status
// request, begins with CatchUp.
func (q *Queue) CatchUp() {
	if q.due() {
		q.run()
	}
}

// due reports whether a timer is due and may run now.
func (q *Queue) due() bool {
	n := len(q.queue)
	return n > 0 && !q.Running && q.queue[n-1].at <= q.Now()
}

func (q *Queue) drain() {
	for q.due() {
		n := len(q.queue)
		t := q.queue[n-1]
		q.queue[n-1] = nil
		q.queue = q.queue[:n-1]
		t.Queued = false
		q.pass(t.Rank)
		q.Running = true
		t.Fn()
		q.Running = false
	}
}

func (q *Queue) pass(r Rank) {
	if now := q.Now(); now > q.at {
		q.at, q.passed = now, r
	} else {
		q.passed = max(q.passed, r)
	}
}

// Arm sets the host's timer to the earliest timer of the queue. If the queue is empty or stopped,
// it cancels the host's timer.
func (q *Queue) Arm() {
	n := len(q.queue)
	if n == 0 || q.stopped {
		q.cancel()
		return
	}
	at := q.queue[n-1].at
	if q.armed && q.armedAt == at {
		return
	}
	q.cancel()
	q.armed, q.armedAt = true, at
	q.disarm = q.host.After(at-q.Now(), q.wake)
}

func (q *Queue) cancel() {
	if q.armed {
		q.disarm()
		q.armed = false
	}
}

// Stop drops all timers. Later calls of Set are ignored.
func (q *Queue) Stop() {
	q.stopped = true
	q.cancel()
	for _, t := range q.queue {
		t.Queued = false
	}
	q.queue = nil
}

// Grid is the schedule of a periodic loop (TFS-2.2). Runs that would do nothing may be skipped.
// next is the instant of the next run, as if no run had been skipped.
type Grid struct {
	Interval time.Duration
	next     time.Duration
}

// Began records that a run begins at an instant.
func (g *Grid) Began(at time.Duration) { g.next = at + g.Interval }

// Ended records the end of a run. It reports whether the run took longer than the interval. The
// next run then follows at once.
func (g *Grid) Ended(at time.Duration) (overran bool) {
	if at < g.next {
		return false
	}
	g.next = at
	return true
}

// Upcoming returns the first instant of the schedule that callbacks of rank r have not yet passed.
// Runs before it are skipped. A call from outside at the instant of a run counts as after that run.
func (g *Grid) Upcoming(q *Queue, r Rank) time.Duration {
	now := q.Now()
	if g.next < now {
		g.next += (now - g.next + g.Interval - 1) / g.Interval * g.Interval
	}
	if g.next == now && (!q.Running || q.at == now && q.passed >= r) {
		g.next += g.Interval
	}
	return g.next
}
