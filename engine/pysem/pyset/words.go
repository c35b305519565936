package pyset

import (
	"slices"
	"strings"
)

// Words is the set of a Python process whose keys are strings, or records made of strings.
type Words[K comparable] struct {
	set  *Set[K]
	kind Kind[K]
	h    Hashing
}

// Kind says how keys are hashed. If the process does not hash, the keys are sorted by Compare.
type Kind[K comparable] struct {
	Hash    func(h Hashing, key K) int64
	Compare func(a, b K) int
}

var text = Kind[string]{Hash: Hashing.String, Compare: strings.Compare}

// NewWords makes a set and adds the keys in the given order.
func NewWords[K comparable](h Hashing, kind Kind[K], keys ...K) *Words[K] {
	w := &Words[K]{set: New(func(a, b K) bool { return a == b }), kind: kind, h: h}
	for _, key := range keys {
		w.Add(key)
	}
	return w
}

// Strings returns Python's set(keys) for a list of keys.
func Strings(h Hashing, keys ...string) *Words[string] { return NewWords(h, text, keys...) }

// StringsOfDict returns Python's set(d) for a dict with these keys. Unlike for [Strings], CPython
// makes room for all keys at once, which can change the order.
func StringsOfDict(h Hashing, keys []string) *Words[string] {
	w := Strings(h)
	w.set.Grow(len(keys))
	for _, key := range keys {
		w.Add(key)
	}
	return w
}

// Add adds a key.
func (w *Words[K]) Add(key K) { w.set.Add(key, w.kind.Hash(w.h, key)) }

// Minus returns the set of the keys that are not in other.
func (w *Words[K]) Minus(other *Words[K]) *Words[K] {
	return &Words[K]{set: w.set.Difference(other.set), kind: w.kind, h: w.h}
}

// Keys returns the keys in the order in which the process iterates over the set.
func (w *Words[K]) Keys() []K {
	keys := w.set.Keys()
	if !w.h.seeded {
		slices.SortFunc(keys, w.kind.Compare)
	}
	return keys
}
