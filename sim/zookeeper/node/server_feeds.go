package node

import (
	"reflect"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper"
)

// usualBelow records which children of a znode are odd for feeds with the same function usual:
// either the function does not accept their data, or they no longer exist.
type usualBelow struct {
	kind  uintptr // address of the code of the function usual
	usual func(path string, data []byte) bool
	odd   map[string]struct{}
}

// touched identifies a changed znode, by its path and its parent's path.
type touched struct{ parent, path string }

// usualBelow returns the record for the children of a znode, and for the function usual.
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

// look checks whether a znode is odd, and records that. It reports whether the znode was not odd
// before and is now.
func (u *usualBelow) look(m *zookeeper.Machine, path string) (turnsOdd bool) {
	if data, everybody := m.Look(path); everybody && u.usual(path, data) {
		delete(u.odd, path)
		return false
	}
	_, was := u.odd[path]
	u.odd[path] = struct{}{}
	return !was
}

// onlyMakes reports whether the creation of a znode changes nothing that feeds without events read.
// That is so if no feed reads the parent, and nothing expires now. The znode itself is not read by
// them, because a missing znode is odd.
func (s *Server) onlyMakes(path string) bool {
	parent := parentOf(path)
	return len(s.usual[parentOf(parent)]) == 0 && s.nothingExpires()
}

func parentOf(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }

// nothingExpires reports whether the machine has nothing to do now besides its next input.
func (s *Server) nothingExpires() bool {
	dueMs, ok := s.machine.NextExpiryMs()
	return !ok || dueMs > s.nowMs()
}

// settleFeeds computes the past reads of feeds without events. It is called before a write, because
// these reads must still see the state before it.
func (s *Server) settleFeeds() {
	for _, v := range s.feeds {
		v.leap.sleeper.CatchUp()
	}
}

// changed is called after each input of the machine. If a znode that feeds read has become odd, the
// reads of feeds get events again.
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
