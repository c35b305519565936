package node

import (
	"cmp"
	"slices"
	"time"
)

// contentChanges is told before a change of a znode. Surveys that are asleep are gone
// through before it, and go on by events.
func (s *Server) contentChanges(parent, path string) {
	if len(s.usual[parent]) > 0 {
		s.touched = append(s.touched, touched{parent, path})
	}
	b := s.below[parent]
	if b == nil {
		return
	}
	for len(b.surveys) > 0 && !s.host.Network().World().Closing() {
		b.surveys[len(b.surveys)-1].sleeper.Wake()
	}
	b.epoch++
}

// zxidBefore is the zxid before a write at an instant.
type zxidBefore struct {
	at   time.Duration
	zxid int64
}

// zxidsFor is for how long the zxids before writes are kept. An answer that is on its way,
// or was the last one to come, is younger.
func (s *Server) zxidsFor() time.Duration { return 4*s.host.Network().MaxLatency() + time.Microsecond }

// begins is told of a transaction before it begins.
func (s *Server) begins() {
	s.writes.BeforeChange()
	if !s.harmless {
		s.settleFeeds()
	}
	if s.machine == nil {
		return
	}
	now := s.host.Node().World().Now()
	if k := len(s.zxids); k == cap(s.zxids) {
		s.forgetZxids(now - s.zxidsFor())
	}
	s.zxids = append(s.zxids, zxidBefore{now, s.machine.Zxid()})
}

// forgetZxids forgets those that nobody will ask for: a feed that is asleep asks for all since
// it was gone through last, which is done when there are many.
func (s *Server) forgetZxids(since time.Duration) {
	switch {
	case len(s.feeds) == 0:
	case len(s.zxids) < mostZxids:
		return
	default:
		s.settleFeeds()
	}
	old := 0
	for old < len(s.zxids) && s.zxids[old].at < since {
		old++
	}
	s.zxids = slices.Delete(s.zxids, 0, old)
}

// mostZxids are kept for feeds.
const mostZxids = 1024

// zxidAt is the zxid that an answer had which was a step of a loop at an instant; ok is
// false when that was long ago.
func (s *Server) zxidAt(at time.Duration) (zxid int64, ok bool) {
	if at < s.host.Node().World().Now()-s.zxidsFor() {
		return 0, false
	}
	return s.zxidThen(at), true
}

// zxidThen is zxidAt for an instant since which all zxids are kept.
func (s *Server) zxidThen(at time.Duration) int64 {
	i, _ := slices.BinarySearchFunc(s.zxids, at, func(z zxidBefore, at time.Duration) int { return cmp.Compare(z.at, at) })
	if i < len(s.zxids) {
		return s.zxids[i].zxid // steps come before writes of the same instant
	}
	return s.machine.Zxid()
}
