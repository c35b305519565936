package node

import (
	"cmp"
	"slices"
	"time"
)

// contentChanges is called before a znode changes. It makes the reads of surveys of that znode have
// events again.
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

// zxidBefore is the zxid before a write, with the virtual time of the write.
type zxidBefore struct {
	at   time.Duration
	zxid int64
}

// zxidsFor returns for how long the zxids before writes are kept: longer than an answer that is on
// its way, or has just arrived, can be old.
func (s *Server) zxidsFor() time.Duration { return 4*s.host.Network().MaxLatency() + time.Microsecond }

// begins is called before each transaction. It wakes the loops that depend on the server's writes,
// computes past reads of feeds where necessary, and stores the present zxid.
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

// forgetZxids drops the zxids of writes before the time since. A feed without events needs all
// zxids after its last computed step. If very many zxids are stored, forgetZxids first computes
// these steps of all feeds.
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

// mostZxids is how many zxids are stored for feeds at most. When there are more, forgetZxids
// computes the steps of all feeds, so that it can drop old zxids.
const mostZxids = 1024

// zxidAt returns the zxid in an answer that was given at a past virtual time. ok is false if that
// was too long ago.
func (s *Server) zxidAt(at time.Duration) (zxid int64, ok bool) {
	if at < s.host.Node().World().Now()-s.zxidsFor() {
		return 0, false
	}
	return s.zxidThen(at), true
}

// zxidThen returns the zxid in an answer that was given at any past virtual time. The zxids before
// all later writes must still be stored.
func (s *Server) zxidThen(at time.Duration) int64 {
	i, _ := slices.BinarySearchFunc(s.zxids, at, func(z zxidBefore, at time.Duration) int { return cmp.Compare(z.at, at) })
	if i < len(s.zxids) {
		return s.zxids[i].zxid // the reads of an instant come before its writes
	}
	return s.machine.Zxid()
}
