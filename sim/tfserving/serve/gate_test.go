package serve

import (
	"sync"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/tfserving"
)

// gate blocks one call to the storage while it is shut.
type gate struct {
	mu      sync.Mutex
	call    string        // call that hangs, such as "ReadFile /m/1/saved_model.pb"
	reached chan struct{} // closed when the call is made
	opened  chan struct{} // closed to let the call go on; nil when nothing hangs
}

func (g *gate) shut(call string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.call, g.reached, g.opened = call, make(chan struct{}), make(chan struct{})
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened != nil {
		close(g.opened)
		g.opened = nil
	}
}

// pass returns at once, unless the gate is shut for this call. Then it waits until the gate opens.
func (g *gate) pass(call string) {
	g.mu.Lock()
	opened := g.opened
	if opened == nil || call != g.call {
		g.mu.Unlock()
		return
	}
	select {
	case <-g.reached:
	default:
		close(g.reached)
	}
	g.mu.Unlock()
	<-opened
}

// waitReached waits until the blocked call is made.
func (g *gate) waitReached(t testing.TB) {
	t.Helper()
	select {
	case <-g.reached:
	case <-time.After(patience):
		t.Fatalf("nobody has called %s after %v", g.call, patience)
	}
}

// gatedDisk passes every call to its disk through a gate.
type gatedDisk struct {
	tfserving.Storage
	gate *gate
}

func (d gatedDisk) List(path string) ([]string, error) {
	d.gate.pass("List " + path)
	return d.Storage.List(path)
}

func (d gatedDisk) Exists(path string) bool {
	d.gate.pass("Exists " + path)
	return d.Storage.Exists(path)
}

func (d gatedDisk) SizeBytes(path string) (int64, error) {
	d.gate.pass("SizeBytes " + path)
	return d.Storage.SizeBytes(path)
}

func (d gatedDisk) ReadFile(path string) ([]byte, error) {
	d.gate.pass("ReadFile " + path)
	return d.Storage.ReadFile(path)
}

// gated puts a gate before the disk of the process. The gate opens at the end of the test.
func (l *lab) gated(o *Options) *gate {
	g := &gate{}
	o.onDisk = func(d tfserving.Storage) tfserving.Storage { return gatedDisk{d, g} }
	l.Cleanup(g.open)
	return g
}
