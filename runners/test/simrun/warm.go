package simrun

import (
	"sync"

	"github.com/monosim/monosim/engine/vtime"
)

// Warm keeps the coroutines of closed clusters, so that later clusters can use them again. This
// saves time if many small clusters are built. The zero value is empty, and a nil one keeps
// nothing. Any number of goroutines may build and close clusters at the same time.
type Warm struct {
	mu   sync.Mutex
	free []*vtime.Coroutines
}

// take removes and returns the coroutines of a closed cluster. If there are none, it returns a new,
// empty set.
func (w *Warm) take() *vtime.Coroutines {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	last := len(w.free) - 1
	if last < 0 {
		return &vtime.Coroutines{}
	}
	k := w.free[last]
	w.free = w.free[:last]
	return k
}

// give puts back the coroutines that a cluster got from take.
func (w *Warm) give(k *vtime.Coroutines) {
	if k == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.free = append(w.free, k)
}

// Close frees the coroutines that Warm keeps.
func (w *Warm) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.free {
		k.Close()
	}
	w.free = nil
}
