package vtime

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/tasks"
)

// Process is one life of a program on a node. It implements env.Clock, env.Tasks and env.Random for
// the program's code. Its tasks share memory without locks, because only one task of the world runs
// at a time, and others run only while it waits.
type Process struct {
	node *Node
	name string
	// skew is added to the wall clock of the process's host.
	skew  time.Duration
	tasks []*Task
	dead  bool
	// onEnd holds functions that are called once, when the process has crashed or its last task has
	// ended.
	onEnd []func()
	ended bool

	w          *World
	runs       uint64 // see Runs
	loops      SleepingLoops
	asleep     bool // whether one of the process's loops is asleep
	sleepPlace int  // index in World.sleeping
}

// NewProcess begins a process. It lives until it crashes or its last task has ended. Starting a
// task after that revives it.
func (n *Node) NewProcess(name string) *Process {
	p := &Process{node: n, w: n.w, name: name}
	n.procs = append(n.procs, p)
	return p
}

// Node returns the node that the process runs on.
func (p *Process) Node() *Node { return p.node }

// Name returns the name of the process.
func (p *Process) Name() string { return p.name }

// Dead reports whether Crash has ended the process.
func (p *Process) Dead() bool { return p.dead }

// SetSkew sets how much the process's wall clock is ahead of the world's.
func (p *Process) SetSkew(skew time.Duration) { p.skew = skew }

// OnEnd adds a function to call when the process ends. It runs in the engine, or in the task that
// caused the end, and must not block.
func (p *Process) OnEnd(fn func()) { p.onEnd = append(p.onEnd, fn) }

// Now returns the wall-clock time of the process's host.
func (p *Process) Now() time.Time {
	p.node.w.Acts()
	return p.node.w.Time().Add(p.skew)
}

// Elapsed returns the virtual time since the start of the world.
func (p *Process) Elapsed() time.Duration {
	p.node.w.Acts()
	return p.node.w.Now()
}

// Intn returns a number in [0, n) from the node's source for the site.
func (p *Process) Intn(site string, n int) int {
	p.node.w.Acts()
	return p.node.Source(site).Intn(n)
}

// Float64 returns a number in [0, 1) from the node's source for the site.
func (p *Process) Float64(site string) float64 {
	p.node.w.Acts()
	return p.node.Source(site).Float64()
}

// Go starts a task, which runs before everything else at this instant. A task of the process may
// call it, or the engine.
func (p *Process) Go(name string, fn func()) env.Task { return p.Start(name, fn) }

// Start starts a task as Go does. It returns the task in its concrete type.
func (p *Process) Start(name string, fn func()) *Task {
	p.check()
	p.node.w.Acts()
	t := &Task{proc: p, name: name, fn: fn, index: len(p.tasks)}
	p.tasks = append(p.tasks, t)
	if p.ended && !p.dead {
		p.ended = false
		p.node.procs = append(p.node.procs, p)
	}
	if !p.dead {
		p.node.w.scheduleBeforeAll(p, kindStart, t, 0)
	}
	return t
}

// Self returns the current task.
func (p *Process) Self() env.Task {
	p.check()
	t := p.node.w.current
	if t == nil || t.proc != p {
		panic("vtime: Self of process " + p.name + " on " + p.node.name + " outside of its tasks")
	}
	return t
}

// Sleep makes the current task wait for d of virtual time.
func (p *Process) Sleep(d time.Duration) {
	p.check()
	p.node.w.Acts()
	p.Pause(d)
}

// Pause waits as Sleep does, but does not count as an act ([World.Acts]), so that later turns of
// the task's loop may still be skipped.
func (p *Process) Pause(d time.Duration) {
	t := p.enter()
	d = max(d, 0)
	t.timer = p.schedule(p.node.w.in(d), kindSleep, t, t.waitSeq)
	t.wait("time")
}

// NewCond makes a condition.
func (p *Process) NewCond(name string) env.Cond { return newCond(p, name) }

// Current returns the running task, nil while the engine runs.
func (p *Process) Current() *Task { return p.node.w.current }

// Park makes the current task wait until its Wake is called. what names the wait in reports. A call
// to a simulated server sends its request and parks, and the event that delivers the answer wakes
// the task.
func (p *Process) Park(what string) {
	p.ParkFor(-1, what)
}

// ParkFor parks as Park does, but at most for d, and reports whether Wake came in time. If d is
// negative there is no limit.
func (p *Process) ParkFor(d time.Duration, what string) bool {
	t := p.enter()
	if d >= 0 {
		t.timer = p.schedule(p.node.w.in(d), kindTimeout, t, t.waitSeq)
	}
	t.parked = true
	t.wait(what)
	t.parked = false
	return t.woken
}

// ParkOn parks as Park does, for a call about something such as a path. Reports say "what of on".
// The two texts are joined only when a report is made.
func (p *Process) ParkOn(what, on string) {
	t := p.enter()
	t.parked, t.waitsOn = true, on
	t.wait(what)
	t.parked, t.waitsOn = false, ""
}

