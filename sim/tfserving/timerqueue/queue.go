// Package timerqueue has the threads of a simulated model server as chains of callbacks:
// what is to be done at which instant, in which order, and the locks and pools between.
//
// Two things to use first:
//
//   - [New] makes a [Queue] on a [Host]; [Queue.Request] is a call from outside, and
//     [Queue.Set] puts a [Timer] on it.
//   - [Grid] is the schedule of a loop of which runs may be left out.
//
// To change the order of what happens at one instant look at [Rank]; locks are in
// mutex.go, pools of threads in executor.go.
package timerqueue

import (
	"time"
)

// Rank orders what happens at one instant. The manager goes before the polls
// because its loop was started before theirs and so runs ahead of them by
// microseconds; a request that arrives at that instant comes last.
type Rank uint8

// The ranks, first to last.
const (
	Thread Rank = iota // loads, unloads, wake-ups of blocked threads
	Manager
	StorePoll
	ConfigPoll
	Request
)

// Timer is one thing to do at one instant. Periodic work owns one timer for life, so
// that rearming it allocates nothing. Queued, which the queue sets, says that it waits.
type Timer struct {
	at     time.Duration
	Rank   Rank
	Fn     func()
	Queued bool
}

// Queue runs the server's timers on a single timer of the host, in the order (instant,
// rank, order of setting). Every call from outside first runs what is due, so that the
// order does not depend on how the host breaks ties.
type Queue struct {
	host    Host
	queue   []*Timer // earliest last
	Running bool     // whether a callback of the server runs right now
	stopped bool

	// at and passed are the latest instant at which something ran and the
	// highest rank that ran then.
	at     time.Duration
	passed Rank

	armed   bool
	armedAt time.Duration
	disarm  func()
	wake    func()
}

// Host is the clock that a queue runs on.
type Host interface {
	// Now is monotonic, from any start.
	Now() time.Duration
	// After calls fn once, d from now, unless cancel is called first. It never
	// calls fn before it has returned.
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

// Now is the host's time.
func (q *Queue) Now() time.Duration { return q.host.Now() }

// Set has t run at the instant, in place of the one that it waits for. A queue that was
// stopped takes no timer.
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
	// Everything before i is later than t; equals stay behind it, at the end,
	// because they were set earlier and run earlier.
	q.queue = append(q.queue, nil)
	copy(q.queue[i+1:], q.queue[i:])
	q.queue[i] = t
}

// after reports whether t runs later than u, were u set now.
func (t *Timer) after(u *Timer) bool {
	if t.at != u.at {
		return t.at > u.at
	}
	return t.Rank > u.Rank
}

// Unset takes t off the queue; it does nothing when t does not wait.
func (q *Queue) Unset(t *Timer) {
	if !t.Queued {
		return
	}
	t.Queued = false
	for i, u := range q.queue {
		if u == t {
			q.queue = append(q.queue[:i], q.queue[i+1:]...)
			return
		}
	}
}

// Sleep runs fn after d as a thread does that sleeps; d below 0 counts as 0.
func (q *Queue) Sleep(d time.Duration, fn func()) {
	q.Set(&Timer{Rank: Thread, Fn: fn}, q.Now()+max(d, 0))
}

// Soon runs fn at this instant, after what is running now.
func (q *Queue) Soon(fn func()) { q.Sleep(0, fn) }

// Request runs fn as a request to the server: what is due comes first, then fn, then
// what fn made due. Inside a callback of the server it just runs fn.
func (q *Queue) Request(fn func()) { q.Enter(Request, fn) }

// Enter runs fn, which comes from outside, at a rank: what is due comes first, then fn,
// then what fn made due. Inside a callback of the server it just runs fn.
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

// run does everything that is due and arms the host's timer for the rest.
func (q *Queue) run() {
	if q.Running {
		return
	}
	q.drain()
	q.Arm()
}

// CatchUp runs what is due before a call from outside that changes nothing.
func (q *Queue) CatchUp() {
	if q.due() {
		q.run()
	}
}

// due reports whether run would do anything.
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

// Arm has the host wake the queue for its earliest timer, and for nothing when the queue
// is empty or stopped.
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

// Stop drops all timers, and every one that is set later.
func (q *Queue) Stop() {
	q.stopped = true
	q.cancel()
	for _, t := range q.queue {
		t.Queued = false
	}
	q.queue = nil
}

// Grid is the schedule of a periodic loop (TFS-2.2) of which runs that would do
// nothing may be left out: next is when the loop, had it never left out a run,
// would begin a run that was not yet looked at.
type Grid struct {
	Interval time.Duration
	next     time.Duration
}

// Began notes that a run begins at the instant.
func (g *Grid) Began(at time.Duration) { g.next = at + g.Interval }

// Ended notes the end of a run. It reports whether the run overran its interval, so that
// the next one follows at once.
func (g *Grid) Ended(at time.Duration) (overran bool) {
	if at < g.next {
		return false
	}
	g.next = at
	return true
}

// Upcoming is the first instant of the grid whose turn at rank r has not passed on the
// queue; the runs before it count as left out. What comes from outside at the very
// instant of a run comes after it.
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
