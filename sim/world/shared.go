package world

import (
	"unsafe"

	"github.com/monosim/monosim/engine/env"
)

// sharedBeside is how many values may be kept beside one for each znode.
const sharedBeside = 4096

// shared is the env.Shared of a world: what agents made of contents of znodes, until the
// znode holds another content.
type shared struct {
	values map[sharedKey]sharedValue
	// znodes counts the znodes of the server. Values of contents that a znode had ceased to
	// hold when they were kept, for the answer was on its way, are dropped with all others
	// once they are many.
	znodes func() int
	names  map[string]*env.Names // of children, by parent
	places map[string]any        // what was given last, for Same
}

// sharedKey tells a content by its place; while it is a key, nothing else comes to lie
// there.
type sharedKey struct {
	bytes *byte
	size  int
}

// sharedValue is the last value that was kept for a content.
type sharedValue struct {
	kind  string
	value any
}

func newShared() *shared {
	return &shared{values: map[sharedKey]sharedValue{}, znodes: func() int { return 0 }, names: map[string]*env.Names{}, places: map[string]any{}}
}

func keyOf(content []byte) sharedKey {
	return sharedKey{unsafe.SliceData(content), len(content)}
}

// Lookup finds what was kept.
func (s *shared) Lookup(kind string, content []byte) (any, bool) {
	v, ok := s.values[keyOf(content)]
	if !ok || v.kind != kind {
		return nil, false
	}
	return v.value, true
}

// Keep keeps a value.
func (s *shared) Keep(kind string, content []byte, value any) {
	if len(s.values) >= 2*s.znodes()+sharedBeside {
		clear(s.values)
	}
	s.values[keyOf(content)] = sharedValue{kind, value}
}

// Same is the value that was given last for a place, or the new one.
func (s *shared) Same(place string, value any, equal func(last any) bool) any {
	if last, ok := s.places[place]; ok && equal(last) {
		return last
	}
	s.places[place] = value
	return value
}

// Names is the one numbering of the children of a znode.
func (s *shared) Names(parent string) *env.Names {
	n := s.names[parent]
	if n == nil {
		n = env.NewNames(parent)
		s.names[parent] = n
	}
	return n
}

// drop forgets what was made of a content.
func (s *shared) drop(content []byte) {
	delete(s.values, keyOf(content))
}
