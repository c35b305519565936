package agent

// ordered is a map that remembers the order in which keys came, as a Python dict
// does; replacing a value keeps its key's place.
type ordered[K comparable, V any] struct {
	keys   []K
	values map[K]V
}

func newOrdered[K comparable, V any]() *ordered[K, V] {
	return &ordered[K, V]{values: map[K]V{}}
}

func (m *ordered[K, V]) get(k K) (V, bool) {
	v, ok := m.values[k]
	return v, ok
}

func (m *ordered[K, V]) set(k K, v V) {
	if _, ok := m.values[k]; !ok {
		m.keys = append(m.keys, k)
	}
	m.values[k] = v
}

func (m *ordered[K, V]) delete(k K) {
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

func (m *ordered[K, V]) len() int { return len(m.keys) }

// all calls yield with each entry in order, until it returns false.
func (m *ordered[K, V]) all(yield func(K, V) bool) {
	for _, k := range m.keys {
		if !yield(k, m.values[k]) {
			return
		}
	}
}
