package dict

import "sync"

// Readings caches the decoded values of contents that were read lately, so that each content is
// decoded once for many processes. Callers must not change the values.
type Readings[V any] struct {
	// Decode returns the value of a content. Its result must depend on the content alone.
	Decode func(content []byte) (V, error)

	mu sync.Mutex
	// young holds the contents read since young last replaced old, at mostReadingsBytes. Replacing
	// old drops the contents that were not read in between.
	young, old map[string]V
	bytes      int // bytes is the total size of young's contents
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
	if r.young == nil || r.bytes+len(content) > mostReadingsBytes {
		r.young, r.old, r.bytes = map[string]V{}, r.young, 0
	}
	r.young[string(content)] = v
	r.bytes += len(content)
	return v, nil
}

// texts has a text for itself.
var texts = Readings[string]{Decode: func(content []byte) (string, error) { return string(content), nil }}

// Text returns an equal text: one for all who have asked for it lately.
func Text(text string) string {
	text, _ = texts.Read([]byte(text))
	return text
}
