package node

import (
	"reflect"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper"
)

// usualBelow is what of the children of a znode does not hold, since feeds of a kind read
// them, what is usual for those, or is gone: somebody may be about to read it.
type usualBelow struct {
	kind  uintptr // the place of usual in the code
	usual func(path string, data []byte) bool
	odd   map[string]struct{}
}

// touched is a znode that has changed, and its parent.
type touched struct{ parent, path string }

// usualBelow is that of a znode.
func (s *Server) usualBelow(parent string, usual func(path string, data []byte) bool) *usualBelow {
	kind := reflect.ValueOf(usual).Pointer()
	for _, u := range s.usual[parent] {
		if u.kind == kind {
			return u
		}
	}
	u := &usualBelow{kind: kind, usual: usual, odd: map[string]struct{}{}}
	for _, name := range s.machine.Children(parent) {
		u.look(s.machine, strings.TrimSuffix(parent, "/")+"/"+name)
	}
	if s.usual == nil {
		s.usual = map[string][]*usualBelow{}
	}
	s.usual[parent] = append(s.usual[parent], u)
	return u
}

// look sees what a znode holds, and reports whether that is not what is usual, and was before.
func (u *usualBelow) look(m *zookeeper.Machine, path string) (turnsOdd bool) {
	if data, everybody := m.Look(path); everybody && u.usual(path, data) {
		delete(u.odd, path)
		return false
	}
	_, was := u.odd[path]
	u.odd[path] = struct{}{}
	return !was
}

// onlyMakes reports whether a request that makes a znode changes nothing that feeds read which
// are asleep: not the znode's parent, nor anything by what comes of the time that has passed.
// The znode itself they do not read: before it is made it is odd.
func (s *Server) onlyMakes(path string) bool {
	parent := parentOf(path)
	return len(s.usual[parentOf(parent)]) == 0 && s.nothingExpires()
}

func parentOf(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }

// nothingExpires reports whether the machine has nothing to do but what it is told.
func (s *Server) nothingExpires() bool {
	dueMs, ok := s.machine.NextExpiryMs()
	return !ok || dueMs > s.nowMs()
}

// settleFeeds makes the steps of feeds that come before a write: the answers of those that
// come after it are others.
func (s *Server) settleFeeds() {
	for _, v := range s.feeds {
		v.leap.sleeper.CatchUp()
	}
}

// changed is told of each input of the machine that is done: feeds are woken when something
// that they read is not usual any more.
func (s *Server) changed() {
	odd := false
	for _, t := range s.touched {
		for _, u := range s.usual[t.parent] {
			if u.look(s.machine, t.path) {
				odd = true
			}
		}
	}
	s.touched = s.touched[:0]
	for odd && len(s.feeds) > 0 && !s.host.Network().World().Closing() {
		s.feeds[len(s.feeds)-1].leap.sleeper.Wake()
	}
}