// ParkAfter sleeps for d, calls do.Handle, and then parks as ParkOn does, all in one wait. The
// engine calls do.Handle without a switch to the task. If there is nothing to wait for, do.Handle
// has to wake the task.
func (p *Process) ParkAfter(d time.Duration, do Handler, what, on string) {
	t := p.enter()
	p.node.w.Acts()
	t.timer = p.schedule(p.node.w.in(max(d, 0)), kindSleep, do, 0)
	t.parked, t.waitsOn = true, on
	t.wait(what)
	t.parked, t.waitsOn = false, ""
}

// After calls fn once d has passed, unless the process is dead by then.
func (p *Process) After(d time.Duration, kind Kind, fn func()) Timer {
	return p.schedule(p.node.w.in(d), kind, Func(fn), 0)
}

// Schedule calls do.Handle(arg) at the virtual time at, as [Node.Schedule] does, unless the process
// is dead by then.
func (p *Process) Schedule(at time.Duration, kind Kind, do Handler, arg uint64) Timer {
	return p.schedule(int64(at), kind, do, arg)
}

func (p *Process) schedule(at int64, kind Kind, do Handler, arg uint64) Timer {
	return p.node.w.schedule(at, p.node, p, kind, do, arg)
}

// Check unwinds the caller if it is a task of a crashed process, and returns otherwise. Every
// implementation of an env interface calls it before it has an effect.
func (p *Process) Check() { p.check() }

func (p *Process) check() {
	if t := p.node.w.current; t != nil && t.proc == p && t.killed {
		panic(tasks.Unwind{})
	}
}

// enter checks the process as check does, and returns the current task. Calls that wait begin with
// it.
func (p *Process) enter() *Task {
	t := p.node.w.current
	if t == nil {
		panic("vtime: a wait of process " + p.name + " on " + p.node.name + " outside of a task")
	}
	if t.proc != p {
		panic("vtime: task " + t.name + " of process " + t.proc.name + " waits in the name of process " + p.name)
	}
	if p.node.w.cfg.CheckOwner {
		t.checkOwner()
	}
	t.live()
	if t.rest != nil {
		panic("vtime: task " + t.name + " of process " + p.name + " goes on after it was to rest")
	}
	t.woken = false
	t.waitSeq++
	return t
}

// Crash ends the process at once. None of its events happens any more, and its tasks unwind, but
// their deferred functions have no effect. If one of its own tasks calls Crash, it does not return.
func (p *Process) Crash() {
	if p.dead {
		return
	}
	p.wakeLoops()
	p.dead = true
	w := p.node.w
	for _, t := range p.tasks {
		t.killed = true
	}
	self := w.current != nil && w.current.proc == p
	p.end()
	switch {
	case w.current == nil && w.running:
		p.reapSoon()
	case w.current == nil:
		p.reap()
	default:
		// The caller is a task, and only the engine may switch to other tasks. So a further event
		// unwinds them.
		w.schedule(w.now, p.node, nil, kindReap, Func(p.reapSoon), 0)
	}
	if self {
		panic(tasks.Unwind{})
	}
}

// wakeLoops wakes the process's loops that are asleep.
func (p *Process) wakeLoops() {
	if p.asleep {
		p.loops.WakeAll()
	}
}

// reapSoon makes the engine unwind the dead process's tasks after the current event.
func (p *Process) reapSoon() { p.node.w.run.reaps = append(p.node.w.run.reaps, p) }

// reap unwinds the tasks of a dead process.
func (p *Process) reap() {
	for len(p.tasks) > 0 {
		t := p.tasks[len(p.tasks)-1]
		if t.co == nil {
			t.finish() // the task never started, or rests without a stack, so there is nothing to unwind
			continue
		}
		t.clearWait()
		p.node.w.switchTo(t)
	}
}

// Stop ends the process gracefully. Each task unwinds at its current or next wait. Its deferred
// functions may still use env.
func (p *Process) Stop() {
	if p.dead {
		return
	}
	p.wakeLoops()
	w := p.node.w
	current := w.current
	for _, t := range append([]*Task(nil), p.tasks...) {
		t.stopping = true
		if t == current || t.done || t.unwinding {
			continue // the task is unwinding already, and its deferred functions may wait undisturbed
		}
		if t.co == nil && t.rest == nil {
			t.finish()
			continue
		}
		if t.waitsFor == "" {
			continue // the task has been woken, and unwinds at its next wait
		}
		t.clearWait()
		p.schedule(w.now, kindWake, t, t.waitSeq)
	}
	if len(p.tasks) == 0 {
		p.idle()
	}
	if current != nil && current.proc == p {
		current.live()
	}
}

// idle is called when the last task has ended. It ends the process, unless that has crashed.
func (p *Process) idle() {
	if !p.dead {
		p.end()
	}
}

func (p *Process) end() {
	if p.ended {
		return
	}
	p.ended = true
	procs := p.node.procs
	for i, q := range procs {
		if q == p {
			p.node.procs = append(procs[:i:i], procs[i+1:]...)
			break
		}
	}
	onEnd := p.onEnd
	p.onEnd = nil
	for _, fn := range onEnd {
		fn()
	}
}

var (
	_ env.Clock  = (*Process)(nil)
	_ env.Random = (*Process)(nil)
)
