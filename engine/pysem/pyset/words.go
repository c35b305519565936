package pyset

import (
	"slices"
	"strings"
)

// Words is a set of strings, or of records of strings, in one process.
type Words[K comparable] struct {
	set  *Set[K]
	kind Kind[K]
	h    Hashing
}

// Kind says how keys are hashed, and how they are sorted where nothing is.
type Kind[K comparable] struct {
	Hash    func(h Hashing, key K) int64
	Compare func(a, b K) int
}

var text = Kind[string]{Hash: Hashing.String, Compare: strings.Compare}

// NewWords makes a set of keys, added in their order.
func NewWords[K comparable](h Hashing, kind Kind[K], keys ...K) *Words[K] {
	w := &Words[K]{set: New(func(a, b K) bool { return a == b }), kind: kind, h: h}
	for _, key := range keys {
		w.Add(key)
	}
	return w
}

// Strings is set(keys).
func Strings(h Hashing, keys ...string) *Words[string] { return NewWords(h, text, keys...) }

// StringsOfDict is set(d) of a dict with these keys, for which CPython makes room at once.
func StringsOfDict(h Hashing, keys []string) *Words[string] {
	w := Strings(h)
	w.set.Grow(len(keys))
	for _, key := range keys {
		w.Add(key)
	}
	return w
}

// Add puts a key in.
func (w *Words[K]) Add(key K) { w.set.Add(key, w.kind.Hash(w.h, key)) }

// Minus returns the set of what is not in other.
func (w *Words[K]) Minus(other *Words[K]) *Words[K] {
	return &Words[K]{set: w.set.Difference(other.set), kind: w.kind, h: w.h}
}

// Keys lists the keys in the order in which the process walks the set.
func (w *Words[K]) Keys() []K {
	keys := w.set.Keys()
	if !w.h.seeded {
		slices.SortFunc(keys, w.kind.Compare)
	}
	return keys
}
