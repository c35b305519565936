package runtimetest

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// ways lists the ways in which a task can wait. Cases end a process while its tasks wait in each of
// them.
var ways = []struct {
	name string
	wait func(p Process)
}{
	{"sleep", func(p Process) { p.Sleep(time.Minute) }},
	{"cond", func(p Process) { p.NewCond("c").Wait() }},
	{"cond with a limit", func(p Process) { p.NewCond("c").WaitFor(time.Minute) }},
	{"event", func(p Process) { threading.NewEvent(p, "e").Wait(-1) }},
	{"queue", func(p Process) { threading.NewQueue[int](p, "q").Get(-1) }},
	{"future", func(p Process) { threading.NewFuture[int](p, "f").Wait(time.Minute) }},
	{"lock", func(p Process) {
		l := threading.NewLock(p, "l")
		l.Lock()
		l.Lock()
	}},
	{"join", func(p Process) { p.Self().Join() }},
	{"loop", func(p Process) {
		loop := threading.NewLoop(p, time.Minute)
		for {
			loop.Turn()
		}
	}},
}

// unwinds ends a process with one waiting task for each of the ways. It checks that no wait
// returns, and that deferred functions run.
func (r *trial) unwinds(end func(Process)) {
	r.within(func(p Process) {
		for _, way := range ways {
			p.Go(way.name, func() {
				defer r.log.Addf("deferred")
				way.wait(p)
				r.log.Addf("%s returned", way.name)
			})
		}
		p.Sleep(0)
		end(p)
	})
	r.wantLog(slices.Repeat([]string{"deferred"}, len(ways))...)
}

var crashCases = []testCase{
	{"by a task of its own does not return", func(r *trial) {
		r.within(func(p Process) {
			defer r.log.Addf("deferred")
			p.Crash()
			r.log.Addf("after the crash")
		})
		r.wantLog("deferred")
	}},

	{"unwinds tasks however they wait", func(r *trial) { r.unwinds(Process.Crash) }},

	{"leaves deferred env calls without effect", func(r *trial) {
		calls := []struct {
			name string
			call func(p Process, c env.Cond)
		}{
			{"go", func(p Process, _ env.Cond) { p.Go("late", func() { r.log.Addf("late task") }) }},
			{"self", func(p Process, _ env.Cond) { p.Self() }},
			{"sleep", func(p Process, _ env.Cond) { p.Sleep(0) }},
			{"signal", func(_ Process, c env.Cond) { c.Signal() }},
			{"broadcast", func(_ Process, c env.Cond) { c.Broadcast() }},
			{"wait", func(_ Process, c env.Cond) { c.WaitFor(0) }},
			{"loop", func(p Process, _ env.Cond) { threading.NewLoop(p, ms).Turn() }},
		}
		r.within(func(p Process) {
			c := p.NewCond("c")
			for _, deferred := range calls {
				p.Go(deferred.name, func() {
					defer r.log.Addf("deferred")
					defer func() {
						deferred.call(p, c)
						r.log.Addf("%s returned", deferred.name)
					}()
					p.Sleep(time.Minute)
				})
			}
			p.Sleep(0)
			p.Crash()
		})
		r.wantLog(slices.Repeat([]string{"deferred"}, len(calls))...)
	}},

	{"lets no task begin", func(r *trial) {
		r.within(func(p Process) {
			p.Go("never", func() { r.log.Addf("never") })
			p.Crash()
		})
		r.wantLog()
	}},

	{"leaves other processes alone", func(r *trial) {
		var crashed atomic.Bool
		r.begin("q", func(q Process) {
			for !crashed.Load() {
				q.Sleep(ms)
			}
			q.Sleep(5 * ms)
			q.Go("child", func() { r.log.Addf("q goes on") }).Join()
		})
		r.begin("p", func(p Process) {
			p.Sleep(2 * ms)
			crashed.Store(true)
			p.Crash()
		})
		r.finish()
		r.wantLog("q goes on")
	}},

	{"by a task of another process lets that one go on", func(r *trial) {
		var ready atomic.Bool
		p := r.begin("p", func(p Process) {
			for range 3 {
				p.Go("waiter", func() {
					defer r.log.Addf("p unwinds")
					p.Sleep(time.Minute)
					r.log.Addf("p slept")
				})
			}
			p.Sleep(0)
			ready.Store(true)
		})
		r.begin("q", func(q Process) {
			for !ready.Load() {
				q.Sleep(ms)
			}
			p.Crash()
			p.Crash()
			q.Sleep(ms)
			ready.Store(false)
		})
		r.finish()
		r.wantLog("p unwinds", "p unwinds", "p unwinds")
		if ready.Load() {
			r.Error("the task that crashed another process did not go on")
		}
	}},

	{"by the owner of the runtime ends everything", func(r *trial) {
		p := r.begin("p", func(p Process) {
			defer p.NewCond("c").Broadcast()
			p.Sleep(time.Minute)
			r.log.Addf("slept")
		})
		p.Crash()
		p.Go("late", func() { r.log.Addf("late task") })
		r.finish()
		r.wantLog()
	}},

	{"unwinds again what has swallowed the first time", func(r *trial) {
		r.within(func(p Process) {
			p.Go("swallower", func() {
				defer r.log.Addf("unwound")
				func() {
					defer func() { r.log.Addf("swallowed: %v", recover() != nil) }()
					p.Sleep(time.Minute)
				}()
				r.log.Addf("goes on")
				p.Sleep(0)
				r.log.Addf("slept")
			})
			p.Sleep(0)
			p.Crash()
		})
		r.wantLog("swallowed: true", "goes on", "unwound")
	}},
}
