package process

import (
	"sync"
)

// Tail is an io.Writer that keeps the last Max bytes written to it. Several goroutines may use it.
type Tail struct {
	// Max is the number of bytes to keep.
	Max int

	mu   sync.Mutex
	text []byte
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - t.Max; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// String returns the kept bytes.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
