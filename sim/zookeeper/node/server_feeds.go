package node

import (
	"strings"

	"github.com/monosim/monosim/sim/zookeeper"
)

// usualBelow is whether all children of a znode hold, since feeds of a kind read them, what
// is usual for those. Once one does not, or is gone, it is so for good: somebody may be about
// to read it.
type usualBelow struct {
	kind  string
	usual func(path string, data []byte) bool
	holds bool
}

// usualBelow is that of a znode.
func (s *Server) usualBelow(parent, kind string, usual func(path string, data []byte) bool) *usualBelow {
	for _, u := range s.usual[parent] {
		if u.kind == kind {
			return u
		}
	}
	u := &usualBelow{kind: kind, usual: usual, holds: true}
	for _, name := range s.machine.Children(parent) {
		if !u.look(s.machine, strings.TrimSuffix(parent, "/")+"/"+name) {
			u.holds = false
			break
		}
	}
	if s.usual == nil {
		s.usual = map[string][]*usualBelow{}
	}
	s.usual[parent] = append(s.usual[parent], u)
	return u
}

// look reports whether a znode holds what is usual.
func (u *usualBelow) look(m *zookeeper.Machine, path string) bool {
	var known zookeeper.KnownNode
	data, everybody := m.Look(&known, path)
	return everybody && u.usual(path, data)
}

// settleFeeds makes the steps of feeds that come before a write: the answers of those that
// come after it are others.
func (s *Server) settleFeeds() {
	for _, v := range s.feeds {
		v.leap.sleeper.Settle()
	}
}

// changed is told of each input of the machine that is done: feeds are woken when not all
// they read is usual any more.
func (s *Server) changed() {
	writing := s.writing
	s.writing = ""
	if len(s.touched) == 0 {
		return
	}
	only, odd := len(s.touched) == 1 && writing != "", false
	for _, parent := range s.touched {
		for _, u := range s.usual[parent] {
			if u.holds && !(only && u.look(s.machine, writing)) {
				u.holds, odd = false, true
			}
		}
	}
	s.touched = s.touched[:0]
	for odd && len(s.feeds) > 0 && !s.host.Network().World().Closing() {
		s.feeds[len(s.feeds)-1].leap.sleeper.Rouse()
	}
}
