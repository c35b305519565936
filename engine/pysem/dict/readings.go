package dict

import (
	"cmp"
	"sync"
)

// Readings caches decoded values by their encoded content, so that many processes decode each
// content only once. Callers must not change the values.
type Readings[V any] struct {
	// Decode decodes a content. The result must depend on nothing else.
	Decode func(content []byte) (V, error)
	// Most limits the total size of the contents in a generation, in bytes; 0 means 8 MiB.
	Most int

	mu sync.Mutex
	// young holds the contents that were read since the last change of generations. When it is
	// full, it replaces old, and contents in old that were not read since are dropped.
	young, old map[string]V
	bytes      int // total size of young's contents
}

const mostReadingsBytes = 8 << 20

// Read returns the decoded value of a content. It does not cache errors.
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
	if r.young == nil || r.bytes+len(content) > cmp.Or(r.Most, mostReadingsBytes) {
		r.young, r.old, r.bytes = map[string]V{}, r.young, 0
	}
	r.young[string(content)] = v
	r.bytes += len(content)
	return v, nil
}

// texts is a cache of texts, in which each text is its own value.
var texts = Readings[string]{Decode: func(content []byte) (string, error) { return string(content), nil }}

// Text returns an equal text that is shared with others who have recently asked for it. That saves
// memory.
func Text(text string) string {
	text, _ = texts.Read([]byte(text))
	return text
}
