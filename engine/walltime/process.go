package walltime

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/tasks"
)

// Process is one life of a program. It implements env.Clock, env.Tasks and env.Random for the code
// that runs in it.
type Process struct {
	w      *World
	node   *node
	name   string
	ctx    context.Context
	cancel context.CancelFunc

	mu        sync.Mutex
	holder    *Task
	ready     []*Task
	tasks     []*Task // tasks that have not ended, in the order in which they started
	deadlines deadlines
	lastOrder uint64
	timer     *time.Timer
	dead      bool
	ended     bool
	onEnd     []func()
	idle      []*entrant
}

func newProcess(w *World, n *node, name string) *Process {
	p := &Process{w: w, node: n, name: name}
	p.ctx, p.cancel = context.WithCancel(w.ctx)
	return p
}

// Node returns the name of the node that the process runs on.
func (p *Process) Node() string { return p.node.name }

// Name returns the name of the process.
func (p *Process) Name() string { return p.name }

// Context returns a context that ends when the process crashes or the world is closed.
func (p *Process) Context() context.Context { return p.ctx }

// Dead reports whether Crash, or a failure of the world, has ended the process.
func (p *Process) Dead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// OnEnd adds a function to call once, when the process has crashed or its last task has ended. The
// function may run on any goroutine and must not wait for a task.
func (p *Process) OnEnd(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onEnd = append(p.onEnd, fn)
}

// World returns the world of the process.
func (p *Process) World() *World { return p.w }

// Now returns the wall-clock time. In a world with another speed, it starts with the machine's time
// at the world's start, and advances at the world's speed.
func (p *Process) Now() time.Time {
	if p.w.cfg.Speed == 1 {
		return time.Now()
	}
	return p.w.start.Round(0).Add(p.w.Now())
}

// Elapsed returns the time since the start of the world.
func (p *Process) Elapsed() time.Duration { return p.w.Now() }

// Intn returns a number in [0, n) from the node's random numbers for the site.
func (p *Process) Intn(site string, n int) int { return p.node.intn(site, n) }

// Float64 returns a number in [0, 1) from the node's random numbers for the site.
func (p *Process) Float64(site string) float64 { return p.node.float64(site) }

// Go starts a task. It may be called from any goroutine. If the process is dead, the task never
// runs.
func (p *Process) Go(name string, fn func()) env.Task {
	p.Check()
	t := newTask(p, name)
	if p.begin(t) {
		go t.main(fn)
	}
	return t
}

// begin makes a task ready to run. It reports false if the process is dead. A process that had
// ended with its last task lives again.
func (p *Process) begin(t *Task) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		t.done = true
		return false
	}
	if p.ended {
		p.ended = false
		p.w.remember(p)
	}
	p.w.taskBegins()
	p.tasks = append(p.tasks, t)
	p.makeReady(t)
	return true
}

// Self returns the calling task.
func (p *Process) Self() env.Task {
	p.Check()
	t := p.current()
	if t == nil {
		panic("walltime: Self of process " + p.name + " on " + p.node.name + " outside of its tasks")
	}
	return t
}

// Sleep waits for d.
func (p *Process) Sleep(d time.Duration) {
	t := p.enter("Sleep")
	p.setDeadline(t, max(0, d))
	p.wait(t, "time")
}

// NewCond makes a condition.
func (p *Process) NewCond(name string) env.Cond { return &Cond{proc: p, name: name} }

// Check unwinds the caller if it is a task of a crashed process, and returns otherwise. Every
// implementation of an env interface calls it before it has an effect.
func (p *Process) Check() {
	if !p.Dead() {
		return
	}
	if p.current() != nil {
		panic(tasks.Unwind{})
	}
}

// Crash ends the process at once. Its tasks unwind, and their deferred functions have no effect. If
// one of its own tasks calls it, it does not return. Crash does not wait until the tasks have
// unwound, but World.Wait does.
func (p *Process) Crash() {
	if p.crash() && p.current() != nil {
		panic(tasks.Unwind{})
	}
}

// crash ends the process as Crash does, but does not unwind the caller. It reports whether the
// process was alive.
func (p *Process) crash() bool {
	p.mu.Lock()
	if p.dead {
		p.mu.Unlock()
		return false
	}
	p.dead = true
	for _, t := range p.tasks {
		t.killed = true
		if t.waiting && t.interrupt == nil {
			t.stopWaiting()
		}
	}
	onEnd := p.end()
	p.mu.Unlock()
	p.cancel()
	call(onEnd)
	return true
}

// Stop ends the process gracefully. Each task unwinds at its current or next wait, and its deferred
// functions may still use env.
func (p *Process) Stop() {
	current := p.current()
	p.mu.Lock()
	if p.dead {
		p.mu.Unlock()
		return
	}
	for _, t := range slices.Clone(p.tasks) {
		switch {
		case t.unwinding:
			continue // the task is unwinding already, and its deferred functions may wait undisturbed
		case !t.began:
			t.skipped = true
		case t.waiting && t.interrupt != nil:
			t.interrupt()
		case t.waiting:
			t.stopWaiting()
		}
		t.stopping = true
	}
	var onEnd []func()
	if len(p.tasks) == 0 {
		onEnd = p.end()
	}
	over := current != nil && current.mustUnwind()
	p.mu.Unlock()
	call(onEnd)
	if over {
		panic(tasks.Unwind{})
	}
}

// end marks the process as ended, by a crash or with its last task. It returns the functions of
// OnEnd, which the caller has to call. The caller holds p.mu.
func (p *Process) end() (onEnd []func()) {
	if p.ended {
		return nil
	}
	p.ended = true
	p.w.forget(p)
	onEnd, p.onEnd = p.onEnd, nil
	return onEnd
}

func call(fns []func()) {
	for _, fn := range fns {
		fn()
	}
}

var (
	_ env.Tasks  = (*Process)(nil)
	_ env.Clock  = (*Process)(nil)
	_ env.Random = (*Process)(nil)
)
