package pysem

// OrderedMap is a map that remembers the order in which keys came, as a Python dict
// does; replacing a value keeps its key's place.
type OrderedMap[K comparable, V any] struct {
	keys   []K
	values map[K]V
}

// NewOrderedMap makes an empty map.
func NewOrderedMap[K comparable, V any]() *OrderedMap[K, V] {
	return &OrderedMap[K, V]{values: map[K]V{}}
}

// Get is the value of a key; ok reports whether there is one.
func (m *OrderedMap[K, V]) Get(k K) (v V, ok bool) {
	v, ok = m.values[k]
	return v, ok
}

// Set gives a key a value; a new key comes last.
func (m *OrderedMap[K, V]) Set(k K, v V) {
	if _, ok := m.values[k]; !ok {
		m.keys = append(m.keys, k)
	}
	m.values[k] = v
}

// Delete removes a key; one that is missing is no error.
func (m *OrderedMap[K, V]) Delete(k K) {
	if _, ok := m.values[k]; !ok {
		return
	}
	delete(m.values, k)
	for i, key := range m.keys {
		if key == k {
			m.keys = append(m.keys[:i:i], m.keys[i+1:]...)
			return
		}
	}
}

// KeyList lists the keys in order, without a copy: read it until the map changes.
func (m *OrderedMap[K, V]) KeyList() []K { return m.keys }

// Len is the number of keys.
func (m *OrderedMap[K, V]) Len() int { return len(m.keys) }

// All calls yield with each entry in order, until it returns false.
func (m *OrderedMap[K, V]) All(yield func(K, V) bool) {
	for _, k := range m.keys {
		if !yield(k, m.values[k]) {
			return
		}
	}
}
