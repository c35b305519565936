package walltime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/tasks"
)

// Config configures a world.
type Config struct {
	// Seed determines every random choice, as in virtual time. The k-th draw of a site on a node is
	// the same under both clocks.
	Seed uint64
	// Speed is how many times faster time passes in the world than on the machine's clock, for
	// waits and for clocks. 0 means 1.
	Speed float64
}

// World is a set of processes that run on the wall clock. A World must be closed after use.
type World struct {
	cfg   Config
	start time.Time
	// ctx is the parent of the processes' contexts.
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	nodes    map[string]*node
	procs    []*Process // processes that have not ended
	running  int        // tasks that have not ended
	quiet    chan struct{}
	failures []error
	closed   bool
}

// New makes a world without nodes and processes.
func New(cfg Config) *World {
	if cfg.Speed <= 0 {
		cfg.Speed = 1
	}
	w := &World{cfg: cfg, start: time.Now(), nodes: map[string]*node{}, quiet: make(chan struct{})}
	close(w.quiet)
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// Seed returns the seed that the world was made with.
func (w *World) Seed() uint64 { return w.cfg.Seed }

// Now returns the time since the start of the world, at the world's speed.
func (w *World) Now() time.Duration {
	since := time.Since(w.start)
	if w.cfg.Speed == 1 {
		return since
	}
	return time.Duration(float64(since) * w.cfg.Speed)
}

// Real converts a duration in the world into one on the machine's clock, for waits on the outside
// world, whose time cannot be sped up. Only a duration of 0 gives 0.
func (w *World) Real(d time.Duration) time.Duration {
	if w.cfg.Speed == 1 || d == 0 {
		return d
	}
	real := float64(d) / w.cfg.Speed
	switch {
	case real >= math.MaxInt64:
		return math.MaxInt64
	case d > 0:
		return max(1, time.Duration(real))
	}
	return time.Duration(real)
}

// Speed returns how many seconds pass in the world for each second of the machine's clock.
func (w *World) Speed() float64 { return w.cfg.Speed }

// NewProcess begins one life of a program on a node. It lasts until Crash, or until its last task
// has ended. If the world has failed or was closed, the process is dead from the beginning.
func (w *World) NewProcess(nodeName, name string) *Process {
	w.mu.Lock()
	n, ok := w.nodes[nodeName]
	if !ok {
		n = &node{name: nodeName, seed: w.cfg.Seed, draws: map[string]*tasks.Draws{}}
		w.nodes[nodeName] = n
	}
	p := newProcess(w, n, name)
	w.procs = append(w.procs, p)
	over := w.closed || len(w.failures) > 0
	w.mu.Unlock()
	if over {
		p.crash()
	}
	return p
}

// Wait waits until the last task has ended. It returns a joined *[tasks.PanicError] for each panic
// of a task, in the order of the panics. If ctx ends first, the error is the cause of ctx and lists
// the tasks that still wait.
func (w *World) Wait(ctx context.Context) error {
	w.mu.Lock()
	quiet := w.quiet
	w.mu.Unlock()
	select {
	case <-quiet:
		return w.Err()
	case <-ctx.Done():
		var b strings.Builder
		for _, t := range w.Blocked() {
			fmt.Fprintf(&b, "\n  %s", t)
		}
		return errors.Join(w.Err(), fmt.Errorf("tasks have not ended: %w%s", context.Cause(ctx), b.String()))
	}
}

// Err returns the joined panics of tasks so far. As in virtual time, a panic ends all processes of
// the world.
func (w *World) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.failures...)
}

// Close crashes all processes and waits until their tasks have unwound. It must
// not be called from a task.
func (w *World) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.crashAll()
	w.cancel()
	w.mu.Lock()
	quiet := w.quiet
	w.mu.Unlock()
	<-quiet
}

func (w *World) crashAll() {
	for _, p := range w.processes() {
		p.crash()
	}
}

// processes lists the processes that have not ended.
func (w *World) processes() []*Process {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.procs)
}

func (w *World) remember(p *Process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.procs = append(w.procs, p)
}

func (w *World) forget(p *Process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.procs, p); i >= 0 {
		w.procs = slices.Delete(w.procs, i, i+1)
	}
}

func (w *World) taskBegins() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == 0 {
		w.quiet = make(chan struct{})
	}
	w.running++
}

func (w *World) taskEnded() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
	if w.running == 0 {
		close(w.quiet)
	}
}

func (w *World) fail(e *tasks.PanicError) {
	e.At, e.Seed = w.Now(), w.cfg.Seed
	w.mu.Lock()
	w.failures = append(w.failures, e)
	w.mu.Unlock()
	w.crashAll()
}
