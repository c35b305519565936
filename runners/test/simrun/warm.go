package simrun

import (
	"sync"

	"github.com/monosim/monosim/engine/vtime"
)

// Warm keeps what closed clusters leave for those that are built later, which saves time where there
// are many small ones. The zero value is empty, and a nil one keeps nothing. Any number of goroutines
// may build and close clusters at the same time.
type Warm struct {
	mu   sync.Mutex
	free []*vtime.Coroutines
}

// take removes the coroutines of a cluster that was closed, or makes a place for the first ones.
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

// give takes back what a cluster had from take.
func (w *Warm) give(k *vtime.Coroutines) {
	if k == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.free = append(w.free, k)
}

// Close frees what is kept.
func (w *Warm) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.free {
		k.Close()
	}
	w.free = nil
}
