package tfserving

import "time"

// rank orders what happens at one instant. The manager goes before the polls
// because its loop was started before theirs and so runs ahead of them by
// microseconds; a request that arrives at that instant comes last.
type rank uint8

const (
	rankThread rank = iota // loads, unloads, wake-ups of blocked threads
	rankManager
	rankStorePoll
	rankConfigPoll
	rankRequest
)

// timer is one thing to do at one instant. Periodic work owns one timer for
// life, so that rearming it allocates nothing.
type timer struct {
	at     time.Duration
	rank   rank
	fn     func()
	queued bool
}

// agenda runs the server's timers on a single timer of the host, in the order
// (instant, rank, order of setting). Every call from outside first runs what
// is due, so that the order does not depend on how the host breaks ties.
type agenda struct {
	host    Host
	queue   []*timer // earliest last
	running bool
	stopped bool

	// at and passed are the latest instant at which something ran and the
	// highest rank that ran then.
	at     time.Duration
	passed rank

	armed   bool
	armedAt time.Duration
	disarm  func()
	wake    func()
}

func newAgenda(host Host) *agenda {
	a := &agenda{host: host}
	a.wake = func() {
		a.armed = false
		a.run()
	}
	return a
}

func (a *agenda) now() time.Duration { return a.host.Now() }

// set puts t on the agenda at the instant, moving it when it is there already.
func (a *agenda) set(t *timer, at time.Duration) {
	a.unset(t)
	if a.stopped {
		return
	}
	t.at, t.queued = at, true
	i := len(a.queue)
	for i > 0 && !a.queue[i-1].after(t) {
		i--
	}
	// Everything before i is later than t; equals stay behind it, at the end,
	// because they were set earlier and run earlier.
	a.queue = append(a.queue, nil)
	copy(a.queue[i+1:], a.queue[i:])
	a.queue[i] = t
}

// after says whether t runs later than u, were u set now.
func (t *timer) after(u *timer) bool {
	if t.at != u.at {
		return t.at > u.at
	}
	return t.rank > u.rank
}

func (a *agenda) unset(t *timer) {
	if !t.queued {
		return
	}
	t.queued = false
	for i, u := range a.queue {
		if u == t {
			a.queue = append(a.queue[:i], a.queue[i+1:]...)
			return
		}
	}
}

// sleep runs fn after d as a thread does that sleeps; d below 0 counts as 0.
func (a *agenda) sleep(d time.Duration, fn func()) {
	a.set(&timer{rank: rankThread, fn: fn}, a.now()+max(d, 0))
}

// soon runs fn at this instant, after what is running now.
func (a *agenda) soon(fn func()) { a.sleep(0, fn) }

// request is a call from outside.
func (a *agenda) request(fn func()) { a.enter(rankRequest, fn) }

// enter runs what is due, then fn, which comes from outside at the rank, then what
// fn made due. Inside a callback of the server it just runs fn.
func (a *agenda) enter(r rank, fn func()) {
	if a.running {
		fn()
		return
	}
	a.drain()
	a.pass(r)
	a.running = true
	fn()
	a.running = false
	a.run()
}

// run does everything that is due and arms the host's timer for the rest.
func (a *agenda) run() {
	if a.running {
		return
	}
	a.drain()
	a.arm()
}

// catchUp runs what is due before a call from outside that changes nothing.
func (a *agenda) catchUp() {
	if a.due() {
		a.run()
	}
}

// due says whether run would do anything.
func (a *agenda) due() bool {
	n := len(a.queue)
	return n > 0 && !a.running && a.queue[n-1].at <= a.now()
}

func (a *agenda) drain() {
	for a.due() {
		n := len(a.queue)
		t := a.queue[n-1]
		a.queue[n-1] = nil
		a.queue = a.queue[:n-1]
		t.queued = false
		a.pass(t.rank)
		a.running = true
		t.fn()
		a.running = false
	}
}

func (a *agenda) pass(r rank) {
	if now := a.now(); now > a.at {
		a.at, a.passed = now, r
	} else {
		a.passed = max(a.passed, r)
	}
}

func (a *agenda) arm() {
	n := len(a.queue)
	if n == 0 || a.stopped {
		a.cancel()
		return
	}
	at := a.queue[n-1].at
	if a.armed && a.armedAt == at {
		return
	}
	a.cancel()
	a.armed, a.armedAt = true, at
	a.disarm = a.host.After(at-a.now(), a.wake)
}

func (a *agenda) cancel() {
	if a.armed {
		a.disarm()
		a.armed = false
	}
}

// stop forgets everything for good.
func (a *agenda) stop() {
	a.stopped = true
	a.cancel()
	for _, t := range a.queue {
		t.queued = false
	}
	a.queue = nil
}

// grid is the schedule of a periodic loop (TFS-2.2) of which runs that would do
// nothing may be left out: next is when the loop, had it never left out a run,
// would begin a run that was not yet looked at.
type grid struct {
	interval time.Duration
	next     time.Duration
}

// began notes that a run begins at the instant.
func (g *grid) began(at time.Duration) { g.next = at + g.interval }

// ended notes the end of a run and says whether it overran, that is, whether
// the next run follows at once.
func (g *grid) ended(at time.Duration) (overran bool) {
	if at < g.next {
		return false
	}
	g.next = at
	return true
}

// upcoming is the first instant of the grid whose turn at rank r has not passed
// on the agenda; the runs before it count as left out. What comes from outside
// at the very instant of a run comes after it.
func (g *grid) upcoming(a *agenda, r rank) time.Duration {
	now := a.now()
	if g.next < now {
		g.next += (now - g.next + g.interval - 1) / g.interval * g.interval
	}
	if g.next == now && (!a.running || a.at == now && a.passed >= r) {
		g.next += g.interval
	}
	return g.next
}
