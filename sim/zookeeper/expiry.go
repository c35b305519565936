package zookeeper

import (
	"cmp"
	"slices"

	"github.com/monosim/monosim/sim/zookeeper/expiring"
)

// expiry holds the sessions in buckets, one for each tick at which sessions may expire.
//
// A touch only changes the session's deadline; the session stays in its bucket. When the bucket
// comes due, the session either expires or moves to the bucket of its deadline. So no session
// expires late, and a ping costs one division.
type expiry struct {
	// sets are the sets that a real server would list. They also give the grid of ticks.
	sets expiring.Sets
	// buckets is sorted by time and has at most maxSessionTimeout/tick + 2 entries.
	buckets []bucket
	// spare holds emptied slices for reuse.
	spare [][]*session
}

type bucket struct {
	atMs int64
	// sessions may also contain sessions that have ended or moved to another bucket.
	sessions []*session
}

// deadline returns the first tick after t. If t is itself a tick, it returns the next one (ZK-3.1).
func (e *expiry) deadline(tMs int64) int64 { return e.sets.Deadline(tMs) }

// postpone moves the session's deadline.
func (e *expiry) postpone(s *session, nowMs, deadlineMs int64) {
	if s.deadlineMs != deadlineMs {
		s.deadlineMs = deadlineMs
		e.sets.Make(nowMs, deadlineMs)
	}
}

// file puts s into the bucket of its deadline.
func (e *expiry) file(s *session) {
	s.filedMs = s.deadlineMs
	i := len(e.buckets)
	for i > 0 && e.buckets[i-1].atMs >= s.deadlineMs {
		i--
	}
	if i == len(e.buckets) || e.buckets[i].atMs != s.deadlineMs {
		b := bucket{atMs: s.deadlineMs}
		if k := len(e.spare); k > 0 {
			b.sessions, e.spare = e.spare[k-1], e.spare[:k-1]
		}
		e.buckets = slices.Insert(e.buckets, i, b)
	}
	e.buckets[i].sessions = append(e.buckets[i].sessions, s)
}

// due removes the first bucket and returns its sessions that expire, ordered by id. It moves the
// other sessions to later buckets.
func (e *expiry) due() []*session {
	b := e.buckets[0]
	e.buckets = slices.Delete(e.buckets, 0, 1)
	var dead []*session
	for _, s := range b.sessions {
		switch {
		case s.foretold:
			// Expiry of this session is suspended. It gets a bucket when the suspension ends (see
			// fast_path.go).
			if s.filedMs == b.atMs {
				s.filedMs = 0
			}
		case s.ended || s.filedMs != b.atMs:
		case s.deadlineMs > b.atMs:
			e.file(s)
		case s.deadlineMs < b.atMs:
			s.filedMs = 0 // the deadline was already past when the session was touched (see touchFor)
		default:
			// The session may be in this bucket twice. This prevents a second expiry.
			s.filedMs = -1
			dead = append(dead, s)
		}
	}
	clear(b.sessions)
	e.spare = append(e.spare, b.sessions[:0])
	slices.SortFunc(dead, func(a, b *session) int { return cmp.Compare(a.id, b.id) })
	return dead
}

// touch moves the session's deadline to one timeout from now (ZK-3.2).
func (m *Machine) touch(s *session) { m.touchFor(s, s.timeoutMs) }

// touchFor does what touch does, with the given timeout instead of the session's own. A client can
// ask for a timeout that has already passed (ZK-1.6). A server looks only at future ticks, so such
// a session does not expire until it is touched again.
func (m *Machine) touchFor(s *session, timeoutMs int64) {
	m.expiry.postpone(s, m.nowMs, m.expiry.deadline(m.nowMs+timeoutMs))
	if s.deadlineMs < m.expiry.deadline(m.nowMs) {
		return
	}
	// A client that reconnects may shorten the timeout. The bucket that holds the session would
	// then come due too late.
	if s.filedMs == 0 || s.deadlineMs < s.filedMs {
		m.expiry.file(s)
	}
}

// NextExpiryMs returns the earliest time at which Tick may have something to do. Before it no
// session expires and nothing is swept. ok is false if there is nothing to wait for.
func (m *Machine) NextExpiryMs() (atMs int64, ok bool) {
	if len(m.sessions) > 0 && len(m.expiry.buckets) > 0 {
		atMs, ok = m.expiry.buckets[0].atMs, true
	}
	if sweepMs, waiting := m.sweep.due(len(m.tree.mortals)); waiting && (!ok || sweepMs < atMs) {
		atMs, ok = sweepMs, true
	}
	return atMs, ok
}

// Tick does everything that is due up to and including nowMs. It expires sessions, a whole bucket
// at a time, and removes containers and TTL nodes. All other inputs call it first, so an expiry
// comes before a request of the same instant. A clock that goes backwards is ignored.
func (m *Machine) Tick(nowMs int64) {
	nowMs = max(nowMs, m.nowMs)
	for {
		atMs, ok := m.NextExpiryMs()
		if !ok || atMs > nowMs {
			break
		}
		m.nowMs = max(atMs, m.nowMs)
		m.expireUntil(atMs)
		m.sweepOnce(atMs)
	}
	m.nowMs = nowMs
}

// expireUntil empties the buckets up to and including atMs.
func (m *Machine) expireUntil(atMs int64) {
	for len(m.expiry.buckets) > 0 && m.expiry.buckets[0].atMs <= atMs {
		for _, s := range m.expiry.due() {
			m.expire(s)
		}
	}
}
