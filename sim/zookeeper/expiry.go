package zookeeper

import (
	"cmp"
	"slices"
)

// expiry holds the sessions in buckets, one for each instant of the tick grid.
//
// A touch only changes the session's deadline; the session stays in its bucket. When the bucket's
// instant comes, the session either expires or moves to the bucket of its deadline. So no session
// expires late, and a ping costs one division.
type expiry struct {
	tickMs int64
	// buckets is sorted by time and has at most maxSessionTimeout/tick + 2 entries.
	buckets []bucket
	// spare holds emptied slices for reuse.
	spare [][]*session
}

type bucket struct {
	atMs int64
	// sessions may contain some that have ended or moved to another bucket.
	sessions []*session
}

// deadline returns the first instant of the grid after t. A t on the grid moves to the next instant
// (ZK-3.1).
func (e *expiry) deadline(tMs int64) int64 { return (tMs/e.tickMs + 1) * e.tickMs }

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

// due returns the sessions in the first bucket that expire, ordered by id, and moves the others to
// later buckets.
func (e *expiry) due() []*session {
	b := e.buckets[0]
	e.buckets = slices.Delete(e.buckets, 0, 1)
	var dead []*session
	for _, s := range b.sessions {
		switch {
		case s.foretold:
			// It cannot expire now, and gets a bucket again when that ends (see fast_path.go).
			if s.filedMs == b.atMs {
				s.filedMs = 0
			}
		case s.ended || s.filedMs != b.atMs:
		case s.deadlineMs > b.atMs:
			e.file(s)
		default:
			// So that a second entry in this bucket does not find it again.
			s.filedMs = -1
			dead = append(dead, s)
		}
	}
	clear(b.sessions)
	e.spare = append(e.spare, b.sessions[:0])
	slices.SortFunc(dead, func(a, b *session) int { return cmp.Compare(a.id, b.id) })
	return dead
}

// touch sets the session's deadline anew (ZK-3.2).
func (m *Machine) touch(s *session) { m.touchFor(s, s.timeoutMs) }

// touchFor does what touch does for another timeout than the session's.
func (m *Machine) touchFor(s *session, timeoutMs int64) {
	s.deadlineMs = m.expiry.deadline(m.nowMs + timeoutMs)
	// A client that attaches again can shorten the timeout. Then the session's bucket comes too
	// late.
	if s.filedMs == 0 || s.deadlineMs < s.filedMs {
		m.expiry.file(s)
	}
}

// NextExpiryMs returns the next instant at which Tick may have something to do: no session expires
// and nothing is swept before it. ok is false when there is nothing to wait for.
func (m *Machine) NextExpiryMs() (atMs int64, ok bool) {
	if len(m.sessions) > 0 && len(m.expiry.buckets) > 0 {
		atMs, ok = m.expiry.buckets[0].atMs, true
	}
	if sweepMs, waiting := m.sweep.due(len(m.tree.mortals)); waiting && (!ok || sweepMs < atMs) {
		atMs, ok = sweepMs, true
	}
	return atMs, ok
}

// Tick does everything that is due up to and including nowMs: it expires sessions, whole buckets at
// once, and removes containers and TTL nodes. The other inputs do the same first, so an expiry
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
