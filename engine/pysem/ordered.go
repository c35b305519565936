package pysem

import "slices"

// OrderedMap is a map that keeps its keys in the order in which they were added, as a Python dict
// does. A key that gets another value keeps its place.
type OrderedMap[K comparable, V any] struct {
	keys []K
	few  []V     // values in the order of the keys, as long as there are at most fewKeys
	many map[K]V // all values by key, once there are more than fewKeys; nil before
}

// fewKeys is the number of keys up to which a linear search is faster than a Go map, and takes less
// memory.
const fewKeys = 16

// NewOrderedMap returns an empty map. It hashes its keys only once there are many.
func NewOrderedMap[K comparable, V any]() *OrderedMap[K, V] { return &OrderedMap[K, V]{} }

// Get returns the value of a key. ok is false if the map does not have the key.
func (m *OrderedMap[K, V]) Get(k K) (v V, ok bool) {
	if m.many != nil {
		v, ok = m.many[k]
		return v, ok
	}
	if i := slices.Index(m.keys, k); i >= 0 {
		return m.few[i], true
	}
	return v, false
}

// Set gives a key a value. A new key is added at the end.
func (m *OrderedMap[K, V]) Set(k K, v V) {
	if m.many != nil {
		if _, ok := m.many[k]; !ok {
			m.keys = append(m.keys, k)
		}
		m.many[k] = v
		return
	}
	if i := slices.Index(m.keys, k); i >= 0 {
		m.few[i] = v
		return
	}
	m.keys, m.few = append(m.keys, k), append(m.few, v)
	if len(m.keys) > fewKeys {
		m.many = make(map[K]V, 2*fewKeys)
		for i, key := range m.keys {
			m.many[key] = m.few[i]
		}
		m.few = nil
	}
}

// Delete removes a key. It does nothing if the map does not have the key.
func (m *OrderedMap[K, V]) Delete(k K) {
	i := slices.Index(m.keys, k)
	if i < 0 {
		return
	}
	m.keys = append(m.keys[:i:i], m.keys[i+1:]...)
	if m.many != nil {
		delete(m.many, k)
	} else {
		m.few = append(m.few[:i:i], m.few[i+1:]...)
	}
}

// KeyList returns the keys in order. It does not copy them, so the list is valid only until the map
// changes.
func (m *OrderedMap[K, V]) KeyList() []K { return m.keys }

// Len returns the number of keys.
func (m *OrderedMap[K, V]) Len() int { return len(m.keys) }

// All passes each entry to yield, in order, until yield returns false.
func (m *OrderedMap[K, V]) All(yield func(K, V) bool) {
	for _, k := range m.keys {
		v, _ := m.Get(k)
		if !yield(k, v) {
			return
		}
	}
}
