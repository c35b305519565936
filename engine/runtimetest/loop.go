package runtimetest

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// loops starts a task that runs a loop until the function done returns true, and returns the task.
// It stores in took how long the loop ran. The task already waits when loops returns, so a sleep of
// the caller begins after the loop's first wait.
func loops(p Process, took *time.Duration, period time.Duration, done func() bool) env.Task {
	t := p.Go("loop", func() {
		before := p.Elapsed()
		loop := threading.NewLoop(p, period)
		for loop.Turn(); !done(); {
			loop.Turn()
		}
		*took = p.Elapsed() - before
	})
	p.Sleep(0)
	return t
}

var loopCases = []testCase{
	{"sees at a turn what came true before it", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			loops(p, &took, 10*ms, e.IsSet)
			p.Sleep(25 * ms)
			e.Set()
		})
		r.wantLoop("the loop", took, 30*ms)
	}},

	{"waits one period when it is true at the beginning", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			e.Set()
			loops(p, &took, 10*ms, e.IsSet)
		})
		r.wantLoop("the loop", took, 10*ms)
	}},

	{"does not see what was true between two turns only", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			waiter := loops(p, &took, 10*ms, e.IsSet)
			e.Set()
			e.Clear()
			p.Sleep(15 * ms)
			e.Set()
			e.Clear()
			r.log.Addf("ended: %v", waiter.Done())
			p.Sleep(20 * ms)
			e.Set()
		})
		r.wantLog("ended: false")
		r.wantLoop("the loop", took, 40*ms)
	}},

	{"sees what is true again by the turn", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			loops(p, &took, 20*ms, e.IsSet)
			e.Set()
			e.Clear()
			p.Sleep(5 * ms)
			e.Set()
		})
		r.wantLoop("the loop", took, 20*ms)
	}},

	{"waits for all of several flags when it looks at all", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			a, b := threading.NewEvent(p, "a"), threading.NewEvent(p, "b")
			both := func() bool { return a.IsSet() && b.IsSet() }
			loops(p, &took, 10*ms, both)
			p.Sleep(5 * ms)
			b.Set()
			p.Sleep(10 * ms)
			a.Set()
		})
		r.wantLoop("the loop", took, 20*ms)
	}},

	{"sees each of several flags", func(r *trial) {
		var first, second time.Duration
		r.within(func(p Process) {
			a, b := threading.NewEvent(p, "a"), threading.NewEvent(p, "b")
			either := func() bool { return a.IsSet() || b.IsSet() }
			loops(p, &first, 10*ms, either)
			p.Sleep(12 * ms)
			b.Set()
			p.Sleep(10 * ms)
			b.Clear()
			loops(p, &second, 10*ms, either)
			p.Sleep(2 * ms)
			a.Set()
		})
		r.wantLoop("the loop with the last flag", first, 20*ms)
		r.wantLoop("the loop with the first flag", second, 10*ms)
	}},

	{"sees what comes with a Signal, and leaves that to a waiter", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			c := p.NewCond("c")
			changed := false
			loops(p, &took, 10*ms, func() bool { return changed })
			p.Go("waiter", func() { r.log.Addf("waiter in time: %v", c.WaitFor(time.Minute)) })
			p.Sleep(5 * ms)
			changed = true
			c.Signal()
		})
		r.wantLog("waiter in time: true")
		r.wantLoop("the loop", took, 10*ms)
	}},

	{"serves several tasks, each with turns of its own", func(r *trial) {
		var slow, fast time.Duration
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			loops(p, &slow, 30*ms, e.IsSet)
			loops(p, &fast, 10*ms, e.IsSet)
			p.Sleep(15 * ms)
			e.Set()
		})
		r.wantLoop("the loop 30ms", slow, 30*ms)
		r.wantLoop("the loop 10ms", fast, 20*ms)
	}},
}

// wantLoop checks how long a loop took. If time is not exact, turns drift, and the loop may have
// made one turn fewer.
func (r *trial) wantLoop(what string, got, want time.Duration) {
	r.Helper()
	if !r.rt.Exact() {
		want = 10 * ms // the shortest period
	}
	r.wantTook(what, got, want)
}
