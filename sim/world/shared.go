package world

import (
	"unsafe"

	"github.com/monosim/monosim/engine/env"
)

// sharedBeside is the number of cached values allowed beyond two for each znode.
const sharedBeside = 4096

// shared implements env.Shared for a world. It caches the values that agents computed from znodes'
// contents, until the znode has another content.
type shared struct {
	values map[sharedKey]sharedValue
	// znodes returns the number of the server's znodes. An answer may arrive after its znode has
	// changed, and a value cached for it is never dropped by drop. So the cache is cleared when it
	// has far more values than znodes.
	znodes func() int
	names  map[string]*env.Names // names is by parent
	places map[string]any        // places maps a place to the last value of Same
}

// sharedKey identifies a content by its address. The key keeps the content alive, so its address
// is not reused.
type sharedKey struct {
	bytes *byte
	size  int
}

// sharedValue is the last value cached for a content.
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

// Lookup returns the value of a kind that is cached for a content.
func (s *shared) Lookup(kind string, content []byte) (any, bool) {
	v, ok := s.values[keyOf(content)]
	if !ok || v.kind != kind {
		return nil, false
	}
	return v.value, true
}

// Keep caches a value for a content.
func (s *shared) Keep(kind string, content []byte, value any) {
	if len(s.values) >= 2*s.znodes()+sharedBeside {
		clear(s.values)
	}
	s.values[keyOf(content)] = sharedValue{kind, value}
}

// Same returns the last value of a place if equal accepts it, else the new value.
func (s *shared) Same(place string, value any, equal func(last any) bool) any {
	if last, ok := s.places[place]; ok && equal(last) {
		return last
	}
	s.places[place] = value
	return value
}

// Names returns the shared numbering of a znode's children.
func (s *shared) Names(parent string) *env.Names {
	n := s.names[parent]
	if n == nil {
		n = env.NewNames(parent)
		s.names[parent] = n
	}
	return n
}

// drop removes the value cached for a content.
func (s *shared) drop(content []byte) {
	delete(s.values, keyOf(content))
}
