package dict

import "sync"

// Readings has what contents say that were read lately: many processes read the same, and each
// content is decoded once. Nobody may change what it says.
type Readings[V any] struct {
	// Decode says what a content says. It depends on nothing else.
	Decode func(content []byte) (V, error)

	mu sync.Mutex
	// A content that is read goes into young. Once these are many, the others are dropped.
	young, old map[string]V
	bytes      int // of young
}

const mostReadingsBytes = 8 << 20

// Read returns what a content says; errors are not kept.
func (r *Readings[V]) Read(content []byte) (v V, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok := r.young[string(content)]; ok {
		return v, nil
	}
	v, ok := r.old[string(content)]
	if !ok {
		if v, err = r.Decode(content); err != nil {
			return v, err
		}
	}
	if r.young == nil || r.bytes+len(content) > mostReadingsBytes {
		r.young, r.old, r.bytes = map[string]V{}, r.young, 0
	}
	r.young[string(content)] = v
	r.bytes += len(content)
	return v, nil
}
