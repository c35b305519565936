package runtimetest

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/threading"
)

// every starts a task in Every and returns it with the time that it took. The
// task has begun to wait when this returns, so what the caller sleeps after that
// counts from a later instant than the turns do.
func every(p Process, took *time.Duration, period time.Duration, done func() bool, causes ...env.Cond) env.Task {
	t := p.Go("every", func() {
		before := p.Elapsed()
		p.Every(period, done, causes...)
		*took = p.Elapsed() - before
	})
	p.Sleep(0)
	return t
}

var everyCases = []testCase{
	{"returns at the first whole multiple at which done is true", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			every(p, &took, 10*ms, e.IsSet, e.Cond())
			p.Sleep(25 * ms)
			e.Set()
		})
		r.wantTook("Every", took, 30*ms)
	}},

	{"waits one period when done is true at the call", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			e.Set()
			every(p, &took, 10*ms, e.IsSet, e.Cond())
		})
		r.wantTook("Every", took, 10*ms)
	}},

	{"does not see what was true between two turns only", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			waiter := every(p, &took, 10*ms, e.IsSet, e.Cond())
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
		r.wantTook("Every", took, 40*ms)
	}},

	{"sees what is true again by the turn", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			every(p, &took, 20*ms, e.IsSet, e.Cond())
			e.Set()
			e.Clear()
			p.Sleep(5 * ms)
			e.Set()
		})
		r.wantTook("Every", took, 20*ms)
	}},

	{"waits for all of several causes when done does", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			a, b := threading.NewEvent(p, "a"), threading.NewEvent(p, "b")
			both := func() bool { return a.IsSet() && b.IsSet() }
			every(p, &took, 10*ms, both, a.Cond(), b.Cond())
			p.Sleep(5 * ms)
			b.Set()
			p.Sleep(10 * ms)
			a.Set()
		})
		r.wantTook("Every", took, 20*ms)
	}},

	{"hears each of several causes", func(r *trial) {
		var first, second time.Duration
		r.within(func(p Process) {
			a, b := threading.NewEvent(p, "a"), threading.NewEvent(p, "b")
			either := func() bool { return a.IsSet() || b.IsSet() }
			every(p, &first, 10*ms, either, a.Cond(), b.Cond())
			p.Sleep(12 * ms)
			b.Set()
			p.Sleep(10 * ms)
			b.Clear()
			every(p, &second, 10*ms, either, a.Cond(), b.Cond())
			p.Sleep(2 * ms)
			a.Set()
		})
		r.wantTook("Every with the last cause", first, 20*ms)
		r.wantTook("Every with the first cause", second, 10*ms)
	}},

	{"takes a Signal for a cause, and leaves it to a waiter too", func(r *trial) {
		var took time.Duration
		r.within(func(p Process) {
			c := p.NewCond("c")
			changed := false
			every(p, &took, 10*ms, func() bool { return changed }, c)
			p.Go("waiter", func() { r.log.Addf("waiter in time: %v", c.WaitFor(time.Minute)) })
			p.Sleep(5 * ms)
			changed = true
			c.Signal()
		})
		r.wantLog("waiter in time: true")
		r.wantTook("Every", took, 10*ms)
	}},

	{"serves several tasks, each with turns of its own", func(r *trial) {
		var slow, fast time.Duration
		r.within(func(p Process) {
			e := threading.NewEvent(p, "e")
			every(p, &slow, 30*ms, e.IsSet, e.Cond())
			every(p, &fast, 10*ms, e.IsSet, e.Cond())
			p.Sleep(15 * ms)
			e.Set()
		})
		r.wantTook("Every 30ms", slow, 30*ms)
		r.wantTook("Every 10ms", fast, 20*ms)
	}},
}
